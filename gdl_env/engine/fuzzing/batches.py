"""Two games of rows (see `batch`) on the same random walks: the answers as terms must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

import numpy as np

from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, Rows, States
from gdl_env.engine.contract import Move, Moves
from gdl_env.engine.verification.comparison import (
    Difference,
    Disagreement,
    EngineQuery,
    differ,
)
from gdl_env.errors import EngineError, EngineLimitError, RuleError

_LONGEST_WALK = 50


@dataclass
class _Walk:
    """One walk: its row of both games, and the steps that led there."""

    rows: tuple[States, States]
    steps: tuple[Moves, ...] = ()


@dataclass
class WalkedRows:
    """States of the first game that walks have met, and what was done there."""

    states: list[States] = field(default_factory=list)
    does: list[Rows] = field(default_factory=list)


def compare_batches(
    first: BatchGame, second: BatchGame, walks: int, seed: int, met: WalkedRows
) -> tuple[int, Disagreement | None]:
    """Walk on both, many states at a time; return the states compared and a disagreement.

    The states that were met go to `met`. Raises EngineLimitError.
    """
    random = Random(seed)
    pair = first, second
    going = [_Walk((first.initial, second.initial)) for _ in range(walks)]
    count = 0
    for _ in range(_LONGEST_WALK):
        if not going:
            break
        count += len(going)
        try:
            looks = [
                g.look(np.concatenate([w.rows[i] for w in going])) for i, g in enumerate(pair)
            ]
        except EngineLimitError:
            raise
        except EngineError:
            # Single states tell which one has no answer; engines were compared on those.
            return count, None
        after = []
        for index, walk in enumerate(going):
            found = _compare_state(pair, walk, index, looks)
            if found is not None:
                return count, Disagreement(walk.steps, found)
            if looks[1].terminal[index]:
                continue
            moves, found = _choose(pair, walk, index, looks[1], random)
            if found is not None:
                return count, Disagreement(walk.steps, found)
            if moves:
                after.append(_Walk(walk.rows, (*walk.steps, moves)))
        found_step = _step(pair, after, met)
        if found_step is not None:
            return count, found_step
        going = [walk for walk in after if walk.rows]
    return count, None


def _compare_state(
    pair: tuple[BatchGame, BatchGame], walk: _Walk, index: int, looks: list[Look]
) -> Difference | None:
    answers = [[f'terminal: {bool(look.terminal[index])}'] for look in looks]
    found = differ(EngineQuery.TERMINAL, *answers)
    if found is None:
        found = _ask(EngineQuery.GOALS, lambda i: _goals(pair[i], walk.rows[i]))
    if found is not None or looks[1].terminal[index]:
        return found
    answers = [
        [
            f'{game.roles[role]}: {game.legal_move(int(row))[1]}'
            for role in range(len(game.roles))
            for row in look.moves(index, role)
        ]
        for game, look in zip(pair, looks, strict=True)
    ]
    return differ(EngineQuery.LEGAL, *answers)


def _choose(
    pair: tuple[BatchGame, BatchGame], walk: _Walk, index: int, look: Look, random: Random
) -> tuple[Moves, Difference | None]:
    """Return what is done next, none where a walk ends; compare what moves may become."""
    game = pair[1]
    actors = [role for role in range(len(game.roles)) if len(look.moves(index, role))]
    if game.is_serial and actors:
        actors = [game.nature] if game.nature in actors else [random.choice(actors)]
    moves = {}
    for role in actors:
        move = game.legal_move(int(random.choice(look.moves(index, role))))[1]
        outcomes, found = _compare_outcomes(pair, walk, role, move)
        if found is not None:
            return {}, found
        if not outcomes:
            return {}, None
        moves[game.roles[role]] = random.choice(outcomes)[0]
    return moves, None


def _compare_outcomes(
    pair: tuple[BatchGame, BatchGame], walk: _Walk, role: int, move: Move
) -> tuple[list[tuple[Move, float]], Difference | None]:
    """Return what a move may become, nothing where both have no answer, and a difference."""
    outcomes: list[tuple[Move, float]] = []

    def ask(i: int) -> list[str]:
        outcomes[:] = _outcomes(pair[i], walk.rows[i], role, move)
        return [f'{done} with probability {weight:.6f}' for done, weight in outcomes]

    found = _ask(EngineQuery.EXPERIMENTS, ask)
    return outcomes, found


def _outcomes(game: BatchGame, state: States, role: int, move: Move) -> list[tuple[Move, float]]:
    row = np.array([game.legal_row(role, move)], np.int32)
    found = game.outcomes(state, row)
    sums: dict[Move, float] = {}
    for done, weight in zip(found.does.tolist(), found.weights.tolist(), strict=True):
        what = game.does_move(done)[1]
        sums[what] = sums.get(what, 0.0) + weight
    return sorted(((m, w) for m, w in sums.items() if w > 0), key=lambda pair: str(pair[0]))


def _goals(game: BatchGame, state: States) -> list[str]:
    return [f'{game.roles[r]} has {v}' for r, v in enumerate(game.goals(state)[0].tolist())]


def _step(
    pair: tuple[BatchGame, BatchGame], walks: list[_Walk], met: WalkedRows
) -> Disagreement | None:
    """Move all walks one step on; those without a state after it, in both games, end."""
    if not walks:
        return None
    before = [np.concatenate([walk.rows[i] for walk in walks]) for i in range(2)]
    does = [_does(game, walks) for game in pair]
    met.states.append(before[0])
    met.does.append(does[0])
    try:
        both = [pair[i].step_and_perceive(before[i], does[i]) for i in range(2)]
    except EngineLimitError:
        raise
    except EngineError:
        # Engines compared single states already; all walks end here.
        walks.clear()
        return None
    for index, walk in enumerate(walks):
        rows = both[0][0][index : index + 1], both[1][0][index : index + 1]
        found = differ(
            EngineQuery.NEXT, *([str(f) for f in pair[i].to_state(rows[i])] for i in range(2))
        )
        found = found or differ(
            EngineQuery.PERCEPTS, *(_percepts(pair[i], both[i][1][index]) for i in range(2))
        )
        if found is not None:
            return Disagreement(walk.steps, found)
        walk.rows = rows
    return None


def _does(game: BatchGame, walks: list[_Walk]) -> Rows:
    does = np.full((len(walks), len(game.roles)), NO_MOVE, np.int32)
    for index, walk in enumerate(walks):
        for role, name in enumerate(game.roles):
            if name in walk.steps[-1]:
                does[index, role] = game.does_row(role, walk.steps[-1][name])
    return does


def _percepts(game: BatchGame, row: States) -> list[str]:
    return [
        f'{game.roles[role]} perceives {percept}'
        for role in range(len(game.roles))
        for percept, bit in game.percepts_of(role).items()
        if int(row[bit >> 6]) >> (bit & 63) & 1
    ]


def _ask(question: EngineQuery, ask: Callable[[int], Iterable[str]]) -> Difference | None:
    answers: list[Iterable[str]] = []
    for i in range(2):
        try:
            answers.append(ask(i))
        except EngineLimitError:
            raise
        except RuleError as error:
            answers.append([f'no answer: {type(error).__name__}'])
    return differ(question, *answers)
