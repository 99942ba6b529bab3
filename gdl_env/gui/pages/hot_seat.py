"""Several people at one screen: the board is turned to whoever is to move.

Where something is hidden, a curtain comes between two players: a page that was sent nothing of the
game. The next player opens the own one from there.
"""

from __future__ import annotations

from urllib.parse import quote

from nicegui import ui

from gdl_env.errors import GdlError
from gdl_env.gui.frames import Frame
from gdl_env.gui.hub import Hub
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.match_page import MatchPage
from gdl_env.gui.pages.shell import mark, shell, visitor
from gdl_env.gui.table_state import TableState
from gdl_env.gui.texts import text

# How often the page looks who is to move [s].
_PERIOD = 0.2


def hot_seat_path(namespace: str, role: str = '') -> str:
    """Return the address of a match whose players sit at one screen."""
    query = f'ns={quote(namespace)}' + (f'&role={quote(role)}' if role else '')
    return f'/here?{query}'


def find_waiting(link: MatchLink, current: str = '') -> str:
    """Return the role at this server that is to decide; the current one if it is among them."""
    info = link.info
    if info is None:
        return ''
    found = []
    for role, seat in link.seats.items():
        frame = seat.frames.newest(info)
        if frame is not None and frame.is_to_move and seat.answered != frame.tick:
            found.append(role)
    return current if current in found else next(iter(found), '')


class SharedTableState(TableState):
    """What people at one screen are shown: not 'your turn', but whose turn."""

    def _banner(self, frame: Frame | None, is_live: bool, can_play: bool) -> tuple[str, str]:
        words, kind = super()._banner(frame, is_live, can_play)
        return (text('here.turn', role=self._name(self.role)) if can_play else words), kind


class HotSeatPage(MatchPage):
    """The page of whoever is to move."""

    def __init__(self, hub: Hub, link: MatchLink, role: str) -> None:
        super().__init__(hub, link, role)
        self.state = SharedTableState(link, role)

    def build(self) -> None:
        """Make the elements, and follow the players."""
        super().build()
        # The side of the board that each player has is looked for once.
        self._states = {self.role: self.state}
        ui.timer(_PERIOD, self._follow)

    def find_path(self, namespace: str, role: str) -> str:
        """Return the address of a table like this one; behind a curtain where facts are hidden."""
        return hot_seat_path(namespace, role if self.link.is_open else '')

    def _follow(self) -> None:
        _touch(self.hub, self.link, self.visitor)
        role = find_waiting(self.link, self.role)
        if not role or role == self.role or self.number is not None:
            return
        if not self.link.is_open:
            ui.navigate.to(hot_seat_path(self.link.namespace))
            return
        state = self._states.setdefault(role, SharedTableState(self.link, role))
        state.with_heat = self.state.with_heat
        self.take_role(state)


def _touch(hub: Hub, link: MatchLink, person: str) -> None:
    hub.use(link)
    for role in link.seats:
        hub.claims.touch(link.namespace, role, person)


def _draw_curtain(hub: Hub, link: MatchLink) -> None:
    """Wait for the next player, without anything of the game on the page."""
    person = visitor()
    with ui.column().classes('w-full items-center justify-center gap-6 min-h-[60vh] text-center'):
        ui.icon('visibility_off').classes('text-6xl opacity-60')
        words = ui.label(text('here.waiting')).classes('text-2xl font-semibold')
        ui.label(text('here.hidden')).classes('opacity-80')
        button = ui.button(icon='visibility').props('no-caps size=lg')
        mark(button, 'curtain')
        button.set_visibility(False)
    asked = ''

    def look() -> None:
        nonlocal asked
        _touch(hub, link, person)
        role = find_waiting(link, asked)
        if role and role != asked:
            asked = role
            name = link.painter.view.word(role) if link.painter is not None else role
            words.set_text(text('here.next', role=name))
            button.set_text(text('here.open', role=name))
            button.set_visibility(True)

    button.on_click(lambda: ui.navigate.to(hot_seat_path(link.namespace, asked)))
    ui.timer(_PERIOD, look)


async def open_hot_seat(hub: Hub, namespace: str, role: str) -> None:
    """Draw the page: of a player, or the curtain between two of them."""
    with shell(text('here.title')):
        try:
            link = await hub.link(namespace)
            table = hub.tables.tables.get(link.namespace)
            for own in table.own_roles if table is not None else [role] if role else []:
                await hub.sit(link, own, visitor())
        except GdlError as error:
            ui.label(str(error)).classes('text-negative')
            return
        if role in link.seats:
            HotSeatPage(hub, link, role).build()
        else:
            _draw_curtain(hub, link)
