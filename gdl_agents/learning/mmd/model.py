"""A policy that remembers, with its weights: what a snapshot of mmd holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import torch
from torch import Tensor

from gdl_agents.learning.alphazero.planes_file import planes_from_tree, planes_to_tree
from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.errors import LearningError, RunError
from gdl_agents.learning.mmd.networks import PolicyNetwork, build_policy
from gdl_agents.learning.networks import NetworkError, NetworkSpec, Shape
from gdl_agents.learning.training.state_file import load_tree, save_tree, to_bytes
from gdl_env.environment.protocol import MatchInfo

_VERSION = 1

M = TypeVar('M', bound='MmdModel')


@dataclass(frozen=True)
class MmdModel:
    """A policy as a value; `build` makes it live."""

    # What files of this kind say, and by whom it was learned.
    kind: ClassVar[str] = 'gdl mmd'
    algorithm: ClassVar[str] = 'mmd'

    spec: NetworkSpec
    shape: Shape
    # All roles, in the order in which the network counts them.
    roles: tuple[str, ...]
    weights: dict[str, Tensor]
    about: About = field(default_factory=About)

    def build(self, device: str | torch.device = 'cpu') -> PolicyNetwork:
        """Return the network with these weights. Raises LearningError if they do not fit."""
        try:
            network = self.make_network()
            network.load_state_dict(self.weights)
        except (RuntimeError, TypeError, AttributeError, NetworkError) as error:
            raise LearningError(f'the weights do not fit their network: {error}') from error
        return network.to(device).eval()

    def make_network(self) -> PolicyNetwork:
        """Return a network for these weights."""
        return build_policy(self.spec, self.shape, len(self.roles), seed=0)

    def check(self, info: MatchInfo) -> None:
        """Raise LearningError if the model was not made for this game."""
        sizes = info.observation_size, info.action_size
        own = self.shape.observation_size, self.shape.action_size
        tables = digest(info)
        is_other = self.about.tables and tables and tables != self.about.tables
        if sizes != own or info.roles != self.roles or is_other:
            raise LearningError(
                f'trained on {self.about.game}, whose roles, moves or facts are not those of'
                f' {info.name}'
            )

    def with_about(self: M, **changes: Any) -> M:
        """Return the model with something else known about it."""
        return replace(self, about=replace(self.about, **changes))

    # ---- as files and bytes

    def to_tree(self) -> dict[str, Any]:
        """Return everything as a tree."""
        return {
            'kind': self.kind,
            'version': _VERSION,
            'spec': self.spec.to_dict(),
            'sizes': [self.shape.observation_size, self.shape.action_size],
            'complexity': self.shape.complexity,
            'board': planes_to_tree(self.shape.planes),
            'roles': list(self.roles),
            'weights': self.weights,
            'about': asdict(self.about),
        }

    @classmethod
    def is_tree(cls, tree: Any) -> bool:
        """Tell whether a tree holds a model of this kind, whole or not."""
        return isinstance(tree, dict) and tree.get('kind') == cls.kind

    @classmethod
    def from_tree(cls: type[M], tree: Any, name: str) -> M:
        """Return what `to_tree` was made of. Raises RunError."""
        if not cls.is_tree(tree):
            raise RunError(f'{name} holds no model of {cls.algorithm}')
        if tree.get('version') != _VERSION:
            raise RunError(f'{name} is of version {tree.get("version")}, not {_VERSION}')
        try:
            seen, actions = tree['sizes']
            about = About(**{**tree['about'], 'roles': tuple(tree['about']['roles'])})
            planes = planes_from_tree(tree['board'])
            shape = Shape(seen, actions, planes, tree['complexity'])
            spec, roles = NetworkSpec.from_dict(tree['spec']), tuple(map(str, tree['roles']))
        # It may have been made by others: anything may be missing, or of another kind.
        except (KeyError, TypeError, ValueError, AttributeError, NetworkError) as error:
            raise RunError(f'{name} holds no whole model: {error!r}') from error
        return cls(spec, shape, roles, tree.get('weights', {}), about)

    def to_bytes(self) -> bytes:
        """Return everything as bytes."""
        return to_bytes(self.to_tree())

    def save(self, path: Path) -> None:
        """Write a snapshot. Raises RunError."""
        save_tree(path, self.to_tree())

    @classmethod
    def load(cls: type[M], path: Path) -> M:
        """Read a snapshot. Raises RunError."""
        return cls.from_tree(load_tree(path), str(path))
