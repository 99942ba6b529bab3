"""Games between agents, and other endings of the same games: battle and imitation.

The first ending of a game is played from the initial state. Each further one repeats an earlier
ending up to a decision, plays another move there, and continues as the players like; the chance of
a game, such as its deal, stays the same. In a battle the learning player moves at random, and
tries another move at any of its decisions. In imitation every move of a player comes with another
one at times, and those are tried in random order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.data.job import BATTLE, DataJob
from gdl_agents.data.played_tables import Endings
from gdl_agents.data.recorder import DecisionRows, EndRows, Numbers, play_lanes
from gdl_agents.data.seated_play import SeatedPlay
from gdl_agents.data.seatings import DataSeating
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import NO_ACTION
from gdl_env.play.outcome import WON, outcomes


@dataclass(frozen=True)
class OtherMoves:
    """Moves that could be tried, each at a decision of an earlier ending."""

    lane: Numbers
    # The ending of the lane, and where in it.
    ending: Numbers
    step: Numbers
    player: Numbers
    action: Numbers
    # Those with the lowest are tried first.
    turn: NDArray[np.float64]

    def select(self, rows: NDArray[np.bool_] | Numbers) -> OtherMoves:
        """Return some of them."""
        return OtherMoves(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def join(self, more: OtherMoves) -> OtherMoves:
        """Return these and more."""
        names = self.__dataclass_fields__
        pairs = ((getattr(self, name), getattr(more, name)) for name in names)
        return OtherMoves(*map(np.concatenate, pairs))

    def find_next(self, lanes: NDArray[np.bool_]) -> Numbers:
        """Return the rows of those that are tried next: one in each of these lanes at most."""
        order = np.lexsort((self.turn, self.lane))
        order = order[lanes[self.lane[order]]]
        _, first = np.unique(self.lane[order], return_index=True)
        return order[first]


class BranchingGames:
    """Makes endings of games between agents, a batch of lanes at a time."""

    def __init__(
        self,
        job: DataJob,
        lanes: Lanes,
        agents: dict[str, Agent],
        seatings: Sequence[DataSeating],
    ) -> None:
        self._job = job
        self._lanes = lanes
        self._agents = agents
        self._seatings = seatings
        # Now: lanes begin again with each environment.
        self._info = Environment(lanes, Options(lanes.lanes)).info()

    def play_batch(self, batch: int, count: int) -> Iterator[Endings]:
        """Play all endings of `count` games, the first of them number batch * lanes."""
        job, width = self._job, self._lanes.lanes
        number = batch % len(self._seatings)
        seating = self._seatings[number]
        chance = np.random.default_rng(derive_seed(job.seed, f'moves {batch}'))
        origin = batch * width + np.arange(width)
        playing = np.arange(width) < count
        # Steps by players by lanes: what is repeated.
        forced = np.full((0, len(seating.agents), width), NO_ACTION, np.int32)
        start, wins = np.zeros(width, np.int64), np.zeros(width, np.int64)
        # By lane: the player whose move is another one, at the start.
        changed = np.full(width, -1, np.int64)
        lines: list[NDArray[np.int32]] = []
        left: OtherMoves | None = None
        for ending in range(job.most_endings):
            rows, ends = self._play(batch, ending, seating, playing, forced)
            is_extra = (rows.step == start[rows.lane]) & (rows.player == changed[rows.lane])
            game = origin * job.most_endings + ending
            yield Endings(rows, ends, None, game, origin, start, number, is_extra)
            lines.append(rows.to_lines(len(seating.agents), width))
            wins[ends.lane] += outcomes(ends.goals.T)[seating.learner] == WON
            is_open = rows.player == seating.learner
            if job.how != BATTLE:
                # What was repeated had its chance before.
                is_open = (rows.step >= start[rows.lane]) & ~is_extra
                is_open &= chance.random(len(rows.lane)) < job.extra
            found = _find_moves(rows.select(is_open), ending, chance)
            # A battle tries moves of its last ending only, imitation all that came up.
            left = found if left is None or job.how == BATTLE else left.join(found)
            is_enough = (ending + 1 >= job.endings) & (wins >= job.wins)
            chosen = left.find_next(playing & ~is_enough)
            if not len(chosen):
                return
            moves = left.select(chosen)
            left = left.select(~np.isin(np.arange(len(left.lane)), chosen))
            playing = np.isin(np.arange(width), moves.lane)
            forced = _repeat(lines, moves, width)
            start, changed = np.zeros(width, np.int64), np.full(width, -1, np.int64)
            start[moves.lane], changed[moves.lane] = moves.step, moves.player

    def _play(
        self,
        batch: int,
        ending: int,
        seating: DataSeating,
        playing: NDArray[np.bool_],
        forced: NDArray[np.int32],
    ) -> tuple[DecisionRows, EndRows]:
        job, lanes = self._job, self._lanes
        seed = derive_seed(job.seed, f'chance {batch}')
        options = Options(lanes.lanes, seed, lanes.lanes, max_steps=job.max_steps)
        environment = Environment(lanes, options)
        seats = {
            role: self._agents[name]
            for role, name in zip(environment.roles, seating.agents, strict=True)
        }
        seed = derive_seed(job.seed, f'players {batch} {ending}')
        nothing = np.zeros(lanes.lanes, np.int64)
        with SeatedPlay(environment, self._info, seats, forced, seed) as play:
            return play_lanes(environment, playing, nothing, play)


def _find_moves(found: DecisionRows, ending: int, chance: np.random.Generator) -> OtherMoves:
    """Return a move that could be tried at each of some decisions of an ending."""
    action = draw_others(found.legal, found.action, chance.random(len(found.lane)))
    turn = chance.random(len(found.lane))
    held = np.full(len(found.lane), ending)
    moves = OtherMoves(found.lane, held, found.step, found.player, action, turn)
    return moves.select(action >= 0)


def draw_others(
    legal: NDArray[np.uint8], played: NDArray[np.int32], chance: NDArray[np.float64]
) -> Numbers:
    """Return a legal action besides the one that was played, -1 where there is none.

    `chance` has a number from 0 to 1 for each row: all other actions are equally likely.
    """
    mask = np.unpackbits(legal, axis=1, bitorder='little').astype(np.bool_)
    mask[np.arange(len(mask)), played] = False
    count = mask.sum(axis=1)
    rank = (chance * count).astype(np.int64)
    place = (mask.cumsum(axis=1) > rank[:, None]).argmax(axis=1) if len(mask) else count
    return np.where(count > 0, place, -1)


def _repeat(lines: list[NDArray[np.int32]], moves: OtherMoves, width: int) -> NDArray[np.int32]:
    """Return what is played up to each move, and that move: steps by players by lanes."""
    players = lines[0].shape[1]
    forced = np.full((int(moves.step.max()) + 1, players, width), NO_ACTION, np.int32)
    for row in range(len(moves.lane)):
        lane, last = moves.lane[row], moves.step[row] + 1
        forced[:last, :, lane] = lines[moves.ending[row]][:last, :, lane]
        forced[last - 1, moves.player[row], lane] = moves.action[row]
    return forced
