"""Two engines of one game, asked the same questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from gdl_env.engine.contract import Engine, Moves, Role, State
from gdl_env.errors import EngineError, EngineLimitError, RuleError
from gdl_env.language.game import Information
from gdl_env.language.terms import sort_key


class EngineQuery(Enum):
    """What engines are asked."""

    ROLES = 'roles'
    INITIAL = 'initial state'
    TERMINAL = 'whether the game is over'
    GOALS = 'goals'
    VIEWS = 'views'
    LEGAL = 'legal moves'
    EXPERIMENTS = 'experiments'
    NEXT = 'next state'
    PERCEPTS = 'percepts'

    @property
    def needs_moves(self) -> bool:
        """Tell whether this is asked of a step, not of a state."""
        return self in {EngineQuery.NEXT, EngineQuery.PERCEPTS}


@dataclass(frozen=True)
class Difference:
    """Two answers to one question; what is only on one side, as texts in order."""

    question: EngineQuery
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


@dataclass(frozen=True)
class Disagreement:
    """Where two engines disagree: after these steps, or about the last of them."""

    steps: tuple[Moves, ...]
    difference: Difference
    # No shorter sequence of steps leads to a difference of this kind.
    is_shortest: bool = False


class Comparison:
    """Asks both engines, and returns the first difference or None.

    Where the rules have no answer (RuleError), both engines have to say so. Every method may raise
    EngineLimitError: an engine that was stopped has not said anything.
    """

    def __init__(self, first: Engine, second: Engine) -> None:
        self.first = first
        self.second = second
        self._has_percepts = second.game.information is Information.PERCEPTS
        self._has_experiments = bool(second.game.experiments)

    def compare_start(self) -> Difference | None:
        """Compare the roles and the initial state."""
        return self._compare(EngineQuery.ROLES, lambda e: _in_order(e.roles)) or self._compare(
            EngineQuery.INITIAL, lambda e: frozenset(map(str, e.initial_state))
        )

    def compare_state(self, state: State) -> Difference | None:
        """Compare what a state says; moves and chance only where the game is not over."""
        difference = (
            self._compare(EngineQuery.TERMINAL, lambda e: {_over(e.is_terminal(state))})
            or self._compare(EngineQuery.GOALS, lambda e: _goals(e.goals(state)))
            or self._compare(EngineQuery.VIEWS, lambda e: _views(e, state))
        )
        if difference is not None or self._is_over(state):
            return difference
        difference = self._compare(EngineQuery.LEGAL, lambda e: _legal(e, state))
        if difference is None and self._has_experiments:
            return self._compare(EngineQuery.EXPERIMENTS, lambda e: _chance(e, state))
        return difference

    def compare_step(self, state: State, moves: Moves) -> Difference | None:
        """Compare what moves lead to."""
        difference = self._compare(
            EngineQuery.NEXT, lambda e: frozenset(map(str, e.next_state(state, moves)))
        )
        if difference is None and self._has_percepts:
            return self._compare(EngineQuery.PERCEPTS, lambda e: _percepts(e, state, moves))
        return difference

    def _is_over(self, state: State) -> bool:
        try:
            return self.second.is_terminal(state)
        except EngineLimitError:
            raise
        except EngineError:
            return True

    def _compare(
        self, question: EngineQuery, ask: Callable[[Engine], Iterable[str]]
    ) -> Difference | None:
        return differ(question, *(_answer(ask, engine) for engine in (self.first, self.second)))


def differ(
    question: EngineQuery, first: Iterable[str], second: Iterable[str]
) -> Difference | None:
    """Return what is only in one of two answers, or None where they are the same."""
    one, other = frozenset(first), frozenset(second)
    if one == other:
        return None
    return Difference(
        question,
        tuple(sorted(one - other, key=_order)),
        tuple(sorted(other - one, key=_order)),
    )


def differ_in_words(
    what: str, first: Iterable[str], second: Iterable[str], steps: Iterable[str]
) -> str:
    """Return how two answers differ after some steps, or '' where they are the same."""
    one, other = frozenset(first), frozenset(second)
    if one == other:
        return ''
    sides = '; '.join(
        f'only {name}: {", ".join(sorted(texts, key=_order)) or "nothing"}'
        for name, texts in (('there', one - other), ('expected', other - one))
    )
    return f'{what} after [{", ".join(steps)}]: {sides}'


def _answer(ask: Callable[[Engine], Iterable[str]], engine: Engine) -> frozenset[str]:
    try:
        return frozenset(ask(engine))
    except EngineLimitError:
        raise
    except RuleError:
        # The words differ from engine to engine.
        return frozenset({'no answer: the rules do not define one'})
    except EngineError as error:
        return frozenset({f'no answer: {error}'})


def _order(text: str) -> tuple[int, str]:
    # (cell 2 1) before (cell 10 1), as far as a text tells.
    return len(text), text


def _in_order(items: Iterable[object]) -> list[str]:
    return [f'{number}. {item}' for number, item in enumerate(items, start=1)]


def _over(is_terminal: bool) -> str:
    return 'terminal' if is_terminal else 'not terminal'


def _goals(goals: Mapping[Role, int | None]) -> list[str]:
    return [
        f'{role} has no goal' if goal is None else f'{role} has {goal}'
        for role, goal in goals.items()
    ]


def _views(engine: Engine, state: State) -> list[str]:
    return [f'{role} sees {fact}' for role in engine.roles for fact in engine.view(state, role)]


def _legal(engine: Engine, state: State) -> list[str]:
    """Return the moves; where an engine does not sort them as the contract says, that too."""
    texts = []
    for role, moves in engine.legal_moves(state).items():
        texts += [f'{role}: {move}' for move in moves]
        if list(moves) != sorted(set(moves), key=sort_key):
            texts.append(f'the moves of {role} are not sorted')
    return texts


def _chance(engine: Engine, state: State) -> list[str]:
    return [
        f'{name}: {outcome.value} with probability {outcome.probability}'
        for name, outcomes in engine.experiments(state).items()
        for outcome in outcomes
    ]


def _percepts(engine: Engine, state: State, moves: Moves) -> list[str]:
    return [
        f'{role} perceives {percept}'
        for role, percepts in engine.percepts(state, moves).items()
        for percept in percepts
    ]
