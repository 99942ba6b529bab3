"""The engine that runs a game as a circuit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cached_property
from threading import Event

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.circuit.compiled import compile_game
from gdl_env.engine.circuit.playouts.playouts import LANES, play
from gdl_env.engine.circuit.playouts.records import PlayoutResults
from gdl_env.engine.circuit.tape.program import prepare_program, run_program
from gdl_env.engine.circuit.tape.tape import Tape
from gdl_env.engine.contract import Engine, Fact, Move, Moves, Outcome, Playout, Role, State
from gdl_env.engine.grounding.budget import GroundingLimits
from gdl_env.engine.grounding.outside import (
    PlayFailure,
    describe_failure,
    describe_mark,
    is_mark_of_move,
)
from gdl_env.errors import EngineError
from gdl_env.language.game import Game
from gdl_env.language.terms import Term
from gdl_env.play.noop import is_pass

_CACHED_STATES = 4096
_LOWEST = np.uint64(1)


class CircuitEngine(Engine):
    """A game as bitwise operations: one bit is one game.

    The single-state calls of the contract use one bit; `playouts` uses a thousand lanes.
    """

    def __init__(self, game: Game, limits: GroundingLimits | None = None) -> None:
        """Compile a game, or take it from the cache; with `limits`, compile it again.

        Raises GroundingError where that is not possible.
        """
        super().__init__(game)
        self.compiled = compile_game(game, limits)
        self.vocabulary = self.compiled.vocabulary
        self._look_program = _SingleState(self.compiled.look)
        self._goal_program = _SingleState(self.compiled.score)
        self._step_program = _SingleState(self.compiled.step)
        self._fact_row = {fact: row for row, fact in enumerate(self.vocabulary.facts)}
        first_move = len(self._fact_row)
        self._move_row = {p: first_move + row for row, p in enumerate(self.vocabulary.does)}
        self._seen: OrderedDict[State, tuple[bool, dict[Role, tuple[Move, ...]]]] = OrderedDict()

    # ---- the contract

    @property
    def roles(self) -> tuple[Role, ...]:
        return self.vocabulary.roles

    @cached_property
    def initial_state(self) -> State:
        v = self.vocabulary
        return frozenset(f for f, holds in zip(v.facts, v.initial, strict=True) if holds)

    def is_terminal(self, state: State) -> bool:
        is_terminal, _ = self._look(state)
        return is_terminal

    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        _, moves = self._look(state)
        return moves

    def goals(self, state: State) -> Mapping[Role, int | None]:
        values, _ = self._goal_program.run(self._rows(state))
        result: dict[Role, int | None] = dict.fromkeys(self.roles)
        for (role, value), holds in zip(self.vocabulary.goals, values, strict=True):
            known = result[role]
            if holds and (known is None or value > known):
                result[role] = value
        return result

    def next_state(self, state: State, moves: Moves) -> State:
        if is_pass(self.game, moves.values()):
            return state
        after, _ = self._step_program.run(self._step_rows(state, moves))
        found = frozenset(
            fact for fact, holds in zip(self.vocabulary.facts, after, strict=True) if holds
        )
        self._check_marks(found)
        return found

    def percepts(self, state: State, moves: Moves) -> Mapping[Role, frozenset[Term]]:
        _, seen = self._step_program.run(self._step_rows(state, moves))
        found: dict[Role, set[Term]] = {role: set() for role in self.roles}
        for (role, percept), holds in zip(self.vocabulary.percepts, seen, strict=True):
            if holds:
                found[role].add(percept)
        return {role: frozenset(percepts) for role, percepts in found.items()}

    def experiments(self, state: State) -> Mapping[str, tuple[Outcome, ...]]:
        _, present = self._goal_program.run(self._rows(state))
        weights: dict[str, dict[Term, int]] = {}
        for (name, weight, event), holds in zip(self.vocabulary.events, present, strict=True):
            if holds and weight > 0:
                events = weights.setdefault(name, {})
                events[event] = events.get(event, 0) + weight
        return {
            name: tuple(Outcome(e, Fraction(w, sum(events.values()))) for e, w in events.items())
            for name, events in weights.items()
        }

    def playouts(self, count: int, seed: int, max_steps: int) -> Iterator[Playout]:
        roles = self.roles
        for result in self.play_batches(count, seed, max_steps):
            for steps, end, goals in zip(
                result.steps.tolist(),
                result.is_terminal.tolist(),
                result.goals.tolist(),
                strict=True,
            ):
                values = {r: None if g < 0 else g for r, g in zip(roles, goals, strict=True)}
                yield Playout(steps, values, end)

    def play_batches(
        self, count: int, seed: int, max_steps: int, threads: int = 1
    ) -> Iterator[PlayoutResults]:
        """Play random games and return them in batches of arrays.

        The same seed and count give the same games, however many threads there are. Raises
        ExhaustedError where a move draws from an experiment none of whose events can happen, and
        RangeError where a value leaves its range.
        """
        # Several games a lane: otherwise most lanes idle while the longest game ends.
        games_a_lane = min(max(count // (8 * LANES), 1), 32)
        batch = LANES * games_a_lane
        stop = Event()

        def run(number: int) -> PlayoutResults:
            size = min(batch, count - number * batch)
            quota = np.full(LANES, size // LANES, np.int64)
            quota[: size % LANES] += 1
            key = (seed % 2**64) << 64 | number
            tapes = self.compiled.playout
            try:
                return play(tapes, len(self.roles), quota, key, max_steps, stop)
            except PlayFailure as failure:
                raise describe_failure(failure, self.game) from None

        numbers = range(-(-count // batch))
        if threads == 1:
            yield from map(run, numbers)
            return
        # Compiled code runs without the interpreter's lock: threads share the tapes.
        pool = ThreadPoolExecutor(threads)
        try:
            yield from pool.map(run, numbers)
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)

    def size(self) -> str:
        v, play = self.vocabulary, self.compiled.playout
        return (
            f'{len(v.own_facts)} facts, {len(v.legal)} moves, '
            f'{len(play.step.operations)} operations for a random step'
        )

    # ---- inside

    def _look(self, state: State) -> tuple[bool, dict[Role, tuple[Move, ...]]]:
        known = self._seen.get(state)
        if known is None:
            (end,), legal, _ = self._look_program.run(self._rows(state))
            moves: dict[Role, list[Move]] = {role: [] for role in self.roles}
            for (role, move), holds in zip(self.vocabulary.legal, legal, strict=True):
                if holds:
                    moves[role].append(move)
            known = bool(end), {role: tuple(found) for role, found in moves.items()}
            if self.vocabulary.marks and not end and not any(moves.values()):
                # Moves outside their range may be the reason; no step would come to tell. Facts
                # outside theirs are not: the step they would belong to is never played.
                after, _ = self._step_program.run(self._rows(state))
                facts = zip(self.vocabulary.facts, after, strict=True)
                self._check_marks(
                    fact for fact, holds in facts if holds and is_mark_of_move(fact, self.game)
                )
            self._seen[state] = known
            if len(self._seen) > _CACHED_STATES:
                self._seen.popitem(last=False)
        return known

    def _check_marks(self, facts: Iterable[Fact]) -> None:
        """Raise RangeError if a value has left its range."""
        found = frozenset(facts)
        for mark in self.vocabulary.marks:
            if mark in found:
                raise describe_mark(mark, self.game)

    def _rows(self, facts: Iterable[Fact]) -> list[int]:
        try:
            return [self._fact_row[fact] for fact in facts]
        except KeyError as error:
            raise EngineError(f'{error.args[0]} can never be a fact of {self.game.name}') from None

    def _step_rows(self, state: State, moves: Moves) -> list[int]:
        rows = self._rows(state)
        # A move that the rules can never give changes nothing: no rule asks for it.
        rows += [self._move_row[pair] for pair in moves.items() if pair in self._move_row]
        return rows


class _SingleState:
    """A tape that runs on one state: the lowest bit of each row."""

    def __init__(self, tape: Tape) -> None:
        self._program = prepare_program(tape, 1)
        self._inputs = self._program.data[FIRST_INPUT : FIRST_INPUT + tape.inputs]
        self._outputs = tape.outputs

    def run(self, rows: list[int]) -> list[NDArray[np.bool_]]:
        """Set the given inputs, run, and return the outputs group by group."""
        self._inputs[:] = 0
        self._inputs[rows] = 1
        run_program(self._program)
        return [(self._program.data[group] & _LOWEST).astype(np.bool_) for group in self._outputs]
