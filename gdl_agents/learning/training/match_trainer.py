"""What trainers that play in lanes have in common: the match, the budget and the arena."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import nan
from time import monotonic
from typing import Any

import torch

from gdl_agents.agent import Agent
from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.learning.actors.actor import PlayedCounts
from gdl_agents.learning.actors.rounds import ActorRounds
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.networks import Shape
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.evaluation import Arena, seat_agent
from gdl_agents.learning.training.match_options import make_match_options
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.run_budget import RunBudget
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

# The learner of all roles, where they share one.
ALL = 'all'
_EVALUATION_LANES = 64
# Of a run that ends after a time: the share of it that the evaluation of a snapshot may take, and
# games on each seat after which that is looked at.
_EVALUATED_SHARE, _FIRST_GAMES = 0.02, 8


class MatchTrainer:
    """Plays a game in lanes until the budget of its run is spent.

    A trainer that is restored continues exactly as the one it was kept from would have.
    """

    def __init__(
        self, game: Game, config: TrainingConfig, max_steps: int, pool: JobPool | None = None
    ) -> None:
        """Open everything. Raises ConfigError if an option cannot be obeyed.

        - max_steps: after how many steps a game is broken off; 0 is never
        - pool: where actors and evaluations play, if not here
        """
        self.config = config
        self._pool = pool
        # What actors play, where there are any.
        self._rounds: ActorRounds[Any] | None = None
        self.game = game
        self.budget = RunBudget(config)
        # Opened for its errors: the first evaluation would be late for them.
        open_agent(config.judge)
        torch.set_num_threads(config.threads)
        lanes = open_lanes(game, config.lanes, config.engine, config.mapping)
        if lanes.mapping is None:
            raise ConfigError(f'{game.name} has no vector form, and cannot be learned')
        self.shape = Shape.of(game, lanes.mapping)
        # Roles by the name of the learner that plays them.
        self.groups = self.group_roles(lanes)
        options = make_match_options(config, config.lanes, config.seed, max_steps)
        self.environment = Environment(lanes, options)
        self.info = self.environment.info()
        self.roles = self.info.roles
        self.arena = Arena(
            game,
            _EVALUATION_LANES,
            config.engine,
            config.max_steps,
            config.turn,
            config.mapping,
        )
        # What a game of an evaluation took on all seats [s]; 0: none was played yet.
        self._game_seconds = 0.0
        # Mean reward of the last snapshot against the judge.
        self.score = nan
        self.snapshots = Milestone(1 / config.snapshots)

    def group_roles(self, lanes: Lanes) -> Mapping[str, tuple[str, ...]]:
        """Return the roles that each learner plays: by default one plays all of them."""
        return {ALL: tuple(map(str, lanes.players))}

    @property
    def episodes(self) -> int:
        """Return the number of finished episodes."""
        return self._counts.episodes

    @property
    def progress(self) -> float:
        """Return how much of the training is done [0 to 1]."""
        return self.budget.progress(self.episodes)

    @property
    def is_done(self) -> bool:
        """Tell whether the budget is spent."""
        return self.budget.is_spent(self.episodes)

    def roles_of(self, learner: str) -> tuple[str, ...]:
        """Return the roles that a learner plays."""
        return self.groups[learner]

    def meet_judge(
        self, make: Callable[[str], Agent], games: int, seed: int, roles: tuple[str, ...] = ()
    ) -> dict[str, Score]:
        """Play on every seat in turn against the judge; return the scores by seat.

        Fewer games are played if the run has a time, and they would take too much of it.
        """

        def play(count: int, seed: int) -> dict[str, Score]:
            return self.arena.seat_in_turn(
                make,
                count,
                seed,
                roles,
                partial(seat_agent, self.config.judge),
                pool=self._pool,
            )

        if not self.config.seconds:
            return play(games, seed)
        share = _EVALUATED_SHARE * games / self.config.evaluation_games
        limit = share * self.config.seconds
        # As many as take that long, if they take as long as those of the last evaluation.
        fitting = max(1, int(limit / self._game_seconds)) if self._game_seconds else games
        first = min(games, _FIRST_GAMES, fitting)
        begun = monotonic()
        scores = play(first, seed)
        spent = max(1e-6, monotonic() - begun)
        self._game_seconds = spent / first
        more = min(games - first, int(first * (limit - spent) / spent))
        if more > 0:
            others = play(more, derive_seed(seed, 'more'))
            scores = {role: score + others[role] for role, score in scores.items()}
        return scores

    def close(self) -> None:
        """Release what is held."""
        if self._rounds is not None:
            self._rounds.drop()
        self.environment.close()
        self.arena.close()

    @property
    def _counts(self) -> PlayedCounts:
        """Return what was played so far, here or by actors."""
        if self._rounds is not None:
            return self._rounds.counts
        tallies = self.environment.tallies
        return PlayedCounts(tallies.finished, tallies.steps)
