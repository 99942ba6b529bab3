% ---------------------------------------------------------------------------------------------
% Command line of the standalone program.

:- use_module(library(readutil)).

:- dynamic pending/2, past/1, perceived/2, shows_lists/0, dead_end/2.

:- initialization(main, main).

main :-
    current_prolog_flag(argv, Argv),
    (   catch(options(Argv), Error, give_up(Error))
    ->  true
    ;   halt(2)
    ).

% Nobody reads the output any more: end without a word.
give_up(error(io_error(write, _), _)) :-
    halt(1).
give_up(Error) :-
    report(Error),
    halt(2).

options(Argv) :-
    take_options(Argv, none, Playouts),
    (   Playouts == none
    ->  reset_game,
        interact
    ;   run_playouts(Playouts),
        forall(dead_end(Facts, Moves), ( show_dead_end(Facts, Moves), halt(1) ))
    ).

take_options([], Playouts, Playouts).
take_options(['--help'|_], _, _) :-
    !,
    usage,
    halt(0).
take_options(['--lists'|Rest], Old, Playouts) :-
    !,
    assertz(shows_lists),
    take_options(Rest, Old, Playouts).
take_options(['--seed', Text|Rest], Old, Playouts) :-
    !,
    option_number('--seed', Text, Seed),
    set_random(seed(Seed)),
    take_options(Rest, Old, Playouts).
take_options(['--playouts', Text|Rest], _, Playouts) :-
    !,
    option_number('--playouts', Text, Count),
    take_options(Rest, Count, Playouts).
take_options([Other|_], _, _) :-
    format(user_error, "~w: unknown or incomplete option; try --help~n", [Other]),
    halt(2).

option_number(_, Text, Number) :-
    atom_number(Text, Number),
    integer(Number),
    Number >= 0,
    !.
option_number(Option, Text, _) :-
    format(user_error, "~w: ~w is not a whole number~n", [Option, Text]),
    halt(2).

usage :-
    game_name(Name),
    format("~w: a game as a Prolog program~n~n", [Name]),
    format("  swipl FILE.pl                  commands from the terminal or a pipe~n"),
    format("  swipl FILE.pl --playouts N     play N random games and sum up~n"),
    format("  --seed S                       make chance repeatable~n"),
    format("  --lists                        print terms as lists: [value_cell, numpos_1, ...]~n~n"),
    show_help.

show_help :-
    format("  state [ROLE]     facts of the state, or what ROLE sees (perceived in the last step, in GDL-II)~n"),
    format("  legal [ROLE]     legal moves~n"),
    format("  do ROLE MOVE     choose a move, as in: do x (mark 1 1)~n"),
    format("  next             play the chosen moves (chance and forced moves are filled in)~n"),
    format("  goal             goal value of every role~n"),
    format("  terminal         is the game over?~n"),
    format("  undo             take the last step back~n"),
    format("  reset            start again~n"),
    format("  random N         play N steps with random moves~n"),
    format("  roles            who plays~n"),
    format("  types            templates of facts and moves, and their numbers (typed games)~n"),
    format("  vector [ROLE]    the state, or what ROLE sees, as a vector of 0 and 1~n"),
    format("  index MOVE       the number of a move~n"),
    format("  action NUMBER    the move of a number~n"),
    format("  help, quit~n").

% ---- loop

interact :-
    (   stream_property(user_input, tty(true))
    ->  game_name(Name),
        format("~w. Type help for help.~n", [Name])
    ;   true
    ),
    loop.

loop :-
    prompt_text(Prompt),
    prompt(_, Prompt),
    read_line_to_string(user_input, Line),
    (   Line == end_of_file
    ->  true
    ;   split_command(Line, Verb, Rest),
        (   memberchk(Verb, [quit, exit])
        ->  true
        ;   catch(run(Verb, Rest), Error, report(Error)),
            loop
        )
    ).

prompt_text(Prompt) :-
    (   stream_property(user_input, tty(true)) -> Prompt = '> ' ; Prompt = '' ).

