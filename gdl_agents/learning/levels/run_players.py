"""The players that a run can offer as levels: its snapshots, and weaker ones of the strongest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from gdl_agents.agent import Agent
from gdl_agents.learning.alphazero.agent import EVALUATION_PLAYOUTS, AlphaZeroAgent
from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.levels.agent_contestants import AgentContestants
from gdl_agents.learning.levels.ladder import Player, find_snapshot
from gdl_agents.learning.levels.reward_levels import Snapshot
from gdl_agents.learning.levels.round_robin import Contestants
from gdl_agents.learning.levels.value_contestants import ValueContestants
from gdl_agents.learning.trained_models import make_player, read_model
from gdl_agents.learning.training.device import open_device
from gdl_env.environment.lanes.lanes import Lanes

RANDOM = Player('', 0, epsilon=1.0)
# Temperatures of the strongest snapshot to begin with, as shares of the range of values.
_TEMPERATURES = (0.03, 0.08, 0.2, 0.4, 0.8)
_EPSILONS = (0.4, 0.15)
# The same where players are weakened by random moves and less search only.
_MORE_EPSILONS = (0.8, 0.6, 0.4, 0.2, 0.1)
_PLAYOUTS = (EVALUATION_PLAYOUTS, 4 * EVALUATION_PLAYOUTS)
# Nodes of a search: for each descent, and what is there anyway.
_NODES_OF_DESCENT, _NODES = 4, 4_096


class RunPlayers(Protocol):
    """Which players there are, and how they play."""

    def list_first(self, best: Snapshot, others: Sequence[Snapshot]) -> list[Player]:
        """Return players to begin with: random play first, then snapshots and weaker ones."""

    def find_between(self, rated: Sequence[Player], wanted: float) -> Player:
        """Return a player whose rating should be about what is wanted."""

    def seat(self, players: Sequence[Player]) -> Contestants:
        """Return players as those of a round robin."""


def strong(snapshot: Snapshot) -> Player:
    """Return the player of a snapshot at its best."""
    return Player(snapshot.tag, snapshot.about.episodes)


def interpolate(curve: Sequence[tuple[float, float]], wanted: float) -> float:
    """Return the place on a curve, of points (Elo, place) in rising order of Elo."""
    for (weak, low), (better, high) in pairwise(curve):
        if weak <= wanted <= better and weak < better:
            part = (wanted - weak) / (better - weak)
            return low + (high - low) * part
    return curve[-1][1]


class ValuePlayers:
    """Players of networks of values: warmer ones choose among moves that are nearly as good."""

    def __init__(self, taken: Mapping[str, list[Snapshot]], lanes: Lanes) -> None:
        """Take the snapshots of each role that was learned."""
        self._taken = taken
        self._lanes = lanes
        self._models: dict[Path, Model] = {}
        self._best = RANDOM
        self._range = 1.0

    def list_first(self, best: Snapshot, others: Sequence[Snapshot]) -> list[Player]:
        """Return players to begin with."""
        model = self._load(best)
        self._range = model.high - model.low
        self._best = strong(best)
        found = [RANDOM, *map(strong, others), self._best, *map(self._warm, _TEMPERATURES)]
        return found + [replace(self._best, epsilon=share) for share in _EPSILONS]

    def find_between(self, rated: Sequence[Player], wanted: float) -> Player:
        """Return the strongest snapshot at a temperature, or with random moves as well."""
        curve = [p for p in rated if p.snapshot == self._best.snapshot and not p.epsilon]
        # Weaker and weaker at rising temperature.
        curve = sorted(curve, key=lambda p: -p.temperature)
        for weak, better in pairwise(curve):
            if weak.elo <= wanted <= better.elo and weak.elo < better.elo:
                part = (wanted - weak.elo) / (better.elo - weak.elo)
                cold = max(better.temperature, 0.005 * self._range)
                return self._warm(weak.temperature ** (1 - part) * cold**part / self._range)
        # Weaker than at the highest temperature: more and more random moves.
        part = wanted / max(1.0, curve[0].elo) if curve else 0.5
        epsilon = round(min(0.95, max(0.02, 1 - part)), 2)
        return replace(self._warm(_TEMPERATURES[-1]), epsilon=epsilon)

    def seat(self, players: Sequence[Player]) -> Contestants:
        """Return players as those of a round robin."""
        models = [self._models_of(player) for player in players]
        return ValueContestants(players, models, self._lanes.action_size)

    def _warm(self, share: float) -> Player:
        return replace(self._best, temperature=float(f'{share * self._range:.3g}'))

    def _models_of(self, player: Player) -> dict[str, Model]:
        if player.epsilon >= 1:
            return {}
        return {
            role: self._load(find_snapshot(snapshots, player))
            for role, snapshots in self._taken.items()
        }

    def _load(self, snapshot: Snapshot) -> Model:
        if snapshot.path not in self._models:
            self._models[snapshot.path] = Model.load(snapshot.path)
        return self._models[snapshot.path]


class AgentPlayers:
    """Players of other algorithms: weaker ones search less, and move at random now and then."""

    def __init__(
        self, taken: Mapping[str, list[Snapshot]], lanes: Lanes, device: str, *, searches: bool
    ) -> None:
        """Take the snapshots of each role; one network plays all of them."""
        self._snapshots = next(iter(taken.values()))
        self._lanes = lanes
        self._device = str(open_device(device))
        self._searches = searches
        self._best = RANDOM
        # What weaker players search.
        self._least = EVALUATION_PLAYOUTS if searches else 0

    def list_first(self, best: Snapshot, others: Sequence[Snapshot]) -> list[Player]:
        """Return players to begin with."""
        self._best = strong(best)
        quick = replace(self._best, playouts=self._least)
        found = [RANDOM, *(replace(strong(other), playouts=self._least) for other in others)]
        if self._searches:
            found += [replace(self._best, playouts=count) for count in _PLAYOUTS]
        return [*found, self._best, *(replace(quick, epsilon=share) for share in _MORE_EPSILONS)]

    def find_between(self, rated: Sequence[Player], wanted: float) -> Player:
        """Return the strongest snapshot with random moves, or with less search."""
        quick = replace(self._best, playouts=self._least)
        mine = [p for p in rated if p.snapshot == quick.snapshot and p.playouts == quick.playouts]
        curve = [(p.elo, p.epsilon) for p in sorted(mine, key=lambda p: p.elo)]
        top = curve[-1][0] if curve else 0.0
        if wanted <= top or not self._searches:
            epsilon = round(interpolate([(0.0, 1.0), *curve], wanted), 2)
            return replace(quick, epsilon=min(0.97, max(0.02, epsilon)))
        searched = [p for p in rated if p.snapshot == quick.snapshot and p.playouts]
        rising = sorted((p.elo, float(p.playouts)) for p in searched if not p.epsilon)
        return replace(self._best, playouts=round(interpolate(rising, wanted)))

    def seat(self, players: Sequence[Player]) -> Contestants:
        """Return players as those of a round robin."""
        agents = [None if player.epsilon >= 1 else self._open(player) for player in players]
        shares = [player.epsilon for player in players]
        return AgentContestants(agents, shares, remembers=not self._searches)

    def _open(self, player: Player) -> Agent:
        path = find_snapshot(self._snapshots, player).path
        if not self._searches:
            # Either kind of players that remember.
            return make_player(read_model(path))
        playouts = player.playouts or AlphaZeroAgent.usual_playouts
        # Lanes change players from game to game: trees are not kept.
        nodes = _NODES + _NODES_OF_DESCENT * playouts * self._lanes.lanes
        model = AlphaZeroModel.load(path)
        options = {'playouts': playouts, 'nodes': nodes, 'reuse': False}
        return AlphaZeroAgent.of(model, self._device, **options)
