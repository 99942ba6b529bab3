"""What a page shows of a match, as plain data: the scene, the players, a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gdl_msgs.msg import Status

from gdl_env.gui.drawing.pieces import role_colour
from gdl_env.gui.drawing.scene import FactTable, MovePicture, Scene
from gdl_env.gui.drawing.view_file import ViewFile
from gdl_env.gui.frames import Frame
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.seats.agreements import AgreedEnd
from gdl_env.gui.seats.role_times import RoleTimes
from gdl_env.gui.seats.who_plays import describe_missing, name_agent, tally_of
from gdl_env.gui.study.results import describe_end
from gdl_env.gui.texts import list_names, name_outcome, text

# Pieces of one role that are enough to tell on which side of the board it began.
_ARMY = 6
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
        # The squares that decided the game, as far as they were found.
        self.won_squares: list[str] = []
        self._is_reversed: bool | None = None
        # How those who play have ended the game, if they have.
        self.agreed: AgreedEnd | None = None
        self._times = RoleTimes(role)
        # Rises when what is to be drawn has changed here.
        self.version = 0
        # What an analysis says of the moves of the position on display; {}: there is none.
        self.rated: dict[str, float] = {}

    def frame(self, number: int | None) -> Frame | None:
        """Return a frame by number, or the newest."""
        link = self._link
        frames = link.frames
        if self.role:
            seat = link.seats.get(self.role)
            if seat is None:
                return None
            # Where all see the same, spectators receive the moves as well.
            if seat.frames.count and (number is None or not link.is_open):
                frames = seat.frames
        if link.info is None:
            return None
        frame = frames.newest(link.info) if number is None else frames.get(number, link.info)
        if self.role and frame is not None and frame.is_all and not link.is_open:
            # Spectators may be shown what is hidden from the role.
            return None
        return self._with_goals(frame)

    def _with_goals(self, frame: Frame | None) -> Frame | None:
        """Return a position with the goals of all, where a role was sent its own."""
        if frame is None or not (self.role and frame.goals):
            return frame
        return replace(frame, goals=self._goals(frame.episode) or frame.goals)

    def end_goals(self, frame: Frame, *, is_live: bool = False) -> dict[str, int]:
        """Return the goals of all roles at the end of a game; {} while some are unknown.

        What a player is sent has its own goal only; the others follow, for spectators. The newest
        position of a match that is over is an end, too, also if it comes without goals.
        """
        info, status = self._link.info, self._link.status
        is_over = is_live and status is not None and status.phase == Status.PHASE_FINISHED
        if info is None or not (frame.goals or is_over):
            return {}
        goals = self._goals(frame.episode) or frame.goals
        return goals if len(goals) == len(info.roles) else {}

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
        painter = link.painter
        is_live = number is None and held is None
        frame = self._with_goals(held) if held else self.frame(number)
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
        words, kind = self._banner(frame, is_live, can_play)
        return {
            'scene': scene.to_json(),
            'players': self._players(frame, is_live),
            'banner': words,
            'bannerKind': kind,
            'tick': frame.tick if frame else 0,
            'episode': frame.episode if frame else 0,
            'canPlay': can_play,
            'isWaiting': is_asked and is_answered,
            'canPlan': self._find_planner(frame, is_live),
            'lastSquares': self._last_squares(frame) or self._changed_squares(frame, scene),
            'lastPaths': [
                p.to_arrow('last') for p in self._last_pictures(frame) if p.path and not p.arrow
            ],
            'outcome': self._outcome(frame, kind),
            'wonSquares': self.won_squares if frame and kind == 'result' else [],
            'isReversed': self._find_side(scene),
            # What screen readers say of it.
            'spoken': painter.describe_moves(frame.moves) if frame and painter else '',
        }

    def _outcome(self, frame: Frame | None, kind: str) -> str:
        if frame is None or kind != 'result':
            return ''
        if self.agreed is not None and self.agreed.episode == frame.episode:
            return self.agreed.outcome(self.role)
        goals = frame.goals or self._last_goals(frame)
        painter = self._link.painter
        told = painter.view.result if painter is not None else None
        return name_outcome(goals, self.role, told.zero if told is not None else None)

    def _last_goals(self, frame: Frame) -> dict[str, int]:
        """Return the goals of a match that is over, as far as this page was told them."""
        seat = self._link.seats.get(self.role) if self.role else None
        goals = self._goals(frame.episode)
        if not goals and seat is not None and seat.goal is not None:
            return {self.role: seat.goal}
        return goals

    def _find_side(self, scene: Scene) -> bool:
        """Tell whether the role's own pieces began at the top: its board is turned then."""
        if self._is_reversed is None and self.role:
            for board in scene.boards[:1]:
                own = [
                    int(place.partition(',')[0])
                    for place, pieces in board.pieces.items()
                    if any(self.role in piece.label.split() for piece in pieces)
                ]
                if len(own) >= _ARMY:
                    self._is_reversed = sum(own) / len(own) < (len(board.rows) - 1) / 3
        return bool(self._is_reversed)

    def _paint(self, frame: Frame, is_live: bool) -> Scene:
        painter = self._link.painter
        assert painter is not None
        preference = self.values_of(frame, is_live=is_live) if self.with_heat else None
        # What was rolled may be in the moves only.
        moves = self._drawn_moves(frame)
        try:
            return painter.paint(frame.facts, frame.legal, self.role, preference, moves)
        except ValueError as error:
            self._link.trouble = text('banner.undrawable', error=error)
            return Scene(notes=frame.facts)

    def values_of(self, frame: Frame, *, is_live: bool) -> dict[str, float]:
        """Return how moves are rated: by an analysis, else by the agents that play.

        Theirs are of this position, or of the one that led to it.
        """
        link = self._link
        if frame.is_final or link.info is None:
            return {}
        if self.rated:
            return self.rated
        if not link.is_open:
            # Roles count their own ticks, which no other role can tell apart.
            return link.move_values.newest() if is_live else {}
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
                more = (
                    ((text('banner.more', count=len(moves) - _LISTED),),)
                    if len(moves) > _LISTED
                    else ()
                )
                yield FactTable(text('banner.legal_moves', role=role), (*rows, *more))

    def _last_pictures(self, frame: Frame | None) -> list[MovePicture]:
        """Return the moves that led to a position, with their places."""
        painter = self._link.painter
        if frame is None or painter is None:
            return []
        try:
            return painter.pictures_of(frame.moves or self._moves_before(frame), self.role)
        except ValueError:
            return []

    def _last_squares(self, frame: Frame | None) -> list[str]:
        # A direction leads from where the piece stood before.
        found = [p for p in self._last_pictures(frame) if not p.arrow]
        return [f'{p.board}:{row},{column}' for p in found for row, column in p.path]

    def _find_planner(self, frame: Frame | None, is_live: bool) -> str:
        """Return the role of this page if it may choose a move ahead of its turn; else ''.

        Where something is hidden, or all move at once, there is nothing to be ahead of.
        """
        status = self._link.status
        is_played = status is not None and status.phase == Status.PHASE_PLAYING
        if not (self.role and is_live and is_played and self._link.is_open and frame):
            return ''
        is_ours = frame.is_to_move or bool(frame.goals)
        return '' if is_ours else self.role

    def _changed_squares(self, frame: Frame | None, scene: Scene) -> list[str]:
        """Return the squares that a move has changed which names none: a disc in a column."""
        if not scene.boards or not self._link.is_open:
            return []
        before = self._frame_at(frame, -1) if frame else None
        if frame is None or before is None or self._link.painter is None:
            return []
        if not (frame.moves or self._moves_before(frame)):
            return []
        old = self._link.painter.paint(before.facts, viewer=self.role).boards
        if len(old) != len(scene.boards):
            return []
        return [
            f'{number}:{place}'
            for number, (now, then) in enumerate(zip(scene.boards, old, strict=True))
            for place, pieces in now.pieces.items()
            if then.pieces.get(place) != pieces
        ]

    def _frame_at(self, frame: Frame, steps: int) -> Frame | None:
        """Return the position that spectators saw some steps before or after one."""
        link = self._link
        # A role is shown the tick it is asked at, spectators the one before.
        tick = frame.tick + steps - bool(self.role and frame.is_to_move)
        first, last = link.frames.span
        for number in range(last, first - 1, -1):
            told = link.frames.get(number, link.info) if link.info is not None else None
            # A thousand positions of the games before need not be unpacked.
            if told is not None and (told.episode, told.tick) <= (frame.episode, tick):
                return told if (told.episode, told.tick) == (frame.episode, tick) else None
        return None

    def _drawn_moves(self, frame: Frame) -> dict[str, str]:
        """Return the last moves before a position, with what chance made of them."""
        moves, game = frame.moves or self._moves_before(frame), self._link.game
        if game is None or not game.experiments or not self._link.is_open:
            return moves
        before = self._frame_at(frame, -1)
        after = replace(frame, moves=moves, tick=before.tick + 1) if before else None
        if before is None or after is None:
            return moves
        return self._link.drawn_moves.find(game, before.facts, after)[-1]

    def _moves_before(self, frame: Frame) -> dict[str, str]:
        """Return the moves that led to the question of a role, where spectators receive them."""
        link = self._link
        if not self.role or not link.is_open or link.info is None:
            return {}
        first, last = link.frames.span
        for number in range(last, max(first, last - 3) - 1, -1):
            told = link.frames.get(number, link.info)
            if told is not None and told.episode == frame.episode and told.tick == frame.tick - 1:
                return told.moves
        return {}

    def _is_on(self) -> bool:
        status = self._link.status
        return status is None or status.phase in {Status.PHASE_PLAYING, Status.PHASE_UNKNOWN}

    def _players(self, frame: Frame | None, is_live: bool) -> list[dict[str, Any]]:
        link = self._link
        if link.info is None:
            return []
        known = {role.role: role for role in link.status.roles} if link.status else {}
        goals = (self.end_goals(frame, is_live=is_live) or frame.goals) if frame else {}
        players = []
        for role in link.info.roles:
            status = known.get(role)
            is_awaited = bool(status and status.is_awaited and is_live and self._is_on())
            movers = frame.movers if frame else ()
            told = link.painter.view.roles.get(role, {}) if link.painter else {}
            players.append(
                {
                    'role': told.get('label', role),
                    'name': role,
                    'colour': told.get('colour') or role_colour(role, link.info.roles),
                    'agent': name_agent(status, link.players.get(role, '')),
                    'isYou': role == self.role,
                    'toMove': role in movers or (is_awaited and not movers),
                    'clock': self._times.left(link, status, frame) if is_live else None,
                    'goal': goals.get(role),
                    'tally': tally_of(status),
                    'strikes': int(status.strikes) if status else 0,
                }
            )
        return players

    def _banner(self, frame: Frame | None, is_live: bool, can_play: bool) -> tuple[str, str]:
        link = self._link
        if link.info is None:
            return text('banner.searching'), ''
        if not link.is_alive:
            return text('banner.silent'), 'trouble'
        if frame is None:
            return text('banner.first_position'), ''
        if frame.goals:
            return self._describe_end(frame, frame.goals), 'result'
        if not is_live:
            return text('banner.past'), ''
        if self.agreed is not None and self.agreed.episode == frame.episode:
            return self._describe_agreement(self.agreed), 'result'
        status = link.status
        if status is None:
            return text('banner.no_status'), ''
        phase = status.phase
        if phase == Status.PHASE_PAUSED:
            return text('banner.paused'), ''
        if phase == Status.PHASE_FAILED:
            return text('banner.failed', error=status.message), 'trouble'
        if phase == Status.PHASE_FINISHED:
            words = self._describe_end(frame, self._last_goals(frame))
            return (words or text('banner.over')), 'result'
        if phase == Status.PHASE_WAITING:
            # Whoever can ask for games is at this page, and has a button for it.
            is_idle = not status.message or 'play_matches' in status.message
            return (text('banner.idle') if is_idle else self._describe_wait(status)), ''
        if can_play:
            return text('banner.your_turn'), ''
        return self._describe_turn(frame, status), ''

    def _describe_agreement(self, end: AgreedEnd) -> str:
        if not end.resigned:
            return text('banner.agreed_draw')
        if end.resigned == self.role:
            return text('banner.resigned')
        return text('banner.other_resigned', name=self._name(end.resigned))

    def _describe_turn(self, frame: Frame, status: Status) -> str:
        """Say who is awaited; of those who choose at the same time, that the rest is awaited."""
        others = [role for role in status.roles if role.role != self.role]
        waiting = [role.role for role in others if role.is_awaited]
        seat = self._link.seats.get(self.role) if self.role else None
        # A choice made in series with those of others, unseen, has led to the next step already.
        chosen_in = frame.tick if frame.is_to_move else frame.tick - 1
        is_chosen = seat is not None and 0 < seat.answered == chosen_in
        is_idle = bool(self.role) and not frame.is_to_move
        if not waiting and not self._link.is_open and (is_chosen or is_idle):
            # Where moves are hidden, no player learns who has still to choose.
            if missing := self._describe_wait(status):
                return missing
            if len(others) > 1:
                return text('banner.others_chosen' if is_chosen else 'banner.others')
            waiting = [role.role for role in others]
        if not waiting:
            return self._describe_wait(status)
        names = list_names([self._name(role) for role in waiting])
        return text('banner.chosen' if is_chosen else 'banner.to_move', names=names)

    def _describe_wait(self, status: Status) -> str:
        names = {role.role: self._name(role.role) for role in status.roles}
        return describe_missing(status, self._link.players, names, self._link.seats) or str(
            status.message
        )

    def _name(self, role: str) -> str:
        return self._link.painter.view.word(role) if self._link.painter else role

    def _describe_end(self, frame: Frame, goals: dict[str, int]) -> str:
        view = self._link.painter.view if self._link.painter else ViewFile()
        return describe_end(goals, frame.facts, view, self.role)
