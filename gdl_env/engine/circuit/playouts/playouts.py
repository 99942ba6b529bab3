"""Whole games of random moves inside compiled code."""

from __future__ import annotations

from dataclasses import dataclass
import threading
import weakref

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.native.native import Machines, assemble_play, chosen_variant
from gdl_env.engine.circuit.network.build import Circuit
from gdl_env.engine.circuit.network.chance import add_random_play
from gdl_env.engine.circuit.network.foresight import WinningMoves
from gdl_env.engine.circuit.playouts.loop import PLAYING, make_progress, play_slice
from gdl_env.engine.circuit.playouts.records import PlayoutResults, PlayProgram
from gdl_env.engine.circuit.playouts.results import CODE_BITS
from gdl_env.engine.circuit.tape.kernel import WIDE
from gdl_env.engine.circuit.tape.program import (
    Program,
    empty_program,
    prepare_program,
    with_own_memory,
)
from gdl_env.engine.circuit.tape.tape import Tape, make_tape
from gdl_env.engine.circuit.verifier import is_verifying, verify_network
from gdl_env.engine.grounding.outside import PlayFailure
from gdl_env.language.game import Game

LANES = 64 * WIDE

# Compiled code takes no signals: it plays so many words of gates, a fraction of a second, and
# returns. Noting what a row of games that end has come to is counted as so many gates.
_SLICE = 1 << 29
_GATES_AN_END = 4096


@dataclass(frozen=True)
class PlayoutTapes:
    """One step of random play, and the goals of a final state."""

    # Facts and random bits → (over, stuck, failures), (state after the step), (goals, if `eager`).
    # The first group has `terminal`, `stuck` and, for each of `failures`, that a move draws from
    # that experiment in vain, or that the state has that mark.
    step: Tape
    facts: int
    # The slots that tell that a game is over, and that it cannot continue.
    terminal: int
    stuck: int
    # int32, shape (facts): the slot of each fact after the step.
    next: NDArray[np.int32]
    # int32: the slots of goals in the step's tape; none where they are computed apart.
    eager: NDArray[np.int32]
    # Facts → (goals).
    goals: Tape
    # int64, shape (goals): the index of the role of each goal, and its value.
    goal_role: NDArray[np.int64]
    goal_value: NDArray[np.int64]
    # bool, shape (facts).
    initial: NDArray[np.bool_]
    # The names of experiments that can run out of events, and the marks of values that can leave
    # their range.
    failures: NDArray[np.str_]


# Goals are computed in every step if that takes fewer operations more than this for each fact;
# else final states are put aside and scored together.
_EAGER_OPERATIONS_A_FACT = 30


def make_playout_tapes(
    circuit: Circuit, game: Game, winning: WinningMoves | None = None
) -> PlayoutTapes:
    """Build the tapes for random play; see `add_random_play`."""
    play = add_random_play(circuit, game, winning)
    wiring, net = play.building.wiring, play.building.net
    if is_verifying():
        verify_network(net, wiring)
    inputs = np.concatenate([wiring.facts, play.random])
    nothing = np.zeros(0, np.int32)
    loops, budget = wiring.loops, circuit.budget
    step = make_tape(net, inputs, [play.ends, play.next, nothing], loops, budget)
    both = make_tape(net, inputs, [play.ends, play.next, wiring.goals], loops, budget)
    more = len(both.operations) - len(step.operations)
    if more <= _EAGER_OPERATIONS_A_FACT * len(wiring.facts):
        step = both
    vocabulary = circuit.vocabulary
    rank = {role: index for index, role in enumerate(vocabulary.roles)}
    (terminal, stuck, *_), after, eager = step.outputs
    return PlayoutTapes(
        step,
        len(wiring.facts),
        int(terminal),
        int(stuck),
        after,
        eager,
        make_tape(net, wiring.facts, [wiring.goals], loops, budget),
        np.array([rank[role] for role, _ in vocabulary.goals], np.int64),
        np.array([value for _, value in vocabulary.goals], np.int64),
        np.array(vocabulary.initial, np.bool_),
        np.array(play.failures, np.str_),
    )


