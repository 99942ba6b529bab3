"""A cohort on the graph: publishes questions, waits for answers, plays, publishes feedback."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING

from gdl_env.environment.cohorts import info_of_cohort
from gdl_env.environment.protocol import MatchInfo
from gdl_env.environment.referee import Referee, Verdict
from gdl_env.environment.step import Step
from gdl_env.errors import GdlError
from gdl_env.ros.environment.answer_reader import read_answer
from gdl_env.ros.environment.game_clocks import GameClocks
from gdl_env.ros.environment.move_announcer import MoveAnnouncer
from gdl_env.ros.environment.phase import Phase, PhaseClocks
from gdl_env.ros.environment.questioning import Questioning
from gdl_env.ros.environment.topics import CohortTopics
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.cdr import read_tick
from gdl_env.ros.transport.messages import WireError
from gdl_env.ros.transport.texts import one_line

if TYPE_CHECKING:
    from gdl_env.ros.environment.match import Match

# Ticks without questions are played in a row for at most this long [s].
_LONGEST_TURN = 0.05


class Cohort:
    """Plays the ticks of one referee with the agents on the topics of its lanes.

    What concerns the whole match, such as its phase, is up to the match.
    """

    def __init__(
        self, node: RosNode, match: Match, referee: Referee, topics: CohortTopics, info: MatchInfo
    ) -> None:
        """Make a part of a match; `info` describes all of it."""
        self._match = match
        self.referee = referee
        self.environment = referee.environment
        self._topics = topics
        self._info = info_of_cohort(info, referee.cohort)
        self._clocks = GameClocks(match.clocks)
        self._questioning = Questioning(
            node, referee, topics, match.roster, with_text=match.with_text
        )
        # Joint moves are those of the first lane.
        self.announcer: MoveAnnouncer | None = None
        if not referee.cohort:
            self.announcer = MoveAnnouncer(node, self.environment, self._questioning.stamps)
        # The last tick that was played; None if there is none, or it was taken back.
        self.step: Step | None = None
        self._node = node
        self._next = create_timer(node, 0.0, self._on_next)
        self._next.cancel()

    # ---- called by the match

    def advance(self) -> None:
        """Ask the agents, or play on if no agent has a decision."""
        if self.environment.is_finished:
            self._match.end()
        elif self.referee.is_complete:
            self.play()
        else:
            self._ask()

    def pause(self, *, is_playing: bool) -> None:
        """Stop asking; answers that come in are kept for the current tick."""
        if is_playing:
            self._charge(self.referee.missing)
        self._next.cancel()

    def watch(self) -> None:
        """Check, while the match is played, what has come of the open questions."""
        if self.environment.is_finished:
            return
        if self.referee.is_complete:
            # A recorder that hangs says nothing: only the clock tells that it is not waited for.
            self.play()
            return
        match, missing = self._match, self.referee.missing
        gone = [role for role in missing if not match.is_attached(role)]
        is_alone = gone and len(gone) == len(missing)
        # Of those who decide at the same time, the one with most time left is waited for.
        limits = [self._clocks.limit(role) for role in missing]
        is_up = bool(limits) and min(limits) > 0 and max(limits) <= self._waited
        if is_up or (is_alone and 0 < match.clocks.absence <= self._waited):
            self._charge(missing)
            self.play()
        else:
            is_flooded = match.topics.inbox.is_flooded
            self._questioning.ask_again(self.time_left, is_flooded=is_flooded)

    def resume(self) -> None:
        """Continue once a recorder or learner has caught up."""
        if self._can_continue:
            self._next.reset()

    def receive(self, role: str, data: bytes) -> bool:
        """Take an answer, and tell whether it counts; most are sorted out by their first bytes."""
        match, complaints = self._match, self._match.complaints
        try:
            tick = read_tick(data)
            if self._questioning.expects_second(role, tick):
                return True
            verdict = self.referee.judge(role, tick)
            if verdict is not Verdict.ACCEPTED:
                complaints.log_dropped(self.environment, role, verdict, data)
                return False
            answer = read_answer(data, self._info)
        except WireError as error:
            self.referee.refuse(role)
            if complaints.is_due(role, 'garbage'):
                complaints.log_problem(role, 'garbage', f'role {role}: {one_line(str(error))}')
            return False
        is_foreign = answer.agent in match.roster.standby(role)
        verdict = self.referee.refuse(role) if is_foreign else self.referee.receive(role, answer)
        if verdict is not Verdict.ACCEPTED:
            complaints.log_dropped(self.environment, role, verdict, data)
            return False
        match.meter.add_latency(role, self._waited)
        self._clocks.spend(role, self._waited, is_answer=True)
        if match.phase is Phase.PLAYING and self.referee.is_complete:
            self.play()
        return True

    def play(self) -> None:
        """Play ticks until an agent has a decision."""
        match = self._match
        started = monotonic()
        while match.phase is Phase.PLAYING:
            if match.outbox is not None and match.outbox.must_wait():
                # It continues once the recorder has caught up.
                return
            if match.credits is not None and match.credits.must_wait(self.referee):
                return
            if match.undo_history is not None and not match.finality:
                match.undo_history.remember_tick(self.environment)
            if self.announcer is not None:
                self.announcer.follow()
            try:
                self.step = step = self.referee.play()
            except GdlError as error:
                # The journal cannot be written, or the rules have no answer: ranges, dead ends.
                match.fail(str(error))
                return
            if self.environment.hides_moves and step.ended.any():
                match.record_standing()
            match.complaints.log_offences(self.referee, step, match.roster.owner)
            self._topics.publish_feedback(step, self._questioning.stamps)
            self.publish_record(step.tick)
            if self.environment.is_finished:
                match.playing_time.stop()
                match.end()
                return
            if not self.referee.is_complete:
                self._ask()
                return
            if monotonic() - started > _LONGEST_TURN:
                # Let others in: services, cancellation, the clock.
                self._next.reset()
                return

    def publish_record(self, tick: int) -> None:
        """Publish what happened in a tick, for players and for recorders."""
        if self.announcer is not None:
            self.announcer.publish(tick)
        if self._match.outbox is not None and self.environment.game.trace is not None:
            self._match.outbox.publish(tick, self.environment.game.trace.take())

    def show_all(self) -> None:
        """Show every role the end of the match."""
        self._questioning.show_all()

    def set_clocks(self, clocks: PhaseClocks) -> None:
        """Play by other clocks from now on; the question that is open has them, too."""
        self._clocks.clocks = clocks

    def time_left(self, role: str) -> float:
        """Return the time that a role has left to answer [s]; 0 without a clock."""
        limit = self._clocks.limit(role)
        return max(0.0, limit - self._waited) if limit else 0.0

    def close(self) -> None:
        """Take everything off the graph."""
        self._node.destroy_timer(self._next)
        if self.announcer is not None:
            self.announcer.close()

    # ---- inside

    @property
    def _waited(self) -> float:
        """Return how long ago the open questions were asked [s]."""
        return monotonic() - self._questioning.asked_at

    def _on_next(self) -> None:
        self._next.cancel()
        if self._can_continue:
            self.advance()

    @property
    def _can_continue(self) -> bool:
        """Tell whether no agent is awaited: asking again would have it answer twice."""
        is_due = self.environment.is_finished or self.referee.is_complete
        return self._match.phase is Phase.PLAYING and is_due

    def _charge(self, roles: Iterable[str]) -> None:
        """Take the time since the question off the clocks of roles that did not answer."""
        for role in roles:
            self._clocks.spend(role, self._waited, is_answer=False)

    def _ask(self) -> None:
        if self._match.clocks.total:
            self._clocks.begin(int(self.environment.episode[0]))
        self._questioning.ask(self._clocks.limit)
        if not self.referee.cohort:
            self._match.show()
