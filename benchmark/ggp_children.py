"""All children of states at once."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from statistics import median
from time import process_time

from compiled_children import follow_each, make_room
import numpy as np
from numpy.typing import NDArray
from parts import Row
from rows import row_named

from gdl_agents.search.game.expansion import list_children
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import States
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.language.load import load_game

GAMES = (
    'tic-tac-toe',
    'connect four',
    'breakthrough 8x8',
    'othello',
    'checkers',
    'hex 9x9, public file',
    'chess',
)
# Random games that positions are taken from, positions, and those of one call.
_RANDOM_GAMES, _POSITIONS, _SOME = 16, 256, 32
_SEED = 20_261_119


def measure_children(options: Namespace, keep: Callable[[Row], None]) -> None:
    """Measure how many children a second there are, by each way."""
    for name in options.only or GAMES:
        rules = open_rules(name)
        ways = _list_ways(rules, sample_positions(rules, _POSITIONS))
        rates: dict[str, list[float]] = {way: [] for way in ways}
        for play, _ in ways.values():
            play()
        for _ in range(options.rounds):
            for way, (play, count) in ways.items():
                rates[way].append(_measure_rate(play, count, options.seconds))
        found = {way: median(each) for way, each in rates.items()}
        spread = {way: [min(each), max(each)] for way, each in rates.items()}
        keep({'part': 'children', 'game': name, 'rates': found, 'spread': spread})


def open_rules(name: str) -> CircuitBatch:
    """Open a game of the benchmark."""
    row = row_named(name)
    return CircuitBatch(CircuitEngine(load_game(row.path, dict(row.options))))


def sample_positions(rules: CircuitBatch, count: int) -> States:
    """Return positions of random games, in which the game is not over."""
    chance = np.random.Generator(np.random.Philox(key=_SEED))
    states = np.repeat(rules.initial, _RANDOM_GAMES, axis=0)
    met = []
    while len(states):
        look = rules.look(states)
        acting = (look.counts() > 0) & ~look.terminal[:, None]
        legal = sample_moves(rules, look, acting, chance)
        on = acting.any(axis=1)
        states, legal = states[on], legal[on]
        met.append(states)
        states = rules.step(states, draw_outcomes(rules, states, legal, chance))
    every = np.concatenate(met)
    found: States = every[chance.permutation(len(every))[:count]]
    return found


def _list_ways(rules: CircuitBatch, states: States) -> dict[str, tuple[Callable[[], object], int]]:
    """Return what makes all children, by name, with how many these are."""
    look = rules.look(states)
    parent, _, does, _ = list_children(rules, states, look, look.counts() > 0)
    cuts = np.searchsorted(parent, np.arange(len(states) + 1)).tolist()
    zeros = np.zeros(int(np.diff(cuts).max(initial=0)), np.int64)

    def all_at_once() -> None:
        rules.follow(states, parent, does)

    def some_at_once() -> None:
        for first in range(0, len(states), _SOME):
            begin, end = cuts[first], cuts[min(first + _SOME, len(states))]
            rules.follow(states, parent[begin:end], does[begin:end])

    def one_at_once() -> None:
        for k in range(len(states)):
            begin, end = cuts[k], cuts[k + 1]
            rules.follow(states[k : k + 1], zeros[: end - begin], does[begin:end])

    room = make_room(rules, len(parent))

    def one_compiled() -> None:
        follow_each(rules.successor_tables(64), states, np.array(cuts), zeros, does, room)

    def apart() -> None:
        after = rules.step(states[parent], does)
        rules.goals(after[rules.look(after).terminal])

    return {
        'up to 256 states a call': (all_at_once, len(parent)),
        f'{_SOME} states a call': (some_at_once, len(parent)),
        'one state a call': (one_at_once, len(parent)),
        'one state at once, compiled': (one_compiled, len(parent)),
        'step, then look': (apart, len(parent)),
        'do and undo': _do_and_undo(rules, states, does, cuts),
    }


def _do_and_undo(
    rules: CircuitBatch, states: States, does: NDArray[np.int32], cuts: list[int]
) -> tuple[Callable[[], object], int]:
    """Return what plays each move and takes it back, compiled; without legal moves and goals."""
    from compiled_pairs import try_all

    # One search for each position: putting it up is not measured.
    chosen = list(range(0, len(states), 8))
    searches = [Search(rules.compiled, rules.to_state(states[k])) for k in chosen]
    steps = [_without_idle(does[cuts[k] : cuts[k + 1]]) for k in chosen]

    def play() -> None:
        for search, each in zip(searches, steps, strict=True):
            try_all(*search.frames(), search.changes, each)

    return play, sum(map(len, steps))


def _without_idle(does: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return steps without the roles that do nothing in them."""
    return np.ascontiguousarray(does[:, does[0] >= 0], np.int64)


def _measure_rate(play: Callable[[], object], count: int, seconds: float) -> float:
    """Return how often a second of processor time something is done, `count` times a call."""
    begin = process_time()
    done = 0
    while True:
        play()
        done += count
        spent = process_time() - begin
        if spent >= seconds:
            return done / spent
