% ---------------------------------------------------------------------------------------------
% Runtime of every game: state, moves, chance, arithmetic.
%
% The clauses of the game (above) ask t_name/N for facts of the current state and does/2 for the
% moves of the current step; both are asserted here before a question is asked.

:- use_module(library(lists)).
:- use_module(library(apply)).
:- use_module(library(random)).
:- use_module(library(aggregate)).

:- dynamic does/2, untracked_fact/1, loaded_state/1.

% ---- state

%!  load_state(+Facts) is det.
%   Make Facts (sorted) the current state and forget what was derived from the one before.
load_state(Facts) :-
    loaded_state(Loaded),
    Loaded == Facts,
    !,
    clear_moves.
load_state(Facts) :-
    retractall(loaded_state(_)),
    clear_moves,
    forall(fluent(_, Stored), retractall(Stored)),
    retractall(untracked_fact(_)),
    maplist(store_fact, Facts),
    forget_state_tables,
    assertz(loaded_state(Facts)).

store_fact(Fact) :-
    fluent(Fact, Stored),
    !,
    assertz(Stored).
store_fact(Fact) :-
    assertz(untracked_fact(Fact)).

%!  true_fact(?Fact) is nondet.
%   (true ?f) where the rules do not say which fact is meant.
true_fact(Fact) :-
    fluent(Fact, Stored),
    call(Stored).
true_fact(Fact) :-
    untracked_fact(Fact).

clear_moves :-
    (   does(_, _)
    ->  retractall(does(_, _)),
        forget_move_tables
    ;   true
    ).

set_moves(Moves) :-
    clear_moves,
    forall(member(Role-Move, Moves), assertz(does(Role, Move))).

% ---- questions about the current state

initial_state(Facts) :-
    clear_moves,
    findall(Fact, init(Fact), Found),
    sort(Found, Facts).

roles(Roles) :-
    findall(Role, role(Role), Found),
    list_to_set(Found, Roles).

legal_moves(Role, Moves) :-
    findall(Move, legal(Role, Move), Found),
    sort(Found, Moves).

is_terminal :-
    terminal,
    !.

%!  goal_value(+Role, -Value) is semidet.
%   The largest where the rules give several; fails where they give none. Other values than 0 to
%   100 are no goals.
goal_value(Role, Value) :-
    findall(V, (goal(Role, V), integer(V), between(0, 100, V)), Values),
    max_list(Values, Value).

%!  next_state(+Moves, -Facts) is det.
%   In a serial game the move noop never alters the state.
next_state(Moves, Facts) :-
    turns(serial),
    forall(member(_-Move, Moves), Move == noop),
    !,
    loaded_state(Facts).
next_state(Moves, Facts) :-
    set_moves(Moves),
    findall(Fact, next(Fact), Found),
    sort(Found, Facts).

percepts(Role, Percepts) :-
    findall(Percept, sees(Role, Percept), Found),
    sort(Found, Percepts).

% ---- who acts, and chance

actors(Acting) :-
    roles(Roles),
    findall(Role-Moves, (member(Role, Roles), legal_moves(Role, Moves), Moves \== []), All),
    (   turns(serial),
        memberchk(random-Moves, All)
    ->  Acting = [random-Moves]
    ;   Acting = All
    ).

%!  experiment(?Name, -Events) is nondet.
%   Events of one experiment as Weight-Event, without those of weight 0.
experiment(Name, Events) :-
    findall(N-(W-E), chance(N, W, E), Found),
    sort(Found, All),
    forall(member(N-(W-E), All), check_weight(N, W, E)),
    findall(N, member(N-_, All), Listed),
    sort(Listed, Names),
    member(Name, Names),
    findall(W-E, (member(Name-(W-E), All), W > 0), Events).

check_weight(_, Weight, _) :-
    integer(Weight),
    Weight >= 0,
    !.
check_weight(Name, Weight, Event) :-
    throw(error(gdl(bad_weight(Name, Weight, Event)), _)).

