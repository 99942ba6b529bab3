"""From the snapshots of a run to a ladder of levels: who is how strong is found by playing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.levels.elo import fit_elo
from gdl_agents.learning.levels.ladder import Ladder, Player, write_ladder
from gdl_agents.learning.levels.reward_levels import Snapshot, list_snapshots, strongest
from gdl_agents.learning.levels.round_robin import (
    Contestants,
    LanePairing,
    PairingGoals,
    RoundRobin,
)
from gdl_agents.learning.levels.run_players import AgentPlayers, RunPlayers, ValuePlayers, strong
from gdl_agents.learning.training.algorithm_options import ALPHAZERO, MMD, SEQUENCE
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.evaluation import LONGEST
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.threads import use_threads
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.language.game import Game
from gdl_env.play.reward_scale import to_reward

# Snapshots that take part at most: the strongest, and others evenly over the run.
_MOST_SNAPSHOTS = 5
# Rounds in which gaps are filled.
_REFINEMENTS = 2
# Games at a time; of players that search, each in trees of its own.
_LANES, _LANES_OF_SEARCH = 256, 64
_NO_GAMES = 1e-6
# Of a run that ends after a time: how much more of it players may take to meet each other, and
# what they may take of any run [s].
_SHARE_OF_TIME, _LEAST_TIME = 0.25, 10.0


@dataclass(frozen=True)
class _Meeting:
    """How two players met: the share of points of the first, its mean goal, and games."""

    share: float
    own: float
    games: int


def calibrate_levels(
    run: RunFolder, game: Game, config: TrainingConfig, pool: JobPool | None = None
) -> Ladder:
    """Let players of a run meet each other; write the ladder and return it.

    They play fewer games if the run has a time, and a quarter of it does not suffice. If that is
    too short for any game, no ladder is written. With a pool, each worker plays a part of the
    pairings: draws then depend on how many there are.

    Raises RunError without snapshots.
    """
    # More would wait for each other: the networks are small.
    use_threads(config.threads)
    count = _LANES_OF_SEARCH if config.algorithm == ALPHAZERO else _LANES
    lanes = open_lanes(game, count, config.engine, config.mapping)
    try:
        ladder = _Calibration(run, lanes, config, pool).run(config.levels)
    finally:
        lanes.close()
    if np.isfinite(ladder.scores[-1]).any():
        write_ladder(run, ladder)
    return ladder


class _Calibration:
    def __init__(
        self, run: RunFolder, lanes: Lanes, config: TrainingConfig, pool: JobPool | None
    ) -> None:
        self._lanes = lanes
        self._pool = pool
        self._config = config
        self._all_roles = tuple(map(str, lanes.players))
        # Roles that were learned; the others are played at random.
        taken = {role: _find_snapshots(run, role) for role in self._all_roles}
        self._taken = {role: snapshots for role, snapshots in taken.items() if snapshots}
        if not self._taken:
            raise RunError(f'{run.path} has no snapshots yet')
        snapshots = next(iter(self._taken.values()))
        self._best = best = strongest(snapshots)
        others = [snapshot for snapshot in snapshots if snapshot != best]
        places = np.linspace(0, len(others) - 1, min(len(others), _MOST_SNAPSHOTS - 1))
        kept = [others[place] for place in sorted({int(place) for place in places})]
        self._field = _open_players(self._taken, lanes, config)
        # The first one has rating 0.
        self.players = self._field.list_first(best, kept)
        # By two players.
        self._known: dict[tuple[Player, Player], _Meeting] = {}
        limit = max(_LEAST_TIME, config.seconds * _SHARE_OF_TIME) if config.seconds else inf
        self._end = monotonic() + limit

    def run(self, count: int) -> Ladder:
        """Play; fill gaps between the levels that are wanted; return the ladder."""
        ladder = self._rate(count)
        for _ in range(_REFINEMENTS):
            if monotonic() >= self._end:
                break
            new = self._fill_gaps(ladder, count)
            if not new:
                break
            self.players += new
            ladder = self._rate(count)
        return ladder

    def _rate(self, count: int) -> Ladder:
        """Play what was not played yet; return all players, the weakest first."""
        self._play_missing()
        size = len(self.players)
        score = np.full((size, size), np.nan)
        games = np.zeros((size, size))
        for one, two in self._meetings():
            met = self._known[self.players[one], self.players[two]]
            # Who did not meet for want of time has played the draw that all begin with.
            games[one, two] = games[two, one] = met.games or _NO_GAMES
            if met.games:
                score[one, two], score[two, one] = met.share, 1 - met.share
        elo = fit_elo(np.nan_to_num(score), games)
        first = self.players[0]
        rated = [
            replace(player, elo=float(elo[n]), reward=to_reward(self._known[player, first].own))
            for n, player in enumerate(self.players)
        ]
        has_met = np.asarray((games >= 1).any(axis=1), np.bool_)
        order = self._order(elo, has_met)
        return Ladder(
            tuple(rated[n] for n in order),
            tuple(tuple(float(score[n, m]) for m in order) for n in order),
            count,
        )

    def _order(self, elo: NDArray[np.float64], has_met: NDArray[np.bool_]) -> list[int]:
        """Return players by rating; the strongest snapshot at its best stays on top."""
        top = self.players.index(strong(self._best))
        # What is rated higher by chance is left out, and so is what is weaker than random play.
        inside = has_met & (elo[0] <= elo) & (elo < elo[top])
        fits = [n for n in range(len(elo)) if inside[n] or n in (0, top)]
        return sorted(fits, key=lambda n: (n == top, elo[n], n != 0))

    def _meetings(self) -> list[tuple[int, int]]:
        """Return who meets whom: only random play, where not all roles were learned."""
        is_whole = len(self._taken) == len(self._all_roles)
        return [
            (one, two)
            for one in range(len(self.players))
            for two in range(one)
            if is_whole or not two
        ]

    def _play_missing(self) -> None:
        """Play the games of all that meet and have not met yet."""
        # Random play against itself: what its reward is.
        meetings = [(0, 0), *self._meetings()]
        new = [
            (one, two)
            for one, two in meetings
            if (self.players[one], self.players[two]) not in self._known
        ]
        if not new:
            return
        roles = tuple(self._taken)
        pairings = [LanePairing(one, two, role) for one, two in new for role in roles]
        games = max(1, -(-self._config.level_games // len(roles)))
        seed = derive_seed(self._config.seed, f'levels {len(self.players)}')
        results = self._play(pairings, games, seed, max(0.0, self._end - monotonic()) / 2)
        for place, (one, two) in enumerate(new):
            mine = results[place * len(roles) : (place + 1) * len(roles)]
            played = sum(result.games for result in mine)
            if not all(result.games for result in mine):
                # Some seats are better than others.
                played = 0
            own = float(np.mean([result.own for result in mine])) if played else nan
            others = float(np.mean([result.others for result in mine]))
            if len(self._all_roles) == 1:
                # A game for one: what the other reaches when it plays.
                met = self._known.get((self.players[two], self.players[0]))
                others = own if met is None else met.own
            share = min(1.0, max(0.0, 0.5 + (own - others) / 200))
            self._known[self.players[one], self.players[two]] = _Meeting(share, own, played)

    def _play(
        self, pairings: Sequence[LanePairing], games: int, seed: int, seconds: float
    ) -> list[PairingGoals]:
        config, contestants = self._config, self._field.seat(self.players)
        longest = config.max_steps or LONGEST
        if self._pool is None:
            robin = RoundRobin(self._lanes, contestants, longest, config.turn)
            return robin.play(pairings, games, seed, seconds)
        opening = self._lanes.game, self._lanes.lanes, config.engine, config.mapping
        parts = [pairings[n :: self._pool.workers] for n in range(self._pool.workers)]
        jobs = [
            (opening, contestants, longest, config.turn, part, games, derive_seed(seed, str(n)))
            for n, part in enumerate(parts)
            if part
        ]
        found: list[PairingGoals] = [PairingGoals(0, 0, 0)] * len(pairings)
        for number, goals in enumerate(self._pool.map(_play_pairings, jobs)):
            found[number :: self._pool.workers] = goals
        return found

    def _fill_gaps(self, ladder: Ladder, count: int) -> list[Player]:
        """Return new players for levels that no player is near to."""
        low, high = ladder.players[0].elo, ladder.players[-1].elo
        step = (high - low) / max(1, count - 1)
        found = []
        for number in range(1, count - 1):
            wanted = low + step * number
            if min(abs(p.elo - wanted) for p in ladder.players) < step / 4:
                continue
            found.append(self._field.find_between(ladder.players, wanted))
        return [p for p in dict.fromkeys(found) if p not in self.players]


def _open_players(
    taken: Mapping[str, list[Snapshot]], lanes: Lanes, config: TrainingConfig
) -> RunPlayers:
    """Return the players of a run, by its algorithm."""
    if config.algorithm in (ALPHAZERO, MMD, SEQUENCE):
        searches = config.algorithm == ALPHAZERO
        device = config.device if searches else 'cpu'
        return AgentPlayers(taken, lanes, device, searches=searches)
    return ValuePlayers(taken, lanes)


def _find_snapshots(run: RunFolder, role: str) -> list[Snapshot]:
    """Return the snapshots that can play a role; none if it was not learned."""
    try:
        return list_snapshots(run, role)
    except RunError:
        return []


def _play_pairings(
    opening: tuple[Game, int, str, str],
    contestants: Contestants,
    longest: int,
    turn: str,
    pairings: Sequence[LanePairing],
    games: int,
    seed: int,
) -> list[PairingGoals]:
    """Play a part of the pairings, on a worker."""
    use_threads(1)
    lanes = open_lanes(*opening)
    try:
        return RoundRobin(lanes, contestants, longest, turn).play(pairings, games, seed)
    finally:
        lanes.close()
