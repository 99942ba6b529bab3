"""The engine that asks SWI-Prolog."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from gdl_env.engine.contract import Engine, Move, Moves, Outcome, Playout, Role, State
from gdl_env.engine.prolog.process import (
    Launcher,
    PrologProcess,
    launch_worker,
    raise_error,
)
from gdl_env.engine.prolog.transpile import program
from gdl_env.language.game import Game, is_role_name
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term

# Random games asked for in one request: small enough for the time limit and a progress bar.
_PLAYOUT_BATCH = 20
_CACHED_STATES = 4096


class PrologEngine(Engine):
    """The reference engine; one worker process each, so games do not disturb each other.

    Not for several threads at once.
    """

    def __init__(
        self,
        game: Game,
        time_limit: float = 30.0,
        memory_limit: int = 1024,
        launch: Launcher = launch_worker,
    ) -> None:
        """Prepare an engine; the worker starts with the first question.

        `time_limit` is in seconds for one question, `memory_limit` in MiB for Prolog's stacks and
        for its tables each.
        """
        super().__init__(game)
        self._process = PrologProcess(
            program(game, 'protocol.pl'), time_limit, memory_limit, launch
        )
        self._terms: dict[int, Term] = {}
        self._numbers: dict[Term, int] = {}
        self._legal: OrderedDict[State, tuple[bool, dict[Role, tuple[Move, ...]]]] = OrderedDict()

    # ---- the contract

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        return tuple(r for r in self._decode(self._request('roles')) if is_role_name(r))

    @cached_property
    def initial_state(self) -> State:
        return frozenset(self._decode(self._request('initial')))

    def is_terminal(self, state: State) -> bool:
        return self._look(state)[0]

    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        return self._look(state)[1]

    def goals(self, state: State) -> Mapping[Role, int | None]:
        roles = self.roles
        return _goals(roles, self._request('goals', state).split(' '))

    def next_state(self, state: State, moves: Moves) -> State:
        return frozenset(self._decode(self._request('next', state, moves.keys(), moves.values())))

    def percepts(self, state: State, moves: Moves) -> Mapping[Role, frozenset[Term]]:
        roles = self.roles
        parts = self._request('percepts', state, moves.keys(), moves.values()).split(' ')
        return {r: frozenset(self._decode(p)) for r, p in zip(roles, parts, strict=True)}

    def experiments(self, state: State) -> Mapping[str, tuple[Outcome, ...]]:
        answer = self._request('experiments', state)
        result = {}
        for part in answer.split():
            number, *events = part.split(',')
            weights: dict[Term, int] = {}
            for event in events:
                weight, _, value = event.partition(':')
                term = self._terms[int(value)]
                weights[term] = weights.get(term, 0) + int(weight)
            total = sum(weights.values())
            result[str(self._terms[int(number)])] = tuple(
                Outcome(value, Fraction(weight, total)) for value, weight in weights.items()
            )
        return result

    def playouts(self, count: int, seed: int, max_steps: int) -> Iterator[Playout]:
        roles = self.roles
        self._request('seed', str(seed))
        left = count
        while left > 0:
            batch = min(left, _PLAYOUT_BATCH)
            for part in self._request('playouts', str(batch), str(max_steps)).split(' '):
                steps, flag, *goals = part.split(',')
                yield Playout(int(steps), _goals(roles, goals), flag == '1')
            left -= batch

    def close(self) -> None:
        self._process.close()

    # ---- inside

    def _look(self, state: State) -> tuple[bool, dict[Role, tuple[Move, ...]]]:
        """Return whether the state is terminal, and the legal moves; remembered for a while."""
        known = self._legal.get(state)
        if known is None:
            roles = self.roles
            flag, *parts = self._request('legal', state).split(' ')
            moves = {r: tuple(self._decode(p)) for r, p in zip(roles, parts, strict=True)}
            known = self._legal[state] = flag == '1', moves
            if len(self._legal) > _CACHED_STATES:
                self._legal.popitem(last=False)
        return known

    def _request(self, verb: str, *args: str | Iterable[Term]) -> str:
        """Ask the worker; terms among the arguments cross as numbers."""
        if not self._process.is_running:
            # A new worker knows no numbers.
            self._terms.clear()
            self._numbers.clear()
            self._process.start()
        words = (arg if isinstance(arg, str) else self._encode(arg) for arg in args)
        *new, last = self._process.request(' '.join((verb, *words)))
        for line in new:
            _, number, text = line.split(' ', 2)
            term = read_term(text)
            self._terms[int(number)] = term
            self._numbers[term] = int(number)
        if not last.startswith('ok'):
            raise_error(last)
        return last[3:]

    def _encode(self, terms: Iterable[Term]) -> str:
        return ','.join([str(self._number(term)) for term in terms]) or '-'

    def _number(self, term: Term) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = int(self._request('number', str(term)))
        return number

    def _decode(self, text: str) -> list[Term]:
        return [] if text == '-' else [self._terms[int(part)] for part in text.split(',')]


def _goals(roles: tuple[Role, ...], values: list[str]) -> dict[Role, int | None]:
    return {r: None if v == '-' else int(v) for r, v in zip(roles, values, strict=True)}