%!  draw_move(+Move, -Drawn) is det.
%   Replace the names of experiments in a move by what is drawn, one draw a name.
draw_move(Move, Drawn) :-
    experiment_names(Names),
    include(occurs_in(Move), Names, Used),
    foldl(draw_experiment, Used, Move, Drawn).

draw_experiment(Name, Move, Drawn) :-
    (   experiment(Name, Events), Events \== []
    ->  true
    ;   throw(error(gdl(nothing_to_draw(Name)), _))
    ),
    aggregate_all(sum(W), member(W-_, Events), Sum),
    random_between(1, Sum, Pick),
    pick_event(Events, Pick, Event),
    replace_symbol(Move, Name, Event, Drawn).

pick_event([Weight-Event|_], Pick, Event) :-
    Pick =< Weight,
    !.
pick_event([Weight-_|Rest], Pick, Event) :-
    Left is Pick - Weight,
    pick_event(Rest, Left, Event).

occurs_in(Term, Name) :-
    (   Term == Name
    ->  true
    ;   compound(Term),
        arg(_, Term, Arg),
        occurs_in(Arg, Name)
    ->  true
    ).

replace_symbol(Name, Name, Value, Value) :-
    !.
replace_symbol(Term, Name, Value, Replaced) :-
    compound(Term),
    !,
    Term =.. [Functor|Args],
    maplist([A, B]>>replace_symbol(A, Name, Value, B), Args, NewArgs),
    Replaced =.. [Functor|NewArgs].
replace_symbol(Term, _, _, Term).

% ---- random play

%!  random_step is semidet.
%   Play one step of the current state with uniformly random moves; the next state is loaded.
random_step :-
    random_moves(Moves),
    next_state(Moves, Facts),
    load_state(Facts).

%!  random_moves(-Moves) is semidet.
%   Uniformly random moves of all who act; fails where nobody can move.
random_moves(Moves) :-
    actors(Acting),
    Acting \== [],
    (   turns(serial)
    ->  random_member(Actor, Acting),
        Choosing = [Actor]
    ;   Choosing = Acting
    ),
    maplist(random_choice, Choosing, Moves).

random_choice(Role-Moves, Role-Drawn) :-
    random_member(Move, Moves),
    draw_move(Move, Drawn).

%!  playout(+MaxSteps, -Steps) is det.
%   Play from the initial state to the end, or until MaxSteps, or until nobody can move.
playout(MaxSteps, Steps) :-
    initial_state(Facts),
    load_state(Facts),
    playout_from(0, MaxSteps, Steps).

playout_from(Steps, MaxSteps, Steps) :-
    (   Steps >= MaxSteps
    ;   is_terminal
    ),
    !.
playout_from(Done, MaxSteps, Steps) :-
    random_step,
    !,
    Next is Done + 1,
    playout_from(Next, MaxSteps, Steps).
playout_from(Steps, _, Steps).

% ---- count

:- meta_predicate count(?, ?, 0).

%!  count(?Number, +Variables, :Goal) is semidet.
%   Number of different values of Variables for which Goal holds.
count(Number, Variables, Goal) :-
    findall(Variables, Goal, Found),
    sort(Found, Different),
    length(Different, Count),
    Number = Count.

% ---- arithmetic: any one argument may be unknown
%
% A value that is not an integer has no sum, no quotient, no order: the literal does not hold.

% The first clause of each is the common question, kept short.

add(A, B, C) :- integer(A), integer(B), !, Sum is A + B, C = Sum.
add(A, B, C) :- unknown(add(A, B, C), Which), add(Which, A, B, C).
add(1, A, B, C) :- A is C - B.
add(2, A, B, C) :- B is C - A.

sub(A, B, C) :- integer(A), integer(B), !, Difference is A - B, C = Difference.
sub(A, B, C) :- unknown(sub(A, B, C), Which), sub(Which, A, B, C).
sub(1, A, B, C) :- A is C + B.
sub(2, A, B, C) :- B is A - C.

mult(A, B, C) :- integer(A), integer(B), !, Product is A * B, C = Product.
mult(A, B, C) :- unknown(mult(A, B, C), Which), mult(Which, A, B, C).
mult(1, A, B, C) :- factor(A, B, C, mult(A, B, C)).
mult(2, A, B, C) :- factor(B, A, C, mult(A, B, C)).

