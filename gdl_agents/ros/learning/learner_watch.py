"""Learns from the games of others: what a match publishes is experience for every listener."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

from gdl_msgs.msg import GameInfo, Reward, State

from gdl_agents.learning.dqn.model import digest
from gdl_agents.learning.trained_models import MatchLearner
from gdl_agents.ros.learning.cohort_learner import name_in_cohort
from gdl_agents.ros.learning.credit_giver import CreditGiver
from gdl_agents.ros.learning.intake import Intake
from gdl_agents.ros.learning.learner_ticks import Ticks
from gdl_env.environment.cohorts import info_of_cohort
from gdl_env.environment.protocol import Feedback, MatchInfo
from gdl_env.errors import GdlError
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.transport.messages import from_game_info, from_reward, from_state
from gdl_env.ros.transport.names import INFO, reward_topic, state_topic
from gdl_env.ros.transport.qos import reward_qos
from gdl_env.ros.transport.sources import InfoSubscription, guard
from gdl_env.ros.transport.texts import one_line


class WatchedMatch:
    """Listens to roles of one match, here or in another namespace, on whatever machine.

    The match does not wait for who only watches.
    """

    def __init__(
        self,
        node: GraphNode,
        namespace: str,
        roles: tuple[str, ...],
        begin: Callable[[MatchInfo, int], None],
        find: Callable[[str], MatchLearner | None],
        learned: Callable[[int | None, Feedback, str], None],
        intake: Intake,
    ) -> None:
        """Listen to some roles, or to all if none are named.

        `begin` is called when the match is known, `find` for who learns from matches with these
        tables, `learned` with what was taken in and the role as the match calls it: before that,
        its cohort, None in another namespace. `intake` counts.
        """
        self._node = node
        self._prefix = f'{namespace}/' if namespace else ''
        self._begin = begin
        self._find = find
        self._learned = learned
        self._intake = intake
        # Where others play all roles. None: a learner that plays itself is waited for anyway.
        self._credit: CreditGiver | None = None
        if not roles:
            name = node.get_fully_qualified_name()
            self._credit = CreditGiver(node, name, self._prefix)
        self._info: MatchInfo | None = None
        self._tables = ''
        self._roles: list[str] = []
        # What is listened to: cohort and role.
        self._places: set[tuple[int, str]] = set()
        # By these; roles that take turns in the open share one. Made once it is known who learns.
        self._ticks: dict[tuple[int, str], Ticks] = {}
        self._infos = InfoSubscription(node, f'{self._prefix}{INFO}', self._on_info)
        for role in roles:
            self._attach(0, role)
        self._all = not roles

    def give_credit(self, *, is_due: bool = False) -> None:
        """Have the match play on: it waits where the learner has not come far enough."""
        if self._credit is None or self._info is None:
            return
        places = product(range(self._info.cohorts), self._info.roles)
        taken = [self._ticks[place].last if place in self._ticks else 0 for place in places]
        self._credit.give(taken, is_due=is_due)

    def _attach(self, cohort: int, role: str) -> None:
        if (cohort, role) in self._places:
            return
        self._places.add((cohort, role))
        if role not in self._roles:
            self._roles.append(role)
        # Deeper than an agent's: who watches is not waited for.
        for kind, topic, listen in (
            (State, state_topic(role, cohort), self._on_state),
            (Reward, reward_topic(role, cohort), self._on_reward),
        ):
            name = f'{self._prefix}{topic}'
            callback = guard(self._node, name, partial(listen, cohort, role))
            self._node.create_subscription(kind, name, callback, reward_qos())

    def _on_info(self, message: GameInfo) -> None:
        try:
            self._info = from_game_info(message)
            self._tables = digest(self._info)
            self._begin(self._info, message.seed)
        except GdlError as error:
            self._node.get_logger().error(f'{self._prefix}info: {one_line(str(error))}')
            return
        for cohort in range(self._info.cohorts):
            for role in self._info.roles if self._all else tuple(self._roles):
                self._attach(cohort, role)
        if self._credit is not None:
            self._credit.begin()

    def _on_state(self, cohort: int, role: str, message: State) -> None:
        if self._info is None:
            return
        try:
            question = from_state(message, info_of_cohort(self._info, cohort))
        except GdlError as error:
            self._node.get_logger().warning(one_line(str(error)), throttle_duration_sec=2.0)
            return
        learner = self._find(self._tables)
        if learner is not None:
            self._ticks_of(cohort, role, learner).add_question(question, learner)
            self.give_credit()

    def _on_reward(self, cohort: int, role: str, message: Reward) -> None:
        learner = self._find(self._tables)
        if self._info is None or learner is None:
            return
        try:
            feedback = from_reward(message, info_of_cohort(self._info, cohort))
            self._ticks_of(cohort, role, learner).add_feedback(feedback, learner)
            self.give_credit()
        except GdlError as error:
            self._node.get_logger().warning(one_line(str(error)), throttle_duration_sec=2.0)

    def _ticks_of(self, cohort: int, role: str, learner: MatchLearner) -> Ticks:
        """Return where the ticks of a role are put in order: each its own if moves are hidden."""
        if (cohort, role) not in self._ticks:
            together = self._roles if learner.is_zero_sum else [role]
            prefix = f'{self._prefix}{name_in_cohort("", cohort)}'
            learned = partial(self._learned, None if self._prefix else cohort)
            ticks = Ticks(together, prefix, learned, self._intake)
            self._ticks.update({(cohort, each): ticks for each in together})
        return self._ticks[cohort, role]
