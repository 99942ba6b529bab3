"""The service `swap`: another agent plays a role, while the match continues.

The new agent is started and waits as a stand-by. The environment has it take over between two
ticks. Then the old one is asked to end, which it does with 0: no launch restarts it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

from gdl_msgs.msg import RoleStatus, Status
from gdl_msgs.srv import SetRole, Swap
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from std_srvs.srv import Trigger

from gdl_env.code_names import starts_program
from gdl_env.errors import GdlError
from gdl_env.ros.launch.arguments import suggest
from gdl_env.ros.match.started_agents import StartedAgent, StartedAgents
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import LEAVE, SET_ROLE, SWAP, private_name

# Time for an agent to start [s]: some load PyTorch and a network first, others compile.
_START = 300.0
# Time for the environment to answer, and to hand a role over [s].
_HAND_OVER = 15.0
# Time for the old agent to end [s].
_END = 10.0
# How often things are looked at meanwhile [s].
_PERIOD = 0.02


class SwapError(GdlError):
    """A role cannot be given to another agent."""


class Swapping:
    """Serves `swap`, one at a time.

    A swap takes seconds, in a thread of its own: the node needs an executor of two threads.
    """

    def __init__(
        self,
        node: RosNode,
        namespace: str,
        status: Callable[[], Status | None],
        is_over: Callable[[], bool],
    ) -> None:
        """Begin; `status` returns the newest one of the match, which may be over."""
        self._node = node
        self._status = status
        self._is_over = is_over
        self.allows_programs = False
        self.agents = StartedAgents(namespace, node.get_logger())
        self._set_role = node.create_client(SetRole, SET_ROLE)
        own = MutuallyExclusiveCallbackGroup()
        node.create_service(Swap, SWAP, self._on_swap, callback_group=own)

    def _on_swap(self, request: Swap.Request, response: Swap.Response) -> Swap.Response:
        try:
            self._swap(request.role, request.agent, response)
        except (GdlError, OSError) as error:
            response.message = str(error)
        outcome = f'{response.owner} plays {request.role}' if response.success else 'no swap'
        message = f': {response.message}' if response.message else ''
        self._node.get_logger().info(f'swap {request.role} {request.agent}: {outcome}{message}')
        return response

    def _swap(self, role: str, agent: str, response: Swap.Response) -> None:
        """Do it, step by step. Raises GdlError if it fails; the old agent then plays on."""
        former = self._find(role)
        if starts_program(agent) and not self.allows_programs:
            raise SwapError(
                f'{agent!r} starts a program or code of its own on this machine; start it there'
                ' yourself, or set the parameter allow_programs of match_node'
            )
        new = self.agents.start(role, agent)
        name = new.spec.full_name
        try:
            self._hand_over(role, former, new)
        except GdlError:
            self.agents.stop(new)
            raise
        response.success, response.owner = True, name
        if former.owner:
            response.former, response.message = self._dismiss(former.owner)

    def _hand_over(self, role: str, former: RoleStatus, new: StartedAgent) -> None:
        name = new.spec.full_name

        def is_there() -> bool:
            found = self._find(role)
            return name in (found.owner, *found.standby)

        if not self._until(lambda: is_there() or new.exit_code is not None, _START):
            raise SwapError(f'{name} did not attach to {role} within {_START:g} s')
        if new.exit_code is not None:
            raise SwapError(f'{name} ended with exit code {new.exit_code}; its log says why')
        request = SetRole.Request(role=role, owner=name)
        if former.agent_state == RoleStatus.AGENT_STATE_UNKNOWN:
            # The environment played it.
            request.policy = SetRole.Request.POLICY_AGENT
        answer = self._call(self._set_role, request)
        if not answer.success:
            raise SwapError(answer.message)
        if answer.agent:
            raise SwapError(f'{role} is reserved for {answer.agent}')
        if not self._until(lambda: self._find(role).owner == name, _HAND_OVER):
            raise SwapError(f'the environment did not hand {role} over within {_HAND_OVER:g} s')

    def _dismiss(self, former: str) -> tuple[str, str]:
        """Ask an agent to end, unless it plays other roles; return its name and a remark."""
        status = self._status()
        others = [found.role for found in status.roles if found.owner == former] if status else []
        if others:
            return '', f'{former} plays {", ".join(others)} and stays as a stand-by'
        client = self._node.create_client(Trigger, private_name(former, LEAVE))
        try:
            if not self._until(client.service_is_ready, _END / 4):
                return '', f'{former} cannot be asked to end, and stays as a stand-by'
            client.call_async(Trigger.Request())

            def is_gone() -> bool:
                now = self._status()
                return now is not None and not any(former in found.standby for found in now.roles)

            if not self._until(is_gone, _END):
                return former, f'{former} was asked to end, and has not yet'
            return former, ''
        finally:
            self._node.destroy_client(client)

    def _find(self, role: str) -> RoleStatus:
        """Return how a role fares. Raises SwapError if there is none of that name."""
        status = self._status()
        if status is None:
            raise SwapError('no environment has been found yet')
        for found in status.roles:
            if found.role == role:
                return found
        names = [found.role for found in status.roles]
        raise SwapError(f'{role!r} is not a role{suggest(role, names)}')

    def _call(self, client: Any, request: Any) -> Any:
        """Call a service. Raises SwapError if it does not answer."""
        future = client.call_async(request)
        if not self._until(future.done, _HAND_OVER):
            raise SwapError('the environment does not answer')
        return future.result()

    def _until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is the case, but not longer; tell whether it is.

        Raises SwapError if the match ends meanwhile.
        """
        end = monotonic() + seconds
        while not (is_so := condition()) and monotonic() < end:
            if self._is_over():
                raise SwapError('the match is over')
            sleep(_PERIOD)
        return is_so
