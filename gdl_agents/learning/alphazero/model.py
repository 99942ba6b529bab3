"""A network that says what to play and how it will end: what a snapshot of AlphaZero holds."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from gdl_agents.learning.alphazero.planes_file import planes_from_tree, planes_to_tree
from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.errors import LearningError, RunError
from gdl_agents.learning.networks import NetworkError, NetworkSpec, Shape, build_body
from gdl_agents.learning.training.state_file import load_tree, save_tree, to_bytes
from gdl_env.environment.protocol import MatchInfo

_KIND = 'gdl alphazero'
_VERSION = 1


class PolicyValueNetwork(nn.Module):
    """From observations to preferences of every player for actions, and to what each will get."""

    def __init__(self, spec: NetworkSpec, shape: Shape, players: int) -> None:
        super().__init__()
        self.players = players
        self.actions = shape.action_size
        self.body, features = build_body(spec, shape)
        self.policy = nn.Linear(features, players * shape.action_size)
        self.value = nn.Sequential(nn.Linear(features, 64), nn.ReLU(), nn.Linear(64, players))

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits [B, players, actions], and logits of values [B, players]."""
        features = self.body(observation)
        logits: Tensor = self.policy(features).view(-1, self.players, self.actions)
        return logits, self.value(features)

    @property
    def device(self) -> torch.device:
        """Return where the network is."""
        return self.policy.weight.device


def use_channels_last(network: nn.Module) -> None:
    """Lay weights out in the way in which convolutions are quicker."""
    # PyTorch has the option, its types do not.
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def build_policy_value(
    spec: NetworkSpec, shape: Shape, players: int, seed: int | None = None
) -> PolicyValueNetwork:
    """Return a network with new weights; with a seed they depend on nothing else."""
    with ExitStack() as stack:
        if seed is not None:
            stack.enter_context(torch.random.fork_rng(devices=[]))
            torch.manual_seed(seed)
        return PolicyValueNetwork(spec, shape, players)


@dataclass(frozen=True)
class AlphaZeroModel:
    """A network as a value; `build` makes it live."""

    spec: NetworkSpec
    shape: Shape
    players: int
    weights: dict[str, Tensor]
    about: About = field(default_factory=About)

    def build(self, device: str | torch.device = 'cpu') -> PolicyValueNetwork:
        """Return the network with these weights, on a device.

        Raises LearningError if they do not fit.
        """
        try:
            network = build_policy_value(self.spec, self.shape, self.players, seed=0)
            network.load_state_dict(self.weights)
        except (RuntimeError, TypeError, AttributeError, NetworkError) as error:
            raise LearningError(f'the weights do not fit their network: {error}') from error
        return network.to(device).eval()

    def check(self, info: MatchInfo) -> None:
        """Raise LearningError if the model was not made for this game."""
        sizes = info.observation_size, info.action_size, len(info.roles)
        own = self.shape.observation_size, self.shape.action_size, self.players
        tables = digest(info)
        if sizes != own or (self.about.tables and tables and tables != self.about.tables):
            raise LearningError(
                f'trained on {self.about.game}, whose moves or facts are not those of {info.name}'
            )

    def with_about(self, **changes: Any) -> AlphaZeroModel:
        """Return the model with something else known about it."""
        return replace(self, about=replace(self.about, **changes))

    # ---- as files and bytes

    def to_tree(self) -> dict[str, Any]:
        """Return everything as a tree."""
        return {
            'kind': _KIND,
            'version': _VERSION,
            'spec': self.spec.to_dict(),
            'sizes': [self.shape.observation_size, self.shape.action_size, self.players],
            'complexity': self.shape.complexity,
            'board': planes_to_tree(self.shape.planes),
            'weights': self.weights,
            'about': asdict(self.about),
        }

    @staticmethod
    def is_tree(tree: Any) -> bool:
        """Tell whether a tree holds a model of this kind, whole or not."""
        return isinstance(tree, dict) and tree.get('kind') == _KIND

    @classmethod
    def from_tree(cls, tree: Any, name: str) -> AlphaZeroModel:
        """Return what `to_tree` was made of. Raises RunError."""
        if not cls.is_tree(tree):
            raise RunError(f'{name} holds no model of alphazero')
        if tree.get('version') != _VERSION:
            raise RunError(f'{name} is of version {tree.get("version")}, not {_VERSION}')
        try:
            planes = planes_from_tree(tree['board'])
            seen, actions, players = tree['sizes']
            about = About(**{**tree['about'], 'roles': tuple(tree['about']['roles'])})
            shape = Shape(seen, actions, planes, tree['complexity'])
            spec = NetworkSpec.from_dict(tree['spec'])
        # It may have been made by others: anything may be missing, or of another kind.
        except (KeyError, TypeError, ValueError, AttributeError, NetworkError) as error:
            raise RunError(f'{name} holds no whole model: {error!r}') from error
        return cls(spec, shape, players, tree.get('weights', {}), about)

    def to_bytes(self) -> bytes:
        """Return everything as bytes."""
        return to_bytes(self.to_tree())

    def save(self, path: Path) -> None:
        """Write a snapshot. Raises RunError."""
        save_tree(path, self.to_tree())

    @classmethod
    def load(cls, path: Path) -> AlphaZeroModel:
        """Read a snapshot. Raises RunError."""
        return cls.from_tree(load_tree(path), str(path))
