"""Policies as messages, and back."""

from __future__ import annotations

import array

from gdl_msgs.msg import Policy

from gdl_agents.learning.trained_models import AnyModel, model_from_bytes


def to_policy(model: AnyModel, version: int) -> Policy:
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


def from_policy(message: Policy) -> AnyModel:
    """Return the model that a message holds. Raises RunError if it holds none."""
    return model_from_bytes(message.weights.tobytes())
