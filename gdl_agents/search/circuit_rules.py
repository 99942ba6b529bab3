"""Rules on the circuit engine: a thousand states in one run of a tape."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.experiments import Draws
from gdl_agents.search.kernels.states import ask, count_bits, list_moves, step_states
from gdl_agents.search.random_player import RandomPlayer, trace_moves
from gdl_agents.search.rules import NO_MOVE, Look, Outcomes, Rows, Rules, States
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.kernel import WIDE
from gdl_env.engine.circuit.tape import ONES, Tape
from gdl_env.engine.contract import Move, State
from gdl_env.errors import EngineError
from gdl_env.language.keywords import NOOP
from gdl_env.language.terms import Symbol, Term

# So many states or fewer are asked by single words.
_FEW = 192


class CircuitRules(Rules):
    """States as bits of facts."""

    def __init__(self, engine: CircuitEngine) -> None:
        super().__init__(engine.game, engine.roles)
        self.engine = engine
        self.compiled = engine.compiled
        self.vocabulary = engine.vocabulary
        vocabulary = engine.vocabulary
        self._count = len(vocabulary.facts)
        self._words = _words(self._count)
        self._rank = {role: index for index, role in enumerate(vocabulary.roles)}
        self.legal_roles = np.array([self._rank[role] for role, _ in vocabulary.legal], np.int32)
        self._legal_rows = {pair: row for row, pair in enumerate(vocabulary.legal)}
        self._fact_rows = {fact: row for row, fact in enumerate(vocabulary.facts)}
        self._draws = Draws(engine.game, vocabulary)
        noop = Symbol(NOOP)
        self._is_noop = np.array([m == noop for _, m in vocabulary.does] + [True], np.bool_)
        self._is_noop_legal = np.array([m == noop for _, m in vocabulary.legal] + [True], np.bool_)
        self._tapes: dict[tuple[str, int], tuple[Any, ...]] = {}
        self._goal_order = np.argsort([value for _, value in vocabulary.goals], kind='stable')

    # ---- tables

    @cached_property
    def initial(self) -> States:
        return self._pack(np.array(self.vocabulary.initial, np.bool_)[None])

    @property
    def percept_words(self) -> int:
        return _words(len(self.vocabulary.percepts)) if self.vocabulary.percepts else 0

    @property
    def facts(self) -> tuple[Term, ...] | None:
        return self.vocabulary.facts

    def legal_move(self, row: int) -> tuple[int, Move]:
        role, move = self.vocabulary.legal[row]
        return self._rank[role], move

    def does_move(self, row: int) -> tuple[int, Move]:
        role, move = self.vocabulary.does[row]
        return self._rank[role], move

    def legal_row(self, role: int, move: Move) -> int:
        return self._legal_rows.get((self.roles[role], move), -1)

    def does_row(self, role: int, move: Move) -> int:
        return self._draws.done.get((self.roles[role], move), -1)

    def plain(self, rows: Rows) -> Rows:
        return self._draws.plain[rows]

    def are_noops(self, rows: Rows) -> NDArray[np.bool_]:
        return self._is_noop_legal[rows]

    # ---- questions

    def look(self, states: States) -> Look:
        width, tape = self._tape('look', self.compiled.look, len(states))
        legal = self.compiled.look.outputs[1]
        slots = np.concatenate([legal, self.compiled.look.outputs[0]])
        found = np.zeros((len(states), _words(len(slots))), np.uint64)
        ask(states, self._count, width, tape, slots, found)
        last = len(slots) - 1
        terminal = (found[:, last >> 6] >> np.uint64(last & 63)) & np.uint64(1)
        found[:, last >> 6] &= ~(np.uint64(1) << np.uint64(last & 63))
        starts = np.zeros((len(states), len(self.roles) + 1), np.int64)
        rows = np.empty(count_bits(found), np.int32)
        list_moves(found, self.legal_roles, starts, rows)
        return Look(terminal.astype(np.bool_), starts, rows)

    def goals(self, states: States) -> NDArray[np.int16]:
        held = self._ask('score', self.compiled.score, 0, states)
        goals = np.full((len(states), len(self.roles)), -1, np.int16)
        # Larger values come later, and count.
        for index in self._goal_order:
            role, value = self.vocabulary.goals[index]
            goals[held[:, index], self._rank[role]] = value
        return goals

    def step(self, states: States, does: Rows) -> States:
        return self._step(states, does)[0]

    def percepts(self, states: States, does: Rows) -> States:
        return self._step(states, does)[1]

    def percepts_of(self, role: int) -> dict[Term, int]:
        pairs = enumerate(self.vocabulary.percepts)
        return {percept: bit for bit, (owner, percept) in pairs if owner == self.roles[role]}

    def outcomes(self, states: States, rows: Rows) -> Outcomes:
        if not self.has_experiments:
            return Outcomes(np.arange(len(rows) + 1), self.plain(rows), np.ones(len(rows)))
        events = self._ask('score', self.compiled.score, 1, states)
        return self._draws.outcomes(rows, events)

    def playouts(self, states: States, key: int, limit: int) -> NDArray[np.int32]:
        return self._player.play(states, key, limit)[0]

    @property
    def trace_words(self) -> int:
        return _words(len(self.vocabulary.does))

    def traced_playouts(
        self, states: States, key: int, limit: int
    ) -> tuple[NDArray[np.int32], States]:
        return self._tracer.play(states, key, limit)

    # ---- single states

    def to_state(self, row: States) -> State:
        facts = self.vocabulary.facts
        return frozenset(facts[i] for i in np.flatnonzero(self.unpack(row)[0]))

    def from_state(self, state: State) -> States:
        held = np.zeros((1, self._count), np.bool_)
        for fact in state:
            if fact not in self._fact_rows:
                raise EngineError(f'{fact} can never be a fact of {self.game.name}')
            held[0, self._fact_rows[fact]] = True
        return self._pack(held)

    def unpack(self, states: States) -> NDArray[np.bool_]:
        """Return which facts hold: states by facts."""
        flat = np.ascontiguousarray(states).reshape(-1, self._words)
        bits = np.unpackbits(flat.view(np.uint8), axis=1, count=self._count, bitorder='little')
        return bits.view(np.bool_)

    # ---- inside

    def _pack(self, held: NDArray[np.bool_]) -> States:
        padded = np.zeros((len(held), 64 * self._words), np.bool_)
        padded[:, : held.shape[1]] = held
        return np.packbits(padded, axis=1, bitorder='little').view(np.uint64)

    def _step(self, states: States, does: Rows) -> tuple[States, States]:
        width, tape = self._tape('step', self.compiled.step, len(states))
        after, seen = self.compiled.step.outputs
        found = np.empty_like(states)
        percepts = np.zeros((len(states), self.percept_words), np.uint64)
        moves = len(self.vocabulary.does)
        step_states(states, does, self._count, moves, width, tape, after, seen, found, percepts)
        if self.is_serial:
            # Who passes leaves the state as it is.
            rests = self._is_noop[does].all(axis=1)
            found[rests] = states[rests]
        else:
            rests = (does == NO_MOVE).all(axis=1)
            found[rests] = states[rests]
        return found, percepts

    def _ask(self, name: str, tape: Tape, group: int, states: States) -> NDArray[np.bool_]:
        width, arrays = self._tape(name, tape, len(states))
        slots = tape.outputs[group]
        found = np.zeros((len(states), _words(len(slots))), np.uint64)
        ask(states, self._count, width, arrays, slots, found)
        bits = np.unpackbits(found.view(np.uint8), axis=1, count=len(slots), bitorder='little')
        return bits.view(np.bool_)

    def _tape(self, name: str, tape: Tape, count: int) -> tuple[int, tuple[Any, ...]]:
        """Return the width of rows for so many states, and a tape with its memory."""
        width = 1 if count <= _FEW else WIDE
        if (name, width) not in self._tapes:
            data = np.zeros(tape.slots * width, np.uint64)
            data[ONES * width : (ONES + 1) * width] = ~np.uint64(0)
            self._tapes[name, width] = tape.places(width), tape.runs, tape.feedback, data
        return width, self._tapes[name, width]

    @cached_property
    def _player(self) -> RandomPlayer:
        return RandomPlayer(self.compiled.playout, len(self.roles))

    @cached_property
    def _tracer(self) -> RandomPlayer:
        tapes = trace_moves(self.game, self.vocabulary, self.compiled.playout)
        return RandomPlayer(tapes, len(self.roles), len(self.vocabulary.does))


def _words(bits: int) -> int:
    return max(1, -(-bits // 64))
