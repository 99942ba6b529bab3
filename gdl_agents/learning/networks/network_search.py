"""The search for the network of a run: candidates are trained for a while, the best continues.

Those that come without being asked for are among the candidates, and what was found meets the best
of them once more at the end: trained from the beginning, as the run will train it, from seeds that
had no part in the search. If it does worse, the run takes the network it would have had anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import hypot, log2
from time import monotonic
from typing import TypeAlias

from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.learning.dqn.learner import Learner
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.value_trainer import ValueTrainer
from gdl_agents.learning.networks import (
    Head,
    NetworkError,
    NetworkSpec,
    Shape,
    count_parameters,
    generate,
    save_network,
    search,
)
from gdl_agents.learning.networks.growth import grow, grow_or_join
from gdl_agents.learning.networks.inheritance import inherit
from gdl_agents.learning.networks.search import (
    Candidate,
    Objective,
    SearchOverError,
    SearchResult,
    judge_scores,
)
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.evaluation import mean_reward
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_env.engine.mapping import open_encoding
from gdl_env.language.game import Game

# Networks that a run could have had without a search.
HEURISTICS = ('default', 'flat')
# Standard errors by which a larger network must be better, and a smaller one may be worse.
_NOISE = 1.0
# Seeds of the last comparison are beyond those of the search.
_FRESH = 1_000


# What was learned, by learner, and its mean reward.
_Trained: TypeAlias = tuple[dict[str, Model], float]


@dataclass(frozen=True)
class Duel:
    """What was found and the best heuristic, trained once more from fresh seeds."""

    found: Candidate
    heuristic: Candidate

    @property
    def is_kept(self) -> bool:
        """Tell whether what was found is no worse: a smaller one may be, within noise."""
        doubt = _NOISE * hypot(self.found.error, self.heuristic.error)
        allowed = doubt if self.found.penalty <= self.heuristic.penalty else 0.0
        return self.found.score >= self.heuristic.score - allowed


@dataclass(frozen=True)
class FoundNetwork:
    """The result of a search."""

    # The network of the run.
    spec: NetworkSpec
    search: SearchResult
    # None: a heuristic was the best, or there was no time.
    duel: Duel | None = None

    @property
    def reason(self) -> str:
        """Return in words why the run has this network."""
        if self.duel is None:
            if self.spec == self.search.best.spec:
                return 'no candidate was better than what comes without a search'
            return 'there was no time to compare it with what comes without a search'
        found, heuristic = self.duel.found, self.duel.heuristic
        return (
            f'from fresh seeds {found.score:.2f} ± {found.interval:.2f}; {heuristic.spec}:'
            f' {heuristic.score:.2f} ± {heuristic.interval:.2f}'
        )


def search_network(
    game: Game,
    folder: RunFolder,
    report: Callable[[Candidate], None] = lambda candidate: None,
    clock: Callable[[], float] = monotonic,
    pool: JobPool | None = None,
) -> FoundNetwork:
    """Find the network of a run whose options say `search`, and write it into its folder.

    What was learned by candidates stays among the snapshots of the run: weaker ones are its lower
    difficulty levels. The run then trains the best from the beginning. Seeds are trained at the
    same time where a pool has workers, with the same result.
    """
    config = folder.config
    shape = Shape.of(game, open_encoding(game, config.mapping))
    heuristics = [generate(shape, name) for name in HEURISTICS]
    trials = _Trials(game, folder, clock, pool)
    objective = _make_objective(config, shape)

    def growing(spec: NetworkSpec) -> Sequence[NetworkSpec]:
        larger = grow_or_join(spec) if config.search_ensemble else grow(spec)
        trials.parents.update(dict.fromkeys(larger, spec))
        return larger

    result = search(
        [*heuristics, generate(shape, 'small')],
        trials.evaluate,
        config.search_episodes,
        rounds=config.search_rounds,
        least_gain=config.search_gain,
        grow=growing,
        report=report,
        objective=objective,
    )
    found = _decide(result, heuristics, trials, objective)
    save_network(replace(found.spec, name='found'), folder.network_file)
    folder.write_config(replace(config, network=str(folder.network_file.resolve())))
    return found


def _make_objective(config: TrainingConfig, shape: Shape) -> Objective:
    """Return the objective: each doubling of the weights costs."""
    learner = config.learner
    head = Head(learner.dueling, learner.atoms, learner.noisy, learner.sigma)

    def complexity(spec: NetworkSpec) -> float:
        return log2(count_parameters(spec, shape, head))

    return Objective(complexity, config.search_penalty, _NOISE)


def _decide(
    result: SearchResult,
    heuristics: Sequence[NetworkSpec],
    trials: _Trials,
    objective: Objective,
) -> FoundNetwork:
    """Return what was found, if it is no worse than the best heuristic."""
    best = result.best
    if best.spec in heuristics:
        return FoundNetwork(best.spec, result)
    known = [c for c in result.candidates if c.spec in heuristics]
    rival = max(known, key=lambda c: c.objective).spec if known else heuristics[0]
    if not trials.has_time_for_duel:
        return FoundNetwork(rival, result)
    episodes = trials.episodes_of(best.spec)
    found, other = (
        judge_scores(spec, trials.train_afresh(spec, episodes), best.round, objective.cost(spec))
        for spec in (best.spec, rival)
    )
    duel = Duel(found, other)
    return FoundNetwork(best.spec if duel.is_kept else rival, result, duel)


class _Trials:
    """Trains candidates from several seeds, and keeps what they have learned."""

    def __init__(
        self,
        game: Game,
        folder: RunFolder,
        clock: Callable[[], float],
        pool: JobPool | None = None,
    ) -> None:
        self._game = game
        self._folder = folder
        self._pool = pool
        # Whoever trains a candidate plays its games, too.
        self._config = replace(folder.config, actors=0, actor_ticks=0)
        self._clock = clock
        seconds = self._config.search_seconds
        self._end = clock() + seconds if seconds else float('inf')
        # What each network has grown from.
        self.parents: dict[NetworkSpec, NetworkSpec] = {}
        # What was learned, seed by seed and by learner; and in how many episodes.
        self._models: dict[NetworkSpec, list[dict[str, Model]]] = {}
        self._episodes: dict[NetworkSpec, int] = {}
        # The longest time that an episode has taken [s].
        self._slowest = 0.0

    def evaluate(self, spec: NetworkSpec, budget: int) -> list[float]:
        """Train a candidate on from what its parent has learned; return a score for each seed.

        Raises SearchOverError if there is no time for it and for the last comparison.
        """
        parent = self.parents.get(spec)
        episodes = budget + (self._episodes[parent] if parent is not None else 0)
        seeds = self._config.search_seeds
        if self._models and not self._has_time(seeds * (budget + 2 * episodes)):
            raise SearchOverError('the time of the search is up')
        inherited = self._models[parent] if parent is not None else [{}] * seeds
        trained = self._train_seeds(spec, budget, range(seeds), inherited)
        self._models[spec], self._episodes[spec] = [models for models, _ in trained], episodes
        scores = [score for _, score in trained]
        for name, model in self._models[spec][0].items():
            self._folder.save_snapshot(f'candidate_{len(self._models)}_{name}', model)
        return scores

    def train_afresh(self, spec: NetworkSpec, episodes: int) -> list[float]:
        """Train a network from the beginning, from seeds that are used for nothing else."""
        seeds = range(_FRESH, _FRESH + self._config.search_seeds)
        trained = self._train_seeds(spec, episodes, seeds, [{}] * len(seeds))
        return [score for _, score in trained]

    def episodes_of(self, spec: NetworkSpec) -> int:
        """Return in how many episodes a candidate, and what it grew from, has learned."""
        return self._episodes[spec]

    @property
    def has_time_for_duel(self) -> bool:
        """Tell whether two networks can be trained once more."""
        episodes = max(self._episodes.values())
        return self._has_time(2 * self._config.search_seeds * episodes)

    def _has_time(self, episodes: int) -> bool:
        return self._clock() + episodes * self._slowest <= self._end

    def _train_seeds(
        self,
        spec: NetworkSpec,
        episodes: int,
        seeds: range,
        inherited: Sequence[dict[str, Model]],
    ) -> list[_Trained]:
        """Train a network from several seeds, at the same time where there are workers."""
        if self._pool is None:
            both = zip(seeds, inherited, strict=True)
            return [self._train(spec, episodes, seed, models) for seed, models in both]
        started = self._clock()
        both = zip(seeds, inherited, strict=True)
        jobs = [(self._game, self._config, spec, episodes, *one) for one in both]
        trained = self._pool.map(train_candidate, jobs)
        self._slowest = max(self._slowest, (self._clock() - started) / episodes / len(seeds))
        return trained

    def _train(
        self, spec: NetworkSpec, episodes: int, number: int, inherited: dict[str, Model]
    ) -> _Trained:
        """Train a network; return what it learned, by learner, and its mean reward."""
        started = self._clock()
        trained = train_candidate(self._game, self._config, spec, episodes, number, inherited)
        self._slowest = max(self._slowest, (self._clock() - started) / episodes)
        return trained


def train_candidate(
    game: Game,
    config: TrainingConfig,
    spec: NetworkSpec,
    episodes: int,
    number: int,
    inherited: dict[str, Model],
) -> _Trained:
    """Train a network from a seed; return what it learned, by learner, and its mean reward."""
    seed = config.seed + number
    config = replace(config, episodes=episodes, snapshots=1, seed=seed)
    trainer = ValueTrainer(game, config, spec)
    models: dict[str, Model] = {}
    try:
        for name, model in inherited.items():
            hand_down(model, trainer.learners[name], seed)
        while not trainer.is_done:
            models = trainer.tick() or models
        score = mean_reward(trainer.evaluate(config.evaluation_games))
    finally:
        trainer.close()
    return models, score


def hand_down(model: Model, learner: Learner, seed: int) -> bool:
    """Let a learner begin where a smaller network has ended; tell whether that was possible.

    Where it is not, as with activations other than relu, the learner begins at random.
    """
    grown = learner.model().build()
    try:
        inherit(model.build(), grown, seed)
    except NetworkError:
        return False
    learner.take_over(replace(learner.model(), weights=grown.state_dict()))
    return True
