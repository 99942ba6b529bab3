"""Trains DQN and Rainbow: an environment in lanes, learners and their opponents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

import numpy as np
import torch

from gdl_agents.cluster.job_pool import InlinePool, JobPool
from gdl_agents.learning.actors.actor import PlayedCounts
from gdl_agents.learning.actors.rounds import ActorRounds
from gdl_agents.learning.actors.stretch import ActorSetup
from gdl_agents.learning.dqn.learner import Learner
from gdl_agents.learning.dqn.model import About, Model, digest
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.dqn.value_actor import PlayedValues, ValueActor
from gdl_agents.learning.dqn.value_games import ValueGames, make_value_options
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.game_properties.game_traits import GameTraits, find_traits
from gdl_agents.learning.game_properties.proof import Proof, Prover, is_proved
from gdl_agents.learning.game_properties.solution import Right, is_perfect
from gdl_agents.learning.game_properties.tactical_hints import Advisor
from gdl_agents.learning.networks import NetworkSpec, Shape, open_network
from gdl_agents.learning.training.algorithm_options import check_value_learner
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.device import open_device
from gdl_agents.learning.training.evaluation import Arena, mean_reward, seat_agent
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.opponents import open_opponents
from gdl_agents.learning.training.rewards import reward_range
from gdl_agents.learning.training.run_budget import RunBudget
from gdl_agents.learning.training.sharing import tells_roles_apart
from gdl_agents.learning.training.trainer import Findings, TrainingStatus
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

# The learner of all roles, where they share one.
ALL = 'all'
_EVALUATION_LANES = 64
# How often in a run all positions of a solved game are asked.
_EXAMS = 100


class ValueTrainer:
    """Runs training tick by tick; everything that changes can be kept and restored.

    A trainer that is restored continues exactly as the one it was kept from would have.
    """

    def __init__(
        self,
        game: Game,
        config: TrainingConfig,
        spec: NetworkSpec | None = None,
        pool: JobPool | None = None,
    ) -> None:
        """Open everything; the network is what the options say, or the one that is given.

        Actors, if there are any, play in the pool.
        """
        self.config = config
        self._pool = pool
        self.game = game
        self.budget = RunBudget(config)
        check_value_learner(config.algorithm)
        self._device = str(open_device(config.device))
        # Opened for its errors: the first evaluation would be late for them.
        open_agent(config.judge)
        torch.set_num_threads(config.threads)
        lanes = open_lanes(game, config.lanes, config.engine, config.mapping)
        if lanes.mapping is None:
            raise ConfigError(f'{game.name} has no vector form, and cannot be learned')
        options = make_value_options(config, config.lanes, config.seed)
        self.arena = Arena(
            game,
            _EVALUATION_LANES,
            config.engine,
            config.max_steps,
            config.turn,
            config.mapping,
        )
        self.roles = tuple(map(str, lanes.players))
        self.shape = Shape.of(game, lanes.mapping)
        self.spec = spec or open_network(config.network, self.shape)
        self._range = reward_range(
            config.reward, config.learner.value_low, config.learner.value_high
        )
        learned = self._learned_roles(game.name)
        is_shared = config.shared == 'yes' or (
            config.shared == 'auto' and len(learned) > 1 and tells_roles_apart(lanes)
        )
        self._traits = self._find_traits(
            game, (is_shared or len(self.roles) == 1) and learned == self.roles
        )
        if config.learner.exact and self._traits.solution is None:
            raise ConfigError(
                f'exact={config.learner.exact} does not apply: {game.name} is not solved. Games of'
                ' one role, or of two that move in turn in the open without chance, with up to'
                ' 20,000 positions, are; all roles must be learned by one network, for goals'
            )
        groups = {ALL: learned} if is_shared else {role: (role,) for role in learned}
        self._groups = groups
        self._learner_of = {role: name for name, group in groups.items() for role in group}
        self.environment = Environment(lanes, options)
        self.info = self.environment.info()
        self._advisor = Advisor(self.info) if config.learner.advice else None
        self.learners = {name: self._make_learner(name) for name in groups}
        self.opponents = open_opponents(config, self.info, self._models, self._evaluate_now)
        players = {role: self.learners[name] for role, name in self._learner_of.items()}
        self._games = ValueGames(self.environment, config, learned, players, self.opponents)
        self._rounds: ActorRounds[PlayedValues] | None = None
        if config.actors:
            self._rounds = ActorRounds(pool or InlinePool(), self._setup_actors())
        self._prover = Prover(game, config.mapping)
        self._is_proved = False
        self._snapshots = Milestone(1 / config.snapshots)
        # Where the game is solved: when all its positions are asked.
        self._exams = Milestone(max(1 / config.episodes, 1 / _EXAMS))
        self._reward = 0.0
        self._since = 0
        self._losses: list[float] = []
        self.score = float('nan')

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
        """Tell whether the budget is spent, or what was wanted is proved."""
        is_enough = self.config.until_proved and self._is_proved
        return is_enough or self.budget.is_spent(self.episodes)

    def tick(self) -> dict[str, Model] | None:
        """Play and learn one tick; return the models of a snapshot, if one is due."""
        if self._rounds is None:
            self._play()
        else:
            self._take_round(self._rounds)
        self.opponents.after(self.episodes)
        is_due = self._snapshots.is_due(self.progress)
        return self._snapshot() if is_due or self._passes_exam() else None

    def status(self, *, is_row: bool = False) -> TrainingStatus:
        """Return how far training is; a row of metrics begins new means."""
        finished = self.episodes - self._since
        seats = len(self._games.seats.learned) if self.config.mode == 'together' else 1
        learners = self.learners.values()
        status = TrainingStatus(
            self.episodes,
            self._counts.steps,
            sum(learner.decisions for learner in learners),
            sum(learner.updates for learner in learners),
            self._reward / (finished * seats) if finished else float('nan'),
            float(np.mean(self._losses)) if self._losses else float('nan'),
            max(learner.epsilon for learner in learners),
            self.score,
            lag=self._rounds.lag if self._rounds else nan,
            repeated=self._rounds.repeated if self._rounds else nan,
        )
        if is_row:
            self._reward, self._since, self._losses = 0.0, self.episodes, []
            self.score = float('nan')
        return status

    def evaluate(self, games: int, models: Mapping[str, Model] | None = None) -> dict[str, Score]:
        """Return how the learners, or models, fare against the judge, by seat."""
        models = models or self._models()
        # By the number of games, too: what was chosen by some games is judged by others.
        seed = derive_seed(self.config.seed, f'evaluation {self.episodes} {games}')
        return self.arena.seat_in_turn(
            partial(_seat, models),
            games,
            seed,
            self._games.seats.learned,
            partial(seat_agent, self.config.judge),
            pool=self._pool,
        )

    # ---- resuming later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        return {
            'environment': self.environment.snapshot(),
            'learners': {name: learner.to_tree() for name, learner in self.learners.items()},
            'opponents': self.opponents.to_tree(),
            'snapshots': self._snapshots.count,
            'exams': self._exams.count,
            'means': [self._reward, self._since, self._losses],
            'score': self.score,
            'proved': self._is_proved,
            'rounds': self._rounds.to_tree() if self._rounds else None,
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self.environment.restore(tree['environment'])
        for name, held in tree['learners'].items():
            self.learners[name].restore(held)
        self.opponents.restore(tree['opponents'])
        self._snapshots.count = tree['snapshots']
        self._exams.count = tree.get('exams', 0)
        self._reward, self._since, self._losses = tree['means']
        self.score = tree['score']
        self._is_proved = tree['proved']
        if self._rounds is not None:
            self._rounds.restore(tree['rounds'])

    def gather_findings(self, models: Mapping[str, Model]) -> Findings:
        """Return proofs about models, by role, and how they answer the positions of the game."""
        return Findings(tuple(self.prove(models)), self.examine(models))

    def prove(self, models: Mapping[str, Model]) -> list[Proof]:
        """Return what can come of all games, by role; empty if there are too many."""
        return [p for role, model in models.items() for p in self._prover.prove(model, (role,))]

    def examine(self, models: Mapping[str, Model]) -> dict[str, Right]:
        """Return how many positions are answered with a best move, by role; empty if unsolved."""
        solution = self._traits.solution
        if solution is None:
            return {}
        return {role: solution.examine(model, (role,))[role] for role, model in models.items()}

    def roles_of(self, learner: str) -> tuple[str, ...]:
        """Return the roles that a learner plays."""
        return self._groups[learner]

    def close(self) -> None:
        """Release what is held."""
        if self._rounds is not None:
            self._rounds.drop()
        self.environment.close()
        self.arena.close()

    # ---- inside

    def _play(self) -> None:
        """Play a tick, and learn."""
        step = self._games.tick()
        self._reward += self._games.sum_rewards(step)
        progress = self.progress
        for role, name in self._learner_of.items():
            learner = self.learners[name]
            learner.progress = progress
            before = learner.updates
            learner.learn(step.feedback[role])
            if learner.updates > before:
                self._losses.append(learner.loss)

    def _take_round(self, rounds: ActorRounds[PlayedValues]) -> None:
        """Take what actors have played, and learn from it."""
        updates = sum(learner.updates for learner in self.learners.values())
        played = rounds.play(self._policy(), updates)
        progress = self.progress
        for part in played:
            self._reward += part.reward
            for name, steps in part.steps.items():
                learner = self.learners[name]
                learner.progress = progress
                before = learner.updates
                learner.take_in(steps)
                if learner.updates > before:
                    self._losses.append(learner.loss)

    def _policy(self) -> dict[str, Any]:
        """Return what actors play by."""
        learners = {
            name: {'weights': dict(learner.network.state_dict()), 'decisions': learner.decisions}
            for name, learner in self.learners.items()
        }
        return {
            'learners': learners,
            'opponents': self.opponents.seated_to_tree(),
            'opponents_version': self.opponents.version,
        }

    def _setup_actors(self) -> ActorSetup:
        known = {
            'spec': self.spec,
            'groups': self._groups,
            # Actors do not learn: the solution of a game is nothing to them.
            'traits': replace(self._traits, solution=None),
            'range': self._range,
        }
        return ActorSetup(ValueActor, self.game, self.config, known)

    @property
    def _counts(self) -> PlayedCounts:
        """Return what was played so far, here or by actors."""
        if self._rounds is not None:
            return self._rounds.counts
        tallies = self.environment.tallies
        return PlayedCounts(tallies.finished, tallies.steps)

    def _models(self) -> dict[str, Model]:
        """Return what the learners are now; roles that share a learner share a model."""
        found = {}
        for name, learner in self.learners.items():
            roles = self._groups[name]
            about = About(
                self.info.name, roles, self.config.algorithm, self.episodes, 0.0, digest(self.info)
            )
            model = learner.model(about)
            found.update(dict.fromkeys(roles, model))
        return found

    def _evaluate_now(self, games: int) -> float:
        return mean_reward(self.evaluate(games))

    def _snapshot(self) -> dict[str, Model]:
        """Evaluate the learners; return their models, by the name of the learner."""
        models = self._models()
        scores = self.evaluate(self.config.evaluation_games, models)
        self.score = mean_reward(scores)
        taken = {}
        for name, roles in self._groups.items():
            reward = mean_reward({role: scores[role] for role in roles})
            proofs = self._prover.prove(models[roles[0]], roles)
            if proofs and self.config.judge == 'random':
                # All games were played: nothing has to be estimated.
                reward = float(np.mean([proof.reward for proof in proofs]))
            asked = self.examine({role: models[role] for role in roles})
            taken[name] = models[roles[0]].with_about(
                reward=reward,
                proved=is_perfect(asked) if asked else is_proved(proofs),
                right=float(np.mean([right.share for right in asked.values()])) if asked else 0.0,
            )
        self._is_proved = all(model.about.proved for model in taken.values())
        self.opponents.keep(
            {role: taken[self._learner_of[role]] for role in self._games.seats.learned}
        )
        return taken

    def _passes_exam(self) -> bool:
        """Tell whether every position is answered with a best move, for the first time."""
        if self._is_proved or self._traits.solution is None:
            return False
        return self._exams.is_due(self.progress) and is_perfect(self.examine(self._models()))

    def _make_learner(self, name: str) -> Learner:
        config = self.config
        seed = derive_seed(config.seed, f'learner {name}')
        return Learner(
            self.spec,
            self.shape,
            config.learner,
            self._range,
            seed,
            self._device,
            self._traits,
            self._advisor,
        )

    def _find_traits(self, game: Game, is_whole: bool) -> GameTraits:
        """Return what can be made use of: whole games only if all roles are learned as one."""
        traits = find_traits(
            game, self.config.reward, shared=is_whole, mapping=self.config.mapping
        )
        if self.config.mode.partition(':')[0] == 'fixed':
            # How others than this agent would answer is of no interest.
            traits = replace(traits, is_zero_sum=False, solution=None)
        return traits.used_by(self.config.learner)

    def _learned_roles(self, game: str) -> tuple[str, ...]:
        if self.config.role == ALL:
            return self.roles
        wanted = tuple(self.config.role.split(','))
        for role in wanted:
            if role not in self.roles:
                known = ', '.join(self.roles)
                raise ConfigError(f'{game} has no role {role!r}; its roles: {known}, or {ALL}')
        return wanted


def _seat(models: Mapping[str, Model], role: str) -> NetworkAgent:
    return NetworkAgent(models[role])
