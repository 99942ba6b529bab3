"""The page of one match: watch it, or play a role in it."""

from __future__ import annotations

from time import monotonic
from typing import Any
from urllib.parse import quote

from gdl_msgs.msg import Status
from nicegui import ui

from gdl_env.errors import GdlError
from gdl_env.gui.components.table import GameTable
from gdl_env.gui.ending import EndingDisplay
from gdl_env.gui.errors import GuiError
from gdl_env.gui.frames import Frame, Frames
from gdl_env.gui.hub import Hub
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.shell import complain, guarded, mark, shell, visitor
from gdl_env.gui.table_state import TableState

# How often a page looks whether there is something new [s]. To draw it takes at most one part of
# the time in so many: a server has other pages, too.
_PERIOD = 1 / 60
_PARTS = 5
_ALL = 10**9
# How often legal moves of others are asked for, if they are shown [s].
_ASKING = 0.3


def match_url(namespace: str, role: str = '') -> str:
    """Return the address of a match, for those who watch or for a role."""
    query = f'ns={quote(namespace)}' + (f'&role={quote(role)}' if role else '')
    return f'/match?{query}'


class MatchPage:
    """One open page."""

    def __init__(self, hub: Hub, link: MatchLink, role: str) -> None:
        self.hub = hub
        self.link = link
        self.role = role
        self.visitor = visitor()
        self.state = TableState(link, role)
        # The frame that is looked back at; None is the newest.
        self.number: int | None = None
        self._shown: tuple[Any, ...] = ()
        self._resting = 0.0
        self._held: Frame | None = None
        self._ending = EndingDisplay(monotonic())
        self._present = 0.0
        self._is_leaving = False
        self._roles: tuple[str, ...] = ()

    def build(self) -> None:
        """Make the elements."""
        self.table = GameTable(guarded(self._play))
        with ui.row().classes('w-full items-center gap-2'):
            self.first = self._button('first_page', 'to the beginning', lambda: self._step(-_ALL))
            self.back = self._button('chevron_left', 'one step back', lambda: self._step(-1))
            self.slider = ui.slider(min=0, max=1, value=1, on_change=self._slide).classes(
                'w-40 sm:w-64'
            )
            self.slider.props('aria-label="history"')
            self.forth = self._button('chevron_right', 'one step forth', lambda: self._step(1))
            self.live = ui.button('live', on_click=self._go_live).props('flat dense no-caps')
            self.count = ui.label().classes('text-sm opacity-70')
            ui.space()
            self.options = ui.switch('legal moves')
            self.options.set_visibility(not self.role)
            self.heat = ui.switch('what agents think', on_change=self._switch_heat)
        with ui.row().classes('w-full items-center gap-2'):
            ui.button('New game', icon='replay', on_click=guarded(self._new_game)).props(
                'no-caps'
            ).props('data-mark=new-game')
            self.pause = ui.button('Pause', icon='pause', on_click=guarded(self._pause)).props(
                'no-caps flat'
            )
            self.undo = ui.button('Undo', icon='undo', on_click=guarded(self._undo)).props(
                'no-caps flat'
            )
            self.undo.set_visibility(bool(self.role))
            self.seats = ui.row().classes('items-center gap-1')
            ui.space()
            ui.link('who plays', f'/graph?ns={quote(self.link.namespace)}').classes('text-sm')
        self.trouble = ui.label().classes('text-negative text-sm')
        ui.keyboard(on_key=self._on_key)
        ui.timer(_PERIOD, self._refresh)
        if not self.role:
            ui.timer(_ASKING, self._ask_options)

    # ---- drawing

    @property
    def frames(self) -> Frames:
        """Return what this page shows: of a role, or of those who look on."""
        seat = self.link.seats.get(self.role) if self.role else None
        return seat.frames if seat is not None else self.link.frames

    def _refresh(self) -> None:
        if not self._has_role():
            if not self._is_leaving:
                self._is_leaving = True
                ui.navigate.to(match_url(self.link.namespace))
            return
        now = monotonic()
        if now - self._present > 1.0:
            self._present = now
            self.hub.use(self.link)
            self.hub.claims.touch(self.link.namespace, self.role, self.visitor)
            self._draw_controls()
        if self.link.info is not None:
            self._held = self._ending.choose_frame(self.frames, self.link.info, now)
        if self.number is not None:
            self._held = None
        news = (
            self.frames.version,
            self.link.version,
            self.number,
            self.state.with_heat,
            self._held,
            self.link.is_alive,
        )
        if news == self._shown or now < self._resting or not self.table.is_ready:
            return
        self._shown = news
        self.table.show(self.state.make(self.number, self._held))
        self._resting = now + _PARTS * (monotonic() - now)

    async def _ask_options(self) -> None:
        """Find out what those may do who are to move."""
        if not self.options.value:
            self.state.options = {}
            return
        frame = self.state.frame(None)
        found = {}
        try:
            for role in frame.movers if frame else ():
                known = self.state.options.get(role)
                if known is None or frame is None or known[0] != frame.tick + 1:
                    known = await self.hub.legal_moves(self.link, role)
                found[role] = known
        except GdlError as error:
            self.options.set_value(False)
            complain(str(error))
        if found != self.state.options:
            self.state.options = found
            self._shown = ()

    def _has_role(self) -> bool:
        """Tell whether the role was not taken away while this page slept, or left elsewhere."""
        claims = self.hub.claims
        return not self.role or claims.may_look(self.link.namespace, self.role, self.visitor)

    def _draw_controls(self) -> None:
        first, last = self.frames.span
        shown = last if self.number is None else self.number
        self.slider.props(f'min={max(0, first)} max={max(1, last)}')
        if self.slider.value != shown:
            self.slider.set_value(shown)
        frame = self.state.frame(self.number)
        if frame is not None:
            self.count.set_text(f'game {frame.episode}, tick {frame.tick}')
        self.live.set_enabled(self.number is not None)
        status = self.link.status
        is_paused = bool(status and status.phase == Status.PHASE_PAUSED)
        self.pause.set_text('Go on' if is_paused else 'Pause')
        self.pause.set_icon('play_arrow' if is_paused else 'pause')
        self.heat.set_visibility(not self.role or self.link.is_open)
        if self.trouble.text != self.link.trouble:
            self.trouble.set_text(self.link.trouble)
        self._draw_seats()

    def _draw_seats(self) -> None:
        """Offer the roles that can be taken."""
        info = self.link.info
        roles = tuple(info.roles) if info is not None else ()
        if roles == self._roles:
            return
        self._roles = roles
        self.seats.clear()
        with self.seats:
            if self.role:
                ui.button(
                    f'Stop playing {self.role}', icon='logout', on_click=guarded(self._leave)
                ).props('flat no-caps')
                return
            for role in roles:
                button = ui.button(
                    f'Play {role}',
                    icon='person',
                    on_click=lambda role=role: ui.navigate.to(
                        match_url(self.link.namespace, role)
                    ),
                )
                mark(button.props('flat no-caps'), f'play-{role}')

    def _button(self, icon: str, label: str, work: Any) -> ui.button:
        button = ui.button(icon=icon, on_click=work)
        return button.props(f'flat dense round aria-label="{label}"')

    # ---- what people do

    async def _play(self, tick: int, move: str) -> None:
        if not self._has_role():
            raise GuiError(f'{self.role} is not yours any more')
        try:
            await self.hub.answer(self.link, self.role, tick, move)
        finally:
            self._shown = ()

    async def _new_game(self) -> None:
        status = self.link.status
        if status is not None and status.phase == Status.PHASE_PLAYING:
            try:
                await self.hub.new_game(self.link)
            except GuiError:
                await self.hub.reset(self.link)
        else:
            await self.hub.new_game(self.link)
        self.number = None
        self._ending.drop()

    async def _pause(self) -> None:
        status = self.link.status
        is_paused = bool(status and status.phase == Status.PHASE_PAUSED)
        await self.hub.pause(self.link, is_paused=not is_paused)

    async def _undo(self) -> None:
        await self.hub.undo(self.link, self.role)

    async def _leave(self) -> None:
        await self.hub.stand_up(self.link, self.role, self.visitor)
        ui.navigate.to(match_url(self.link.namespace))

    async def _switch_heat(self) -> None:
        if not self.link.is_open and self.heat.value:
            frame = self.link.frames.newest(self.link.info) if self.link.info else None
            if frame is None or not frame.is_all:
                self.heat.set_value(False)
                ui.notify('what agents think would tell what is hidden in this game')
                return
        self.hub.ros.do(self.link.subscribe_to_move_values)
        self.state.with_heat = bool(self.heat.value)

    # ---- history

    def _step(self, steps: int) -> None:
        first, last = self.frames.span
        shown = last if self.number is None else self.number
        wanted = max(first, min(last, shown + steps))
        self.number = None if wanted == last else wanted
        self._present = 0.0

    def _slide(self, event: Any) -> None:
        first, last = self.frames.span
        wanted = int(event.value)
        if wanted != (last if self.number is None else self.number):
            self.number = None if wanted >= last else max(first, wanted)

    def _go_live(self) -> None:
        self.number = None
        self._ending.drop()
        self._present = 0.0

    def _on_key(self, event: Any) -> None:
        if not event.action.keydown:
            return
        steps = {'[': -1, ']': 1, '{': -_ALL, '}': _ALL}
        if event.key.name in steps:
            self._step(steps[event.key.name])


async def open_match(hub: Hub, namespace: str, role: str) -> None:
    """Draw the page of a match."""
    with shell(role or namespace.strip('/') or 'match'):
        try:
            link = await hub.link(namespace)
        except GdlError as error:
            ui.label(str(error)).classes('text-negative')
            return
        if role:
            try:
                await hub.sit(link, role, visitor())
            except GdlError as error:
                ui.notify(str(error), type='negative', timeout=8000)
                ui.label(str(error)).classes('text-negative')
                role = ''
        MatchPage(hub, link, role).build()
