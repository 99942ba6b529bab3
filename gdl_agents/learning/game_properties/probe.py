"""What random games show of a game, before anything is learned: the facts that options rest on.

The same rules give the same facts, but for the speed of the engine, which is measured, shown, and
decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.game_properties.game_traits import GameTraits, find_traits
from gdl_agents.learning.training.sharing import tells_roles_apart
from gdl_agents.players.random import RandomAgent
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.contract import NATURE
from gdl_env.engine.mapping import Planes
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.circuit_lanes import CircuitLanes
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.language.game import Game, Information

# Random games: so many at a time, until so many ended, for so many ticks at most.
_LANES, _ENDS, _TICKS = 16, 64, 2_000
# Where rules are interpreted, a tick takes longer than what it would tell is worth.
_INTERPRETED_TICKS = 200
# Observations of which the board is looked at.
_BOARDS = 256
# Steps after which a random game is broken off.
_LONGEST = 1_000


@dataclass(frozen=True)
class GameFacts:
    """What random play shows, and what the rules say."""

    roles: int
    observations: int
    actions: int
    # Random games that came to their end, and those that were broken off.
    ended: int
    broken_off: int
    # Mean steps of a game, and mean decisions of a role in it.
    length: float
    decisions: float
    # Legal actions of a decision.
    branching: float
    # Goals that occurred at the ends, in rising order.
    goals: tuple[int, ...]
    has_chance: bool
    has_secrets: bool
    # Whether several roles decide at the same time.
    is_simultaneous: bool
    # Whether two roles take turns in the open for what the other loses.
    is_zero_sum: bool
    # Whether one network can tell for whom it decides.
    is_shared: bool
    symmetries: int
    # Whether the second role can see the game as the first one does.
    has_one_view: bool
    # Positions, where the game was solved; 0 where it is too large, or of another kind.
    positions: int
    # Whether observations show a board whose cells hold something each: not numbers in rows.
    has_board: bool
    # Whether the rules are compiled, and to how many gates.
    is_compiled: bool
    gates: int
    # Steps of all copies in a second of this processor, with random players.
    steps_per_second: float

    def __str__(self) -> str:
        """Return what was found, in a few lines."""
        kind = ', '.join(
            name
            for name, holds in (
                ('zero-sum', self.is_zero_sum),
                ('chance', self.has_chance),
                ('hidden information', self.has_secrets),
                ('simultaneous moves', self.is_simultaneous),
            )
            if holds
        )
        size = f'{self.positions:,} positions, solved' if self.positions else 'not solved'
        engine = f'{self.gates:,} gates' if self.is_compiled else 'interpreted rules'
        return '\n'.join(
            (
                f'{self.roles} roles{", " + kind if kind else ""}; {size}',
                f'{self.ended} random games ended ({self.broken_off} broken off):'
                f' {self.length:.1f} steps, {self.decisions:.1f} decisions of a role,'
                f' {self.branching:.1f} actions each',
                f'goals {", ".join(map(str, self.goals[:12]))}'
                f'{" and more" if len(self.goals) > 12 else ""}, paid at the end',
                f'{self.observations} entries, {self.actions} actions,'
                f' {"a board" if self.has_board else "no board"}, {self.symmetries} symmetries'
                f'{", one view for both roles" if self.has_one_view else ""}',
                f'{engine}, about {_round(self.steps_per_second):,} steps/s',
            )
        )


@dataclass
class _Tally:
    """What is counted while random games are played."""

    ticks: int = 0
    steps: int = 0
    ends: int = 0
    broken: int = 0
    decisions: int = 0
    legal: int = 0
    is_simultaneous: bool = False
    seconds: float = 0.0


def probe_game(
    game: Game, mapping: str = 'auto', reward: str = 'goal', *, is_whole: bool = True
) -> GameFacts:
    """Play random games; return what they show. Raises GdlError if the game has no vectors.

    Unless it is whole games that are learned, by one network and for their goals, it counts as
    unsolved.
    """
    lanes = open_lanes(game, _LANES, mapping=mapping)
    try:
        is_shared = len(lanes.players) > 1 and tells_roles_apart(lanes)
        is_whole = is_whole and (is_shared or len(lanes.players) == 1)
        traits = find_traits(game, reward, shared=is_whole, mapping=mapping)
        return _probe(game, lanes, traits, is_shared=is_shared)
    finally:
        lanes.close()


def _probe(game: Game, lanes: Lanes, traits: GameTraits, *, is_shared: bool) -> GameFacts:
    is_compiled = isinstance(lanes, CircuitLanes)
    tally = _Tally()
    goals: set[int] = set()
    boards: list[NDArray[np.bool_]] = []
    environment = Environment(lanes, Options(lanes.lanes, max_steps=_LONGEST))
    agent = RandomAgent()
    agent.begin(environment.info(), environment.roles, 0)
    most = _TICKS if is_compiled else _INTERPRETED_TICKS
    while tally.ticks < most and tally.ends < _ENDS:
        _tick(environment, agent, tally, goals, boards)
    played = max(1, tally.ends + tally.broken)
    planes = None if lanes.mapping is None else lanes.mapping.planes()
    length = tally.steps / played
    return GameFacts(
        roles=len(lanes.players),
        observations=lanes.observation_size,
        actions=lanes.action_size,
        ended=tally.ends,
        broken_off=tally.broken,
        length=length,
        decisions=tally.decisions / played / max(1, len(lanes.players)),
        branching=tally.legal / max(1, tally.decisions),
        goals=tuple(sorted(goals)),
        has_chance=NATURE in lanes.roles or lanes.batch.has_experiments,
        has_secrets=game.information is not Information.COMPLETE,
        is_simultaneous=tally.is_simultaneous,
        is_zero_sum=traits.is_zero_sum,
        is_shared=is_shared,
        symmetries=1 if traits.symmetries is None else len(traits.symmetries),
        has_one_view=bool(traits.views),
        positions=0 if traits.solution is None else traits.solution.visited,
        has_board=planes is not None and is_board(planes, np.concatenate(boards)),
        is_compiled=is_compiled,
        gates=_count_gates(lanes),
        steps_per_second=tally.steps / max(tally.seconds, 1e-6),
    )


def _tick(
    environment: Environment,
    agent: RandomAgent,
    tally: _Tally,
    goals: set[int],
    boards: list[NDArray[np.bool_]],
) -> None:
    """Play one step in all copies, and count."""
    tally.is_simultaneous |= bool((environment.decides.sum(axis=0) > 1).any())
    questions = environment.questions(only_decisions=True)
    answers = {question.role: agent.choose(question) for question in questions}
    for question in questions:
        if question.observation is not None and question.legal is not None:
            asked = question.to_move
            tally.decisions += int(asked.sum())
            tally.legal += int(question.legal.unpack()[asked].sum())
            if sum(map(len, boards)) < _BOARDS:
                boards.append(question.observation.unpack()[asked])
    start = process_time()
    step = environment.step(answers)
    tally.seconds += process_time() - start
    tally.ticks += 1
    feedback = list(step.feedback.values())
    over = feedback[0].terminated
    tally.ends += int(over.sum())
    tally.broken += int(feedback[0].truncated.sum())
    for one in feedback:
        goals.update(int(goal) for goal in one.goal[over] if goal >= 0)
    tally.steps += len(over)


def is_board(planes: Planes, observations: NDArray[np.bool_]) -> bool:
    """Tell whether the cells of a board are things of their own, as observations show.

    Where each row, or each column, always holds one mark at most, the other coordinate is a
    number: how many objects a heap has, say. Neighbours then mean nothing.
    """
    board, _ = planes.split(observations.astype(np.float32))
    marks = np.asarray(board).sum(axis=1)
    if not len(marks):
        return False
    return bool((marks.sum(axis=2) > 1).any() and (marks.sum(axis=1) > 1).any())


def _count_gates(lanes: Lanes) -> int:
    """Return the size of the circuit that the rules are compiled to; 0 if they are not."""
    if not isinstance(lanes.batch, CircuitBatch):
        return 0
    compiled = lanes.batch.compiled
    return sum(len(tape.operations) for tape in (compiled.look, compiled.score, compiled.step))


def _round(number: float) -> int:
    """Return a number with one significant digit: more would differ from run to run."""
    return int(float(f'{number:.1g}'))
