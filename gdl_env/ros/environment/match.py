"""A match on the graph: publishes questions, waits for answers, plays, publishes feedback."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic

from gdl_msgs.msg import Spectator

from gdl_env.environment.options import Policy
from gdl_env.environment.referee import Referee, Verdict
from gdl_env.environment.step import Step
from gdl_env.environment.trace import TracedLine
from gdl_env.environment.undo import UndoHistory
from gdl_env.errors import GdlError
from gdl_env.ros.environment.answer_reader import read_answer
from gdl_env.ros.environment.complaints import Complaints
from gdl_env.ros.environment.game_clocks import GameClocks
from gdl_env.ros.environment.life_signs import LifeSigns
from gdl_env.ros.environment.move_announcer import MoveAnnouncer
from gdl_env.ros.environment.phase import Phase, PhaseClocks
from gdl_env.ros.environment.playing_time import PlayingTime
from gdl_env.ros.environment.questioning import Questioning
from gdl_env.ros.environment.record_outbox import RecordOutbox
from gdl_env.ros.environment.roster import Roster
from gdl_env.ros.environment.spectating import Spectating
from gdl_env.ros.environment.standings import Standings
from gdl_env.ros.environment.status_report import Meter
from gdl_env.ros.environment.topics import Topics
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.cdr import read_tick
from gdl_env.ros.transport.messages import WireError
from gdl_env.ros.transport.texts import one_line

# Ticks without questions are played in a row for at most this long [s].
_LONGEST_TURN = 0.05


class Match:
    """Plays the ticks of a referee with the agents on the topics."""

    def __init__(
        self,
        node: RosNode,
        referee: Referee,
        clocks: PhaseClocks,
        *,
        with_text: bool,
        spectating: Spectating,
        life_signs: LifeSigns,
        outbox: Callable[[Callable[[], None]], RecordOutbox] | None = None,
        busy_wait: bool = True,
    ) -> None:
        self._node = node
        self.referee = referee
        self.environment = referee.environment
        self.clocks = clocks
        self._game_clocks = GameClocks(clocks)
        self.phase = Phase.WAITING
        self.message = ''
        # None: nothing can be taken back.
        self.undo_history: UndoHistory | None = None
        # Why nothing can be taken back; '' if it can.
        self.finality = referee.finality
        self.meter = Meter(is_held=self.environment.hides_moves)
        self.standings = Standings(referee)
        self._spectating = spectating
        # Called when all episodes that were asked for are played, or it failed.
        self.on_end: Callable[[], None] = _do_nothing
        self._info = self.environment.info()
        self._complaints = Complaints(node.get_logger())
        # What happened before a match was broken off, and may not have been recorded.
        self.backlog: list[tuple[int, list[TracedLine]]] = []
        # None: nothing is recorded.
        self._outbox = outbox(self._on_recorder) if outbox else None
        self.topics = Topics(node, referee, self._on_answer, busy_wait=busy_wait)
        self.roster = Roster(node, self.topics.inbox.topics, referee.attendance, life_signs)
        self._questioning = Questioning(
            node, referee, self.topics, self.roster, with_text=with_text
        )
        self._announcer = MoveAnnouncer(node, self.environment, self._questioning.stamps)
        self._began_at = monotonic()
        self.playing_time = PlayingTime()
        self._step: Step | None = None
        # Why the last reset failed.
        self._problem = ''
        self._shown_tick = -1
        # Whether it plays, or waits for agents only.
        self.is_begun = False
        self._next = create_timer(node, 0.0, self._on_next)
        self._next.cancel()
        self._watch = create_timer(node, clocks.watch_period, self._on_watch)

    # ---- running

    def begin(self) -> None:
        """Wait for the agents, then play."""
        self.phase = Phase.WAITING
        self.is_begun = True
        self._began_at = monotonic()
        failure = self.referee.journal.failure if self.referee.journal is not None else ''
        if problem := failure or self._problem:
            self._fail(problem)
        self._on_watch()

    def reset(self, seed: int | None, episodes: int) -> None:
        """Prepare new episodes; they are played once `begin` is called."""
        self.pause()
        self.playing_time.reset()
        self.backlog.clear()
        if self.undo_history is not None:
            self.undo_history.clear()
        self._announcer.set_playing(is_playing=False)
        self._problem = ''
        try:
            self.referee.reset(seed, episodes)
        except GdlError as error:
            # What could not be written down, or has no first decision, is not begun.
            self._problem = str(error)
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
        if self.phase is Phase.PLAYING:
            self._charge(self.referee.missing)
        self.phase = Phase.PAUSED
        self.is_begun = False
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
        self._announcer.close()
        self.topics.close()
        if self._outbox is not None:
            self._outbox.close()

    def time_left(self, role: str) -> float:
        """Return the time that a role has left to answer [s]; 0 without a clock."""
        limit = self._game_clocks.limit(role)
        return max(0.0, limit - self._waited) if limit else 0.0

    @property
    def _waited(self) -> float:
        """Return how long ago the open questions were asked [s]."""
        return monotonic() - self._questioning.asked_at

    def is_attached(self, role: str) -> bool:
        """Tell whether a role has an agent that can be asked."""
        return bool(self.roster.owner(role)) and self.topics.is_attached(role)

    def name_owner(self, role: str, owner: str) -> str:
        """Have an attached agent own a role from the next tick on; return why not, '' if so."""
        known = [self.roster.owner(role), *self.roster.standby(role)]
        if owner not in known:
            there = ', '.join(filter(None, known)) or 'none'
            return f'{owner} is not attached to {role}; attached: {there}'
        self.roster.name_heir(role, owner)
        if self.phase is not Phase.PLAYING or role not in self.referee.missing:
            self.roster.hand_over([role])
        return ''

    @property
    def unattached(self) -> list[str]:
        """Return the roles that wait for an agent."""
        return [
            role
            for role, policy in self.environment.policies.items()
            if policy is Policy.AGENT and not self.is_attached(role)
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

    def set_clocks(self, clocks: PhaseClocks) -> None:
        """Play by other clocks from now on; the question that is open has them, too."""
        self.clocks = self._game_clocks.clocks = clocks
        self._node.destroy_timer(self._watch)
        self._watch = create_timer(self._node, clocks.watch_period, self._on_watch)

    # ---- inside

    def _record_standing(self) -> None:
        self.standings.record_public()
        self.meter.show_latencies()

    def _on_watch(self) -> None:
        """Look ten times a second, or more, at the clock, and whether agents came or went."""
        self.topics.inbox.watch()
        self.roster.update()
        if self._outbox is not None:
            self._outbox.remind()
        self.show()
        if self.phase is Phase.WAITING and self.is_begun:
            absent = self.absent
            waited = monotonic() - self._began_at
            if absent and not 0 < self.clocks.start <= waited:
                self.message = f'waiting for {absent}'
                return
            self.message = ''
            self.phase = Phase.PLAYING
            self.playing_time.start()
            if self._outbox is not None:
                for tick, lines in self.backlog:
                    self._outbox.publish(tick, lines)
            self.backlog.clear()
            # What chance has done before the first tick.
            self._publish_record(self.environment.tick - 1)
            self._announcer.publish(self.environment.tick - 1)
            self._announcer.set_playing(is_playing=True)
            self._continue()
        elif self.phase is Phase.PLAYING and self.environment.is_finished:
            self._end()
        elif self.phase is Phase.PLAYING and self.referee.is_complete:
            # A recorder that hangs says nothing: only the clock tells that it is not waited for.
            self._play()
        elif self.phase is Phase.PLAYING:
            gone = [role for role in self.referee.missing if not self.is_attached(role)]
            named = self.unattached if self.environment.hides_moves else gone
            self.message = f'no agent plays {", ".join(named)}' if named else ''
            waited = self._waited
            is_alone = gone and len(gone) == len(self.referee.missing)
            # Of those who decide at the same time, the one with most time left is waited for.
            limits = [self._game_clocks.limit(role) for role in self.referee.missing]
            is_up = bool(limits) and min(limits) > 0 and max(limits) <= waited
            if is_up or (is_alone and 0 < self.clocks.absence <= waited):
                self._charge(self.referee.missing)
                self._play()
            else:
                is_flooded = self.topics.inbox.is_flooded
                self._questioning.ask_again(self.time_left, is_flooded=is_flooded)

    def _on_answer(self, role: str, data: bytes) -> bool:
        """Take an answer, and tell whether it counts; most are sorted out by their first bytes."""
        try:
            tick = read_tick(data)
            if self._questioning.expects_second(role, tick):
                return True
            verdict = self.referee.judge(role, tick)
            if verdict is not Verdict.ACCEPTED:
                self._complaints.log_dropped(self.environment, role, verdict, data)
                return False
            answer = read_answer(data, self._info)
        except WireError as error:
            self.referee.refuse(role)
            if self._complaints.is_due(role, 'garbage'):
                self._complaints.log_problem(
                    role, 'garbage', f'role {role}: {one_line(str(error))}'
                )
            return False
        is_foreign = answer.agent in self.roster.standby(role)
        verdict = self.referee.refuse(role) if is_foreign else self.referee.receive(role, answer)
        if verdict is not Verdict.ACCEPTED:
            self._complaints.log_dropped(self.environment, role, verdict, data)
            return False
        self.meter.add_latency(role, self._waited)
        self._game_clocks.spend(role, self._waited, is_answer=True)
        if self.phase is Phase.PLAYING and self.referee.is_complete:
            self._play()
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

    def _charge(self, roles: Iterable[str]) -> None:
        """Take the time since the question off the clocks of roles that did not answer."""
        for role in roles:
            self._game_clocks.spend(role, self._waited, is_answer=False)

    def _ask(self) -> None:
        if self.clocks.total:
            self._game_clocks.begin(int(self.environment.episode[0]))
        self._questioning.ask(self._game_clocks.limit)
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
            self._announcer.follow()
            try:
                self._step = step = self.referee.play()
            except GdlError as error:
                # The journal cannot be written, or the rules have no answer: ranges, dead ends.
                self._fail(str(error))
                return
            if self.environment.hides_moves and step.ended.any():
                self._record_standing()
            self._complaints.log_offences(self.referee, step, self.roster.owner)
            self.topics.publish_feedback(step, self._questioning.stamps)
            self._announcer.publish(step.tick)
            self._publish_record(step.tick)
            if self.environment.is_finished:
                self.playing_time.stop()
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
        self._questioning.show_all()
        self.show()
        self.on_end()

    def _fail(self, why: str) -> None:
        self._node.get_logger().error(why)
        self.stop(Phase.FAILED, why)
        self.show()
        self.on_end()

    def _publish_record(self, tick: int) -> None:
        if self._outbox is not None and self.environment.game.trace is not None:
            self._outbox.publish(tick, self.environment.game.trace.take())


def _do_nothing() -> None:
    """Nobody asked to be told of the end."""
