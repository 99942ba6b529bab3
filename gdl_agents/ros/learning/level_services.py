"""The services by which the difficulty of an agent is asked and set."""

from __future__ import annotations

from collections.abc import Sequence

from gdl_msgs.srv import ListLevels, SetLevel

from gdl_agents.learning.alphazero.agent import AlphaZeroAgent
from gdl_agents.learning.dqn.trained_agent import TrainedAgent
from gdl_env.errors import GdlError
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import LIST_LEVELS, SET_LEVEL


class LevelServices:
    """`list_levels` and `set_level`, below the name of the node: a match may have several."""

    def __init__(self, node: RosNode, agents: Sequence[TrainedAgent | AlphaZeroAgent]) -> None:
        """Offer the levels of an agent, which there may be once for each cohort."""
        self._node = node
        self._agents = agents
        node.create_service(ListLevels, LIST_LEVELS, self._on_list)
        node.create_service(SetLevel, SET_LEVEL, self._on_set)

    def _on_list(
        self, request: ListLevels.Request, response: ListLevels.Response
    ) -> ListLevels.Response:
        try:
            levels = self._agents[0].levels(request.role)
        except GdlError as error:
            response.message = str(error)
            return response
        response.success = True
        response.level = [level.number for level in levels]
        response.target = [float(level.target) for level in levels]
        response.reward = [float(level.snapshot.about.reward) for level in levels]
        response.episodes = [level.snapshot.about.episodes for level in levels]
        return response

    def _on_set(self, request: SetLevel.Request, response: SetLevel.Response) -> SetLevel.Response:
        try:
            for agent in self._agents:
                agent.set_level(request.level)
        except GdlError as error:
            response.message = str(error)
            return response
        response.success = True
        self._node.get_logger().info(f'plays level {request.level or "the strongest"}')
        return response
