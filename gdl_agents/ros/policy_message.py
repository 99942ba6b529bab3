"""Policies as messages, and back."""

from __future__ import annotations

import array

from gdl_msgs.msg import Policy

from gdl_agents.learning.dqn.model import Model


def to_policy(model: Model, version: int) -> Policy:
    """Return the message that holds a model."""
    about = model.about
    message = Policy(
        game=about.game,
        roles=list(about.roles),
        algorithm=about.algorithm,
        version=version,
        episodes=about.episodes,
    )
    message.weights = array.array('B', model.to_bytes())
    return message


def from_policy(message: Policy) -> Model:
    """Return the model that a message holds. Raises RunError if it holds none."""
    return Model.from_bytes(message.weights.tobytes())
