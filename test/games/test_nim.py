"""Nim, against the nim-sum of every position and against open_spiel."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import xor

import pytest
from spiel_twin import compare_matches, load_spiel

from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog


def heaps(state: State) -> list[int]:
    return [int(str(args_of(fact)[1])) for fact in state if name_of(fact) == 'heap']


def is_won(engine: Engine, state: State, known: dict[State, bool]) -> bool:
    """Tell whether the role in control wins with the best moves, by search."""
    if state not in known:
        if engine.is_terminal(state):
            (control,) = (args_of(fact)[0] for fact in state if name_of(fact) == 'control')
            known[state] = engine.goals(state)[control] == 100  # type: ignore[index]
        else:
            (role,) = engine.actors(state)
            after = (
                engine.next_state(state, {role: move}) for move in engine.legal_moves(state)[role]
            )
            known[state] = not all(is_won(engine, state, known) for state in after)
    return known[state]


@pytest.mark.parametrize('misere', [False, True])
def test_winner_is_told_by_the_nim_sum(open_game: Callable[[str], Engine], misere: bool) -> None:
    engine = open_game(f'nim(heaps=2 3 4,misere={str(misere).lower()})')
    known: dict[State, bool] = {}
    is_won(engine, engine.initial_state, known)
    # Some combinations of heap and player cannot come up.
    assert len(known) > 3 * 4 * 5
    for state, won in known.items():
        has_large = max(heaps(state)) > 1
        expected = reduce(xor, heaps(state)) != 0
        assert won == (expected if has_large or not misere else not expected)


def spell(_: State, role: Role, move: Move) -> str:
    taken, heap = args_of(move)
    return f'pile:{heap}, take:{taken};'


@pytest.mark.parametrize(
    ('ours', 'spiels'),
    [
        ('nim', 'nim(pile_sizes=1;3;5;7,is_misere=false)'),
        ('nim(misere=true)', 'nim'),
        ('nim(heaps=6 2)', 'nim(pile_sizes=6;2,is_misere=false)'),
    ],
)
def test_matches_of_open_spiel(open_game: Callable[[str], Engine], ours: str, spiels: str) -> None:
    assert compare_matches(open_game(ours), load_spiel(spiels), spell, 20)
