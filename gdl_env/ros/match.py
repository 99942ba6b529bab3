"""A match on the graph: asks, waits, plays, tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from time import monotonic
from typing import Any

from gdl_msgs.msg import Spectator

from gdl_env.environment.options import Policy
from gdl_env.environment.past import Past
from gdl_env.environment.referee import Referee, Verdict
from gdl_env.environment.step import Step
from gdl_env.environment.trace import TracedLine
from gdl_env.ros.complaints import Complaints
from gdl_env.ros.env_topics import Topics
from gdl_env.ros.packed import read_action, read_tick, unpack_answer
from gdl_env.ros.spectating import Spectating
from gdl_env.ros.standings import Standings
from gdl_env.ros.status_report import Meter
from gdl_env.ros.wire import WireError


class Phase(IntEnum):
    """Where a match is; the numbers are those of Status."""

    UNKNOWN = 0
    WAITING = 1
    PLAYING = 2
    PAUSED = 3
    FINISHED = 4
    FAILED = 5


@dataclass(frozen=True)
class Clocks:
    """Times to wait, in seconds; 0 is as long as it takes."""

    start: float
    play: float
    missing: float


# A question whose answer may have been lost is repeated after this time [s].
_REPEAT = 1.0
_REPEAT_IN_FLOOD = 0.2
# For so many ticks a second answer to a question that was repeated is expected.
_REMEMBERED = 100
# Names of agents are shown to people [characters].
_LONGEST_NAME = 200
# How often the clock and the agents are looked at [s].
_WATCH_PERIOD = 0.1

# Ticks in which nobody is asked are played in a row for at most this long [s].
_LONGEST_TURN = 0.05


class Match:
    """Plays the ticks of a referee with the agents on the topics.

    `on_end` is called when all episodes asked for are played, `log` with what people should know.
    """

    def __init__(
        self,
        node: Any,
        referee: Referee,
        clocks: Clocks,
        *,
        with_text: bool,
        spectating: Spectating,
        on_end: Callable[[], None],
        undo: int = 0,
        lookout: bool = True,
    ) -> None:
        self._node = node
        self.referee = referee
        self.environment = referee.environment
        self.clocks = clocks
        self.phase = Phase.WAITING
        self.message = ''
        self.past = Past(undo) if undo else None
        # Why nothing can be taken back; '' if it can.
        self.finality = _find_finality(referee)
        self.meter = Meter(is_held=self.environment.hides_moves)
        self.standings = Standings(referee)
        self._with_text = with_text
        self._spectating = spectating
        self._on_end = on_end
        self._info = self.environment.info()
        self._complaints = Complaints(node.get_logger())
        # What happened before a match was broken off, and may not have been recorded.
        self.backlog: list[tuple[int, list[TracedLine]]] = []
        self.topics = Topics(node, referee, self._on_answer, lookout=lookout)
        self._asked_at = self._repeated_at = monotonic()
        # How many could answer when that was looked at last, and whether somebody came since.
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
        # One timer that looks at the clock: one to be set anew in each tick would cost more.
        period = min(_WATCH_PERIOD, clocks.play / 10) if clocks.play else _WATCH_PERIOD
        self._watch = node.create_timer(max(period, 0.005), self._on_watch)

    # ---- running

    def begin(self) -> None:
        """Wait for the agents, then play."""
        self.phase = Phase.WAITING
        self._is_begun = True
        self._began_at = monotonic()
        self._on_watch()

    def reset(self, seed: int | None, episodes: int) -> None:
        """Begin so many new episodes; they are played once `begin` is called."""
        self.pause()
        self.backlog.clear()
        if self.past is not None:
            self.past.clear()
        self.referee.reset(seed, episodes)
        self._note_standing()

    def take_back(self, role: str) -> bool:
        """Go back to the last decision of a role, and ask again; False if there is none."""
        if self.past is None or self.finality or not self.referee.take_back(self.past, role):
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

    @property
    def time_left(self) -> float:
        """Return the time left to answer [s]; 0 without a clock."""
        if not self.clocks.play:
            return 0.0
        return max(0.0, self._asked_at + self.clocks.play - monotonic())

    @property
    def unattached(self) -> list[str]:
        """Return the roles that agents are to play, and nobody does."""
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
        if self.environment.game.trace and not self.topics.record.get_subscription_count():
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

    def _note_standing(self) -> None:
        self.standings.note()
        self.meter.show_latencies()

    def _on_watch(self) -> None:
        """Look ten times a second, or more, at the clock, and whether agents came or went."""
        self.topics.inbox.watch()
        self.show()
        if self.phase is Phase.WAITING and self._is_begun:
            absent = self.absent
            waited = monotonic() - self._began_at
            if absent and not 0 < self.clocks.start <= waited:
                self.message = f'waiting for {absent}'
                return
            self.message = ''
            self.phase = Phase.PLAYING
            for tick, lines in self.backlog:
                self.topics.note(tick, lines)
            self.backlog.clear()
            # What chance has done before the first tick.
            self._note(self.environment.tick - 1)
            self._go_on()
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

        That is so in a flood of foreign answers, and if somebody came after the question was
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
                self.topics.ask(question, self.time_left)

    def _on_answer(self, role: str, data: bytes) -> bool:
        """Take an answer, and tell whether it counts; most are sorted out by their first bytes."""
        try:
            tick = read_tick(data)
            if self._asked_again and self._is_repeated(role, tick):
                return True
            verdict = self.referee.judge(role, tick)
            if verdict is not Verdict.ACCEPTED:
                if self._complaints.is_due(role, verdict.value):
                    self._complain(role, verdict, data)
                return False
            answer = unpack_answer(data, self._info)
            if len(answer.agent) > _LONGEST_NAME:
                raise WireError(f'{answer.agent[:20]}…: a name of {len(answer.agent)} characters')
        except WireError as error:
            self.referee.refuse(role)
            if self._complaints.is_due(role, 'garbage'):
                self._complaints.say(role, 'garbage', f'role {role}: {error}')
            return False
        verdict = self.referee.receive(role, answer)
        if verdict is not Verdict.ACCEPTED:
            if self._complaints.is_due(role, verdict.value):
                self._complain(role, verdict, data)
            return False
        self.meter.add_latency(role, monotonic() - self._asked_at)
        if self.phase is Phase.PLAYING and self.referee.is_complete:
            self._play()
        return True

    def _is_repeated(self, role: str, tick: int) -> bool:
        """Tell whether it is a second answer that was to be expected: nobody's fault."""
        if (role, tick) not in self._asked_again:
            return False
        if role in self.referee.missing and tick == self.environment.tick_of(role):
            return False
        self._asked_again.remove((role, tick))
        return True

    def _complain(self, role: str, verdict: Verdict, data: bytes) -> None:
        """Say whose answer was dropped, and why."""
        try:
            found = read_action(data)
            name = f'{found.agent[:_LONGEST_NAME]}, as {found.role[:_LONGEST_NAME]}'
            tick = found.tick
        except WireError as error:
            name, tick = str(error), read_tick(data)
        text = f'role {role} ({name}): {verdict.value} answer dropped'
        if not self.environment.hides_moves:
            # Others may read the log, and how often a role was asked may be hidden from them.
            text += f', for tick {tick} at tick {self.environment.tick_of(role)}'
        self._complaints.say(role, verdict.value, text)

    def _on_next(self) -> None:
        self._next.cancel()
        if self.phase is Phase.PLAYING:
            self._go_on()

    def _go_on(self) -> None:
        """Ask, or play on if nobody is to be asked."""
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
                self.topics.ask(question, self.clocks.play)
            else:
                self.topics.show(question)
        self.show()

    def _play(self) -> None:
        """Play ticks until somebody is to be asked."""
        started = monotonic()
        while self.phase is Phase.PLAYING:
            if self.past is not None and not self.finality:
                self.past.note(self.environment)
            step = self.referee.play()
            self._step = step
            if self.environment.hides_moves and step.ended.any():
                self._note_standing()
            self._report(step)
            self.topics.tell(step)
            self._note(step.tick)
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

    def _end(self) -> None:
        self.stop(Phase.FINISHED)
        for role in self.environment.roles:
            self.topics.ask(self.environment.question(role, with_text=self._with_text))
        self.show()
        self._on_end()

    def _note(self, tick: int) -> None:
        if self.environment.game.trace is not None:
            self.topics.note(tick, self.environment.game.trace.take())

    def _report(self, step: Step) -> None:
        for role, origin in step.offences:
            word = origin.name.lower()
            if self._complaints.is_due(role, f'{word} tick'):
                agent = self.referee.attendance[role].agent or 'nobody'
                what = 'no answer in time' if word == 'late' else 'an illegal answer'
                when = '' if self.environment.hides_moves else f' at tick {step.tick}'
                self._complaints.say(role, f'{word} tick', f'role {role} ({agent}): {what}{when}')


def _find_finality(referee: Referee) -> str:
    """Return why the moves of a match stay as they are; '' if they can be taken back."""
    if referee.journal is not None or referee.environment.game.trace is not None:
        return 'a match that is written down takes nothing back'
    if referee.environment.game.lanes > 1:
        return 'with several lanes nothing is taken back'
    return ''
