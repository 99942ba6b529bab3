"""Plays a part of the games from which AlphaZero learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gdl_agents.learning.actors.actor import LanePart, PlayedCounts
from gdl_agents.learning.alphazero.inference import Inference
import gdl_agents.learning.alphazero.light_network  # noqa: F401 - a name among generators
from gdl_agents.learning.alphazero.model import build_policy_value, use_channels_last
from gdl_agents.learning.alphazero.network_evaluator import NetworkEvaluator
from gdl_agents.learning.alphazero.self_play import RewardedGame, SearchedSelfPlay
from gdl_agents.learning.networks import Shape
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.device import open_device
from gdl_agents.learning.training.match_options import make_match_options
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.open_games import OpenGame
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.language.game import Game


class AlphaZeroActor:
    """Games of a network against itself, with search; the network is that of the policy."""

    lag: ClassVar[int] = 1
    ticks: ClassVar[int] = 8

    def __init__(
        self, game: Game, config: TrainingConfig, part: LanePart, known: Mapping[str, Any]
    ) -> None:
        """Begin new games. `known` holds the network as `spec`."""
        lanes = open_lanes(game, part.lanes, config.engine)
        assert lanes.mapping is not None
        self._environment = Environment(lanes, make_match_options(config, part.lanes, part.seed))
        table = MatchTable(self._environment.info(), OpenGame(lanes.batch))
        shape, players = Shape.of(game, lanes.mapping), len(self._environment.roles)
        self._network = build_policy_value(known['spec'], shape, players, seed=0)
        self._network.to(open_device(config.device)).eval()
        use_channels_last(self._network)
        self._inference = Inference(self._network, config.alphazero.precision)
        judge = NetworkEvaluator(self._inference, table)
        self._games = SearchedSelfPlay(
            self._environment, table, judge, part.seed, config.alphazero
        )

    def take_policy(self, policy: Any) -> None:
        """Take over the weights of a network."""
        self._network.load_state_dict(policy)
        self._inference.refresh()

    def play(self, ticks: int) -> tuple[list[RewardedGame], PlayedCounts]:
        """Play some decisions in every lane; return the games that have ended."""
        tallies = self._environment.tallies
        finished, steps = tallies.finished, tallies.steps
        ended = [game for _ in range(ticks) for game in self._games.tick()]
        decisions = sum(len(game.positions) for game in ended)
        tallies = self._environment.tallies
        return ended, PlayedCounts(tallies.finished - finished, tallies.steps - steps, decisions)

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are."""
        return self._games.to_tree()

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self._games.restore(tree)
