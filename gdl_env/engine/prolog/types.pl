% ---------------------------------------------------------------------------------------------
% Types of a game: facts and moves as numbers, for learning programs.
%
%   template(Kind, Label, Start, Size, Pattern, Places)   Kind is state, observation or action;
%       the terms of the pattern have the numbers from Start on. Places are Variable-Domain, from
%       left to right; the last one runs fastest.
%   domain(Domain, Size, Values)   Values are range(Low, High) or listed: domain_value(Domain, I, V).
%   domain_map(Domain, Type)       numbers stand for their class of a typemap.

%!  dimension(+Kind, -Size) is det.
%   The number of facts of a state, of entries of an observation, or of actions.
dimension(Kind, Size) :-
    aggregate_all(sum(S), template(Kind, _, _, S, _, _), Size).

%!  term_index(+Kind, +Term, -Index) is semidet.
term_index(Kind, Term, Index) :-
    template(Kind, _, Start, _, Term, Places),
    places_index(Places, 0, Offset),
    !,
    Index is Start + Offset.

places_index([], Index, Index).
places_index([Value-Domain|Places], Before, Index) :-
    value_index(Domain, Value, I),
    domain(Domain, Size, _),
    Next is Before * Size + I,
    places_index(Places, Next, Index).

%!  value_index(+Domain, +Value, -Index) is semidet.
value_index(Domain, Value, Index) :-
    listed_index(Domain, Value, Index),
    !.
value_index(Domain, Number, Index) :-
    integer(Number),
    domain_map(Domain, Type),
    typemap(Type, Class, Number),
    !,
    listed_index(Domain, Class, Index).

listed_index(Domain, Value, Index) :-
    domain(Domain, _, range(Low, High)),
    !,
    integer(Value),
    Value >= Low,
    Value =< High,
    Index is Value - Low.
listed_index(Domain, Value, Index) :-
    domain_value(Domain, Index, Value),
    !.

%!  index_term(+Kind, +Index, -Term) is semidet.
index_term(Kind, Index, Term) :-
    integer(Index),
    Index >= 0,
    template(Kind, _, Start, Size, Term, Places),
    Index < Start + Size,
    !,
    Offset is Index - Start,
    reverse(Places, Backwards),
    fill_places(Backwards, Offset).

fill_places([], _).
fill_places([Value-Domain|Places], Offset) :-
    domain(Domain, Size, Values),
    I is Offset mod Size,
    (   Values = range(Low, _)
    ->  Value is Low + I
    ;   domain_value(Domain, I, Value)
    ),
    !,
    Rest is Offset // Size,
    fill_places(Places, Rest).

%!  state_vector(+Facts, -Vector) is det.
%   A list of 0 and 1, with a 1 for each fact of a state.
state_vector(Facts, Vector) :-
    maplist(known_index(state), Facts, Indices),
    indicator(state, Indices, Vector).

%!  observation_vector(+Role, +Facts, -Vector) is det.
%   The same for what a role is shown; (sees role fact) of its own counts as (sees fact).
observation_vector(Role, Facts, Vector) :-
    maplist(shown_fact(Role), Facts, Shown),
    maplist(known_index(observation), Shown, Indices),
    indicator(observation, Indices, Vector).

shown_fact(Role, sees(Role, Fact), sees(Fact)) :-
    information(state),
    !.
shown_fact(_, Fact, Fact).

known_index(Kind, Fact, Index) :-
    (   term_index(Kind, Fact, Index)
    ->  true
    ;   throw(error(gdl(untyped(Fact)), _))
    ).

indicator(Kind, Indices, Vector) :-
    dimension(Kind, Size),
    sort(Indices, Sorted),
    indicator_from(0, Size, Sorted, Vector).

indicator_from(Size, Size, _, []) :-
    !.
indicator_from(I, Size, [I|Indices], [1|Vector]) :-
    !,
    Next is I + 1,
    indicator_from(Next, Size, Indices, Vector).
indicator_from(I, Size, Indices, [0|Vector]) :-
    Next is I + 1,
    indicator_from(Next, Size, Indices, Vector).
