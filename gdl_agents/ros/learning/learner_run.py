"""What a learner on the graph counts, and keeps in the folder of its run."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

from gdl_agents.learning.dqn.model import About, Model
from gdl_agents.learning.game_properties.proof import Proof, Prover, is_proved
from gdl_agents.learning.levels.calibration import calibrate_levels
from gdl_agents.learning.levels.ladder import list_run_levels
from gdl_agents.learning.levels.reward_levels import list_snapshots, strongest
from gdl_agents.learning.trained_models import AnyModel, MatchLearner, make_player, read_model
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import to_yaml
from gdl_agents.learning.training.curve import draw_curves
from gdl_agents.learning.training.derived_options import Derivation
from gdl_agents.learning.training.evaluation import Arena, mean_reward
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.model_card import write_card
from gdl_agents.learning.training.run import LEARNER, Run
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import peek, write_file
from gdl_agents.learning.training.tracking import check_tracker
from gdl_agents.learning.training.trust import remember_code
from gdl_agents.ros.learning.cohort_learner import name_of_match
from gdl_agents.ros.learning.intake import Intake
from gdl_agents.ros.learning.match_counts import MatchCounts
from gdl_env.environment.protocol import Feedback
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

# The learner of all its roles; snapshots are called by it.
_NAME = 'all'
# Number of episodes whose mean reward is shown.
_LATE = 200
_EVALUATION_LANES = 64


class LearnerRun:
    """Counts episodes and rewards; writes metrics, the state to resume from and snapshots.

    Without a folder, it only counts.
    """

    def __init__(
        self,
        path: Path | None,
        config: TrainingConfig,
        about: About,
        intake: Intake | None = None,
    ) -> None:
        """Open the folder, or make it; `intake` counts what came from others. Raises RunError."""
        self._intake = intake or Intake()
        self.about = about
        self.config = config
        self.counts = MatchCounts()
        self.steps = 0
        self._folder = None if path is None else RunFolder(path)
        self._run = None if self._folder is None else Run(self._folder, config, LEARNER)
        self._snapshot = Milestone(config.checkpoint_every)
        self._late: deque[float] = deque(maxlen=_LATE)
        self._paid: dict[str, list[float]] = {}
        self._score = nan
        self._best = -inf
        # Once the rules are known.
        self.prover: Prover | None = None
        # Whether a snapshot is proved never to lose.
        self.is_proved = False
        # Of the match.
        self._seed = 0
        if self._folder is not None:
            check_tracker(config.track)
            self._folder.snapshots.mkdir(parents=True, exist_ok=True)
            write_file(self._folder.config_file, to_yaml(config).encode())
            remember_code(self._folder.config_file, config)

    @property
    def episodes(self) -> int:
        """Return how many episodes were played, earlier sittings included."""
        return self.counts.episodes

    @property
    def checkpoint(self) -> Path | None:
        """Return the file with what was learned last."""
        return None if self._folder is None else self._folder.path / 'checkpoint.npz'

    @property
    def reward(self) -> float:
        """Return the mean reward of an episode of late."""
        return sum(self._late) / len(self._late) if self._late else nan

    def resume(self, learner: MatchLearner, seed: int) -> bool:
        """Resume from the last state, or from the checkpoint alone; tell whether there was one.

        By its seed a match is known again: if it is the same, what was played while no learner
        listened is counted. Raises GdlError.
        """
        path = self.checkpoint
        if path is None or self._run is None:
            return False
        tree = self._run.load()
        if tree is not None:
            learner.restore(tree['learner'])
            self._restore(tree, seed)
        elif path.exists():
            model = read_model(path)
            learner.take_over(model)
            self.counts.restore([model.about.episodes, {}, {}, {}], is_same=False)
            self._snapshot.is_due(self.episodes)
            self._run.skip_to(self.episodes)
        self._seed = seed
        self._run.begin_metrics()
        return tree is not None or path.exists()

    def _restore(self, tree: dict[str, Any], seed: int) -> None:
        self.counts.restore(tree['counts'], is_same=tree['seed'] == seed)
        self.steps = tree['steps']
        self._late.extend(tree['late'])
        self._snapshot.count = tree['snapshots']
        self._best, self.is_proved = tree['best'], tree['proved']

    def _to_tree(self, learner: MatchLearner) -> dict[str, Any]:
        return {
            # Without what is pending: the learner that resumes does not receive its result.
            'learner': {**learner.to_tree(), 'collectors': {}},
            'counts': self.counts.to_tree(),
            'seed': self._seed,
            'steps': self.steps,
            'late': list(self._late),
            'snapshots': self._snapshot.count,
            'best': self._best,
            'proved': self.is_proved,
        }

    def count(self, feedback: Feedback, *, is_first: bool) -> None:
        """Count the feedback of a tick for one role; episodes are counted on the first one."""
        paid = self._paid.setdefault(feedback.role, [0.0] * len(feedback.reward))
        over = feedback.is_over
        for lane in feedback.reward.nonzero()[0]:
            paid[lane] += float(feedback.reward[lane])
        for lane in over.nonzero()[0]:
            self._late.append(paid[lane])
            paid[lane] = 0.0
        if is_first:
            self.counts.add(name_of_match(feedback.role), int(over.sum()))
            self.steps += len(over)

    def model(self, learner: MatchLearner) -> AnyModel:
        """Return what was learned so far."""
        return learner.model(replace(self.about, episodes=self.episodes))

    def write_due(self, learner: MatchLearner) -> None:
        """Write what is due: a row of metrics, the state."""
        if self._run is None:
            return
        if self._run.is_row_due(self.episodes):
            self.write_row(learner)
        if self._run.is_state_due(self.episodes):
            self.save(learner)
            self._keep_if_proved(learner)

    def _keep_if_proved(self, learner: MatchLearner) -> None:
        """Keep what was learned so far as a snapshot, if it never loses."""
        if not self.config.until_proved or self.prover is None or self._folder is None:
            return
        model = self.model(learner)
        if is_proved(self._prove(model)):
            self._save_snapshot(model, 0.0)

    def write_row(self, learner: MatchLearner) -> None:
        """Add a row to the metrics."""
        if self._run is None:
            return
        self._run.add_row(
            {
                'episodes': self.episodes,
                'steps': self.steps,
                'decisions': learner.decisions,
                'updates': learner.updates,
                'reward': self.reward,
                'loss': learner.loss,
                'epsilon': learner.epsilon,
                'score': self._score,
                'lost': self._intake.lost,
                'lag': self._intake.mean_lag(),
            }
        )
        self._score = nan

    def save(self, learner: MatchLearner) -> None:
        """Write the checkpoint, and the state to resume from. Raises RunError."""
        if self.checkpoint is not None and self._run is not None:
            self.model(learner).save(self.checkpoint)
            self._run.save(self._to_tree(learner))

    def record_score(self, model: AnyModel, reward: float) -> None:
        """Record the reward of a model; keep the model where it is due, or the best so far."""
        self._score = reward
        is_wanted = self._snapshot.is_due(model.about.episodes) or reward > self._best
        self._best = max(self._best, reward)
        if self._folder is not None and is_wanted:
            self._save_snapshot(model, reward)

    def evaluate(self, learner: MatchLearner, game: Game) -> Mapping[str, Score]:
        """Keep what was learned last; return how the strongest fares against random players."""
        last = self.model(learner)
        scores = self._play(last, game)
        self._score = mean_reward(scores)
        if self._folder is None:
            return scores
        self._save_snapshot(last, self._score)
        if self.config.levels:
            calibrate_levels(self._folder, game, self.config)
        return self._play(self._strongest(learner), game)

    def _play(self, model: AnyModel, game: Game) -> Mapping[str, Score]:
        """Play on every seat against random players."""
        arena = Arena(game, _EVALUATION_LANES, mapping=self.config.mapping)
        try:
            return arena.seat_in_turn(
                lambda role: make_player(model),
                self.config.evaluation_games,
                self.episodes,
                self.about.roles,
            )
        finally:
            arena.close()

    def _strongest(self, learner: MatchLearner) -> AnyModel:
        if self._folder is None:
            return self.model(learner)
        return read_model(strongest(list_snapshots(self._folder)).path)

    def prove_strongest(self, learner: MatchLearner, game: Game) -> list[Proof]:
        """Play all games of the strongest snapshot; empty if there are too many."""
        model = self._strongest(learner)
        if not isinstance(model, Model):
            return []
        return Prover(game, self.config.mapping).prove(model, self.about.roles)

    def _prove(self, model: AnyModel) -> list[Proof]:
        """Play all games of a model; empty if there are too many, or a search would play them."""
        if self.prover is None or not isinstance(model, Model):
            return []
        return self.prover.prove(model, model.about.roles)

    def keep_derivation(self, derivation: Derivation) -> None:
        """Write the options that were derived from the game. Raises RunError."""
        if self._folder is not None:
            self._folder.write_training(derivation.to_yaml())

    def write_card(
        self, learner: MatchLearner, scores: Mapping[str, Score], proofs: Sequence[Proof]
    ) -> None:
        """Write what was trained, and how well it plays. Raises RunError."""
        if self._folder is None:
            return
        levels = list_run_levels(self._folder)
        path, network = str(self._folder.path), str(learner.spec)
        card = write_card(
            path, self.config, self.episodes, network, scores, levels, proofs, 'gdl selfplay'
        )
        write_file(self._folder.card_file, card.encode())

    def _save_snapshot(self, model: AnyModel, reward: float) -> None:
        assert self._folder is not None
        proofs = self._prove(model)
        if proofs:
            # All games were played: nothing has to be estimated.
            reward = sum(proof.reward for proof in proofs) / len(proofs)
        proved = is_proved(proofs)
        self.is_proved |= proved
        path = self._folder.snapshot_file(_NAME, model.about.episodes)
        if not proved and path.exists() and peek(path, 'about')['proved']:
            # Learned from the same episodes, but for longer: what is proved stays.
            return
        self._folder.save_snapshot(_NAME, model.with_about(reward=reward, proved=proved))

    def close(self, learner: MatchLearner) -> None:
        """Write everything: checkpoint, metrics, curve. Raises RunError."""
        self.write_row(learner)
        self.save(learner)
        if self._folder is None or self._run is None:
            return
        self._run.end_metrics()
        if not any(self._folder.snapshots.glob('*.npz')):
            # So that the run can be played from, though its strength is unknown.
            self._folder.save_snapshot(_NAME, self.model(learner))
        draw_curves([self._folder], self._folder.curve_file)
