% ---------------------------------------------------------------------------------------------
% Requests of the engine's worker. Terms cross the pipe as numbers, each spelled out once:
%
%   request   name argument …           a list of numbers is written 1,2,3 and - where empty
%   reply     new NUMBER TEXT           one line for each term that is mentioned for the first time
%             ok ANSWER                 or: error KIND TEXT

:- use_module(library(time)).

:- dynamic known_term/2.

:- trie_new(Trie), nb_setval(term_numbers, Trie).
:- nb_setval(term_count, 0).

%!  answer(+Request, -Reply) is det.
answer(Request, Reply) :-
    nb_setval(new_terms, []),
    nb_getval(time_limit, Seconds),
    catch(
        ( call_with_time_limit(Seconds, reply_to(Request, Answer)),
          format(string(Last), "ok ~s", [Answer]) ),
        Error,
        error_reply(Error, Seconds, Last)),
    nb_getval(new_terms, New),
    reverse(New, Ordered),
    append(Ordered, [Last], Lines),
    atomics_to_string(Lines, Reply).

atomics_to_string(Lines, Text) :-
    atomic_list_concat(Lines, '\n', Atom),
    atom_string(Atom, Text).

reply_to(Request, Answer) :-
    split_string(Request, " ", "", [Name|Args]),
    atom_string(Verb, Name),
    (   request(Verb, Args, Answer)
    ->  true
    ;   throw(error(gdl(failed(Request)), _))
    ).

error_reply(Error, Seconds, Reply) :-
    (   Error == time_limit_exceeded
    ->  format(string(Reply), "error limit the rules ran for more than ~w s", [Seconds])
    ;   Error = error(resource_error(What), _)
    ->  catch(abolish_all_tables, _, true),
        retractall(loaded_state(_)),
        format(string(Reply), "error limit the rules ran out of ~w", [What])
    ;   explain(Error, Text),
        ( Error = error(gdl(_), _) -> Kind = rule ; Kind = engine ),
        split_string(Text, "\n", "", Parts),
        atomic_list_concat(Parts, ' ', Line),
        format(string(Reply), "error ~w ~w", [Kind, Line])
    ).

% ---- requests

request(roles, [], Answer) :-
    roles(Roles),
    numbers_text(Roles, Answer).
request(initial, [], Answer) :-
    initial_state(Facts),
    numbers_text(Facts, Answer).
request(number, [Text|More], Answer) :-
    atomic_list_concat([Text|More], ' ', Whole),
    gdl_terms(Whole, [Term]),
    term_number(Term, Number),
    number_string(Number, Answer).
request(legal, [State], Answer) :-
    load_numbers(State),
    roles(Roles),
    ( is_terminal -> Flag = 1 ; Flag = 0 ),
    findall(Text, ( member(Role, Roles), legal_moves(Role, Moves), numbers_text(Moves, Text) ), Texts),
    atomic_list_concat([Flag|Texts], ' ', Answer).
request(goals, [State], Answer) :-
    load_numbers(State),
    roles(Roles),
    maplist(goal_text, Roles, Texts),
    atomic_list_concat(Texts, ' ', Answer).
request(experiments, [State], Answer) :-
    load_numbers(State),
    findall(Text, ( experiment(Name, Events), experiment_text(Name, Events, Text) ), Texts),
    atomic_list_concat(Texts, ' ', Answer).
request(next, [State, Roles, Moves], Answer) :-
    load_numbers(State),
    paired(Roles, Moves, Pairs),
    next_state(Pairs, Facts),
    numbers_text(Facts, Answer).
request(percepts, [State, Roles, Moves], Answer) :-
    load_numbers(State),
    paired(Roles, Moves, Pairs),
    set_moves(Pairs),
    roles(All),
    findall(Text, ( member(Role, All), percepts(Role, Percepts), numbers_text(Percepts, Text) ), Texts),
    atomic_list_concat(Texts, ' ', Answer).
request(seed, [Text], "") :-
    number_string(Seed, Text),
    set_random(seed(Seed)).
request(playouts, [CountText, MaxText], Answer) :-
    number_string(Count, CountText),
    number_string(Max, MaxText),
    findall(Text, ( between(1, Count, _), playout_text(Max, Text) ), Texts),
    atomic_list_concat(Texts, ' ', Answer).

playout_text(Max, Text) :-
    playout(Max, Steps),
    roles(Roles),
    maplist(goal_text, Roles, Goals),
    ( is_terminal -> Flag = 1 ; Flag = 0 ),
    atomic_list_concat([Steps, Flag|Goals], ',', Text).

goal_text(Role, Text) :-
    ( goal_value(Role, Value) -> Text = Value ; Text = '-' ).

experiment_text(Name, Events, Text) :-
    term_number(Name, Number),
    findall(Part, ( member(W-E, Events), term_number(E, N), format(atom(Part), "~w:~w", [W, N]) ), Parts),
    atomic_list_concat([Number|Parts], ',', Text).

% ---- terms and numbers

load_numbers(Text) :-
    terms_of_text(Text, Terms),
    sort(Terms, Facts),
    load_state(Facts).

paired(RoleText, MoveText, Pairs) :-
    terms_of_text(RoleText, Roles),
    terms_of_text(MoveText, Moves),
    pairs_keys_values(Pairs, Roles, Moves).

terms_of_text("-", []) :-
    !.
terms_of_text(Text, Terms) :-
    split_string(Text, ",", "", Parts),
    maplist(term_of_text, Parts, Terms).

term_of_text(Text, Term) :-
    number_string(Number, Text),
    known_term(Number, Term).

numbers_text([], '-') :-
    !.
numbers_text(Terms, Text) :-
    maplist(term_number, Terms, Numbers),
    atomic_list_concat(Numbers, ',', Text).

term_number(Term, Number) :-
    nb_getval(term_numbers, Trie),
    (   trie_lookup(Trie, Term, Number)
    ->  true
    ;   ground(Term)
    ->  nb_getval(term_count, Number),
        Count is Number + 1,
        nb_setval(term_count, Count),
        trie_insert(Trie, Term, Number),
        assertz(known_term(Number, Term)),
        gdl_text(Term, Text),
        format(string(Line), "new ~w ~s", [Number, Text]),
        nb_getval(new_terms, New),
        nb_setval(new_terms, [Line|New])
    ;   gdl_text(Term, Text),
        throw(error(gdl(not_ground(Text)), _))
    ).
