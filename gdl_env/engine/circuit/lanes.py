"""Many games in lockstep: states as rows of bits, one bit a game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.compiled import CompiledGame
from gdl_env.engine.circuit.kernel import WIDE, run_wide
from gdl_env.engine.circuit.tape import ONES, Tape
from gdl_env.engine.compiling import compile_kernel

_BLOCK = 64 * WIDE


class Lanes:
    """N copies of a game, stepped together.

    `moves` are rows of `vocabulary.does`, -1 for a role that does not act. All answers are arrays
    with one row a lane. The same moves give the same states, however many lanes there are.
    """

    def __init__(self, compiled: CompiledGame, count: int) -> None:
        """Put all lanes at the initial state. Raises ValueError for fewer than one lane."""
        if count < 1:
            raise ValueError(f'there must be at least one lane, not {count}')
        self.count = count
        self.vocabulary = compiled.vocabulary
        self._initial = np.array(compiled.vocabulary.initial, np.bool_)
        blocks = -(-count // _BLOCK)
        self._programs = {
            name: _Wide(tape)
            for name, tape in (
                ('look', compiled.look),
                ('score', compiled.score),
                ('step', compiled.step),
            )
        }
        # State rows of each block: facts by words.
        self._state = np.zeros((blocks, len(self._initial), WIDE), np.uint64)
        rank = {role: index for index, role in enumerate(self.vocabulary.roles)}
        self._goal_role = np.array([rank[role] for role, _ in self.vocabulary.goals], np.int64)
        self._goal_value = np.array([value for _, value in self.vocabulary.goals], np.int64)
        self.reset()

    # ---- moving

    def reset(self, mask: NDArray[np.bool_] | None = None) -> None:
        """Put lanes back to the initial state: those of the mask, or all."""
        chosen = np.ones(self.count, np.bool_) if mask is None else mask
        words = _pack(chosen[:, None], len(self._state))
        for row, holds in enumerate(self._initial):
            if holds:
                self._state[:, row] |= words[:, 0]
            else:
                self._state[:, row] &= ~words[:, 0]

    def step(self, moves: NDArray[np.int64]) -> None:
        """Play one step: moves[lane, role] is a row of the move table, or -1."""
        if moves.shape != (self.count, len(self.vocabulary.roles)):
            raise ValueError(
                f'moves must have the shape {(self.count, len(self.vocabulary.roles))},'
                f' not {moves.shape}'
            )
        if moves.size and not -1 <= moves.min() <= moves.max() < len(self.vocabulary.does):
            raise ValueError(f'moves must be from -1 to {len(self.vocabulary.does) - 1}')
        program = self._programs['step']
        for block in range(len(self._state)):
            lanes = moves[block * _BLOCK : (block + 1) * _BLOCK]
            after, _ = program.run(self._state[block], lanes)
            self._state[block] = after

    # ---- asking

    def facts(self) -> NDArray[np.bool_]:
        """Return which facts hold: lanes by facts."""
        return self._unpack(self._state)

    def legal(self) -> NDArray[np.bool_]:
        """Return which moves are legal: lanes by rows of `vocabulary.legal`."""
        return self._unpack(self._ask('look', 1))

    def is_terminal(self) -> NDArray[np.bool_]:
        """Tell which lanes are over."""
        return self._unpack(self._ask('look', 0))[:, 0]

    def goals(self) -> NDArray[np.int64]:
        """Return the goal values: lanes by roles, -1 where the rules give none."""
        held = self._unpack(self._ask('score', 0))
        result = np.full((self.count, len(self.vocabulary.roles)), -1, np.int64)
        for column in range(held.shape[1]):
            role, value = self._goal_role[column], self._goal_value[column]
            rows = held[:, column] & (result[:, role] < value)
            result[rows, role] = value
        return result

    def _ask(self, name: str, group: int) -> NDArray[np.uint64]:
        program = self._programs[name]
        return np.stack([program.run(block, None)[group] for block in self._state])

    def _unpack(self, rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Turn blocks by rows by words into lanes by rows."""
        blocks, count, _ = rows.shape
        bits = np.unpackbits(rows.view(np.uint8), axis=2, bitorder='little')
        lanes: NDArray[np.uint8] = bits.transpose(0, 2, 1).reshape(blocks * _BLOCK, count)
        return lanes[: self.count].astype(np.bool_)


class _Wide:
    """A tape and its memory, for a block of lanes."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._places = tape.places(WIDE)
        self._data = np.zeros(tape.slots * WIDE, np.uint64)
        self._data[ONES * WIDE : (ONES + 1) * WIDE] = ~np.uint64(0)

    def run(
        self, state: NDArray[np.uint64], moves: NDArray[np.int64] | None
    ) -> list[NDArray[np.uint64]]:
        """Run on a state (and moves); return the rows of each group of outputs."""
        rows = self._data.reshape(-1, WIDE)
        facts = len(state)
        rows[2 : 2 + facts] = state
        rows[2 + facts : 2 + self._tape.inputs] = 0
        if moves is not None:
            _set_moves(rows, 2 + facts, moves)
        run_wide(self._places, self._tape.runs, self._tape.feedback, self._data)
        return [rows[group] for group in self._tape.outputs]


@compile_kernel(nogil=True)
def _set_moves(rows, first, moves):
    for lane in range(moves.shape[0]):
        bit = np.uint64(1) << np.uint64(lane & 63)
        for role in range(moves.shape[1]):
            if moves[lane, role] >= 0:
                rows[first + moves[lane, role], lane >> 6] |= bit


def _pack(lanes: NDArray[np.bool_], blocks: int) -> NDArray[np.uint64]:
    """Turn lanes by rows into blocks by rows by words."""
    padded = np.zeros((blocks * _BLOCK, lanes.shape[1]), np.bool_)
    padded[: len(lanes)] = lanes
    bits = padded.reshape(blocks, _BLOCK, lanes.shape[1]).transpose(0, 2, 1)
    packed = np.packbits(bits, axis=2, bitorder='little')
    return np.ascontiguousarray(packed).view(np.uint64)
