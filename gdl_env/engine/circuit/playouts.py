"""Whole games of random moves inside compiled code."""

from __future__ import annotations

from dataclasses import dataclass

from numba import njit
import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.bits import lowest_bit
from gdl_env.engine.circuit.build import Circuit
from gdl_env.engine.circuit.chance import add_random_play
from gdl_env.engine.circuit.kernel import WIDE, run_wide
from gdl_env.engine.circuit.tape import ONES, Tape, make_tape
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
    offsets = np.concatenate([[0], np.cumsum(quota)])[:-1]
    steps = np.zeros(games, np.int32)
    ends = np.zeros(games, np.bool_)
    goals = np.full((games, roles), -1, np.int32)
    step, goal = tapes.step, tapes.goals
    data = _memory(step)
    final = _memory(goal)
    for row in np.flatnonzero(tapes.initial):
        data[(2 + row) * WIDE : (3 + row) * WIDE] = ~np.uint64(0)
    _play(
        (step.places(WIDE), step.runs, step.feedback, data),
        (goal.places(WIDE), goal.runs, goal.feedback, final),
        tapes.facts,
        step.inputs - tapes.facts,
        (tapes.terminal, tapes.stuck, limit),
        tapes.next,
        tapes.initial,
        tapes.eager,
        goal.outputs[0],
        tapes.goal_role,
        tapes.goal_value,
        _seeds(key),
        quota.copy(),
        offsets,
        steps,
        ends,
        goals,
    )
    return Results(steps, ends, goals)


def _memory(tape: Tape) -> NDArray[np.uint64]:
    data = np.zeros(tape.slots * WIDE, np.uint64)
    data[ONES * WIDE : (ONES + 1) * WIDE] = ~np.uint64(0)
    return data


def _seeds(key: int) -> NDArray[np.uint64]:
    """Return four words of generator state for each word of a row (xoshiro256++)."""
    return np.random.Generator(np.random.Philox(key)).integers(
        0, 2**64, (4, WIDE), np.uint64, endpoint=False
    )


@njit(cache=True, nogil=True)
def fill_random(state, data, first, count):
    """Fill rows with random words: one xoshiro256++ generator for each column."""
    for k in range(count):
        for w in range(WIDE):
            s0, s1, s2, s3 = state[0, w], state[1, w], state[2, w], state[3, w]
            x = s0 + s3
            data[(first + k) * WIDE + w] = ((x << np.uint64(23)) | (x >> np.uint64(41))) + s0
            t = s1 << np.uint64(17)
            s2 ^= s0
            s3 ^= s1
            s1 ^= s2
            s0 ^= s3
            s2 ^= t
            s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
            state[0, w], state[1, w], state[2, w], state[3, w] = s0, s1, s2, s3


@njit(cache=True, nogil=True)
def _play(
    step,
    goal,
    facts,
    random_rows,
    places,
    after,
    initial,
    eager,
    goal_slots,
    goal_role,
    goal_value,
    generator,
    quota,
    offsets,
    steps,
    ends,
    goals,
):
    places_of_step, runs, feedback, data = step
    terminal, stuck, limit = places
    lanes = WIDE * 64
    began = np.zeros(lanes, np.int64)
    copied = np.empty(facts * WIDE, np.uint64)
    # Final states wait for their goals until a row of them is full.
    waiting = np.empty(lanes, np.int64)
    waits = 0
    left = 0
    busy = np.zeros(WIDE, np.uint64)
    for lane in range(lanes):
        if quota[lane] > 0:
            left += quota[lane]
            busy[lane >> 6] |= np.uint64(1) << np.uint64(lane & 63)
    time = 0
    oldest = 0
    while left > 0:
        fill_random(generator, data, 2 + facts, random_rows)
        run_wide(places_of_step, runs, feedback, data)
        is_late = time - oldest >= limit
        if is_late:
            oldest = time
        for w in range(WIDE):
            over = data[terminal * WIDE + w]
            end = (over | data[stuck * WIDE + w]) & busy[w]
            late = np.uint64(0)
            if is_late:
                for b in range(64):
                    lane = 64 * w + b
                    if time - began[lane] >= limit:
                        late |= np.uint64(1) << np.uint64(b)
                    else:
                        oldest = min(oldest, began[lane])
                late &= busy[w] & ~end
                end |= late
            while end:
                b = np.int64(lowest_bit(end))
                bit = np.uint64(1) << np.uint64(b)
                end &= ~bit
                lane = 64 * w + b
                game = offsets[lane]
                offsets[lane] += 1
                steps[game] = time - began[lane]
                ends[game] = over & bit != np.uint64(0)
                began[lane] = time + 1
                if len(eager):
                    for k in range(len(eager)):
                        if (
                            data[eager[k] * WIDE + w] & bit
                            and goals[game, goal_role[k]] < goal_value[k]
                        ):
                            goals[game, goal_role[k]] = goal_value[k]
                else:
                    _save(data, facts, w, b, goal[3], waits)
                    waiting[waits] = game
                    waits += 1
                    if waits == lanes:
                        _score(goal, goal_slots, goal_role, goal_value, waiting, waits, goals)
                        waits = 0
                left -= 1
                quota[lane] -= 1
                if quota[lane] == 0:
                    busy[w] &= ~bit
            if late:
                _restart(data, after, facts, w, late, initial)
        for row in range(facts):
            source = after[row] * WIDE
            for w in range(WIDE):
                copied[row * WIDE + w] = data[source + w]
        for k in range(facts * WIDE):
            data[2 * WIDE + k] = copied[k]
        time += 1
    if waits:
        _score(goal, goal_slots, goal_role, goal_value, waiting, waits, goals)


@njit(cache=True, nogil=True)
def _save(data, facts, w, b, final, lane):
    """Copy the state of one lane to a lane of the memory in which goals are computed."""
    word = lane >> 6
    bit = np.uint64(1) << np.uint64(lane & 63)
    shift = np.uint64(b)
    for row in range(2, 2 + facts):
        place = row * WIDE + word
        value = (data[row * WIDE + w] >> shift) & np.uint64(1)
        final[place] = (final[place] & ~bit) | (value << np.uint64(lane & 63))


@njit(cache=True, nogil=True)
def _restart(data, after, facts, w, lanes, initial):
    """Let lanes that were cut start again."""
    for row in range(facts):
        place = after[row] * WIDE + w
        if initial[row]:
            data[place] |= lanes
        else:
            data[place] &= ~lanes


@njit(cache=True, nogil=True)
def _score(goal, goal_slots, goal_role, goal_value, waiting, count, goals):
    """Compute the goals of the final states that wait; the largest counts."""
    tape, runs, feedback, final = goal
    run_wide(tape, runs, feedback, final)
    for k in range(len(goal_slots)):
        for lane in range(count):
            if (final[goal_slots[k] * WIDE + (lane >> 6)] >> np.uint64(lane & 63)) & np.uint64(1):
                game = waiting[lane]
                goals[game, goal_role[k]] = max(goals[game, goal_role[k]], goal_value[k])
