"""Whether one network can play all roles of a game."""

from __future__ import annotations

import numpy as np

from gdl_agents.players.random import RandomAgent
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.options import Options

_TICKS = 64


def tells_roles_apart(lanes: Lanes) -> bool:
    """Tell whether what is seen says whose decision it is, as far as random play shows.

    If two roles ever decide on the same observation, one network could not know for whom.
    """
    environment = Environment(lanes, Options(lanes.lanes, max_steps=1_000))
    agent = RandomAgent()
    agent.begin(environment.info(), environment.roles, 0)
    owners: dict[bytes, str] = {}
    for _ in range(_TICKS):
        questions = environment.questions(only_decisions=True)
        for question in questions:
            if question.observation is None:
                return False
            rows = np.unique(question.observation.data[question.to_move], axis=0)
            if any(
                owners.setdefault(row.tobytes(), question.role) != question.role for row in rows
            ):
                return False
        environment.step({question.role: agent.choose(question) for question in questions})
    return True
