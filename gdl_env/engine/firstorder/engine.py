"""The engine that runs rules compiled to C++, without grounding them."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from threading import RLock

from gdl_env.engine.contract import Engine, Move, Moves, Outcome, Playout, Role, State
from gdl_env.engine.firstorder.compiler import compile_library
from gdl_env.engine.firstorder.native import NativeGame, NativeQuery
from gdl_env.engine.firstorder.unit import translate
from gdl_env.engine.firstorder.values import NONE
from gdl_env.language.game import Game, is_role_name
from gdl_env.language.terms import Number, Term

_CACHED_STATES = 4096
# Random games are played for about this long at a time, so that a user can interrupt.
_SLICE_SECONDS = 0.1


@dataclass
class _Known:
    """A state as the library reads it, and what was asked about it."""

    packed: bytes
    is_terminal: bool | None = None
    legal: dict[Role, tuple[Move, ...]] | None = None


_NO_STATE = _Known(b'')


class FirstOrderEngine(Engine):
    """Rules compiled as they are, also of games too large to ground; threads take turns."""

    has_limited_numbers = True

    def __init__(self, game: Game, time_limit: float = 30.0, memory_limit: int = 1024) -> None:
        """Prepare an engine; the rules are compiled with the first question.

        `time_limit` is in seconds for one question, `memory_limit` in MiB for everything that is
        kept.
        """
        super().__init__(game)
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._states: OrderedDict[State, _Known] = OrderedDict()
        self._generation = 0
        self._lock = RLock()

    def prepare(self) -> None:
        """Compile and open the rules now. Raises EngineUnavailableError or another EngineError."""
        with self._lock:
            self._tidy()

    # ---- the contract

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        with self._lock:
            numbers = self._ask(NativeQuery.ROLES, _NO_STATE)
            return tuple(role for role in self._terms(numbers) if is_role_name(role))

    @cached_property
    def initial_state(self) -> State:
        with self._lock:
            return frozenset(self._terms(self._ask(NativeQuery.INITIAL, _NO_STATE)))

    def is_terminal(self, state: State) -> bool:
        with self._lock:
            known = self._known(state)
            if known.is_terminal is None:
                (flag,) = self._ask(NativeQuery.TERMINAL, known)
                known.is_terminal = flag == 1
            return known.is_terminal

    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        with self._lock:
            known = self._known(state)
            if known.legal is None:
                answer = self._ask(NativeQuery.LEGAL, known)
                known.legal = {role: tuple(moves) for role, moves in self._by_role(answer)}
            return known.legal

    def goals(self, state: State) -> Mapping[Role, int | None]:
        with self._lock:
            return self._goals(self._ask(NativeQuery.GOALS, self._known(state)))

    def next_state(self, state: State, moves: Moves) -> State:
        with self._lock:
            known = self._known(state)
            numbers = self._ask(NativeQuery.NEXT, known, self._pack_moves(moves))
            following = frozenset(self._terms(numbers))
            self._remember(following, _pack(numbers))
            return following

    def percepts(self, state: State, moves: Moves) -> Mapping[Role, frozenset[Term]]:
        with self._lock:
            known = self._known(state)
            answer = self._ask(NativeQuery.PERCEPTS, known, self._pack_moves(moves))
            return {role: frozenset(seen) for role, seen in self._by_role(answer)}

    def experiments(self, state: State) -> Mapping[str, tuple[Outcome, ...]]:
        with self._lock:
            answer = iter(self._terms(self._ask(NativeQuery.CHANCE, self._known(state))))
        found: dict[str, dict[Term, int]] = {}
        for name, weight, event in zip(answer, answer, answer, strict=True):
            weights = found.setdefault(str(name), {})
            assert isinstance(weight, Number), 'the library checks weights'
            if weight.value > 0:
                weights[event] = weights.get(event, 0) + weight.value
        return {name: _outcomes(weights) for name, weights in sorted(found.items())}

    def playouts(self, count: int, seed: int, max_steps: int) -> Iterator[Playout]:
        width = len(self.roles) + 2
        done = 0
        while done < count:
            with self._lock:
                self._tidy()
                answer = self._native.play(seed, done, count - done, max_steps, _SLICE_SECONDS)
                games = [
                    Playout(
                        answer[at], self._goals(answer[at + 2 : at + width]), answer[at + 1] == 1
                    )
                    for at in range(0, len(answer), width)
                ]
            yield from games
            done += len(games)

    def close(self) -> None:
        with self._lock:
            if '_native' in self.__dict__:
                self._native.close()
                del self._native

    # ---- inside

    @cached_property
    def _native(self) -> NativeGame:
        path = compile_library(translate(self.game))
        return NativeGame(path, self._time_limit, self._memory_limit)

    def _ask(self, question: NativeQuery, known: _Known, moves: bytes = b'') -> list[int]:
        return self._native.ask(question, known.packed, moves)

    def _terms(self, numbers: list[int]) -> list[Term]:
        term = self._native.term
        return [term(number) for number in numbers]

    def _known(self, state: State) -> _Known:
        """Return what is known about a state; it is remembered for a while."""
        self._tidy()
        known = self._states.get(state)
        if known is None:
            number = self._native.number
            known = self._remember(state, _pack([number(fact) for fact in state]))
        return known

    def _remember(self, state: State, packed: bytes) -> _Known:
        known = self._states.get(state)
        if known is None:
            known = self._states[state] = _Known(packed)
            if len(self._states) > _CACHED_STATES:
                self._states.popitem(last=False)
        return known

    def _tidy(self) -> None:
        """Forget packed states when the library has forgotten its terms."""
        native = self._native
        native.tidy()
        if native.generation != self._generation:
            self._generation = native.generation
            self._states.clear()

    def _pack_moves(self, moves: Moves) -> bytes:
        number = self._native.number
        return _pack([number(term) for pair in moves.items() for term in pair])

    def _by_role(self, answer: list[int]) -> Iterator[tuple[Role, list[Term]]]:
        """Read lists of terms, one a role, each behind its length."""
        at = 0
        for role in self.roles:
            end = at + 1 + answer[at]
            yield role, self._terms(answer[at + 1 : end])
            at = end

    def _goals(self, numbers: list[int]) -> dict[Role, int | None]:
        return {
            role: None if number == NONE else _integer(self._native.term(number))
            for role, number in zip(self.roles, numbers, strict=True)
        }


def _pack(numbers: list[int]) -> bytes:
    return array('i', numbers).tobytes()


def _integer(term: Term) -> int:
    assert isinstance(term, Number), 'the library takes no other goals'
    return term.value


def _outcomes(weights: Mapping[Term, int]) -> tuple[Outcome, ...]:
    total = sum(weights.values())
    return tuple(Outcome(value, Fraction(weight, total)) for value, weight in weights.items())
