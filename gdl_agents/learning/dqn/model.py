"""A network with its weights, and all that is needed to play with it: what a checkpoint holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
import torch
from torch import Tensor

from gdl_agents.learning.alphazero.planes_file import planes_from_tree, planes_to_tree
from gdl_agents.learning.dqn.targets import mean_values
from gdl_agents.learning.errors import LearningError, RunError
from gdl_agents.learning.networks import (
    Head,
    NetworkError,
    NetworkSpec,
    Shape,
    ValueNetwork,
    build_network,
)
from gdl_agents.learning.training.state_file import from_bytes, load_tree, save_tree, to_bytes
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import MatchInfo, Question

_KIND = 'gdl model'
VERSION = 2


@dataclass(frozen=True)
class About:
    """Where a model comes from."""

    game: str = ''
    # The roles it was trained to play.
    roles: tuple[str, ...] = ()
    algorithm: str = ''
    # Episodes it was trained, and what it then earned against random players.
    episodes: int = 0
    reward: float = 0.0
    # Of the tables of moves and facts: under others the same numbers mean something else.
    tables: str = ''
    # Whether it was proved that no play of others makes it lose, on any of its seats; of a solved
    # game, that it answers every position with a best move.
    proved: bool = False
    # Of a solved game: the share of positions that it answers with a best move.
    right: float = 0.0
    # How much best responses gain against it, summed over the roles [goals]; infinite if unknown.
    exploitability: float = inf
    # Games of which `reward` is the mean; 0 where it is exact, or nobody knows.
    games: int = 0


@dataclass(frozen=True)
class Model:
    """A network as a value; `build` makes it live."""

    spec: NetworkSpec
    shape: Shape
    head: Head
    # The range of values that a distribution covers.
    low: float
    high: float
    weights: dict[str, Tensor]
    about: About = About()
    # By role: the entry of an observation to be seen at each place; others see it as it is.
    views: Mapping[str, NDArray[np.int64]] = field(default_factory=dict, compare=False)

    def build(self, device: str = 'cpu') -> ValueNetwork:
        """Return the network with these weights. Raises LearningError if they do not fit."""
        try:
            network = build_network(self.spec, self.shape, self.head, seed=0)
            network.load_state_dict(self.weights)
        except (RuntimeError, TypeError, AttributeError, NetworkError) as error:
            raise LearningError(f'the weights do not fit their network: {error}') from error
        return network.to(device)

    @property
    def support(self) -> Tensor:
        """Return the points of a distribution of values."""
        return torch.linspace(self.low, self.high, self.head.atoms)

    @property
    def value_unit(self) -> float:
        """Return the reward that a value of 1 stands for.

        Means are learned in units of the largest reward, so that one learning rate fits all.
        """
        return 1.0 if self.head.atoms > 1 else max(abs(self.low), abs(self.high), 1e-6)

    def seen(self, question: Question) -> Question:
        """Return a question as the network sees it. Roles of other matches have a prefix."""
        view = self.views.get(question.role.rpartition('/')[2])
        if view is None or question.observation is None:
            return question
        return replace(question, observation=Bits.pack(question.observation.unpack()[:, view]))

    def check(self, info: MatchInfo, roles: tuple[str, ...]) -> None:
        """Raise LearningError if the model cannot play these roles of a match."""
        sizes = info.observation_size, info.action_size
        own = self.shape.observation_size, self.shape.action_size
        if sizes != own:
            raise LearningError(
                f'trained on {self.about.game}, with {own[0]} entries and {own[1]} actions;'
                f' {info.name} has {sizes[0]} and {sizes[1]}'
            )
        tables = digest(info)
        if self.about.tables and tables and tables != self.about.tables:
            raise LearningError(
                f'trained on {self.about.game}, whose moves or facts are not those of {info.name}'
            )
        wrong = [role for role in roles if self.about.roles and role not in self.about.roles]
        if wrong:
            raise LearningError(
                f'trained to play {" and ".join(self.about.roles)}, not {" and ".join(wrong)}'
            )

    # ---- as bytes and files

    def to_tree(self) -> dict[str, Any]:
        """Return everything as a tree (see state_file)."""
        return {
            'kind': _KIND,
            'version': VERSION,
            'spec': self.spec.to_dict(),
            'observations': self.shape.observation_size,
            'actions': self.shape.action_size,
            'complexity': self.shape.complexity,
            'board': planes_to_tree(self.shape.planes),
            'head': asdict(self.head),
            'range': [self.low, self.high],
            'weights': self.weights,
            'about': asdict(self.about),
            'views': {role: np.asarray(view) for role, view in self.views.items()},
        }

    @classmethod
    def from_tree(cls, tree: dict[str, Any], name: str) -> Model:
        """Return what `to_tree` was made of. Raises RunError."""
        if not isinstance(tree, dict) or tree.get('kind') != _KIND:
            raise RunError(f'{name} holds no model')
        if tree.get('version') != VERSION:
            raise RunError(f'{name} is of version {tree.get("version")}, not {VERSION}')
        try:
            planes = planes_from_tree(tree['board'])
            shape = Shape(tree['observations'], tree['actions'], planes, tree['complexity'])
            about = About(**{**tree['about'], 'roles': tuple(tree['about']['roles'])})
            spec = NetworkSpec.from_dict(tree['spec'])
            low, high = tree['range']
            head, views = Head(**tree['head']), tree.get('views', {})
        # It may have been made by others: anything may be missing, or of another kind.
        except (KeyError, TypeError, ValueError, AttributeError, NetworkError) as error:
            raise RunError(f'{name} holds no whole model: {error!r}') from error
        return cls(spec, shape, head, low, high, tree.get('weights', {}), about, views)

    def to_bytes(self) -> bytes:
        """Return everything as bytes."""
        return to_bytes(self.to_tree())

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Return what `to_bytes` was made of. Raises RunError."""
        return cls.from_tree(from_bytes(data, 'what was received'), 'what was received')

    def save(self, path: Path) -> None:
        """Write a checkpoint. Raises RunError."""
        save_tree(path, self.to_tree())

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read a checkpoint. Raises RunError."""
        return cls.from_tree(load_tree(path), str(path))

    def with_about(self, **changes: Any) -> Model:
        """Return the model with something else known about it."""
        return replace(self, about=replace(self.about, **changes))


def values_of(
    network: ValueNetwork, rows: NDArray[np.bool_], support: Tensor
) -> NDArray[np.float32]:
    """Return the values of all actions for observations, one a row."""
    with torch.no_grad():
        inputs = torch.from_numpy(rows.astype(np.float32)).to(support.device)
        found: NDArray[np.float32] = mean_values(network(inputs), support).cpu().numpy()
    return found


def digest(info: MatchInfo) -> str:
    """Return a short text that differs where tables of moves or facts do; '' without tables."""
    if not info.moves or not info.facts:
        return ''
    text = '\n'.join((*info.moves, '', *info.facts))
    return blake2b(text.encode(), digest_size=16).hexdigest()
