"""Goofspiel is the game that open_spiel has: the same prizes, bids and results."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from walk import term

from gdl_env.engine.contract import NATURE, Engine
from gdl_env.language.terms import args_of

pytestmark = pytest.mark.prolog

ALICE, BOB = term('alice'), term('bob')


@pytest.mark.parametrize(
    ('options', 'spiel'),
    [
        ('', 'num_cards=4'),
        ('(cards=6)', 'num_cards=6'),
        ('(cards=5,order=rising)', 'num_cards=5,points_order=ascending'),
        ('(cards=5,order=falling)', 'num_cards=5,points_order=descending'),
    ],
)
def test_same_matches_as_open_spiel(
    open_game: Callable[[str], Engine], options: str, spiel: str
) -> None:
    pyspiel = pytest.importorskip('pyspiel', reason='pip install open_spiel')
    engine = open_game(f'goofspiel{options}')
    for seed in range(20):
        random = Random(seed)
        twin = pyspiel.load_game(f'goofspiel({spiel})').new_initial_state()
        state = engine.initial_state
        while not twin.is_terminal():
            assert not engine.is_terminal(state)
            legal = engine.legal_moves(state)
            prizes = sorted(legal.get(NATURE, ()), key=str)
            if twin.is_chance_node():
                assert [int(str(args_of(p)[0])) - 1 for p in prizes] == twin.legal_actions()
                prize = random.choice(prizes)
                twin.apply_action(int(str(args_of(prize)[0])) - 1)
                state = engine.next_state(state, {NATURE: prize})
                continue
            if prizes:
                # The last prize, or the next in order: open_spiel turns it up by itself.
                assert len(prizes) == 1
                state = engine.next_state(state, {NATURE: prizes[0]})
                continue
            bids = {role: random.choice(legal[role]) for role in (ALICE, BOB)}
            actions = [int(str(args_of(bids[role])[0])) - 1 for role in (ALICE, BOB)]
            for player, role in enumerate((ALICE, BOB)):
                held = sorted(int(str(args_of(m)[0])) - 1 for m in legal[role])
                assert held == twin.legal_actions(player)
            twin.apply_actions(actions)
            state = engine.next_state(state, bids)
        while not engine.is_terminal(state):
            # Nothing is left to decide.
            legal = engine.legal_moves(state)
            moves = {role: m[0] for role, m in legal.items() if m}
            assert all(len(legal[role]) == 1 for role in moves)
            state = engine.next_state(state, moves)
        goals = engine.goals(state)
        assert [goals[ALICE], goals[BOB]] == [50 + 50 * value for value in twin.returns()]
