"""What is done with a game as a whole: begin, pause, take back, give up, agree, play again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from gdl_msgs.msg import Status
from nicegui import ui

from gdl_env.gui.errors import GuiError
from gdl_env.gui.hub import Hub
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.shell import guarded, mark
from gdl_env.gui.seats.agreements import AgreedEnd, has_draw
from gdl_env.gui.table_state import TableState
from gdl_env.gui.texts import list_names, text


class GameControls:
    """The buttons below a table; `on_change` is called after each of them."""

    def __init__(
        self,
        hub: Hub,
        link: MatchLink,
        state: TableState,
        visitor: str,
        on_change: Callable[[], None],
        find_path: Callable[[str, str], str] = match_path,
    ) -> None:
        """Make them; `find_path` returns the address of a table for a role."""
        self._hub = hub
        self._link = link
        self._state = state
        self._role = state.role
        self._visitor = visitor
        self._on_change = on_change
        self._find_path = find_path
        # Whether the page is on its way to another one.
        self.is_leaving = False
        self._roles: tuple[str, ...] = ()
        # Whether the rules know a draw, by the number of the match.
        self._draws: tuple[int, bool] = (-1, False)

    def build(self) -> None:
        """Make the buttons."""
        new = ui.button(text('match.new_game'), icon='replay', on_click=guarded(self._new_game))
        mark(new.props('no-caps'), 'new-game')
        self.pause = self._button('match.pause', 'pause', self._pause)
        self.undo = self._button('match.undo', 'undo', self._undo)
        self.undo.set_visibility(bool(self._role))
        self.resign = self._button('match.resign', 'flag', self._resign)
        self.draw = self._button('match.offer_draw', 'handshake', self._offer_draw)
        mark(self.draw, 'draw')
        self.rematch = self._button('match.rematch', 'swap_horiz', self._rematch)
        for button in (self.resign, self.draw, self.rematch):
            button.set_visibility(False)
        self.offered = ui.label().classes('text-sm')
        self.offered.props['role'] = 'status'
        self.seats = ui.row().classes('items-center gap-1')

    def take_role(self, state: TableState) -> None:
        """Act for another role from now on."""
        self._state, self._role, self._roles = state, state.role, ()

    def refresh(self) -> None:
        """Show what can be done now."""
        self._follow_rematch()
        status = self._link.status
        is_paused = bool(status and status.phase == Status.PHASE_PAUSED)
        self.pause.set_text(text('match.resume') if is_paused else text('match.pause'))
        self.pause.set_icon('play_arrow' if is_paused else 'pause')
        is_own = self._link.namespace in self._hub.tables.tables
        is_on = bool(status and status.phase == Status.PHASE_PLAYING)
        can_end = is_on and self._hub.may_call_off(self._link)
        self.resign.set_visibility(can_end and bool(self._role))
        self._draw_offers(is_on=can_end)
        self._draw_seats()
        agreed = self._hub.agreements.find_end(self._link.namespace, self._episode())
        is_over = bool(status and status.phase == Status.PHASE_FINISHED) or agreed is not None
        self.rematch.set_visibility(is_own and bool(self._role) and is_over)
        if agreed != self._state.agreed:
            self._state.agreed = agreed
            self._state.version += 1

    def _draw_offers(self, *, is_on: bool) -> None:
        """Offer a draw where the rules have one and all who play are people."""
        people = self._people()
        can_draw = is_on and self._role in people and len(people) > 1 and self._has_draw()
        offers = self._hub.agreements.offers(self._link.namespace, self._episode())
        others = sorted(offers - {self._role})
        self.draw.set_visibility(can_draw and self._role not in offers)
        self.draw.set_text(text('match.accept_draw') if others else text('match.offer_draw'))
        words = ''
        if can_draw and others:
            words = text('match.draw_offered', names=list_names(others))
        elif can_draw and self._role in offers:
            words = text('match.draw_waits')
        if self.offered.text != words:
            self.offered.set_text(words)

    def _people(self) -> set[str]:
        """Return the roles of the match, if people play all of them; else none."""
        info = self._link.info
        roles = set(info.roles) if info is not None else set()
        return roles if roles <= set(self._hub.claims.taken(self._link.namespace)) else set()

    def _has_draw(self) -> bool:
        lives, game = self._link.lives, self._link.game
        if self._draws[0] != lives:
            self._draws = lives, game is not None and has_draw(game)
        return self._draws[1]

    def _draw_seats(self) -> None:
        """Offer the roles that can be taken."""
        info = self._link.info
        roles = tuple(info.roles) if info is not None else ()
        if roles == self._roles:
            return
        self._roles = roles
        self.seats.clear()
        with self.seats:
            if self._role:
                words = text('match.stop_playing')
                leave = ui.button(words, icon='logout', on_click=guarded(self._leave))
                leave.props('flat no-caps')
                return
            for role in roles:
                path = match_path(self._link.namespace, role)
                button = ui.button(
                    text('match.play', role=role),
                    icon='person',
                    on_click=lambda path=path: ui.navigate.to(path),
                )
                mark(button.props('flat no-caps'), f'play-{role}')

    def _episode(self) -> int:
        frame = self._state.frame(None)
        return frame.episode if frame is not None else 0

    # ---- what people do

    async def _new_game(self) -> None:
        status = self._link.status
        is_on = status is not None and status.phase == Status.PHASE_PLAYING
        try:
            await self._hub.new_game(self._link)
        except GuiError:
            if not is_on:
                raise
            await self._hub.reset(self._link)
        self._on_change()

    async def _pause(self) -> None:
        status = self._link.status
        is_paused = bool(status and status.phase == Status.PHASE_PAUSED)
        await self._hub.pause(self._link, is_paused=not is_paused)

    async def _undo(self) -> None:
        await self._hub.undo(self._link, self._role)

    async def _resign(self) -> None:
        await self._end(AgreedEnd(self._episode(), self._role))

    async def _offer_draw(self) -> None:
        space, episode = self._link.namespace, self._episode()
        agreements = self._hub.agreements
        agreements.offer_draw(space, episode, self._role)
        if agreements.offers(space, episode) >= self._people():
            await self._end(AgreedEnd(episode))
        self.refresh()

    async def _end(self, end: AgreedEnd) -> None:
        await self._hub.call_off(self._link)
        self._hub.agreements.end(self._link.namespace, end)
        self.refresh()

    async def _rematch(self) -> None:
        """Open another table for the same players, each with the next one's role."""
        old = self._hub.tables.tables[self._link.namespace]
        table = self._hub.tables.open_rematch(old)
        # Before anything is waited for: the others are led there, and this page once only.
        self.is_leaving = True
        await self._hub.begin_when_ready(table.namespace, table.own_roles)
        role = old.role_in_rematch(self._role)
        await self._hub.stand_up(self._link, self._role, self._visitor)
        self._hub.tables.close(old.namespace)
        ui.navigate.to(self._find_path(table.namespace, role))

    def _follow_rematch(self) -> None:
        """Lead the others of a table to where it is played again."""
        table = self._hub.tables.rematches.get(self._link.namespace)
        if table is not None and self._role and not self.is_leaving:
            self.is_leaving = True
            role = table.role_in_rematch(self._role)
            ui.navigate.to(self._find_path(table.namespace, role))

    async def _leave(self) -> None:
        self.is_leaving = True
        await self._hub.stand_up(self._link, self._role, self._visitor)
        ui.navigate.to(match_path(self._link.namespace))

    def _button(self, key: str, icon: str, work: Callable[[], Awaitable[None]]) -> ui.button:
        return ui.button(text(key), icon=icon, on_click=guarded(work)).props('no-caps flat')
