"""How good the position on a page is: a bar, the best moves, and a graph over the game."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from gdl_env.gui.components.table import GameTable
from gdl_env.gui.frames import Frame
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.navigator import Navigator
from gdl_env.gui.pages.shell import complain, guarded
from gdl_env.gui.study.study_process import StudyProcess


class StudyPanel:
    """Rates what a page shows, and in the meantime the other positions of the game.

    Only where nothing is hidden; and not the position in which a person has to decide.
    """

    def __init__(self, link: MatchLink, role: str, table: GameTable, navigator: Navigator) -> None:
        self._link = link
        self._role = role
        self._table = table
        self._navigator = navigator
        self._process: StudyProcess | None = None
        # By number of frame: the share of the first role, 0 to 1, and all that was said.
        self._ratings: dict[int, dict[str, Any]] = {}
        self._asked: int | None = None
        self._shown: tuple[Any, ...] = ()
        self._lives = 0

    def build(self) -> None:
        """Make the switch."""
        self.switch = ui.switch('analyse', on_change=guarded(self._toggle))
        self.switch.props('data-mark=analyse')
        ui.context.client.on_delete(self._end)

    def refresh(self) -> None:
        """Ask for what is not rated yet, and draw what is."""
        self.switch.set_visibility(self._link.is_open)
        if self._process is None:
            return
        if self._lives != self._link.lives:
            self._lives = self._link.lives
            self._ratings.clear()
            self._asked = None
        number = self._current()
        is_busy = self._asked is not None and not self._is_done(self._asked)
        wanted = number if number is not None and not self._is_done(number) else None
        if wanted is None and not is_busy:
            entries = self._navigator.history.entries()
            wanted = next((e.number for e in entries if not self._is_done(e.number)), None)
            if self._role and wanted == self._navigator.history.frames.span[1]:
                wanted = None
        if wanted is not None and (wanted != self._asked) and (wanted == number or not is_busy):
            frame = self._frame(wanted)
            if frame is None or frame.goals:
                self._ratings[wanted] = {'is_done': True}
            else:
                self._asked = wanted
                assert self._process is not None
                self._process.ask(wanted, frame.facts)
        self._draw(number)

    def _current(self) -> int | None:
        """Return the position to be rated: none while a person has to decide in it."""
        if self._navigator.number is None and self._role:
            status = self._link.status
            if status is None or status.phase == status.PHASE_PLAYING:
                return None
        number = self._navigator.number
        return self._navigator.history.frames.span[1] if number is None else number

    def _frame(self, number: int) -> Frame | None:
        info = self._link.info
        return self._link.frames.get(number, info) if info is not None else None

    def _is_done(self, number: int) -> bool:
        return bool(self._ratings.get(number, {}).get('is_done'))

    def _on_rating(self, told: dict[str, Any]) -> None:
        if 'error' in told:
            with self._table:
                complain(f'this position cannot be analysed: {told["error"]}')
            return
        self._ratings[int(told['id'])] = told

    def _share(self, told: dict[str, Any]) -> float | None:
        """Return how the first role stands, 0 to 1, where two play; else the role that moves."""
        if not told.get('moves') or self._link.info is None:
            return None
        value = float(told['value'])
        roles = list(self._link.info.roles)
        return 1 - value if len(roles) == 2 and told['role'] == roles[1] else value

    def _draw(self, number: int | None) -> None:
        told = self._ratings.get(number, {}) if number is not None else {}
        entries = [e for e in self._navigator.history.entries() if not e.is_undone]
        points = [self._share(self._ratings.get(e.number, {})) for e in entries]
        place = next((i for i, e in enumerate(entries) if e.number == number), -1)
        news = (number, told.get('visits'), told.get('is_done'), tuple(points), place)
        if news == self._shown:
            return
        self._shown = news
        painter = self._link.painter
        moves = [
            {
                'label': painter.name_move(m['move'], told['role']) if painter else m['move'],
                'value': m['value'],
                'isProven': m['is_proven'],
            }
            for m in told.get('moves', ())
        ]
        self._table.run_method(
            'showStudy',
            {
                'share': self._share(told),
                'role': told.get('role', ''),
                'isProven': told.get('is_proven', False),
                'visits': told.get('visits', 0),
                'moves': moves,
                'points': points,
                'place': place,
            },
        )

    async def _toggle(self) -> None:
        if not self.switch.value:
            await self._end()
            self._table.run_method('showStudy', None)
            return
        if self._process is None and self._link.info is not None:
            self._process = StudyProcess(self._link.info.rules, self._on_rating)
            await self._process.start()
            self._asked, self._shown = None, ()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.stop()
