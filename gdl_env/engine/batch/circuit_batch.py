"""BatchGame on the circuit engine: a thousand states in one run of a tape."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.circuit_programs import FEW_STATES, CircuitPrograms, prepare_programs
from gdl_env.engine.batch.contract import (
    NO_MOVE,
    BatchGame,
    Look,
    Outcomes,
    Rows,
    States,
    Successors,
)
from gdl_env.engine.batch.experiments import Draws
from gdl_env.engine.batch.kernels import ask_states, count_bits, list_moves, step_states
from gdl_env.engine.batch.random_player import RandomPlayer, trace_moves
from gdl_env.engine.batch.sharp_play import make_sharp_tapes
from gdl_env.engine.batch.successor_kernels import SuccessorTables, follow_states
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.tape.program import Program, with_own_memory
from gdl_env.engine.contract import Move, State, replace
from gdl_env.engine.grounding.outside import describe_mark
from gdl_env.errors import EngineError
from gdl_env.language.terms import Term
from gdl_env.play.noop import is_noop


class CircuitBatch(BatchGame):
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
        self._is_noop = np.array([is_noop(move) for _, move in vocabulary.does] + [True], np.bool_)
        self._is_noop_legal = np.array(
            [is_noop(move) for _, move in vocabulary.legal] + [True], np.bool_
        )
        self._programs: dict[bool, CircuitPrograms] = {}
        # By the width of rows.
        self._successor_tables: dict[int, SuccessorTables] = {}
        self._goal_order = np.argsort([value for _, value in vocabulary.goals], kind='stable')

    # ---- tables

    @cached_property
    def initial(self) -> States:
        return self._pack(np.array(self.vocabulary.initial, np.bool_)[None])

    @property
    def known_moves(self) -> int:
        return len(self.vocabulary.legal)

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

    def put_events(self, move: Move, events: Iterable[int]) -> Move:
        """Return a move with events (their rows) in place of the experiments that it names."""
        for row in events:
            name, _, event = self.vocabulary.events[row]
            move = replace(move, name, event)
        return move

    def are_noops(self, rows: Rows) -> NDArray[np.bool_]:
        return self._is_noop_legal[rows]

    # ---- questions

    def look(self, states: States) -> Look:
        rules = self._prepare(len(states)).look
        slots = np.append(rules.legal, np.int32(rules.terminal))
        found = np.zeros((len(states), _words(len(slots))), np.uint64)
        ask_states(rules.program, self._count, slots, states, found)
        last = len(slots) - 1
        terminal = (found[:, last >> 6] >> np.uint64(last & 63)) & np.uint64(1)
        found[:, last >> 6] &= ~(np.uint64(1) << np.uint64(last & 63))
        starts = np.zeros((len(states), len(self.roles) + 1), np.int64)
        rows = np.empty(count_bits(found), np.int32)
        list_moves(found, self.legal_roles, starts, rows, 0)
        return Look(terminal.astype(np.bool_), starts, rows)

    def goals(self, states: States) -> NDArray[np.int16]:
        score = self._prepare(len(states)).score
        held = self._ask(score.program, score.goals, states)
        goals = np.full((len(states), len(self.roles)), -1, np.int16)
        # Larger values come later, and count.
        for index in self._goal_order:
            role, value = self.vocabulary.goals[index]
            goals[held[:, index], self._rank[role]] = value
        return goals

    def step(self, states: States, does: Rows) -> States:
        return self._step(states, does)[0]

    def follow(self, states: States, parents: NDArray[np.int64], does: Rows) -> Successors:
        if not len(parents) or self._rest(does).any():
            return super().follow(states, parents, does)
        roles, shape = len(self.roles), (len(parents), len(self.roles))
        found = np.empty((len(parents), self._words), np.uint64)
        starts = np.zeros((len(parents), roles + 1), np.int64)
        terminal, goals = np.zeros(len(parents), np.bool_), np.full(shape, -1, np.int16)
        tables = self.successor_tables(len(parents))
        rows = follow_states(tables, states, parents, does, found, starts, terminal, goals)
        if self.vocabulary.marks:
            self._check_marks(found)
        return Successors(found, Look(terminal, starts, rows), goals)

    def successor_tables(self, count: int) -> SuccessorTables:
        """Return what steps of this many states at a time take, in compiled code."""
        programs = self._prepare(count)
        key = programs.step.program.width
        if key not in self._successor_tables:
            own = CircuitPrograms(
                programs.step._replace(program=with_own_memory(programs.step.program)),
                programs.look._replace(program=with_own_memory(programs.look.program)),
                programs.score._replace(program=with_own_memory(programs.score.program)),
            )
            order = [(k, *self._read_goal(k)) for k in self._goal_order]
            goals = np.array(order, np.int32).reshape(-1, 3)
            self._successor_tables[key] = SuccessorTables(own, self.legal_roles, goals)
        return self._successor_tables[key]

    def _read_goal(self, place: int) -> tuple[int, int]:
        role, value = self.vocabulary.goals[place]
        return self._rank[role], value

    def percepts(self, states: States, does: Rows) -> States:
        return self._step(states, does)[1]

    def step_and_perceive(self, states: States, does: Rows) -> tuple[States, States]:
        return self._step(states, does)

    def percepts_of(self, role: int) -> dict[Term, int]:
        pairs = enumerate(self.vocabulary.percepts)
        return {percept: bit for bit, (owner, percept) in pairs if owner == self.roles[role]}

    def outcomes(self, states: States, rows: Rows) -> Outcomes:
        if not self.has_experiments:
            return Outcomes(np.arange(len(rows) + 1), self.plain(rows), np.ones(len(rows)))
        score = self._prepare(len(states)).score
        events = self._ask(score.program, score.events, states)
        return self._draws.outcomes(rows, events)

    def playouts(self, states: States, key: int, limit: int) -> NDArray[np.int32]:
        return self._player.play(states, key, limit)[0]

    def sharp_playouts(self, states: States, key: int, limit: int) -> NDArray[np.int32]:
        return self._sharp_player.play(states, key, limit)[0]

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
        rules = self._prepare(len(states)).step
        found = np.empty_like(states)
        percepts = np.zeros((len(states), self.percept_words), np.uint64)
        step_states(rules, states, does, found, percepts)
        # Who passes in a serial game leaves the state as it is, and so does who does not act.
        rests = self._rest(does)
        found[rests] = states[rests]
        if self.vocabulary.marks:
            self._check_marks(found)
        return found, percepts

    def _rest(self, does: Rows) -> NDArray[np.bool_]:
        """Tell where nobody does anything, so that the state stays as it is."""
        idle = self._is_noop[does] if self.is_serial else does == NO_MOVE
        found: NDArray[np.bool_] = np.all(idle, axis=1)
        return found

    def _check_marks(self, states: States) -> None:
        """Raise RangeError if a value has left its range in one of the states."""
        first = len(self.vocabulary.own_facts)
        words = states[:, first >> 6 :].copy()
        words[:, 0] >>= np.uint64(first & 63)
        found = np.flatnonzero(words.any(axis=1))
        if len(found):
            held = self.unpack(states[found[0]])[0][first:]
            raise describe_mark(self.vocabulary.marks[int(np.argmax(held))], self.game)

    def _ask(
        self, program: Program, slots: NDArray[np.int32], states: States
    ) -> NDArray[np.bool_]:
        found = np.zeros((len(states), _words(len(slots))), np.uint64)
        ask_states(program, self._count, slots, states, found)
        bits = np.unpackbits(found.view(np.uint8), axis=1, count=len(slots), bitorder='little')
        return bits.view(np.bool_)

    def _prepare(self, count: int) -> CircuitPrograms:
        """Return the programs for this many states at a time."""
        is_few = count <= FEW_STATES
        if is_few not in self._programs:
            made = prepare_programs(self.compiled, count)
            self._programs[is_few] = made
            if made.step.program.address:
                # Machine code has one width for all.
                self._programs[not is_few] = made
        return self._programs[is_few]

    @cached_property
    def _player(self) -> RandomPlayer:
        return RandomPlayer(self.game, self.compiled.playout, len(self.roles))

    @cached_property
    def _sharp_player(self) -> RandomPlayer:
        tapes = make_sharp_tapes(self, self.vocabulary, self.compiled.playout)
        return RandomPlayer(self.game, tapes, len(self.roles)) if tapes else self._player

    @cached_property
    def _tracer(self) -> RandomPlayer:
        tapes = trace_moves(self.game, self.vocabulary, self.compiled.playout)
        return RandomPlayer(self.game, tapes, len(self.roles), len(self.vocabulary.does))


def _words(bits: int) -> int:
    return max(1, -(-bits // 64))
