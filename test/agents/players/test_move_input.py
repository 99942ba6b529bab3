"""Moves as people type them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from gdl_agents.players.move_input import MoveInput, short_forms
from gdl_agents.players.move_list import explain_ambiguity, explain_refusal, list_moves
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import open_engine
from gdl_env.language.game import Turns
from gdl_env.language.load import open_game

CHESS = (
    '(move e 2 e 3)',
    '(move e 2 e 4)',
    '(move d 2 d 4)',
    '(castle kingside)',
    '(castle queenside)',
    '(promote e e queen)',
    '(promote e e knight)',
)
BOARD = ('(place 1 11)', '(place 11 1)', '(place 2 3)', '(shift 1 -1)')
COLUMNS = ('(drop 1)', '(drop 3)', '(drop 4)', 'pass')
CARDS = ('(play clubs_queen)', '(play clubs_ace)', '(play hearts_queen)', 'announce')
CALLS = ('(bid 18)', '(hold 18)', '(bid 20)')
NESTED = ('(go (at e 2) (at e 4))', '(go (at e 2) (at e 3))')

# What is legal, what is typed, and the moves it selects; several are ambiguous.
TYPED = [
    (CHESS, '(move e 2 e 4)', ['(move e 2 e 4)']),
    (CHESS, 'MOVE E 2 E 4', ['(move e 2 e 4)']),
    (CHESS, 'move e2e4', ['(move e 2 e 4)']),
    (CHESS, 'e2e4', ['(move e 2 e 4)']),
    (CHESS, 'E2-e4', ['(move e 2 e 4)']),
    (CHESS, 'e2 e4', ['(move e 2 e 4)']),
    (CHESS, '2', ['(move e 2 e 4)']),
    (CHESS, 'd2', ['(move d 2 d 4)']),
    (CHESS, 'e2', ['(move e 2 e 3)', '(move e 2 e 4)']),
    (CHESS, 'kingside', ['(castle kingside)']),
    (CHESS, 'castle k', ['(castle kingside)']),
    (CHESS, 'queen', ['(castle queenside)', '(promote e e queen)']),
    (CHESS, 'kn prom', ['(promote e e knight)']),
    (CHESS, 'e2e5', []),
    (CHESS, 'e3e2', []),
    (CHESS, '8', []),
    (CHESS, '0', []),
    (BOARD, '1 11', ['(place 1 11)']),
    (BOARD, '11,1', ['(place 11 1)']),
    (BOARD, '111', []),
    (BOARD, '1 1', []),
    (BOARD, 'place 1 1', []),
    (BOARD, '3 2', []),
    (BOARD, 'place 2', ['(place 2 3)']),
    (BOARD, '1 -1', ['(shift 1 -1)']),
    (BOARD, '3', ['(place 2 3)']),
    (COLUMNS, '3', ['(drop 3)']),
    (COLUMNS, '2', []),
    (COLUMNS, 'drop 3', ['(drop 3)']),
    (COLUMNS, 'p', ['pass']),
    (CARDS, 'queen clubs', ['(play clubs_queen)']),
    (CARDS, 'clubs queen', ['(play clubs_queen)']),
    (CARDS, 'ace', ['(play clubs_ace)']),
    (CARDS, 'queen', ['(play clubs_queen)', '(play hearts_queen)']),
    (CARDS, '4', ['announce']),
    (CALLS, '18', ['(bid 18)', '(hold 18)']),
    (CALLS, '20', ['(bid 20)']),
    (CALLS, '1', []),
    (NESTED, 'e2e4', ['(go (at e 2) (at e 4))']),
    (NESTED, 'go e2e3', ['(go (at e 2) (at e 3))']),
    (('7', '1', '3'), '3', ['3']),
    (('7', '1', '3'), '2', []),
    (('two-step', 'one-step'), 'two step', ['two-step']),
    (('two-step', 'one-step'), ')(', []),
]


@pytest.mark.parametrize(('legal', 'typed', 'moves'), TYPED)
def test_typed(legal: tuple[str, ...], typed: str, moves: list[str]) -> None:
    found = MoveInput(legal)
    assert list(found.find(typed) or found.complete(typed)) == moves


@pytest.mark.parametrize(
    ('legal', 'labels', 'example'),
    [
        (CHESS, ['1', '2', '3', '4', '5', '6', '7'], 'e2e3'),
        (COLUMNS, ['1', '3', '4', ''], '1'),
        (CALLS, ['', '', '20'], 'bid 18'),
        (('(move 3 1 northeast)', 'pass'), ['1', '2'], '3 1 northeast'),
    ],
)
def test_numbers_of_the_list_mean_one_thing(
    legal: tuple[str, ...], labels: list[str], example: str
) -> None:
    found = MoveInput(legal)
    assert [found.label(index) for index in range(len(legal))] == labels
    assert found.example() == example
    for label, move in zip(labels, legal, strict=True):
        assert not label or found.find(label) == (move,)


def test_what_is_illegal_is_answered_by_what_is_near() -> None:
    chess = MoveInput(CHESS)
    assert 'nearest legal ones: (move e 2 e 3), (move e 2 e 4), ' in explain_refusal('e2e6', chess)
    assert 'a number from 1 to 7' in explain_refusal('12', chess)
    assert 'legal: (bid 18), (hold 18), (bid 20)' in explain_refusal('21', MoveInput(CALLS))
    assert explain_ambiguity('e2', chess.complete('e2')) == (
        "  'e2' could be (move e 2 e 3) or (move e 2 e 4): type more of it"
    )


def test_long_lists_are_cut_and_can_be_searched() -> None:
    moves = MoveInput([f'(go {x} {y})' for x in range(1, 10) for y in range(1, 10)])
    assert '... 21 more' in list_moves(moves)
    assert list_moves(moves, '9 9').split() == ['81', '(go', '9', '9)']
    assert list_moves(moves, 'zzz') == "  no move contains 'zzz'"


GAMES = sorted(path.stem for path in (Path(__file__).parents[3] / 'games').glob('*.gdl'))


@pytest.mark.parametrize('name', GAMES)
def test_short_forms_never_select_another_move(name: str) -> None:
    """Along random games, every short form of every legal move selects it or is ambiguous."""
    random = Random(name)
    seen: set[tuple[str, ...]] = set()
    budget = 0
    with open_engine(open_game(name)) as engine:
        for seed in range(2):
            budget += 1500
            match = Interpreter(engine, seed)
            while (actors := match.actors()) and budget > 0 and len(match.history) < 120:
                for role in actors:
                    legal = tuple(map(str, match.legal_moves(role)))
                    if legal not in seen:
                        seen.add(legal)
                        budget -= len(legal)
                        _check(legal)
                if engine.game.turns is Turns.SERIAL:
                    actors = (random.choice(actors),)
                match.step({role: random.choice(match.legal_moves(role)) for role in actors})
    assert seen


def _check(legal: tuple[str, ...]) -> None:
    found = MoveInput(legal)
    for index, move in enumerate(legal):
        assert found.find(move) == found.find(move[1:-1] if move[0] == '(' else move) == (move,)
        assert found.find(move.upper()) == (move,)
        label = found.label(index)
        assert not label or found.find(label) == (move,)
        for form in short_forms(move):
            for text in (form, form.upper(), f' {form} '):
                selected = found.find(text)
                assert move in selected, f'{text!r} selects {selected}, not {move}'
        for abbreviation in (move[1:-3], ' '.join(move.strip('()').split()[1:3])):
            selected = found.find(abbreviation) or found.complete(abbreviation)
            if len(selected) == 1 and selected != (move,):
                # A complete form of another move, which wins over an abbreviation.
                assert found.find(abbreviation) == selected
