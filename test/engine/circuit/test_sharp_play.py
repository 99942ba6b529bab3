"""Random play that takes wins, and avoids moves after which another role wins at once."""

import numpy as np
import pytest

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import NO_MOVE, States
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.batch.sharp_play import watch_games
from gdl_env.language.load import game_from_text, open_game

_GAMES = 64
# Whoever takes the last of seven stones wins; one, two or three may be taken. Three players.
_STONES = """
(role a) (role b) (role c)
(init (left 7)) (init (control a))
(after a b) (after b c) (after c a)
(less 7 1 6) (less 6 1 5) (less 5 1 4) (less 4 1 3) (less 3 1 2) (less 2 1 1) (less 1 1 0)
(less 7 2 5) (less 6 2 4) (less 5 2 3) (less 4 2 2) (less 3 2 1) (less 2 2 0)
(less 7 3 4) (less 6 3 3) (less 5 3 2) (less 4 3 1) (less 3 3 0)
(<= (legal ?r (take ?k)) (true (control ?r)) (true (left ?n)) (less ?n ?k ?m))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (left ?m)) (true (left ?n)) (does ?r (take ?k)) (less ?n ?k ?m))
(<= (next (control ?s)) (true (control ?r)) (after ?r ?s))
(<= terminal (true (left 0)))
(<= (goal ?r 100) (true (left 0)) (true (control ?s)) (after ?r ?s))
(<= (goal ?r 0) (true (left 0)) (true (control ?s)) (role ?r) (not (after ?r ?s)))
"""
# Both choose at once: the one wants the same as the other, who wants another.
_PENNIES = """
(role same) (role other)
(init start)
(face heads) (face tails)
(<= (legal ?r ?f) (role ?r) (face ?f) (true start))
(<= (next (shown ?r ?f)) (does ?r ?f))
(<= equal (true (shown same ?f)) (true (shown other ?f)))
(<= terminal (not (true start)))
(<= (goal same 100) equal) (<= (goal same 0) (not equal))
(<= (goal other 100) (not equal)) (<= (goal other 0) equal)
"""
_TEXTS = {'stones': _STONES, 'pennies': _PENNIES}


def _open(name: str) -> CircuitBatch:
    game = game_from_text(_TEXTS[name], name) if name in _TEXTS else open_game(name)
    rules = open_batch(game)
    assert isinstance(rules, CircuitBatch)
    return rules


def _walk(rules: CircuitBatch, games: int, steps: int) -> States:
    """Return positions of random games."""
    chance = np.random.default_rng(3)
    states, found = np.repeat(rules.initial, games, axis=0), []
    for _ in range(steps):
        states = states[~rules.look(states).terminal]
        if not len(states):
            break
        found.append(states)
        look = rules.look(states)
        counts = look.counts()
        places = look.starts[:, :-1] + (chance.random(counts.shape) * counts).astype(np.int64)
        rows = look.rows[np.minimum(places, len(look.rows) - 1)]
        states = rules.step(states, rules.plain(np.where(counts > 0, rows, NO_MOVE)))
    return np.concatenate(found)


def _list_wins(rules: CircuitBatch, state: States) -> tuple[int, np.ndarray, States]:
    """Return who moves, which of its moves win at once, and the states after all."""
    look = rules.look(state[None])
    mover = int(look.find_real_moves(rules)[0].argmax())
    moves = look.moves(0, mover)
    legal = np.full((len(moves), len(rules.roles)), NO_MOVE, np.int32)
    for role in range(len(rules.roles)):
        others = look.moves(0, role)[:1]
        legal[:, role] = moves if role == mover else others[0] if len(others) else NO_MOVE
    found = rules.follow(state[None], np.zeros(len(moves), np.int64), rules.plain(legal))
    return mover, found.look.terminal & (found.goals[:, mover] == 100), found.states


@pytest.mark.parametrize('name', ['tictactoe', 'connect_four', 'breakthrough', 'stones'])
def test_wins_are_taken_and_not_given_away(name: str) -> None:
    rules = _open(name)
    states = _walk(rules, 3 if name == 'breakthrough' else 10, 80)
    wins = losses = 0
    for number, state in enumerate(states):
        mover, winning, after = _list_wins(rules, state)
        goals = rules.sharp_playouts(np.repeat(state[None], _GAMES, axis=0), number, 500)
        if winning.any():
            wins += 1
            assert (goals[:, mover] == 100).all()
            continue
        is_over = rules.look(after).terminal
        gifts = [
            not over and _list_wins(rules, s)[1].any()
            for over, s in zip(is_over, after, strict=True)
        ]
        if not all(gifts) and any(gifts):
            losses += 1
            assert not _is_lost_in_two_steps(rules, state, number)
    assert wins
    assert losses


def _is_lost_in_two_steps(rules: CircuitBatch, state: States, key: int) -> bool:
    """Tell whether another role wins a sharp game two steps after a state."""
    goals = rules.sharp_playouts(np.repeat(state[None], _GAMES, axis=0), key, 2)
    mover = int(rules.look(state[None]).find_real_moves(rules)[0].argmax())
    others = np.delete(goals, mover, axis=1)
    return bool((others == 100).any())


def test_plain_random_play_stays_as_it_is() -> None:
    rules = _open('tictactoe')
    states = np.repeat(rules.initial, 4096, axis=0)
    plain, sharp = (f(states, 1, 100) for f in (rules.playouts, rules.sharp_playouts))
    # The first player wins 58.5 % of random games; draws are more frequent where both see wins.
    assert abs((plain[:, 0] == 100).mean() - 0.585) < 0.03
    assert (sharp[:, 0] == 50).mean() > 1.5 * (plain[:, 0] == 50).mean()


def test_moves_made_together_are_left_alone() -> None:
    rules = _open('pennies')
    assert not watch_games(rules).can_win.any()
    goals = rules.sharp_playouts(np.repeat(rules.initial, 4096, axis=0), 1, 100)
    assert abs((goals[:, 0] == 100).mean() - 0.5) < 0.05