factor(Unknown, Known, Product, Goal) :-
    (   Known =\= 0
    ->  0 is Product mod Known,
        Unknown is Product // Known
    ;   Product =:= 0,
        infinitely_many(Goal)
    ).

% div truncates toward zero, as // does.
div(A, B, C) :- integer(A), integer(B), !, B =\= 0, Quotient is A // B, C = Quotient.
div(A, B, C) :- unknown(div(A, B, C), Which), div(Which, A, B, C).
div(1, A, B, C) :- B =\= 0, dividends(B, C, Low, High), between(Low, High, A).
div(2, A, B, C) :- divisor(A, B, C).

dividends(B, C, Low, High) :-
    Edge is abs(B) - 1,
    Sign is sign(B) * sign(C),
    Near is B * C,
    (   Sign > 0 -> Low = Near, High is Near + Edge
    ;   Sign < 0 -> Low is Near - Edge, High = Near
    ;   Low is -Edge, High = Edge
    ).

divisor(A, _, 0) :-
    !,
    infinitely_many(div(A, '?b', 0)).
divisor(A, B, C) :-
    A =\= 0,
    abs(A) >= abs(C),
    High is abs(A) // abs(C),
    Low is abs(A) // (abs(C) + 1) + 1,
    between(Low, High, Size),
    B is sign(A) * sign(C) * Size.

% mod has the sign of the divisor.
mod(A, B, C) :- integer(A), integer(B), !, B =\= 0, Remainder is A mod B, C = Remainder.
mod(A, B, C) :- unknown(mod(A, B, C), Which), mod(Which, A, B, C).
mod(1, A, B, C) :-
    B =\= 0,
    (   C =:= C mod B -> infinitely_many(mod(A, B, C)) ; fail ).
mod(2, A, B, C) :-
    Difference is A - C,
    (   Difference =:= 0
    ->  infinitely_many(mod(A, B, C))
    ;   divides(Size, Difference),
        Size > abs(C),
        (   C =:= 0 -> ( B = Size ; B is -Size ) ; B is sign(C) * Size )
    ).