split_command(Line, Verb, Rest) :-
    normalize_space(string(Clean), Line),
    (   sub_string(Clean, Before, 1, _, " ")
    ->  sub_string(Clean, 0, Before, _, First),
        Start is Before + 1,
        sub_string(Clean, Start, _, 0, Rest)
    ;   First = Clean,
        Rest = ""
    ),
    string_lower(First, Lower),
    atom_string(Verb, Lower).

run('', _) :- !.
run(Verb, Rest) :-
    (   gdl_terms(Rest, Args)
    ->  true
    ;   throw(said("the parentheses do not match: ~s", [Rest]))
    ),
    (   command(Verb, Args)
    ->  true
    ;   throw(said("not understood: ~w ~s; try help", [Verb, Rest]))
    ).

report(said(Format, Args)) :- !,
    format(user_error, Format, Args),
    nl(user_error).
report(Error) :-
    explain(Error, Text),
    format(user_error, "error: ~s~n", [Text]).

% ---- commands

command(help, []) :- show_help.
command(roles, []) :- roles(Roles), show_line(Roles).
command(state, []) :- loaded_state(Facts), show_each(Facts).
command(state, [Role]) :- known_role(Role), visible(Role, Facts), show_each(Facts).
command(legal, []) :-
    roles(Roles),
    forall(member(Role, Roles), ( legal_moves(Role, Moves), show_moves(Role, Moves) )).
command(legal, [Role]) :- known_role(Role), legal_moves(Role, Moves), show_each(Moves).
command(do, [Role, Move]) :- choose(Role, Move).
command(next, []) :- play_chosen.
command(goal, []) :-
    roles(Roles),
    forall(member(Role, Roles),
           ( ( goal_value(Role, Value) -> true ; Value = none ), format("~w ~w~n", [Role, Value]) )).
command(terminal, []) :- ( is_terminal -> writeln(yes) ; writeln(no) ).
command(undo, []) :-
    (   retract(past(Facts))
    ->  retractall(pending(_, _)),
        retractall(perceived(_, _)),
        load_state(Facts)
    ;   throw(said("this is the start", []))
    ).
command(reset, []) :- reset_game.
command(types, []) :-
    require_types,
    forall(member(Kind, [state, observation, action]), show_templates(Kind)).
command(vector, []) :- require_types, loaded_state(Facts), state_vector(Facts, V), show_line(V).
command(vector, [Role]) :-
    require_types,
    known_role(Role),
    visible(Role, Facts),
    observation_vector(Role, Facts, Vector),
    show_line(Vector).
command(index, [Move]) :-
    require_types,
    (   term_index(action, Move, Index)
    ->  writeln(Index)
    ;   gdl_text(Move, Text),
        throw(said("~s is none of the actions; see: types", [Text]))
    ).
command(action, [Index]) :-
    require_types,
    (   index_term(action, Index, Move)
    ->  show_each([Move])
    ;   dimension(action, Size),
        throw(said("~w is no action; there are ~d, from 0 on", [Index, Size]))
    ).
command(random, []) :- random_steps(1).
command(random, [Count]) :- integer(Count), Count >= 0, random_steps(Count).

require_types :-
    (   template(_, _, _, _, _, _)
    ->  true
    ;   throw(said("this game has no types", []))
    ).

show_templates(Kind) :-
    dimension(Kind, Size),
    format("~w ~d~n", [Kind, Size]),
    forall(template(Kind, Label, Start, Count, _, _), format("  ~d ~d ~w~n", [Start, Count, Label])).

reset_game :-
    retractall(pending(_, _)),
    retractall(past(_)),
    retractall(perceived(_, _)),
    initial_state(Facts),
    load_state(Facts),
    settle_chance.

% In a serial game random plays before any other role may act.
settle_chance :-
    turns(serial),
    \+ is_terminal,
    actors([random-_]),
    !,
    random_moves(Moves),
    play(Moves),
    settle_chance.
settle_chance.

