"""Random games: how they can go, with which probability, beside how engines say they went."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import inf, log, prod

from gdl_env.engine.contract import Engine, Move, Moves, Playout, Role, State
from gdl_env.errors import EngineError, EngineLimitError, ExhaustedError, RangeError
from gdl_env.language.game import Turns

# A result that is less likely than this one is a mistake: no run tries so many games.
_UNLIKELY = log(1e-11)

# Steps, whether the game has come to its end, and the goals.
Result = tuple[int, bool, tuple[int | None, ...]]


@dataclass(frozen=True)
class Expectation:
    """The results of random play, by probability."""

    results: dict[Result, float]
    # The probability of an error, and whether it may be that of a value outside its range: only
    # the circuit engine stops there.
    failure: float
    leaves_range: bool


class _TooLargeError(Exception):
    pass


def expect_play(engine: Engine, limit: int, most: int) -> Expectation | None:
    """Return how games of at most `limit` random steps go, by following all of them.

    Returns None for a game with more than `most` different steps, or one whose rules have no
    answer somewhere. Raises EngineLimitError.
    """
    try:
        return _Walk(engine, most).run(limit)
    except EngineLimitError:
        raise
    except (EngineError, _TooLargeError):
        return None


class _Walk:
    """All games at a time, step by step; states that are the same meet."""

    def __init__(self, engine: Engine, most: int) -> None:
        self._engine = engine
        self._left = most
        self._failure = 0.0
        self._leaves_range = False

    def run(self, limit: int) -> Expectation:
        results: defaultdict[Result, float] = defaultdict(float)
        states: dict[State, float] = {self._engine.initial_state: 1.0}
        for number in range(limit + 1):
            after: defaultdict[State, float] = defaultdict(float)
            for state, weight in states.items():
                is_over = self._engine.is_terminal(state)
                if is_over or number == limit or not self._engine.actors(state):
                    results[number, is_over, self._goals(state)] += weight
                    continue
                for moves, share in self._steps(state):
                    found = self._step(state, moves)
                    if found is None:
                        self._failure += weight * share
                    else:
                        after[found] += weight * share
            states = after
        return Expectation(dict(results), self._failure, self._leaves_range)

    def _step(self, state: State, moves: Moves | None) -> State | None:
        if moves is None:
            return None
        try:
            return self._engine.next_state(state, moves)
        except RangeError:
            self._leaves_range = True
            return None

    def _goals(self, state: State) -> tuple[int | None, ...]:
        return tuple(self._engine.goals(state).values())

    def _steps(self, state: State) -> Iterator[tuple[Moves | None, float]]:
        """Yield the steps from a state with their probability; None for a draw in vain."""
        engine = self._engine
        actors = engine.actors(state)
        is_serial = engine.game.turns is Turns.SERIAL
        groups = [(role,) for role in actors] if is_serial else [actors]
        for roles in groups:
            for chosen in product(*(self._choices(state, role) for role in roles)):
                self._left -= 1
                if self._left < 0:
                    raise _TooLargeError
                share = prod(part for _, part in chosen) / len(groups)
                moves = {r: m for r, (m, _) in zip(roles, chosen, strict=True) if m is not None}
                yield (moves if len(moves) == len(roles) else None), share

    def _choices(self, state: State, role: Role) -> list[tuple[Move | None, float]]:
        legal = self._engine.legal_moves(state)[role]
        share = 1 / len(legal)
        found: list[tuple[Move | None, float]] = []
        for move in legal:
            try:
                drawn = self._engine.drawable_outcomes(state, move)
            except ExhaustedError:
                found.append((None, share))
                continue
            found += [(o.value, share * float(o.probability)) for o in drawn]
        return found


def judge_playouts(expected: Expectation, played: Iterable[Playout]) -> str:
    """Return what is wrong with random games that were played, '' if nothing is."""
    seen: Counter[Result] = Counter()
    try:
        for game in played:
            seen[game.steps, game.is_terminal, tuple(game.goals.values())] += 1
    except (ExhaustedError, RangeError) as error:
        return '' if expected.failure > 0 else f'an error that no game leads to: {error}'
    total = seen.total()
    if _log_chance(0, total, expected.failure) < _UNLIKELY:
        return f'no error in {total} games; {expected.failure:.3g} of them lead to one'
    # What is left where no game has failed.
    rest = 1 - expected.failure
    for result in {*seen, *expected.results}:
        chance = expected.results.get(result, 0.0) / rest
        if _log_chance(seen[result], total, chance) < _UNLIKELY:
            steps, is_over, goals = result
            end = 'ended' if is_over else 'stopped'
            return (
                f'{seen[result]} of {total} games {end} after {steps} steps with goals {goals};'
                f' the rules give a probability of {chance:.3g}'
            )
    return ''


def _log_chance(count: int, total: int, chance: float) -> float:
    """Return a bound for the probability of a count as far from what is expected (Chernoff)."""
    if not total or abs(count / total - chance) < 1e-12:
        return 0.0
    if chance <= 0.0 or chance >= 1.0 - 1e-12:
        return -inf
    share = count / total
    return -total * (_entropy(share, chance) + _entropy(1 - share, 1 - chance))


def _entropy(share: float, chance: float) -> float:
    return share * log(share / chance) if share else 0.0
