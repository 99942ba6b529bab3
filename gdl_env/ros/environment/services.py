"""The services of an environment: reset, set_role, legal_moves, current_state, <role>/undo."""

from __future__ import annotations

import array
from collections.abc import Callable
from functools import partial

from gdl_msgs.srv import CurrentState, LegalMoves, Reset, SetRole
from std_srvs.srv import Trigger

from gdl_env.environment.environment import Environment
from gdl_env.environment.journal import JournalError
from gdl_env.environment.options import Policy
from gdl_env.ros.environment.match import Match
from gdl_env.ros.environment.phase import Phase
from gdl_env.ros.environment.spectating import Spectating
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import CURRENT_STATE, LEGAL_MOVES, RESET, SET_ROLE, undo_service

_POLICIES = {
    SetRole.Request.POLICY_AGENT: Policy.AGENT,
    SetRole.Request.POLICY_RANDOM: Policy.RANDOM,
    SetRole.Request.POLICY_LEGAL: Policy.LEGAL,
}


class Services:
    """Answers questions about a match, and changes its course."""

    def __init__(
        self, node: RosNode, match: Match, spectating: Spectating, is_busy: Callable[[], bool]
    ) -> None:
        self._node = node
        self._match = match
        self._environment = match.environment
        self._spectating = spectating
        self._is_busy = is_busy
        self._services = [
            node.create_service(Reset, RESET, self._reset),
            node.create_service(SetRole, SET_ROLE, self._set_role),
            node.create_service(LegalMoves, LEGAL_MOVES, self._legal_moves),
            node.create_service(CurrentState, CURRENT_STATE, self._current_state),
        ]
        if match.undo_history is not None:
            for role in self._environment.roles:
                undo = partial(self._undo, role)
                self._services.append(node.create_service(Trigger, undo_service(role), undo))

    def close(self) -> None:
        """Take the services off the graph."""
        for service in self._services:
            self._node.destroy_service(service)

    def _reset(self, request: Reset.Request, response: Reset.Response) -> Reset.Response:
        if self._is_busy():
            response.message = 'episodes of a play_matches goal are being played; cancel it first'
            return response
        was_playing = self._match.phase is Phase.PLAYING
        seed = None if request.seed < 0 else int(request.seed)
        is_active = self._match.phase is not Phase.PAUSED
        self._match.reset(seed, self._environment.options.episodes)
        if not is_active:
            # It begins once the node is activated.
            self._match.phase = Phase.PAUSED
        elif was_playing or self._environment.options.episodes:
            self._match.begin()
        else:
            self._match.phase = Phase.WAITING
        response.success = True
        response.tick = self._tick(self._environment)
        return response

    def _tick(self, environment: Environment) -> int:
        """Return the tick of a cohort, if that may be known."""
        return environment.tick if self._spectating.may_see_all(environment) else 0

    def _undo(
        self, role: str, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Take back everything since a role decided last."""
        if self._match.finality:
            response.message = self._match.finality
        elif not self._match.take_back(role):
            response.message = f'{role} has decided nothing that could be taken back'
        else:
            response.success = True
        return response

    def _set_role(self, request: SetRole.Request, response: SetRole.Response) -> SetRole.Response:
        role = request.role
        if problem := self._unknown_role(role):
            response.message = problem
            return response
        if request.policy in _POLICIES:
            policy = _POLICIES[request.policy]
            try:
                self._match.set_policy(role, policy, request.agent)
            except JournalError as error:
                response.message = str(error)
                return response
            if self._match.phase is Phase.PLAYING:
                # Perhaps no agent has a decision any more, or another one has.
                self._match.begin()
        elif request.policy != SetRole.Request.POLICY_UNKNOWN:
            response.message = f'policy {request.policy} is none of {sorted(_POLICIES)}'
            return response
        if request.owner and (problem := self._match.name_owner(role, request.owner)):
            response.message = problem
            return response
        response.success = True
        now = self._environment.policies[role]
        response.policy = next(code for code, policy in _POLICIES.items() if policy is now)
        response.agent = self._match.referees[0].attendance[role].allowed
        response.owner = request.owner or self._match.roster.owner(role)
        return response

    def _legal_moves(
        self, request: LegalMoves.Request, response: LegalMoves.Response
    ) -> LegalMoves.Response:
        problem = self._unknown_role(request.role) or self._problem(request.role, request.lane)
        if problem:
            response.message = problem
            return response
        environment, lane = self._match.find_lane(request.lane)
        response.success = True
        response.tick = self._tick(environment)
        response.episode = int(environment.episode[lane])
        player = environment.roles.index(request.role)
        if environment.decides[player, lane]:
            moves = environment.game.moves(player, lane)
            ordered = sorted(moves.items(), key=lambda item: item[1])
            if environment.game.mapping is not None:
                response.action = array.array('i', [action for _, action in ordered])
            response.move = [text for text, _ in ordered]
        return response

    def _current_state(
        self, request: CurrentState.Request, response: CurrentState.Response
    ) -> CurrentState.Response:
        if problem := self._problem(request.role, request.lane):
            response.message = problem
            return response
        environment, lane = self._match.find_lane(request.lane)
        game = environment.game
        if request.role:
            facts = game.view(environment.roles.index(request.role), lane)
        elif self._spectating.may_see_all(environment):
            facts = game.state(lane)
        else:
            facts = game.view(None, lane)
        response.success = True
        response.tick = self._tick(environment)
        response.episode = int(environment.episode[lane])
        response.facts = sorted(map(str, facts))
        response.is_terminal = game.is_terminal(lane)
        if response.is_terminal:
            goals = [max(0, goal) for goal in game.goals(lane)]
            response.goal = array.array('B', goals)
        return response

    def _problem(self, role: str, lane: int) -> str:
        """Return why a question is refused; '' if it is not."""
        if role and (problem := self._unknown_role(role)):
            return problem
        lanes = self._match.info.lanes
        if lane >= lanes:
            return f'no lane {lane}; lanes: 0 to {lanes - 1}'
        if role and not self._spectating.may_see_all(self._environment):
            return (
                f'what {role} sees is hidden from others in this game; its agent receives it'
                f' on {role}/state'
            )
        return ''

    def _unknown_role(self, role: str) -> str:
        if role in self._environment.roles:
            return ''
        return f'{role!r} is not a role; roles: {", ".join(self._environment.roles)}'
