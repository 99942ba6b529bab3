"""The first page: the games there are, ways to play one, and the matches that run."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from nicegui import background_tasks, run, ui

from gdl_env.errors import GdlError
from gdl_env.gui.components.gallery import KINDS, GameGallery
from gdl_env.gui.gallery.gallery_data import gallery_path
from gdl_env.gui.gallery.game_lengths import count_lengths, name_length
from gdl_env.gui.gallery.offered_games import read_offered_game
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.hot_seat import hot_seat_path
from gdl_env.gui.pages.invitation import show_invitation
from gdl_env.gui.pages.match_list import MatchList
from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.played_list import list_played
from gdl_env.gui.pages.received_files import offer_files
from gdl_env.gui.pages.shell import complain, guarded, heading, mark, shell
from gdl_env.gui.player_names import USUAL, offer_players
from gdl_env.gui.tables import ME, OpenTable, roles_of
from gdl_env.gui.texts import text
from gdl_env.gui.views import list_titles
from gdl_env.language.families.options import OptionKind
from gdl_env.language.game import Game, Information
from gdl_env.language.terms import Range

# [s]
_MINUTE = 60.0

# Games played here that are listed.
_PLAYED = 5


class HomePage:
    """One open page."""

    def __init__(self, hub: Hub, game: str) -> None:
        self.hub = hub
        self._wanted = game
        self._players: dict[str, ui.select] = {}
        self._is_starting = False
        # Options of the game: their defaults and fields.
        self._fields: dict[str, tuple[str, ui.select | ui.input]] = {}

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-start gap-4 no-wrap max-md:flex-wrap'):
            with ui.column().classes('w-full md:w-[23rem] shrink-0 gap-3'):
                with ui.card().classes('w-full gap-3'):
                    self._build_choice()
                with ui.card().classes('w-full'):
                    MatchList(self.hub).build()
                if self.hub.played_games.list_newest(1):
                    with ui.card().classes('w-full gap-2'):
                        list_played(self.hub, _PLAYED)
                with ui.card().classes('w-full'):
                    offer_files(self.hub)
            with ui.column().classes('grow min-w-0'):
                self.gallery = GameGallery(gallery_path(self.hub.gallery), self._take)
        self._choose()
        background_tasks.create(self._complete(), name='gallery')

    def _build_choice(self) -> None:
        """Make the fields of a game, ways to start it, and its seats."""
        games = list_titles()
        usual = 'tictactoe' if 'tictactoe' in games else next(iter(games), '')
        self.game = ui.select(
            games,
            value=self._wanted if self._wanted in games else usual,
            label=text('home.game'),
            with_input=True,
            on_change=self._choose,
        ).classes('w-full text-lg')
        self.summary = ui.label().classes('text-sm opacity-80')
        self.chips = ui.row().classes('gap-1')
        self.options = ui.column().classes('w-full gap-1')
        with ui.row().classes('w-full items-end gap-2 no-wrap'):
            self._way('home.play', 'play_arrow', self._play).classes('shrink-0').props('size=md')
            self.opponent = ui.select({}, label=text('home.against'), with_input=True)
            mark(self.opponent.classes('grow min-w-0'), 'opponent')
        with ui.element('div').classes('gt-ways'):
            self.here = self._way('home.two_here', 'groups', self._play_here, is_first=False)
            self.invite = self._way('home.invite', 'qr_code_2', self._invite, is_first=False)
            self._way('home.watch', 'visibility', self._watch, is_first=False)
            self._way('home.train', 'trending_up', self._train, is_first=False)
        ui.separator()
        heading(text('home.seats'), 'text-sm font-semibold opacity-80')
        self.roles = ui.column().classes('w-full gap-1')
        with ui.row().classes('w-full items-center gap-3 no-wrap'):
            self.total = ui.number(text('match.total'), value=0, min=0, max=1_440)
            self.increment = ui.number(text('match.increment'), value=0, min=0, max=3_600)
            for field in (self.total, self.increment):
                field.classes('grow basis-0 min-w-0')
        with ui.row().classes('w-full items-center gap-3 no-wrap'):
            self.clock = ui.number(text('home.clock'), value=0, min=0, max=86_400, precision=0)
            self.clock.classes('grow')
            start = ui.button(text('home.start'), on_click=guarded(self._start))
            mark(start.props('no-caps outline'), 'start')

    def _way(self, key: str, icon: str, work: Any, *, is_first: bool = True) -> ui.button:
        button = ui.button(text(key), icon=icon, on_click=guarded(work))
        mark(button.props('no-caps' if is_first else 'no-caps outline'), key.partition('.')[2])
        return button

    # ---- the gallery

    async def _complete(self) -> None:
        """Add what takes a moment the first time: pictures, and how long games are."""
        gallery = self.hub.gallery
        if not gallery.digest:
            await run.io_bound(gallery.refresh)
            if not self.gallery.is_deleted:
                with self.gallery:
                    self._show_choice()
        if gallery.uncounted and not self.hub.is_counting:
            self.hub.is_counting = True
            try:
                await count_lengths(gallery.uncounted, self._show_length)
            finally:
                self.hub.is_counting = False

    def _show_length(self, name: str, moves: float) -> None:
        self.hub.gallery.add_length(name, moves)
        # The page may be closed by now; games are counted for the next one.
        if self.gallery.is_deleted:
            return
        with self.gallery:
            self.gallery.show_length(name, moves)
            if name == self.game.value:
                self._show_choice()

    def _take(self, name: str) -> None:
        """Choose a game of the gallery."""
        self.game.set_value(name)
        ui.run_javascript('scrollTo({top: 0, behavior: "smooth"})')

    def _show_choice(self) -> None:
        name = str(self.game.value)
        card = self.hub.gallery.cards.get(name)
        self.summary.set_text(card.summary if card else '')
        self.chips.clear()
        self.gallery.highlight(name)
        if card is None:
            return
        words = [text(KINDS[kind]) for kind in card.kinds]
        if card.moves:
            count = text('gallery.moves', moves=round(card.moves))
            words.append(f'{text(name_length(card.moves))}: {count}')
        with self.chips:
            for word in words:
                ui.label(word).classes('gt-chip')

    # ---- the game that is chosen

    def _offer_options(self, game: Game) -> None:
        """Offer fields for what can be chosen about a game."""
        self.options.clear()
        self._fields.clear()
        with self.options:
            for option in game.options:
                if option.is_fixed:
                    continue
                label = f'{option.name.replace("_", " ")} ({option.choices})'
                words = [str(value) for value in option.allowed if not isinstance(value, Range)]
                field: ui.select | ui.input
                if option.kind is OptionKind.VALUE and len(words) == len(option.allowed):
                    known = list(dict.fromkeys([option.default, *words]))
                    field = ui.select(known, value=option.default, label=label)
                else:
                    field = ui.input(label, value=option.default)
                mark(field.classes('w-full'), f'option-{option.name}')
                self._fields[option.name] = option.default, field

    def _designate(self) -> str:
        """Return the game with the options that are not as they are by themselves."""
        chosen = [
            f'{name}={str(field.value).strip()}'
            for name, (default, field) in self._fields.items()
            if str(field.value).strip() not in {default, ''}
        ]
        return f'{self.game.value}({", ".join(chosen)})' if chosen else str(self.game.value)

    def _choose(self) -> None:
        """Offer players for every role of the game."""
        game = self.game.value
        self.roles.clear()
        self._players.clear()
        self._show_choice()
        try:
            rules = read_offered_game(game) if game else None
            roles = roles_of(rules) if rules is not None else []
            if rules is not None:
                self._offer_options(rules)
        except GdlError as error:
            complain(str(error))
            return
        allows = self.hub.tables.allows_programs
        agents = offer_players(self.hub.folder, str(game or ''), allows_programs=allows)
        usual = USUAL if USUAL in agents else next(iter(agents), None)
        self.opponent.set_options(agents, value=usual)
        self.opponent.set_visibility(len(roles) > 1)
        self.invite.set_visibility(len(roles) > 1)
        self.here.set_visibility(len(roles) > 1)
        count = len(roles)
        self.here.set_text(
            text('home.two_here') if count == 2 else text('home.many_here', count=count)
        )
        names = {ME: text('player.me'), **agents}
        # Who leaves a field by the tab key has typed what stands in it.
        keys = {name: key for key, name in names.items()}
        with self.roles:
            for number, role in enumerate(roles):
                self._players[role] = ui.select(
                    dict(names),
                    value='random' if number else ME,
                    label=role,
                    with_input=True,
                    new_value_mode='add',
                    key_generator=lambda word: keys.get(word, word),
                ).classes('w-full')
                mark(self._players[role], f'player-{role}')

    # ---- ways to start

    async def _start(self) -> None:
        await self._open({role: str(select.value) for role, select in self._players.items()})

    async def _play(self) -> None:
        first, *others = self._players
        opponent = str(self.opponent.value or USUAL)
        await self._open({first: ME, **dict.fromkeys(others, opponent)})

    async def _watch(self) -> None:
        await self._open(dict.fromkeys(self._players, str(self.opponent.value or USUAL)))

    async def _play_here(self) -> None:
        await self._open(dict.fromkeys(self._players, ME), is_here=True)

    async def _invite(self) -> None:
        table = await self._open_table(dict.fromkeys(self._players, ME))
        if table is not None:
            own, *others = table.own_roles
            await show_invitation(table.namespace, others, match_path(table.namespace, own))

    async def _train(self) -> None:
        ui.navigate.to(f'/train?game={quote(str(self.game.value))}')

    async def _open(self, players: dict[str, str], *, is_here: bool = False) -> None:
        table = await self._open_table(players)
        if table is None:
            return
        own = next(iter(table.own_roles), '')
        if is_here:
            is_open = read_offered_game(table.game).information is Information.COMPLETE
            ui.navigate.to(hot_seat_path(table.namespace, own if is_open else ''))
        else:
            ui.navigate.to(match_path(table.namespace, own))

    async def _open_table(self, players: dict[str, str]) -> OpenTable | None:
        # A second click is not another table.
        if self._is_starting:
            return None
        self._is_starting = True
        try:
            table = self.hub.tables.open(
                self._designate(),
                players,
                float(self.clock.value or 0),
                total=_MINUTE * float(self.total.value or 0),
                increment=float(self.increment.value or 0),
            )
            await self.hub.begin_when_ready(table.namespace, table.own_roles)
            return table
        finally:
            self._is_starting = False


def open_home(hub: Hub, game: str = '') -> None:
    """Draw the page."""
    with shell(text('shell.matches')):
        HomePage(hub, game).build()
