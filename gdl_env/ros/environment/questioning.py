"""Asks agents: the questions of a tick, and again for a new agent or a lost answer."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

from gdl_msgs.msg import State

from gdl_env.environment.protocol import Question
from gdl_env.environment.referee import Referee
from gdl_env.ros.environment.roster import Roster
from gdl_env.ros.environment.stamps import Stamps
from gdl_env.ros.environment.topics import CohortTopics
from gdl_env.ros.node_protocol import RosNode

# From a role to the time that it has for an answer [s]; 0 is as long as it takes.
TimeLeft: TypeAlias = Callable[[str], float]

# A question whose answer may have been lost is repeated after this time [s].
_REPEAT = 1.0
_REPEAT_IN_FLOOD = 0.2
# So is one that an agent does not answer for this time [s]: a second answer does no harm, and a
# match without a clock would wait for a lost one for ever.
_REPEAT_UNANSWERED = 5.0
# Number of ticks for which a second answer to a repeated question is expected.
_REMEMBERED = 100


class Questioning:
    """Publishes the questions of each tick of a cohort, addressed to the owners of the roles."""

    def __init__(
        self,
        node: RosNode,
        referee: Referee,
        topics: CohortTopics,
        roster: Roster,
        *,
        with_text: bool,
    ) -> None:
        self._referee = referee
        self._environment = referee.environment
        self._topics = topics
        self._roster = roster
        self._with_text = with_text
        self.asked_at = self._repeated_at = monotonic()
        # The tick that was asked about last.
        self._asked_tick = -1
        hides = referee.environment.hides_moves
        self.stamps = Stamps(node.get_clock(), is_shared=not hides)
        # Who was asked last for each role: the name, and the identity of the publisher.
        self._addressed: dict[str, str] = {}
        self._endpoints: dict[str, bytes] = {}
        # Questions that were asked again: two answers may come, and only the first counts.
        self._asked_again: set[tuple[str, int]] = set()

    def ask(self, time_left: TimeLeft) -> None:
        """Ask the questions of a tick; show others what changed. Roles change hands before."""
        self.asked_at = self._repeated_at = monotonic()
        self._roster.hand_over(self._environment.roles)
        is_repeated = self._asked_tick == self._environment.tick
        self._asked_tick = self._environment.tick
        self._topics.expect_answers()
        questions = self._environment.ask(self._topics.viewers, with_text=self._with_text)
        for question in questions:
            if question.is_decision:
                if is_repeated:
                    self._expect_second(question)
                self._publish(question, time_left(question.role))
            else:
                stamp = self.stamps.stamp(question.role, question.tick)
                self._topics.show(question, self._address(question.role), stamp)

    def ask_again(self, time_left: TimeLeft, *, is_flooded: bool) -> None:
        """Repeat open questions: for new owners at once, else if answers may have been lost.

        That is so in a flood of foreign answers, if the owner was restarted after the question was
        asked (it may have answered before it was known here), and if no answer comes for a while.
        """
        missing = self._referee.missing
        changed = [role for role in missing if self._addressed.get(role) != self._address(role)]
        if changed:
            self._repeat(changed, time_left)
        now = monotonic()
        if now - self._repeated_at < (_REPEAT_IN_FLOOD if is_flooded else _REPEAT):
            return
        is_silent = now - self._repeated_at >= _REPEAT_UNANSWERED
        lost = [
            role
            for role in missing
            if is_flooded
            or (is_silent and self._roster.owner(role))
            or self._endpoints.get(role) != self._roster.endpoint(role)
        ]
        if lost:
            self._repeated_at = now
            self._repeat(lost, time_left)

    def show_all(self) -> None:
        """Show every role the end of the match."""
        for role in self._environment.roles:
            self._publish(self._environment.question(role, with_text=self._with_text), 0.0)

    def expects_second(self, role: str, tick: int) -> bool:
        """Tell whether an answer is the second to a repeated question: no fault of the agent."""
        if (role, tick) not in self._asked_again:
            return False
        if role in self._referee.missing and tick == self._environment.tick_of(role):
            return False
        self._asked_again.remove((role, tick))
        return True

    def _repeat(self, roles: list[str], time_left: TimeLeft) -> None:
        self._topics.expect_answers()
        for role in roles:
            question = self._environment.question(role, with_text=self._with_text)
            self._expect_second(question)
            self._publish(question, time_left(role))

    def _expect_second(self, question: Question) -> None:
        # Old ones are forgotten: most are answered once after all.
        role, oldest = question.role, question.tick - _REMEMBERED
        self._asked_again = {key for key in self._asked_again if key[0] != role or key[1] > oldest}
        self._asked_again.add((role, question.tick))

    def _publish(self, question: Question, time_left: float) -> None:
        agent = self._addressed[question.role] = self._address(question.role)
        self._endpoints[question.role] = self._roster.endpoint(question.role)
        stamp = self.stamps.stamp(question.role, question.tick)
        self._topics.publish_question(question, time_left, agent, stamp)

    def _address(self, role: str) -> str:
        """Return who is asked for a role."""
        return self._roster.owner(role) or State.AGENT_NOBODY