known_role(Role) :-
    roles(Roles),
    (   memberchk(Role, Roles)
    ->  true
    ;   atomic_list_concat(Roles, ', ', Text),
        gdl_text(Role, R),
        throw(said("~s is not a role; roles: ~w", [R, Text]))
    ).

visible(Role, Facts) :-
    loaded_state(All),
    (   information(percepts)
    ->  ( perceived(Role, Facts) -> true ; Facts = [] )
    ;   include(visible_fact(Role), All, Facts)
    ).

visible_fact(Role, sees(Other, _)) :- !, Other == Role.
visible_fact(_, _).

choose(Role, Move) :-
    known_role(Role),
    ( is_terminal -> throw(said("the game is over; try reset", [])) ; true ),
    actors(Acting),
    (   memberchk(Role-Moves, Acting), memberchk(Move, Moves)
    ->  ( turns(serial) -> retractall(pending(_, _)) ; retractall(pending(Role, _)) ),
        assertz(pending(Role, Move))
    ;   gdl_text(Move, Text),
        throw(said("~s is not a legal move of ~w; see: legal ~w", [Text, Role, Role]))
    ).

play_chosen :-
    ( is_terminal -> throw(said("the game is over; try reset", [])) ; true ),
    actors(Acting),
    (   turns(serial)
    ->  serial_choice(Acting, Chosen)
    ;   maplist(choice, Acting, Chosen)
    ),
    ( Chosen == [] -> throw(said("a dead end: no role has a move, but the game is not over", [])) ; true ),
    maplist(drawn, Chosen, Moves),
    play(Moves),
    settle_chance.

%!  play(+Moves) is det.
%   Go to the next state, and keep what the roles perceive of the step.
play(Moves) :-
    loaded_state(Old),
    next_state(Moves, Facts),
    retractall(perceived(_, _)),
    roles(Roles),
    forall(member(Role, Roles), ( percepts(Role, Percepts), assertz(perceived(Role, Percepts)) )),
    load_state(Facts),
    asserta(past(Old)),
    retractall(pending(_, _)),
    show_moves_played(Moves).

serial_choice(_, [Role-Move]) :-
    pending(Role, Move),
    !.
serial_choice([Role-[Move]], [Role-Move]) :-
    !.
serial_choice(Acting, _) :-
    pairs_keys(Acting, Roles),
    atomic_list_concat(Roles, ' or ', Text),
    throw(said("whose move? choose with: do ROLE MOVE, for ~w", [Text])).

choice(Role-_, Role-Move) :- pending(Role, Move), !.
choice(Role-[Move], Role-Move) :- !.
choice(random-Moves, random-Move) :- !, random_member(Move, Moves).
choice(Role-_, _) :-
    throw(said("no move for ~w yet; choose with: do ~w MOVE", [Role, Role])).

drawn(Role-Move, Role-Drawn) :-
    draw_move(Move, Drawn).

random_steps(0) :- !.
random_steps(_) :- is_terminal, !, writeln('the game is over').
random_steps(Count) :-
    (   random_moves(Moves)
    ->  play(Moves),
        Left is Count - 1,
        random_steps(Left)
    ;   throw(said("a dead end: no role has a move, but the game is not over", []))
    ).

% ---- playouts

run_playouts(Count) :-
    roles(Roles),
    statistics(cputime, Start),
    findall(Game, ( between(1, Count, _), one_playout(Roles, Game) ), Games),
    statistics(cputime, End),
    findall(Steps, member(game(_, Steps, _), Games), AllSteps),
    sum_list(AllSteps, Sum),
    Time is max(End - Start, 0.001),
    Rate is Sum / Time,
    format("~d games, ~d steps, ~0f steps/s~n", [Count, Sum, Rate]),
    show_left_out(Games, stuck, "came to a dead end"),
    show_left_out(Games, cut, "were stopped before their end"),
    findall(Goals, member(game(over, _, Goals), Games), AllGoals),
    forall(nth1(Index, Roles, Role), role_summary(Index, Role, AllGoals)).

