"""Trains sequence players: from a data set, or from games against themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.mmd.acted_sequences import ActedSequences
from gdl_agents.learning.mmd.collector import SequenceCollector
from gdl_agents.learning.mmd.memory_trainer import MemoryTrainer
from gdl_agents.learning.sequence.actor import SequencePlayersActor
from gdl_agents.learning.sequence.agent import SequenceAgent
from gdl_agents.learning.sequence.data_games import DataGames
from gdl_agents.learning.sequence.learned_games import LearnedGames
from gdl_agents.learning.sequence.learner import SequenceLearner
from gdl_agents.learning.sequence.model import SequenceModel
from gdl_agents.learning.sequence.networks import build_sequence
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.players.draws import derive_seed
from gdl_env.language.game import Game

# Moves and facts of games of any size are listed.
_LONGEST_LIST = 1 << 30


class SequenceTrainer(MemoryTrainer[SequenceModel]):
    """Runs training tick by tick: a tick is a batch of a data set, or a decision in every lane.

    With a data set, episodes are games that were learned from.
    """

    agents = SequenceAgent

    def __init__(self, game: Game, config: TrainingConfig, pool: JobPool | None = None) -> None:
        """Open everything. Raises ConfigError if an option cannot be obeyed."""
        options = config.sequence
        if options.data and config.actors:
            raise ConfigError(
                f'actors={config.actors} does not apply: games of the data set {options.data} are'
                ' learned from, and none are played'
            )
        super().__init__(game, config, options.tree_nodes, SequencePlayersActor, pool)
        self._data: DataGames | None = None
        self._collector: SequenceCollector | ActedSequences | None = None
        if options.data:
            info = self.environment.info(longest=_LONGEST_LIST)
            self._data = DataGames(options.data, game, info, config.seed)
        else:
            self._collector = self._acted or SequenceCollector(
                self.environment, config.seed, random_share=options.explore
            )
        players, seed = len(self.roles), derive_seed(config.seed, 'sequence')
        self._network = build_sequence(self.spec, self.shape, players, options.sharpness, seed)
        self._learner = SequenceLearner(self._network, options)

    @property
    def learners(self) -> Mapping[str, object]:
        """Return the one learner, which plays all roles."""
        return {'all': self._network}

    @property
    def episodes(self) -> int:
        """Return the number of games: those taken from the data set, or played to their end."""
        return super().episodes if self._data is None else self._data.taken

    @property
    def updates(self) -> int:
        """Return the steps of the optimiser so far."""
        return self._learner.updates

    @property
    def steps(self) -> int:
        """Return the steps of all games so far; of a data set, its decisions."""
        return self._decisions if self._data else super().steps

    def take_rewards(self, *, is_row: bool) -> list[float]:
        """Return what the first role got in games since the last row; forget it with a row."""
        return self._collector.take_rewards(is_row=is_row) if self._collector else []

    def advance(self, progress: float) -> None:
        """Learn from a batch of the data set, or play a decision in every lane."""
        batch = self.config.sequence.batch
        if self._data is not None:
            self._learn(self._data.take(batch), progress)
            return
        assert self._collector is not None
        self._collector.tick(self._network)
        if self._collector.waiting >= batch:
            self._learn(LearnedGames.of(self._collector.take()), progress)

    def model(self) -> SequenceModel:
        """Return what was learned so far."""
        held = self._network.state_dict()
        weights = {name: value.detach().clone() for name, value in held.items()}
        about = self.about(SequenceModel.algorithm)
        return SequenceModel(self.spec, self.shape, self.roles, weights, about)

    # ---- resuming later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        source = self._data or self._collector
        assert source is not None
        return {
            **super().to_tree(),
            'learner': self._learner.to_tree(),
            'games': source.to_tree(),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game, options and data."""
        super().restore(tree)
        self._learner.restore(tree['learner'])
        source = self._data or self._collector
        assert source is not None
        source.restore(tree['games'])

    def _learn(self, games: LearnedGames, progress: float) -> None:
        self._decisions += games.sequences.decisions
        self._losses.append(self._learner.learn(games, min(1.0, progress)))
