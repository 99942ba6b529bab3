"""A match on the graph: publishes questions, waits for answers, plays, publishes feedback."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from gdl_msgs.msg import Spectator

from gdl_env.environment.journal import JournalError
from gdl_env.environment.options import Policy
from gdl_env.environment.referee import Referee, Verdict
from gdl_env.environment.step import Step
from gdl_env.environment.trace import TracedLine
from gdl_env.environment.undo import UndoHistory
from gdl_env.ros.environment.complaints import LONGEST_NAME, Complaints
from gdl_env.ros.environment.phase import Clocks, Phase
from gdl_env.ros.environment.record_outbox import RecordOutbox
from gdl_env.ros.environment.spectating import Spectating
from gdl_env.ros.environment.standings import Standings
from gdl_env.ros.environment.status_report import Meter
from gdl_env.ros.environment.topics import Topics
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.cdr import read_tick, unpack_answer
from gdl_env.ros.transport.messages import WireError

# A question whose answer may have been lost is repeated after this time [s].
_REPEAT = 1.0
_REPEAT_IN_FLOOD = 0.2
# Number of ticks for which a second answer to a repeated question is expected.
_REMEMBERED = 100
# How often the clock and the agents are looked at [s].
_WATCH_PERIOD = 0.1

# Ticks without questions are played in a row for at most this long [s].
_LONGEST_TURN = 0.05


class Match:
    """Plays the ticks of a referee with the agents on the topics.

    `on_end` is called when all episodes asked for are played, `log` with what people should know.
    """

    def __init__(
        self,
        node: RosNode,
        referee: Referee,
        clocks: Clocks,
        *,
        with_text: bool,
        spectating: Spectating,
        on_end: Callable[[], None],
        outbox: Callable[[Callable[[], None]], RecordOutbox] | None = None,
        busy_wait: bool = True,
    ) -> None:
        self._node = node
        self.referee = referee
        self.environment = referee.environment
        self.clocks = clocks
        self.phase = Phase.WAITING
        self.message = ''
        # None: nothing can be taken back.
        self.undo_history: UndoHistory | None = None
        # Why nothing can be taken back; '' if it can.
        self.finality = referee.finality
        self.meter = Meter(is_held=self.environment.hides_moves)
        self.standings = Standings(referee)
        self._with_text = with_text
        self._spectating = spectating
        self._on_end = on_end
        self._info = self.environment.info()
        self._complaints = Complaints(node.get_logger())
        # What happened before a match was broken off, and may not have been recorded.
        self.backlog: list[tuple[int, list[TracedLine]]] = []
        # None: nothing is recorded.
        self._outbox = outbox(self._on_recorder) if outbox else None
        self.topics = Topics(node, referee, self._on_answer, busy_wait=busy_wait)
        self._asked_at = self._repeated_at = monotonic()
        # How many agents could answer at the last check, and whether one came since.
        self._answering = 0
        self._may_be_lost = False
        # Questions that were asked again: two answers may come, and only the first counts.
        self._asked_again: set[tuple[str, int]] = set()
        self._began_at = monotonic()
        self._step: Step | None = None
        self._shown_tick = -1
        self._is_begun = False
        self._next = node.create_timer(0.0, self._on_next)
        self._next.cancel()
        # One timer that checks the clock: setting one in each tick would cost more.
        period = min(_WATCH_PERIOD, clocks.play / 10) if clocks.play else _WATCH_PERIOD
        self._watch = node.create_timer(max(period, 0.005), self._on_watch)

    # ---- running

    def begin(self) -> None:
        """Wait for the agents, then play."""
        self.phase = Phase.WAITING
        self._is_begun = True
        self._began_at = monotonic()
        if self.referee.journal is not None and self.referee.journal.failure:
            self._fail(self.referee.journal.failure)
        self._on_watch()

    def reset(self, seed: int | None, episodes: int) -> None:
        """Prepare new episodes; they are played once `begin` is called."""
        self.pause()
        self.backlog.clear()
        if self.undo_history is not None:
            self.undo_history.clear()
        # What it could not write down is not begun.
        with suppress(JournalError):
            self.referee.reset(seed, episodes)
        if self._outbox is not None:
            self._outbox.begin()
        self._record_standing()

    def take_back(self, role: str) -> bool:
        """Go back to the last decision of a role, and ask again; False if there is none."""
        if (
            self.undo_history is None
            or self.finality
            or not self.referee.take_back(self.undo_history, role)
        ):
            return False
        self._step = None
        self._shown_tick = -1
        if self.phase in {Phase.PLAYING, Phase.FINISHED}:
            self.begin()
        return True

    def pause(self) -> None:
        """Stop asking; answers that come in are kept for the current tick."""
        self.phase = Phase.PAUSED
        self._is_begun = False
        self._next.cancel()

    def stop(self, phase: Phase, message: str = '') -> None:
        """End it here."""
        self.pause()
        self.phase = phase
        self.message = message

    def close(self) -> None:
        """Take everything off the graph."""
        for timer in (self._next, self._watch):
            self._node.destroy_timer(timer)
        self.topics.close()
        if self._outbox is not None:
            self._outbox.close()

    @property
    def time_left(self) -> float:
        """Return the time left to answer [s]; 0 without a clock."""
        if not self.clocks.play:
            return 0.0
        return max(0.0, self._asked_at + self.clocks.play - monotonic())

    @property
    def unattached(self) -> list[str]:
        """Return the roles that wait for an agent."""
        return [
            role
            for role, policy in self.environment.policies.items()
            if policy is Policy.AGENT and not self.topics.is_attached(role)
        ]

    @property
    def absent(self) -> str:
        """Return, in words, who should be there and is not; '' if all are."""
        if missing := self.unattached:
            return f'an agent that plays {", ".join(missing)}'
        if self._outbox is not None and not self._outbox.has_subscribers:
            return 'a recorder'
        return ''

    def show(self) -> None:
        """Publish what spectators may see, if any listen and it is new."""
        topic = self.topics.spectator
        if self._shown_tick == self.environment.tick or not topic.get_subscription_count():
            return
        self._shown_tick = self.environment.tick
        message: Spectator | None = self._spectating.describe(self.environment, self._step)
        if message is not None:
            topic.publish(message)

    # ---- inside

    def _record_standing(self) -> None:
        self.standings.record_public()
        self.meter.show_latencies()

    def _on_watch(self) -> None:
        """Look ten times a second, or more, at the clock, and whether agents came or went."""
        self.topics.inbox.watch()
        if self._outbox is not None:
            self._outbox.remind()
        self.show()
        if self.phase is Phase.WAITING and self._is_begun:
            absent = self.absent
            waited = monotonic() - self._began_at
            if absent and not 0 < self.clocks.start <= waited:
                self.message = f'waiting for {absent}'
                return
            self.message = ''
            self.phase = Phase.PLAYING
            if self._outbox is not None:
                for tick, lines in self.backlog:
                    self._outbox.publish(tick, lines)
            self.backlog.clear()
            # What chance has done before the first tick.
            self._publish_record(self.environment.tick - 1)
            self._continue()
        elif self.phase is Phase.PLAYING and self.environment.is_finished:
            self._end()
        elif self.phase is Phase.PLAYING:
            gone = [role for role in self.referee.missing if not self.topics.is_attached(role)]
            named = self.unattached if self.environment.hides_moves else gone
            self.message = f'nobody plays {", ".join(named)}' if named else ''
            waited = monotonic() - self._asked_at
            is_alone = gone and len(gone) == len(self.referee.missing)
            is_up = 0 < self.clocks.play <= waited
            if is_up or (is_alone and 0 < self.clocks.missing <= waited):
                self._play()
            else:
                self._ask_again()

    def _ask_again(self) -> None:
        """Repeat questions whose answers may have been lost.

        That is so in a flood of foreign answers, and if an agent came after the question was
        asked: it may have answered before it was known here.
        """
        missing = self.referee.missing
        answering = sum(self.topics.inbox.count_publishers(role) for role in missing)
        if answering != self._answering:
            self._answering = answering
            self._may_be_lost = True
        now = monotonic()
        is_flooded = self.topics.inbox.is_flooded
        if now - self._repeated_at < (_REPEAT_IN_FLOOD if is_flooded else _REPEAT):
            return
        if is_flooded or self._may_be_lost:
            self._may_be_lost = False
            self._repeated_at = now
            self.topics.inbox.expect()
            for role in missing:
                question = self.environment.question(role, with_text=self._with_text)
                # Old ones are forgotten: most are answered once after all.
                oldest = question.tick - _REMEMBERED
                self._asked_again = {
                    key for key in self._asked_again if key[0] != role or key[1] > oldest
                }
                self._asked_again.add((role, question.tick))
                self.topics.publish_question(question, self.time_left)

    def _on_answer(self, role: str, data: bytes) -> bool:
        """Take an answer, and tell whether it counts; most are sorted out by their first bytes."""
        try:
            tick = read_tick(data)
            if self._asked_again and self._is_repeated(role, tick):
                return True
            verdict = self.referee.judge(role, tick)
            if verdict is not Verdict.ACCEPTED:
                self._complaints.log_dropped(self.environment, role, verdict, data)
                return False
            answer = unpack_answer(data, self._info)
            if len(answer.agent) > LONGEST_NAME:
                raise WireError(f'{answer.agent[:20]}…: a name of {len(answer.agent)} characters')
        except WireError as error:
            self.referee.refuse(role)
            if self._complaints.is_due(role, 'garbage'):
                self._complaints.log_problem(role, 'garbage', f'role {role}: {error}')
            return False
        verdict = self.referee.receive(role, answer)
        if verdict is not Verdict.ACCEPTED:
            self._complaints.log_dropped(self.environment, role, verdict, data)
            return False
        self.meter.add_latency(role, monotonic() - self._asked_at)
        if self.phase is Phase.PLAYING and self.referee.is_complete:
            self._play()
        return True

    def _is_repeated(self, role: str, tick: int) -> bool:
        """Tell whether a second answer was to be expected: no fault of the agent."""
        if (role, tick) not in self._asked_again:
            return False
        if role in self.referee.missing and tick == self.environment.tick_of(role):
            return False
        self._asked_again.remove((role, tick))
        return True

    def _on_next(self) -> None:
        self._next.cancel()
        if self._can_continue:
            self._continue()

    def _continue(self) -> None:
        """Ask the agents, or play on if no agent has a decision."""
        if self.environment.is_finished:
            self._end()
        elif self.referee.is_complete:
            self._play()
        else:
            self._ask()

    def _ask(self) -> None:
        self._asked_at = self._repeated_at = monotonic()
        self.topics.inbox.expect()
        for question in self.environment.ask(self.topics.viewers, with_text=self._with_text):
            if question.is_decision:
                self.topics.publish_question(question, self.clocks.play)
            else:
                self.topics.show(question)
        self.show()

    def _play(self) -> None:
        """Play ticks until an agent has a decision."""
        started = monotonic()
        while self.phase is Phase.PLAYING:
            if self._outbox is not None and self._outbox.must_wait():
                # It continues once the recorder has caught up.
                return
            if self.undo_history is not None and not self.finality:
                self.undo_history.remember_tick(self.environment)
            try:
                self._step = step = self.referee.play()
            except JournalError as error:
                self._fail(str(error))
                return
            if self.environment.hides_moves and step.ended.any():
                self._record_standing()
            self._complaints.log_offences(self.referee, step)
            self.topics.publish_feedback(step)
            self._publish_record(step.tick)
            if self.environment.is_finished:
                self._end()
                return
            if not self.referee.is_complete:
                self._ask()
                return
            if monotonic() - started > _LONGEST_TURN:
                # Let others in: services, cancellation, the clock.
                self._next.reset()
                return

    def _on_recorder(self) -> None:
        """Continue what waits for the recorder."""
        if self._can_continue:
            self._next.reset()

    @property
    def _can_continue(self) -> bool:
        """Tell whether no agent is awaited: asking again would have it answer twice."""
        is_due = self.environment.is_finished or self.referee.is_complete
        return self.phase is Phase.PLAYING and is_due

    def _end(self) -> None:
        """End the match, once all of it is recorded."""
        loss = ''
        if self._outbox is not None:
            if not self._outbox.is_settled:
                self.message = 'waiting for the recorder to write the last ticks'
                return
            loss = self._outbox.describe_loss()
        if loss:
            self._fail(loss)
            return
        self.stop(Phase.FINISHED)
        for role in self.environment.roles:
            self.topics.publish_question(
                self.environment.question(role, with_text=self._with_text)
            )
        self.show()
        self._on_end()

    def _fail(self, why: str) -> None:
        self._node.get_logger().error(why)
        self.stop(Phase.FAILED, why)
        self.show()
        self._on_end()

    def _publish_record(self, tick: int) -> None:
        if self._outbox is not None and self.environment.game.trace is not None:
            self._outbox.publish(tick, self.environment.game.trace.take())
