"""What any algorithm has learned: read from files and bytes, and played, whichever it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.learning.alphazero.agent import EVALUATION_PLAYOUTS, AlphaZeroAgent
from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.dqn.model import About, Model
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.networks import NetworkSpec
from gdl_agents.learning.sequence.agent import SequenceAgent
from gdl_agents.learning.sequence.model import SequenceModel
from gdl_agents.learning.training.state_file import from_bytes, load_tree
from gdl_env.environment.protocol import Answer, Feedback, Question

AnyModel = Model | AlphaZeroModel | MmdModel


class MatchLearner(Protocol):
    """Who learns from questions and feedback of a match, as they come."""

    seed: int
    decisions: int
    # How much of the training is done, from 0 to 1: whoever trains says so.
    progress: float

    @property
    def spec(self) -> NetworkSpec:
        """Return what the network is made of."""

    @property
    def version(self) -> int:
        """Return a number that grows whenever the weights change."""

    @property
    def updates(self) -> int:
        """Return the steps of the optimiser so far."""

    @property
    def loss(self) -> float:
        """Return the loss of the last step of the optimiser."""

    @property
    def epsilon(self) -> float:
        """Return the share of random actions."""

    @property
    def is_zero_sum(self) -> bool:
        """Tell whether decisions of two roles are learned from in turn."""

    def observe(self, question: Question, agent: str = 'learner') -> Answer:
        """Decide where the role has to, and remember it."""

    def watch(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember decisions that others made."""

    def learn(self, feedback: Feedback) -> None:
        """Take in the result of a tick, and learn."""

    def model(self, about: About | None = None) -> AnyModel:
        """Return what was learned so far, as a value."""

    def take_over(self, model: Any) -> None:
        """Take over the weights of a model of the same network. Raises LearningError."""

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, to be restored later."""

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""


def read_model(path: Path) -> AnyModel:
    """Read a snapshot of any algorithm. Raises RunError."""
    return _to_model(load_tree(path), str(path))


def model_from_bytes(data: bytes) -> AnyModel:
    """Return the model that bytes hold. Raises RunError."""
    name = 'what was received'
    return _to_model(from_bytes(data, name), name)


def make_player(model: AnyModel, epsilon: float = 0.0) -> Agent:
    """Return an agent that plays a model, with a share of random moves where it has that."""
    if isinstance(model, AlphaZeroModel):
        return AlphaZeroAgent.of(model, playouts=EVALUATION_PLAYOUTS)
    if isinstance(model, SequenceModel):
        return SequenceAgent.of(model)
    if isinstance(model, MmdModel):
        return MmdAgent.of(model)
    return NetworkAgent(model, epsilon)


def _to_model(tree: Any, name: str) -> AnyModel:
    if AlphaZeroModel.is_tree(tree):
        return AlphaZeroModel.from_tree(tree, name)
    for kind in (MmdModel, SequenceModel):
        if kind.is_tree(tree):
            return kind.from_tree(tree, name)
    return Model.from_tree(tree, name)
