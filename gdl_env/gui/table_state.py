"""What a page shows of a match, as plain data: the scene, the players, a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import monotonic
from typing import Any

from gdl_msgs.msg import RoleStatus, Status

from gdl_env.gui.drawing.pieces import role_colour
from gdl_env.gui.drawing.scene import FactTable, Scene
from gdl_env.gui.frames import Frame
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.texts import describe_result
from gdl_env.ros.transport.messages import from_duration

_AGENT_WORDS = {
    RoleStatus.AGENT_STATE_UNKNOWN: 'played by the environment',
    RoleStatus.AGENT_STATE_MISSING: 'nobody',
    RoleStatus.AGENT_STATE_SILENT: 'silent',
}


# Legal moves of others that are listed.
_LISTED = 60


class TableState:
    """Makes what a table is sent, for one page: a role's, or a spectator's."""

    def __init__(self, link: MatchLink, role: str = '') -> None:
        self._link = link
        self.role = role
        self.with_heat = False
        # What others may do, by role, and at which tick, as far as it was requested.
        self.options: dict[str, tuple[int, list[str]]] = {}

    def frame(self, number: int | None) -> Frame | None:
        """Return a frame by number, or the newest."""
        link = self._link
        frames = link.frames
        if self.role:
            seat = link.seats.get(self.role)
            if seat is None:
                return None
            if seat.frames.count:
                frames = seat.frames
        if link.info is None:
            return None
        frame = frames.newest(link.info) if number is None else frames.get(number, link.info)
        if self.role and frame is not None and frame.is_all and not link.is_open:
            # Spectators may be shown what is hidden from the role.
            return None
        if self.role and frame is not None and frame.goals:
            # A role receives its own.
            return replace(frame, goals=self._goals(frame.episode) or frame.goals)
        return frame

    def _goals(self, episode: int) -> dict[str, int]:
        """Return how an episode ended, as published; empty if it is not the last one."""
        link = self._link
        _, last = link.frames.span
        for number in (last, last - 1):
            told = link.frames.get(number, link.info) if link.info is not None else None
            if told is not None and told.goals and told.episode == episode:
                return told.goals
        return {}

    def make(self, number: int | None, held: Frame | None = None) -> dict[str, Any]:
        """Return what is to be drawn: the newest frame, one from before, or one that is held."""
        link = self._link
        is_live = number is None and held is None
        frame = held or self.frame(number)
        scene = Scene()
        if frame is not None and link.painter is not None:
            scene = self._paint(frame, is_live)
        seat = link.seats.get(self.role) if self.role else None
        is_asked = bool(
            is_live and frame is not None and frame.is_to_move and link.is_alive and self._is_on()
        )
        is_answered = bool(seat and frame and seat.answered == frame.tick)
        can_play = is_asked and not is_answered
        if not can_play:
            scene = replace(scene, moves=())
        if is_live and frame is not None:
            scene = replace(scene, tables=(*scene.tables, *self._options(frame)))
        text, kind = self._banner(frame, is_live, can_play)
        return {
            'scene': scene.to_json(),
            'players': self._players(frame, is_live),
            'banner': text,
            'bannerKind': kind,
            'tick': frame.tick if frame else 0,
            'episode': frame.episode if frame else 0,
            'canPlay': can_play,
            'isWaiting': is_asked and is_answered,
            'clock': self._clock(frame) if is_live else None,
            'lastSquares': self._last_squares(frame),
        }

    def _paint(self, frame: Frame, is_live: bool) -> Scene:
        painter = self._link.painter
        assert painter is not None
        preference = self._thoughts(frame, is_live) if self.with_heat else None
        try:
            return painter.paint(frame.facts, frame.legal, self.role, preference)
        except ValueError as error:
            self._link.trouble = f'this cannot be drawn: {error}'
            return Scene(notes=frame.facts)

    def _thoughts(self, frame: Frame, is_live: bool) -> dict[str, float] | None:
        """Return what was thought of this position; else of the one that led to it."""
        link = self._link
        if frame.is_final or link.info is None:
            return None
        if not link.is_open:
            # Roles count their own ticks, which no other role can tell apart.
            return link.move_values.newest() if is_live else None
        # A role is shown the tick it is asked at, spectators the one before.
        tick = frame.tick if self.role else frame.tick + 1
        roles = link.info.roles
        return link.move_values.at(tick, roles) or link.move_values.at(tick - 1, roles)

    def _options(self, frame: Frame) -> Iterator[FactTable]:
        """Yield the legal moves of others at this position."""
        for role, (tick, moves) in self.options.items():
            # Spectators are shown what a tick has led to; what is legal belongs to the next.
            if tick == frame.tick + 1 and moves:
                rows = tuple((move,) for move in moves[:_LISTED])
                more = ((f'… and {len(moves) - _LISTED} more',),) if len(moves) > _LISTED else ()
                yield FactTable(f'legal moves of {role}', (*rows, *more))

    def _last_squares(self, frame: Frame | None) -> list[str]:
        painter = self._link.painter
        if frame is None or painter is None:
            return []
        return painter.squares_of(frame.moves)

    def _is_on(self) -> bool:
        status = self._link.status
        return status is None or status.phase in {Status.PHASE_PLAYING, Status.PHASE_UNKNOWN}

    def _clock(self, frame: Frame | None) -> float | None:
        if frame is not None and frame.deadline:
            return max(0.0, frame.deadline - monotonic())
        status = self._link.status
        for role in status.roles if status else ():
            left = from_duration(role.time_left)
            if role.is_awaited and left:
                return max(0.0, left - (monotonic() - self._link.heard))
        return None

    def _players(self, frame: Frame | None, is_live: bool) -> list[dict[str, Any]]:
        link = self._link
        if link.info is None:
            return []
        known = {role.role: role for role in link.status.roles} if link.status else {}
        players = []
        for role in link.info.roles:
            status = known.get(role)
            is_awaited = bool(status and status.is_awaited and is_live and self._is_on())
            movers = frame.movers if frame else ()
            told = link.painter.view.roles.get(role, {}) if link.painter else {}
            players.append(
                {
                    'role': told.get('label', role),
                    'colour': told.get('colour') or role_colour(role, link.info.roles),
                    'agent': _agent(status),
                    'isYou': role == self.role,
                    'toMove': role in movers or (is_awaited and not movers),
                    'goal': frame.goals.get(role) if frame else None,
                    'tally': _tally(status),
                    'strikes': int(status.strikes) if status else 0,
                }
            )
        return players

    def _banner(self, frame: Frame | None, is_live: bool, can_play: bool) -> tuple[str, str]:
        link = self._link
        if link.info is None:
            return 'looking for the match …', ''
        if not link.is_alive:
            return 'the environment is silent; this page goes on by itself once it is back', (
                'trouble'
            )
        if frame is None:
            return 'waiting for the first position …', ''
        if frame.goals:
            return describe_result(frame.goals, self.role), 'result'
        if not is_live:
            return f'looking back: episode {frame.episode}, tick {frame.tick}', ''
        status = link.status
        if status is None:
            return 'waiting for the environment …', ''
        phase = status.phase
        if phase == Status.PHASE_PAUSED:
            return 'paused', ''
        if phase == Status.PHASE_FAILED:
            return f'the match cannot go on: {status.message}', 'trouble'
        if phase == Status.PHASE_FINISHED:
            seat = link.seats.get(self.role) if self.role else None
            goals = self._goals(frame.episode)
            if not goals and seat is not None and seat.goal is not None:
                goals = {self.role: seat.goal}
            return (describe_result(goals, self.role) or 'the match is over'), 'result'
        if phase == Status.PHASE_WAITING:
            # Whoever can ask for games is at this page, and has a button for it.
            is_idle = not status.message or 'play_matches' in status.message
            idle = 'no game is being played: New game begins one'
            return (idle if is_idle else str(status.message)), ''
        if can_play:
            return 'your turn', ''
        waiting = [role.role for role in status.roles if role.is_awaited]
        others = [role for role in waiting if role != self.role]
        text = f'{", ".join(others)} to move' if others else ''
        return text or str(status.message), ''


def _agent(status: RoleStatus | None) -> str:
    if status is None:
        return ''
    if status.agent_state == RoleStatus.AGENT_STATE_ATTACHED:
        return str(status.agent) or 'attached'
    words = _AGENT_WORDS.get(status.agent_state, 'unknown')
    return f'{status.agent} ({words})' if status.agent and words == 'silent' else words


def _tally(status: RoleStatus | None) -> str:
    if status is None or not status.wins + status.draws + status.losses:
        return ''
    return f'{status.wins}-{status.draws}-{status.losses}'