show_left_out(Games, Ending, Words) :-
    aggregate_all(count, member(game(Ending, _, _), Games), Count),
    (   Count =:= 0
    ->  true
    ;   format("~d of them ~s and do not count below~n", [Count, Words])
    ).

one_playout(Roles, game(Ending, Steps, Goals)) :-
    initial_state(Facts),
    load_state(Facts),
    random_game(0, [], Ending, Steps),
    maplist([Role, Value]>>( goal_value(Role, Value) -> true ; Value = none ), Roles, Goals).

%!  random_game(+Done, +Moves, -Ending, -Steps) is det.
%   Play to the end. Moves are those before, the last first; the first dead end is kept with its own.
random_game(Done, Moves, Ending, Steps) :-
    (   is_terminal
    ->  Ending = over,
        Steps = Done
    ;   Done >= 100000
    ->  Ending = cut,
        Steps = Done
    ;   random_moves(Played)
    ->  next_state(Played, Facts),
        load_state(Facts),
        Next is Done + 1,
        random_game(Next, [Played|Moves], Ending, Steps)
    ;   Ending = stuck,
        Steps = Done,
        loaded_state(Facts),
        ( dead_end(_, _) -> true ; assertz(dead_end(Facts, Moves)) )
    ).

show_dead_end(Facts, Moves) :-
    with_output_to(string(State), show_each(Facts)),
    format(user_error, "error: a dead end: no role has a move, but the game is not over in the state~n~s", [State]),
    format(user_error, "which is reached by~n", []),
    reverse(Moves, Steps),
    with_output_to(string(Path), forall(member(Step, Steps), ( show_step(Step), nl ))),
    format(user_error, "~s", [Path]).

show_step(Moves) :-
    forall(nth1(Index, Moves, Role-Move),
        ( ( Index > 1 -> write(', ') ; true ), format("~w: ", [Role]), show(Move) )).

role_summary(Index, Role, AllGoals) :-
    findall(Value, ( member(Goals, AllGoals), nth1(Index, Goals, Value), integer(Value) ), Values),
    (   Values == []
    ->  format("~w: no goal~n", [Role])
    ;   sum_list(Values, Sum),
        length(Values, Count),
        Mean is Sum / Count,
        msort(Values, Sorted),
        findall(V*N, ( list_to_set(Sorted, Set), member(V, Set), aggregate_all(count, member(V, Sorted), N) ), Tally),
        format("~w: mean goal ~2f", [Role, Mean]),
        forall(member(V*N, Tally), format("  ~w: ~d", [V, N])),
        nl
    ).

% ---- output

show_each(Terms) :- forall(member(Term, Terms), ( show(Term), nl )).
show_line(Terms) :- forall(member(Term, Terms), ( show(Term), write(' ') )), nl.

show_moves(Role, Moves) :-
    format("~w:", [Role]),
    forall(member(Move, Moves), ( write(' '), show(Move) )),
    nl.

show_moves_played(Moves) :-
    forall(member(Role-Move, Moves), ( format("~w ", [Role]), show(Move), nl )).

show(Term) :-
    (   shows_lists
    ->  gdl_tuple(Term, Tuple),
        print(Tuple)
    ;   write_gdl(Term)
    ).

%!  gdl_tuple(+Term, -Tuple) is det.
%   (cell 1 1 b) as [value_cell, numpos_1, numpos_1, value_b], the notation of KMNR22.
gdl_tuple(Term, Tuple) :-
    compound(Term),
    !,
    compound_name_arguments(Term, Name, Args),
    maplist(gdl_tuple, [Name|Args], Tuple).
gdl_tuple(Number, Tuple) :-
    integer(Number),
    !,
    Absolute is abs(Number),
    ( Number < 0 -> Prefix = numneg_ ; Prefix = numpos_ ),
    atom_concat(Prefix, Absolute, Tuple).
gdl_tuple(Atom, Tuple) :-
    atom_concat(value_, Atom, Tuple).