divides(Divisor, Number) :-
    Absolute is abs(Number),
    nth_integer_root_and_remainder(2, Absolute, Root, _),
    findall(D, ( between(1, Root, Low),
                 Absolute mod Low =:= 0,
                 ( D = Low ; D is Absolute // Low ) ), Found),
    sort(Found, Divisors),
    member(Divisor, Divisors).

less(A, B) :- integer(A), integer(B), !, A < B.
less(A, B) :- compare_unknown(less(A, B)).

greater(A, B) :- integer(A), integer(B), !, A > B.
greater(A, B) :- compare_unknown(greater(A, B)).

compare_unknown(Goal) :-
    (   unknown(Goal, _)
    ->  throw(error(gdl(unbound(Goal)), _))
    ).

%!  unknown(+Goal, -Which) is semidet.
%   Which argument is unknown, 0 for none; fails where a known one is no integer.
unknown(Goal, Which) :-
    Goal =.. [_|Args],
    unknown(Args, 1, 0, Goal, Which).

unknown([], _, Which, _, Which).
unknown([Arg|Args], Index, Found, Goal, Which) :-
    (   integer(Arg)
    ->  Next = Found
    ;   var(Arg)
    ->  (   Found =:= 0 -> Next = Index ; throw(error(gdl(unbound(Goal)), _)) )
    ),
    Following is Index + 1,
    unknown(Args, Following, Next, Goal, Which).

infinitely_many(Goal) :-
    throw(error(gdl(infinitely_many(Goal)), _)).

% ---- types

%!  type_member(?Type, ?Value) is nondet.
type_member(Type, Value) :-
    nonvar(Type),
    Type = range(Low, High),
    !,
    (   var(Value)
    ->  between(Low, High, Value)
    ;   integer(Value), Value >= Low, Value =< High
    ).
type_member(Type, Value) :-
    type(Type, Value).
type_member(Type, Value) :-
    typemap_value(Type, Value).

% ---- GDL text

%!  gdl_text(+Term, -Text) is det.
gdl_text(Term, Text) :-
    with_output_to(string(Text), write_gdl(Term)).

write_gdl(Term) :-
    compound(Term),
    !,
    compound_name_arguments(Term, Name, Args),
    format("(~w", [Name]),
    forall(member(Arg, Args), ( write(' '), write_gdl(Arg) )),
    write(')').
write_gdl(Term) :-
    var(Term),
    !,
    write('?').
write_gdl(Term) :-
    write(Term).

%!  gdl_terms(+Text, -Terms) is semidet.
%   Read terms; fails where parentheses do not match or a list has no name.
gdl_terms(Text, Terms) :-
    string_lower(Text, Lower),
    string_codes(Lower, Codes),
    phrase(gdl_tokens(Tokens), Codes),
    phrase(gdl_list(Terms), Tokens).

gdl_tokens(Tokens) --> [C], { code_type(C, space) }, !, gdl_tokens(Tokens).
gdl_tokens([open|Tokens]) --> "(", !, gdl_tokens(Tokens).
gdl_tokens([close|Tokens]) --> ")", !, gdl_tokens(Tokens).
gdl_tokens([word(Word)|Tokens]) --> gdl_word([C|Cs]), !, { gdl_atom([C|Cs], Word) }, gdl_tokens(Tokens).
gdl_tokens([]) --> [].

gdl_word([C|Cs]) --> [C], { \+ code_type(C, space), \+ memberchk(C, `();`) }, !, gdl_word(Cs).
gdl_word([]) --> [].

% Only the canonical writing of an integer is a number.
gdl_atom(Codes, Value) :-
    catch(number_codes(Number, Codes), _, fail),
    integer(Number),
    number_codes(Number, Codes),
    atom_codes(Text, Codes),
    format(atom(Text), "~d", [Number]),
    !,
    Value = Number.
gdl_atom(Codes, Value) :-
    atom_codes(Value, Codes).

gdl_list([Term|Terms]) --> gdl_term(Term), !, gdl_list(Terms).
gdl_list([]) --> [].

gdl_term(Word) --> [word(Word)].
gdl_term(Term) --> [open, word(Name)], gdl_list(Args), [close], { gdl_compound(Name, Args, Term) }.

gdl_compound(Name, [], Name) :- !.
gdl_compound(Name, Args, Term) :- compound_name_arguments(Term, Name, Args).

%!  explain(+Error, -Text) is det.
%   What went wrong, in words.
explain(error(gdl(unbound(Goal)), _), Text) :- !,
    gdl_text(Goal, G),
    format(string(Text), "~s has too many unknown arguments (shown as ?)", [G]).
explain(error(gdl(infinitely_many(Goal)), _), Text) :- !,
    gdl_text(Goal, G),
    format(string(Text), "~s has infinitely many answers", [G]).
explain(error(gdl(not_ground(Text)), _), Explained) :- !,
    format(string(Explained), "the rules give ~s, where ? has no value", [Text]).
explain(error(gdl(untyped(Fact)), _), Text) :- !,
    gdl_text(Fact, G),
    format(string(Text), "~s lies outside of the types of the rules", [G]).
explain(error(gdl(failed(Request)), _), Text) :- !,
    format(string(Text), "no answer to the request ~s", [Request]).
explain(error(gdl(bad_weight(Name, Weight, Event)), _), Text) :- !,
    gdl_text(random(Name, Weight, Event), G),
    format(string(Text), "~s: a weight must be an integer from 0 up", [G]).
explain(error(gdl(nothing_to_draw(Name)), _), Text) :- !,
    format(string(Text), "no event of the experiment ~w has a weight above 0", [Name]).
explain(Error, Text) :-
    catch(message_text(Error, Text), _, fail),
    !.
explain(Error, Text) :-
    format(string(Text), "~q", [Error]).

message_text(Error, Text) :-
    '$messages':translate_message(Error, Lines, []),
    with_output_to(string(Raw), print_message_lines(current_output, '', Lines)),
    split_string(Raw, "\n", " ", Parts),
    atomic_list_concat(Parts, ' ', Text).