def play(
    tapes: PlayoutTapes,
    roles: int,
    quota: NDArray[np.int64],
    key: int,
    limit: int,
    stop: threading.Event | None = None,
) -> PlayoutResults:
    """Play quota[lane] games in each of LANES lanes; `key` decides all chance.

    Lanes with nothing left to play idle, so that short games are not counted more often. Raises
    PlayFailure where a move draws from an experiment without events, or a value leaves its range.
    The results mean nothing once `stop` is set.
    """
    games = int(quota.sum())
    results = PlayoutResults(
        np.empty(games, np.int32), np.empty(games, np.bool_), np.full((games, roles), -1, np.int32)
    )
    # Threads share programs, but not their memory.
    program = _program(tapes, roles)
    program = program._replace(
        step=with_own_memory(program.step), goals=with_own_memory(program.goals)
    )
    width = program.step.width
    steps = max(1, _SLICE // (width * (len(tapes.step.operations) + _GATES_AN_END)))
    progress, seeds = make_progress(width, tapes.facts), _seeds(key)
    found = PLAYING
    # Signals are taken between slices.
    while found == PLAYING and not (stop and stop.is_set()):
        found = play_slice(program, seeds, quota, limit, results, progress, steps)
    if found >= 0:
        raise PlayFailure(str(tapes.failures[found]))
    return results


def prepare_play(tapes: PlayoutTapes, roles: int, moves: int = 0) -> PlayProgram:
    """Prepare random play as machine code where that is possible, else as tapes.

    The last `moves` outputs of a step tell which moves are made.
    """
    variant = chosen_variant()
    machines = None
    if variant:
        machines = assemble_play(
            tapes.step, tapes.facts, tapes.goals, len(tapes.eager) > 0, variant
        )
    outputs = machines.step.outputs if machines else tapes.step.outputs
    (terminal, stuck, *failing), after, others = outputs
    eager, done = np.split(others, [len(others) - moves])
    step, goals, apart = _programs(tapes, machines)
    order = np.argsort(tapes.goal_value, kind='stable')
    role, value = tapes.goal_role[order], tapes.goal_value[order]
    return PlayProgram(
        step=step,
        advance=machines.step.advance if machines else 0,
        goals=goals,
        facts=tapes.facts,
        random=tapes.step.inputs - tapes.facts,
        terminal=int(terminal),
        stuck=int(stuck),
        failing=np.array(failing, np.int32),
        after=after,
        moves=done,
        eager=eager[order] if len(eager) else eager,
        apart=apart[order] if len(apart) else apart,
        goal_role=role,
        goal_value=value,
        initial=tapes.initial,
        code_goals=_table(role, value, roles, len(eager) > 0),
    )


def _programs(
    tapes: PlayoutTapes, machines: Machines | None
) -> tuple[Program, Program, NDArray[np.int32]]:
    """Return the programs of a step and of goals, and the rows of goals in the latter's memory."""
    if machines is None:
        step, goals = (prepare_program(tape, WIDE) for tape in (tapes.step, tapes.goals))
        (apart,) = tapes.goals.outputs
        return step, goals, apart
    width = machines.step.width
    step = prepare_program(tapes.step, width, machines.step)
    if machines.goals is None:
        return step, empty_program(width), np.zeros(0, np.int32)
    goals = prepare_program(tapes.goals, width, machines.goals)
    (apart,) = machines.goals.outputs
    return step, goals, apart


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


_known: dict[tuple[int, int, str | None], PlayProgram] = {}
_lock = threading.Lock()


def _program(tapes: PlayoutTapes, roles: int) -> PlayProgram:
    """Return the program of some tapes, made once for each kind of machine code."""
    key = id(tapes), roles, chosen_variant()
    with _lock:
        program = _known.get(key)
        if program is None:
            program = _known[key] = prepare_play(tapes, roles)
            weakref.finalize(tapes, _known.pop, key, None)
    return program


def _seeds(key: int) -> NDArray[np.uint64]:
    """Return four words of generator state for each word of a row (xoshiro256++)."""
    return np.random.Generator(np.random.Philox(key)).integers(
        0, 2**64, (4, WIDE), np.uint64, endpoint=False
    )
