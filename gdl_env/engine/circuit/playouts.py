"""Whole games of random moves inside compiled code."""

from __future__ import annotations

from dataclasses import dataclass
import threading
from typing import Any
import weakref

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.build import Circuit
from gdl_env.engine.circuit.chance import add_random_play
from gdl_env.engine.circuit.kernel import WIDE
from gdl_env.engine.circuit.native import Machines, assemble_play, chosen_variant
from gdl_env.engine.circuit.native_machine import make_rows
from gdl_env.engine.circuit.playout_loop import play_blocks
from gdl_env.engine.circuit.playout_results import CODE_BITS
from gdl_env.engine.circuit.tape import Tape, make_tape
from gdl_env.language.game import Game

LANES = 64 * WIDE


@dataclass(frozen=True)
class PlayoutTapes:
    """One step of random play, and the goals of a final state."""

    step: Tape
    facts: int
    terminal: int
    stuck: int
    next: NDArray[np.int32]
    # The slots of goals in the step's tape; none where they are computed apart, by `goals`.
    eager: NDArray[np.int32]
    goals: Tape
    # For each goal output the index of its role, and its value.
    goal_role: NDArray[np.int64]
    goal_value: NDArray[np.int64]
    initial: NDArray[np.bool_]


# Goals are computed in every step if that takes fewer operations more than this for each fact;
# else final states are put aside and scored together.
_EAGER_OPERATIONS_A_FACT = 30


def make_playout_tapes(circuit: Circuit, game: Game) -> PlayoutTapes:
    """Build the tapes for random play."""
    play = add_random_play(circuit, game)
    wiring, net = play.building.wiring, play.building.net
    inputs = np.concatenate([wiring.facts, play.random])
    ends = np.array([wiring.terminal, play.stuck], np.int32)
    nothing = np.zeros(0, np.int32)
    step = make_tape(net, inputs, [ends, play.next, nothing], wiring.loops)
    both = make_tape(net, inputs, [ends, play.next, wiring.goals], wiring.loops)
    more = len(both.operations) - len(step.operations)
    if more <= _EAGER_OPERATIONS_A_FACT * len(wiring.facts):
        step = both
    vocabulary = circuit.vocabulary
    rank = {role: index for index, role in enumerate(vocabulary.roles)}
    return PlayoutTapes(
        step,
        len(wiring.facts),
        int(step.outputs[0][0]),
        int(step.outputs[0][1]),
        step.outputs[1],
        step.outputs[2],
        make_tape(net, wiring.facts, [wiring.goals], wiring.loops),
        np.array([rank[role] for role, _ in vocabulary.goals], np.int64),
        np.array([value for _, value in vocabulary.goals], np.int64),
        np.array(vocabulary.initial, np.bool_),
    )


@dataclass(frozen=True)
class Results:
    """Steps, end and goals (-1: none) of games, a row a game."""

    steps: NDArray[np.int32]
    is_terminal: NDArray[np.bool_]
    goals: NDArray[np.int32]


def play(
    tapes: PlayoutTapes, roles: int, quota: NDArray[np.int64], key: int, limit: int
) -> Results:
    """Play quota[lane] games in each of LANES lanes; `key` decides all chance.

    Lanes with nothing left to play idle, so that short games are not counted more often.
    """
    games = int(quota.sum())
    results = Results(
        np.empty(games, np.int32), np.empty(games, np.bool_), np.full((games, roles), -1, np.int32)
    )
    _player(tapes, roles).play(quota, key, limit, results)
    return results


class _Player:
    """Tapes or machine code, ready to run. Threads may share it: memory is made for each call."""

    def __init__(self, tapes: PlayoutTapes, roles: int, machines: Machines | None) -> None:
        order = np.argsort(tapes.goal_value, kind='stable')
        role, value = tapes.goal_role[order], tapes.goal_value[order]
        step, goals = tapes.step, tapes.goals
        if machines:
            ends, after, eager = machines.step.outputs
            apart = machines.goals.outputs[0] if machines.goals else after[:0]
            self._slots = machines.step.slots, machines.goals.slots if machines.goals else 2
            self._tapes = tuple(_arrays(tape, 0) for tape in (step, goals))
        else:
            ends, after, eager = step.outputs
            apart = goals.outputs[0]
            self._slots = step.slots, goals.slots
            self._tapes = tuple(_arrays(tape, len(tape.runs)) for tape in (step, goals))
        # Executable memory lives as long as its user.
        self._machines = machines
        self._addresses = machines.addresses if machines else (0, 0, 0)
        self._width = machines.step.width if machines else WIDE
        random = step.inputs - tapes.facts
        self._numbers = tapes.facts, random, int(ends[0]), int(ends[1])
        # Larger values come later, and count.
        self._rows = after, eager[order] if len(eager) else eager, tapes.initial
        apart = apart[order] if len(apart) else apart
        self._scores = apart, role, value, _table(role, value, roles, len(eager) > 0)

    def play(self, quota: NDArray[np.int64], key: int, limit: int, results: Results) -> None:
        memory = [make_rows(slots, self._width) for slots in self._slots]
        play_blocks(
            self._addresses,
            self._width,
            (*self._tapes[0], memory[0]),
            (*self._tapes[1], memory[1]),
            (*self._numbers, limit, *self._rows),
            self._scores,
            _seeds(key),
            quota,
            (results.steps, results.is_terminal, results.goals),
        )


def _arrays(tape: Tape, runs: int) -> tuple[NDArray[Any], ...]:
    """Return the arrays that the tape's kernel runs; machine code needs none of them."""
    places = tape.places(WIDE) if runs else np.zeros(0, np.uint32)
    return places, tape.runs[:runs], tape.feedback


def _table(
    role: NDArray[np.int64], value: NDArray[np.int64], roles: int, is_eager: bool
) -> NDArray[np.int32]:
    """Return the goals of all roles for each code, or an empty table where goals are too many."""
    if not is_eager or len(role) >= CODE_BITS:
        return np.zeros((0, roles), np.int32)
    codes = np.arange(1 << CODE_BITS)
    table = np.full((len(codes), roles), -1, np.int32)
    for k in range(len(role)):
        table[(codes >> k) & 1 == 1, role[k]] = value[k]
    return table


_players: dict[tuple[int, int, str | None], _Player] = {}
_lock = threading.Lock()


def _player(tapes: PlayoutTapes, roles: int) -> _Player:
    variant = chosen_variant()
    key = id(tapes), roles, variant
    with _lock:
        player = _players.get(key)
        if player is None:
            machines = None
            if variant:
                machines = assemble_play(
                    tapes.step, tapes.facts, tapes.goals, len(tapes.eager) > 0, variant
                )
            player = _players[key] = _Player(tapes, roles, machines)
            weakref.finalize(tapes, _players.pop, key, None)
    return player


def _seeds(key: int) -> NDArray[np.uint64]:
    """Return four words of generator state for each word of a row (xoshiro256++)."""
    return np.random.Generator(np.random.Philox(key)).integers(
        0, 2**64, (4, WIDE), np.uint64, endpoint=False
    )
