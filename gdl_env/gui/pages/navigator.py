"""Going through a game: buttons, keys, a list of moves, addresses of positions, and files."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import Any
from urllib.parse import quote

from nicegui import ui

from gdl_env.gui.components.table import GameTable
from gdl_env.gui.hub import Hub
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.shell import guarded, mark, visitor
from gdl_env.gui.study.history import GameHistory
from gdl_env.gui.study.saved_games import save_recording, to_text
from gdl_env.gui.study.studied_games import study_match
from gdl_env.gui.texts import text

# Steps to the beginning or the end.
_ALL = 10**9
# How often the list of moves is brought up to date [s].
_PERIOD = 0.15
# How quickly a spectator is led through the positions [positions/s]; 0: as they come.
_PACES = {
    0.0: 'match.live',
    0.5: 'match.pace_slow',
    1.0: 'match.pace_one',
    3.0: 'match.pace_three',
}


def match_path(namespace: str, role: str = '') -> str:
    """Return the address of a match on this server, for those who watch or for a role."""
    query = f'ns={quote(namespace)}' + (f'&role={quote(role)}' if role else '')
    return f'/match?{query}'


def replay_path(file: str) -> str:
    """Return the address of a recording on this server."""
    return f'/replay?file={quote(file)}'


# The games that a visitor tries moves in.
OWN_REPLAY = '/replay?own=1'


class Navigator:
    """Knows which position a page shows, and moves it."""

    def __init__(self, hub: Hub, link: MatchLink, role: str, table: GameTable) -> None:
        self._hub = hub
        self._link = link
        self._role = role
        self._table = table
        self.history = GameHistory(link, role)
        # The frame that is looked back at; None is the newest.
        self.number: int | None = None
        # An episode and tick that the address asks for, until it is found.
        self._wanted = ''
        # The game that is shown.
        self._episode = 0
        self._seen: tuple[Any, ...] = ()
        self._due = 0.0
        self._paced = 0.0
        # The slider follows the game, and is not moved by a person.
        self._is_following = False
        table.on('visited', lambda event: self.go(int(event.args)))
        table.on('stepped', lambda event: self.step(int(event.args)))

    def build(self) -> None:
        """Make the buttons."""
        self._button('first_page', text('match.first'), lambda: self.step(-_ALL))
        self._button('chevron_left', text('match.back'), lambda: self.step(-1))
        self.slider = ui.slider(min=0, max=1, value=1, on_change=self._slide)
        self.slider.classes('w-32 sm:w-48').props['aria-label'] = text('match.history')
        self._button('chevron_right', text('match.forth'), lambda: self.step(1))
        self.now = ui.button(text('match.now'), on_click=self.go_to_now).props(
            'flat dense no-caps'
        )
        self.count = ui.label().classes('text-sm opacity-70')
        paces = {pace: text(key) for pace, key in _PACES.items()}
        self.pace = ui.select(paces, value=0.0, on_change=self._set_pace)
        self.pace.props('dense options-dense borderless')
        self.pace.props['aria-label'] = text('match.pace')
        self.pace.set_visibility(not self._role)
        ui.space()
        flip = self._button(
            'swap_vert', text('match.flip'), lambda: self._table.run_method('flip')
        )
        mark(flip, 'flip')
        self.arrows = self._button('north_east', text('match.arrows'), self._switch_arrows)
        mark(self.arrows, 'arrows')
        self.sound = self._button('volume_up', text('match.sound'), self._switch_sound)
        with self._button('ios_share', text('match.share'), self._fill_menu):
            self.menu = ui.menu()

    def _fill_menu(self) -> None:
        """Offer what can be done with the game; the match may have been unknown before."""
        info = self._link.info
        self.menu.clear()
        with self.menu:
            ui.menu_item(text('match.copy_moves'), guarded(self._copy))
            ui.menu_item(text('match.copy_link'), guarded(self._copy_link))
            ui.menu_item(text('match.save'), guarded(self._save))
            if self._link.is_open:
                mark(ui.menu_item(text('match.try'), guarded(self._try)), 'try')
            if kept := self._hub.played_games.find(self._link, self._episode):
                path = replay_path(kept)
                ui.menu_item(text('match.open_replay'), lambda: ui.navigate.to(path))
            if info is not None and info.name.partition('(')[0] == 'chess':
                ui.menu_item(text('match.save_pgn'), guarded(self._save_pgn))
            for role in info.roles if info is not None else ():
                if role != self._role:
                    words = text('match.invite', role=role)
                    ui.menu_item(words, guarded(partial(self._invite, role)))

    def want(self, position: str) -> None:
        """Go to a position, 'EPISODE.TICK', as soon as it is known."""
        self._wanted = position

    def refresh(self) -> None:
        """Bring the list of moves up to date."""
        now = monotonic()
        self._follow(now)
        news = (self.history.frames.version, self.number, self._link.lives)
        if now < self._due or news == self._seen:
            return
        self._due, self._seen = now + _PERIOD, news
        entries = self.history.entries()
        if self._wanted:
            self._find_wanted()
        shown = [{'number': e.number, 'words': e.words, 'isUndone': e.is_undone} for e in entries]
        self._table.show_history(shown, self.number)

    def _set_pace(self) -> None:
        if self.pace.value:
            # From here on, position by position.
            self.number = self.history.frames.span[1] if self.number is None else self.number
        else:
            self.go_to_now()

    def _follow(self, now: float) -> None:
        """Lead a spectator to the next position, at the speed that was chosen."""
        pace = float(self.pace.value or 0)
        if self._role or not pace or now < self._paced + 1 / pace or self.number is None:
            return
        self._paced = now
        first, last = self.history.frames.span
        if self.number < last:
            self.number = max(first, self.number + 1)

    def draw(self, episode: int) -> None:
        """Show where the page is."""
        first, last = self.history.frames.span
        shown = last if self.number is None else self.number
        self.slider.props(f'min={max(0, first)} max={max(1, last)}')
        if self.slider.value != shown:
            # The game continues in another thread, and may be further by now.
            self._is_following = True
            self.slider.set_value(shown)
            self._is_following = False
        self._episode = episode
        self.count.set_text(self._describe_place(shown))
        self.now.set_enabled(self.number is not None)

    def _describe_place(self, shown: int) -> str:
        """Return where in the game a position is, as the list of moves counts."""
        entries = self.history.entries()
        if not entries:
            return ''
        if shown < entries[0].number:
            return text('match.game_before')
        if any(entry.is_undone and entry.number == shown for entry in entries):
            return text('table.taken_back')
        kept = [entry.number for entry in entries if not entry.is_undone]
        place = sum(number <= shown for number in kept) - 1
        return text('match.place', number=place, last=len(kept) - 1)

    def step(self, steps: int) -> None:
        """Go back or forth."""
        first, last = self.history.frames.span
        shown = last if self.number is None else self.number
        entries = self.history.entries()
        if steps == -_ALL and entries and shown > entries[0].number:
            # The beginning of this game first, then that of the games before.
            first = entries[0].number
        self.go(max(first, min(last, shown + steps)))

    def go(self, number: int) -> None:
        """Go to a frame by its number; the last one is the game as it is now."""
        first, last = self.history.frames.span
        self._wanted = ''
        # Whoever goes somewhere stays there.
        self.pace.set_value(0.0)
        self.number = None if number >= last else max(first, number)
        self._set_address()

    def go_to_now(self) -> None:
        """Show the game as it is."""
        self._wanted = ''
        self.number = None
        self._set_address()

    def _find_wanted(self) -> None:
        info, frames = self._link.info, self.history.frames
        first, last = frames.span
        for number in range(last, first - 1, -1):
            frame = frames.get(number, info) if info is not None else None
            if frame is not None and f'{frame.episode}.{frame.tick}' == self._wanted:
                self._wanted = ''
                self.number = None if number == last else number
                return

    def _position(self) -> str:
        info, number = self._link.info, self.number
        frames = self.history.frames
        if info is None:
            return ''
        frame = frames.newest(info) if number is None else frames.get(number, info)
        return f'{frame.episode}.{frame.tick}' if frame is not None else ''

    def _set_address(self) -> None:
        """Make the address of the page that of the position, without loading it again."""
        at = '' if self.number is None else self._position()
        ui.run_javascript(
            'const url = new URL(location); '
            + (f'url.searchParams.set("at", "{at}");' if at else 'url.searchParams.delete("at");')
            + 'history.replaceState(history.state, "", url)'
        )

    # ---- files

    async def _copy(self) -> None:
        ui.clipboard.write(to_text(self.history.entries()))
        ui.notify(text('match.copied_moves'))

    async def _copy_link(self) -> None:
        base = await ui.run_javascript('location.origin')
        path = match_path(self._link.namespace)
        ui.clipboard.write(f'{base}{path}&at={self._position()}')
        ui.notify(text('match.copied_link'))

    async def _invite(self, role: str) -> None:
        base = await ui.run_javascript('location.origin')
        ui.clipboard.write(f'{base}{match_path(self._link.namespace, role)}')
        ui.notify(text('match.invited', role=role))

    async def _save(self) -> None:
        path = save_recording(self._link, self.history.entries(), self._hub.folder)
        name = path.relative_to(self._hub.folder)
        ui.notify(text('match.saved', name=name), timeout=8000)

    async def _try(self) -> None:
        """Open the game where moves can be tried, at the position that is shown."""
        entries = self.history.entries()
        self._hub.keep_studied(visitor(), study_match(self._link, entries, self.number))
        ui.navigate.to(OWN_REPLAY)

    async def _save_pgn(self) -> None:
        from gdl_env.gui.study.pgn import to_pgn

        ui.download(to_pgn(self._link, self.history.entries()).encode(), 'game.pgn')

    async def _switch_sound(self) -> None:
        is_on = await self._table.run_method('switchSound')
        self.sound.set_icon('volume_up' if is_on else 'volume_off')

    async def _switch_arrows(self) -> None:
        """Draw the last move and the best ones as arrows, or no longer."""
        is_on = await self._table.run_method('switchArrows')
        self.arrows.props['color'] = 'accent' if is_on else 'primary'
        self.arrows.update()

    def _slide(self, event: Any) -> None:
        if self._is_following:
            return
        first, last = self.history.frames.span
        wanted = int(event.value)
        if wanted != (last if self.number is None else self.number):
            self.number = None if wanted >= last else max(first, wanted)

    def _button(self, icon: str, label: str, work: Any) -> ui.button:
        button = ui.button(icon=icon, on_click=work).props('flat dense round')
        button.props['aria-label'] = label
        return button.tooltip(label)
