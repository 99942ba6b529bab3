"""A match on the graph: waits for agents, has its cohorts played, and ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from gdl_msgs.msg import Spectator

from gdl_env.environment.cohorts import split_lanes
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Policy
from gdl_env.environment.protocol import MatchInfo
from gdl_env.environment.referee import Referee
from gdl_env.environment.step import Step
from gdl_env.environment.trace import TracedLine
from gdl_env.environment.undo import UndoHistory
from gdl_env.errors import GdlError
from gdl_env.ros.environment.cohort import Cohort
from gdl_env.ros.environment.complaints import Complaints
from gdl_env.ros.environment.learner_credits import LearnerCredits
from gdl_env.ros.environment.life_signs import LifeSigns
from gdl_env.ros.environment.phase import MatchPace, Phase, PhaseClocks
from gdl_env.ros.environment.playing_time import PlayingTime
from gdl_env.ros.environment.record_outbox import RecordOutbox
from gdl_env.ros.environment.roster import Roster
from gdl_env.ros.environment.spectating import Spectating
from gdl_env.ros.environment.standings import Standings
from gdl_env.ros.environment.status_report import Meter
from gdl_env.ros.environment.topics import Topics
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.timers import create_timer


class Match:
    """Has the agents on the topics play the ticks of all cohorts; each has a referee.

    A role has one owner in all cohorts. One cohort is played while others are decided.
    """

    def __init__(
        self,
        node: RosNode,
        referees: Sequence[Referee],
        info: MatchInfo,
        clocks: PhaseClocks,
        *,
        spectating: Spectating,
        life_signs: LifeSigns,
        outbox: Callable[[Callable[[], None]], RecordOutbox] | None = None,
        pace: MatchPace,
    ) -> None:
        """Make the topics; `info` describes the whole match."""
        self._node = node
        self.referees = referees
        # Of the first cohort: whatever is the same in all can be read there.
        self.environment = referees[0].environment
        self.info = info
        self.clocks = clocks
        self.with_text = spectating.with_text
        self.phase = Phase.WAITING
        self.message = ''
        # None: nothing can be taken back.
        self.undo_history: UndoHistory | None = None
        # Why nothing can be taken back; '' if it can.
        self.finality = referees[0].finality
        self.meter = Meter(is_held=self.environment.hides_moves)
        self.standings = Standings(referees)
        self._spectating = spectating
        # Called when all episodes that were asked for are played, or it failed.
        self.on_end: Callable[[], None] = _do_nothing
        self.complaints = Complaints(node.get_logger())
        # What happened before a match was broken off, and may not have been recorded.
        self.backlog: list[tuple[int, list[TracedLine]]] = []
        # None: nothing is recorded.
        self.outbox = outbox(self._on_progress) if outbox else None
        # None: learners are not waited for.
        self.credits: LearnerCredits | None = None
        if pace.learner_lead:
            lead, resume = pace.learner_lead, self._on_progress
            self.credits = LearnerCredits(node, referees, lead, resume)
        kept = max(1, pace.learner_lead)
        self.topics = Topics(node, referees, self._on_answer, busy_wait=pace.busy_wait, kept=kept)
        self.roster = Roster(node, self.topics.inbox.topics, referees[0].attendance, life_signs)
        self.cohorts = [
            Cohort(node, self, referee, topics, info)
            for referee, topics in zip(referees, self.topics.cohorts, strict=True)
        ]
        self._began_at = monotonic()
        self.playing_time = PlayingTime()
        # Why the last reset failed.
        self._problem = ''
        self._shown_tick = -1
        self._shown_steps: list[Step | None] = [None] * len(referees)
        # Whether it plays, or waits for agents only.
        self.is_begun = False
        self._watch = create_timer(node, clocks.watch_period, self._on_watch)

    # ---- running

    def begin(self) -> None:
        """Wait for the agents, then play."""
        self.phase = Phase.WAITING
        self.is_begun = True
        self._began_at = monotonic()
        journal = self.referees[0].journal
        if problem := (journal.failure if journal is not None else '') or self._problem:
            self.fail(problem)
        self._on_watch()

    def reset(self, seed: int | None, episodes: int) -> None:
        """Prepare new episodes; they are played once `begin` is called."""
        self.pause()
        self.playing_time.reset()
        self.backlog.clear()
        if self.undo_history is not None:
            self.undo_history.clear()
        self._set_announcing(is_playing=False)
        self._problem = ''
        try:
            for referee in self.referees:
                referee.reset(seed, episodes)
        except GdlError as error:
            # What could not be written down, or has no first decision, is not begun.
            self._problem = str(error)
        if self.outbox is not None:
            self.outbox.begin()
        self.record_standing()

    def take_back(self, role: str) -> bool:
        """Go back to the last decision of a role, and ask again; False if there is none."""
        first = self.cohorts[0]
        if (
            self.undo_history is None
            or self.finality
            or not first.referee.take_back(self.undo_history, role)
        ):
            return False
        first.step = None
        self._shown_tick = -1
        if self.phase in {Phase.PLAYING, Phase.FINISHED}:
            self.begin()
        return True

    def set_policy(self, role: str, policy: Policy, agent: str = '') -> None:
        """Say who decides for a role; `agent` is the only one who may. Raises JournalError."""
        for referee in self.referees:
            referee.set_policy(role, policy, agent)

    def give_up(self) -> None:
        """Say that the episodes are not wanted any more. Raises JournalError."""
        self.referees[0].give_up()

    def pause(self) -> None:
        """Stop asking; answers that come in are kept for the current tick."""
        is_playing = self.phase is Phase.PLAYING
        self.phase = Phase.PAUSED
        self.is_begun = False
        for cohort in self.cohorts:
            cohort.pause(is_playing=is_playing)

    def stop(self, phase: Phase, message: str = '') -> None:
        """End it here."""
        self.pause()
        self.phase = phase
        self.message = message

    def end(self) -> None:
        """End the match once all cohorts are played, and all of it is recorded."""
        if not self._is_finished:
            return
        loss = ''
        if self.outbox is not None:
            if not self.outbox.is_settled:
                self.message = 'waiting for the recorder to write the last ticks'
                return
            loss = self.outbox.describe_loss()
        if loss:
            self.fail(loss)
            return
        self.stop(Phase.FINISHED)
        for cohort in self.cohorts:
            cohort.show_all()
        if len(self.cohorts) > 1:
            # Others than the first may have been played since.
            self._shown_tick = -1
        self.show()
        self.on_end()

    def fail(self, why: str) -> None:
        """End it here, and say why."""
        self._node.get_logger().error(why)
        self.stop(Phase.FAILED, why)
        self.show()
        self.on_end()

    def close(self) -> None:
        """Take everything off the graph."""
        self._node.destroy_timer(self._watch)
        for cohort in self.cohorts:
            cohort.close()
        self.topics.close()
        for part in (self.outbox, self.credits):
            if part is not None:
                part.close()

    # ---- how it stands

    def time_left(self, role: str) -> float:
        """Return the time that a role has left to answer [s]; 0 without a clock.

        In several cohorts, where least is left.
        """
        waiting = [each for each in self.cohorts if role in each.referee.missing]
        return min((each.time_left(role) for each in waiting or self.cohorts[:1]), default=0.0)

    def is_attached(self, role: str) -> bool:
        """Tell whether a role has an agent that can be asked."""
        return bool(self.roster.owner(role)) and self.topics.is_attached(role)

    def find_lane(self, lane: int) -> tuple[Environment, int]:
        """Return where a lane of the match is played, and its number there."""
        for cohort, part in zip(
            self.cohorts, split_lanes(self.info.lanes, self.info.cohorts), strict=True
        ):
            if lane in part:
                return cohort.environment, lane - part.start
        raise GdlError(f'no lane {lane}; lanes: 0 to {self.info.lanes - 1}')

    def name_owner(self, role: str, owner: str) -> str:
        """Have an attached agent own a role from the next tick on; return why not, '' if so."""
        known = [self.roster.owner(role), *self.roster.standby(role)]
        if owner not in known:
            there = ', '.join(filter(None, known)) or 'none'
            return f'{owner} is not attached to {role}; attached: {there}'
        self.roster.name_heir(role, owner)
        is_asked = any(role in referee.missing for referee in self.referees)
        if self.phase is not Phase.PLAYING or not is_asked:
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
        if self.outbox is not None and not self.outbox.has_subscribers:
            return 'a recorder'
        return ''

    def record_standing(self) -> None:
        """Let the numbers of now be seen: nothing is hidden at the moment."""
        self.standings.record_public()
        self.meter.show_latencies()

    def show(self) -> None:
        """Publish what spectators may see, if any listen and it is new."""
        topic = self.topics.spectator
        if self._shown_tick == self.environment.tick or not topic.get_subscription_count():
            return
        self._shown_tick = self.environment.tick
        steps = [cohort.step for cohort in self.cohorts]
        # Some cohorts may not have been played since.
        new = [
            step if step is not shown else None
            for step, shown in zip(steps, self._shown_steps, strict=True)
        ]
        self._shown_steps = steps
        parts = [cohort.environment for cohort in self.cohorts]
        message: Spectator | None = self._spectating.describe(parts, new)
        if message is not None:
            topic.publish(message)

    def set_clocks(self, clocks: PhaseClocks) -> None:
        """Play by other clocks from now on; the question that is open has them, too."""
        self.clocks = clocks
        for cohort in self.cohorts:
            cohort.set_clocks(clocks)
        self._node.destroy_timer(self._watch)
        self._watch = create_timer(self._node, clocks.watch_period, self._on_watch)

    # ---- inside

    @property
    def _is_finished(self) -> bool:
        return all(cohort.environment.is_finished for cohort in self.cohorts)

    def _on_watch(self) -> None:
        """Look ten times a second, or more, at the clock, and whether agents came or went."""
        self.topics.inbox.watch()
        self.roster.update()
        if self.outbox is not None:
            self.outbox.remind()
        self.show()
        if self.phase is Phase.WAITING and self.is_begun:
            absent = self.absent
            waited = monotonic() - self._began_at
            if absent and not 0 < self.clocks.start <= waited:
                self.message = f'waiting for {absent}'
                return
            self._start()
        elif self.phase is Phase.PLAYING and self._is_finished:
            self.end()
        elif self.phase is Phase.PLAYING:
            missing = {role for each in self.referees for role in each.missing}
            gone = [role for role in self.info.roles if role in missing and self._is_gone(role)]
            named = self.unattached if self.environment.hides_moves else gone
            self.message = f'no agent plays {", ".join(named)}' if named else ''
            if not named and self.credits is not None:
                self.message = self.credits.describe_wait()
            for cohort in self.cohorts:
                if self.phase is Phase.PLAYING:
                    cohort.watch()

    def _is_gone(self, role: str) -> bool:
        return not self.is_attached(role)

    def _start(self) -> None:
        """Play: the agents are there, or are not waited for any longer."""
        self.message = ''
        self.phase = Phase.PLAYING
        self.playing_time.start()
        if self.outbox is not None:
            for tick, lines in self.backlog:
                self.outbox.publish(tick, lines)
        self.backlog.clear()
        for cohort in self.cohorts:
            # What chance has done before the first tick.
            cohort.publish_record(cohort.environment.tick - 1)
        self._set_announcing(is_playing=True)
        for cohort in self.cohorts:
            # The last one may end it.
            if self.phase is Phase.PLAYING:
                cohort.advance()

    def _set_announcing(self, *, is_playing: bool) -> None:
        if (announcer := self.cohorts[0].announcer) is not None:
            announcer.set_playing(is_playing=is_playing)

    def _on_answer(self, cohort: int, role: str, data: bytes) -> bool:
        return self.cohorts[cohort].receive(role, data)

    def _on_progress(self) -> None:
        """Continue what waits for a recorder or learner."""
        for cohort in self.cohorts:
            cohort.resume()


def _do_nothing() -> None:
    """Nobody asked to be told of the end."""
