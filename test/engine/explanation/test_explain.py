"""Why a move is illegal: the literals that fail, with the line they stand at."""

from __future__ import annotations

from random import Random

import pytest

from gdl_env.engine.explanation.explain import (
    FailedLiteral,
    FailedRule,
    explain_best,
    explain_move,
)
from gdl_env.engine.explanation.state_evaluator import StateEvaluator
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import open_engine
from gdl_env.language.game import Game, Turns
from gdl_env.language.load import game_from_text, open_game
from gdl_env.language.reader import read_role, read_term
from gdl_env.language.terms import Compound, Variable

CASES = [
    # Game, moves before, role, move, a literal that fails.
    ('tictactoe', ['(mark 2 2)'], 'o', '(mark 2 2)', '(true (cell 2 2 b))'),
    ('tictactoe', [], 'o', '(mark 1 1)', '(true (control o))'),
    ('connect_four', ['(drop 1)'] * 6, 'red', '(drop 1)', '(less 6 6)'),
    ('othello', [], 'black', '(place 4 4)', '(not (taken 4 4))'),
    ('othello', [], 'black', 'pass', '(not (mobile own))'),
    ('breakthrough', [], 'white', '(move 1 1 1 2)', None),
    ('chess', [], 'white', '(move b 1 d 2)', '(not (own d 2))'),
    ('nim', [], None, '(take a 99)', None),
]


def literals(rules: tuple[FailedRule, ...]) -> list[FailedLiteral]:
    found = []
    for rule in rules:
        for literal in rule.literals:
            found += [literal, *literals(literal.rules)]
    return found


@pytest.mark.parametrize(('name', 'before', 'role', 'move', 'expected'), CASES)
def test_literals_that_fail(
    name: str, before: list[str], role: str | None, move: str, expected: str | None
) -> None:
    game = open_game(name)
    match = Interpreter(open_engine(game), seed=1)
    for text in before:
        match.step({match.actors()[0]: read_term(text)})
    player = read_term(role) if role else match.actors()[0]
    found = explain_move(game, match.state, player, read_term(move))  # type: ignore[arg-type]
    assert not found.is_legal
    if expected is None:
        assert found.known_moves
        return
    failing = {literal.text: literal for literal in literals(found.rules)}
    assert expected in failing, list(found.lines())
    # The line is that of the literal in the file.
    relation = expected.split('(')[-1].split()[0]
    assert relation.rstrip(')') in game.source.lines[failing[expected].line - 1]


def test_what_makes_a_negation_fail_is_named() -> None:
    game = open_game('othello')
    state = open_engine(game).initial_state
    found = explain_move(game, state, read_term('black'), read_term('(place 4 4)'))  # type: ignore[arg-type]
    reasons = [fact for literal in literals(found.rules) for fact in literal.because]
    assert reasons == ['(true (cell 4 4 white))']


def test_a_relation_that_depends_on_itself_is_followed_once() -> None:
    text = """(role a) (init (at 1)) (link 1 2) (link 2 3) (link 3 1) (link 4 4)
    (<= (path ?x ?y) (link ?x ?y))
    (<= (path ?x ?z) (path ?x ?y) (link ?y ?z))
    (<= (legal a (go ?y)) (true (at ?x)) (path ?x ?y))
    (<= (next (at ?y)) (does a (go ?y)))
    (<= terminal (true (at 3))) (goal a 100)"""
    game = game_from_text(text)
    state = open_engine(game).initial_state
    role = game.roles[0]
    assert explain_move(game, state, role, read_term('(go 1)')).is_legal
    found = explain_move(game, state, role, read_term('(go 4)'))
    assert '(path 1 4)' in {literal.text for literal in literals(found.rules)}


@pytest.mark.parametrize(
    'name', ['tictactoe', 'othello', 'chess', 'checkers', 'hex', 'backgammon', 'doppelkopf']
)
def test_the_evaluator_agrees_with_the_engine(name: str) -> None:
    game: Game = open_game(name)
    engine = open_engine(game)
    match, random = Interpreter(engine, seed=3), Random(4)
    question = Compound('legal', (Variable('role'), Variable('move')))
    for number in range(13):
        if match.is_terminal:
            break
        if number % 4 == 0:
            found = {
                tuple(answer.args) for answer in StateEvaluator(game, match.state).ask(question)
            }  # type: ignore[union-attr]
            legal = engine.legal_moves(match.state)
            assert found == {(role, move) for role, moves in legal.items() for move in moves}
        actors = match.actors()
        chosen = actors[:1] if game.turns is Turns.SERIAL else actors
        match.step({role: random.choice(match.legal_moves(role)) for role in chosen})


def test_of_several_moves_the_simplest_answer_is_given() -> None:
    game = open_game('chess')
    moves = [read_term(f'(move e 1 {to})') for to in ('c 4', 'd 1', 'e 3')]
    first = StateEvaluator(game, ()).ask(Compound('init', (Variable('fact'),)))
    state = [answer.args[0] for answer in first if isinstance(answer, Compound)]
    found = explain_best(game, state, read_role('white'), moves)
    # Its own queen is there; all others fail for several reasons, one behind the other.
    assert found is not None and found.move == '(move e 1 d 1)'
