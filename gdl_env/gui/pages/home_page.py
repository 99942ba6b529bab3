"""The first page: the matches there are, and a table for a new one."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import run, ui

from gdl_env.errors import GdlError
from gdl_env.gui.components.gallery import GameGallery
from gdl_env.gui.gallery.game_cards import GameCard, list_cards
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.shell import complain, guarded, mark, shell
from gdl_env.gui.tables import ME, playable_agents, roles_of
from gdl_env.gui.texts import name_players
from gdl_env.gui.training.runs import list_runs
from gdl_env.gui.views import find_view
from gdl_env.language.game import Game
from gdl_env.language.library import list_games
from gdl_env.language.load import open_game
from gdl_env.language.options import OptionKind
from gdl_env.language.terms import Range

# Who plays the first role, and who the others.
_WAYS = (
    ('Play against mcts', ME, 'mcts'),
    ('Watch', 'mcts', 'mcts'),
    ('People only', ME, ME),
)


class HomePage:
    """One open page."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        # By match, and whether it can be ended here. A row stays as long as it is the same: a
        # click on one that was redrawn meanwhile would be lost.
        self._rows: dict[tuple[str, bool], ui.row] = {}
        self._players: dict[str, ui.select] = {}
        self._is_starting = False
        self._cards: dict[str, GameCard] = {}
        # Options of the game: their defaults and fields.
        self._fields: dict[str, tuple[str, ui.select | ui.input]] = {}

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-start gap-4 no-wrap max-md:flex-wrap'):
            with ui.column().classes('w-full md:w-[22rem] shrink-0 gap-3'):
                with ui.card().classes('w-full'):
                    self._build_form()
                with ui.card().classes('w-full'):
                    ui.label('Running matches').classes('text-lg font-semibold')
                    self.none = ui.label('none yet: start one here, or with gdl launch')
                    self.none.classes('opacity-70')
                    self.found = ui.column().classes('w-full gap-1')
            with ui.column().classes('grow min-w-0'):
                self.gallery = GameGallery(self._take)
        self._refresh()
        ui.timer(1.0, self._refresh)
        ui.timer(0.05, self._fill, once=True)

    def _build_form(self) -> None:
        ui.label('New table').classes('text-lg font-semibold')
        games = [path.stem for path in list_games()]
        start = 'tictactoe' if 'tictactoe' in games else (games or [''])[0]
        self.game = ui.select(
            games, value=start, label='Game', with_input=True, on_change=self._choose
        ).classes('w-full')
        self.summary = ui.label().classes('text-sm opacity-70')
        self.options = ui.column().classes('w-full gap-1')
        with ui.row().classes('gap-1'):
            for words, first, others in _WAYS:
                button = ui.button(words, on_click=partial(self._cast, first, others))
                button.props('flat dense no-caps')
        self.roles = ui.column().classes('w-full gap-1')
        with ui.row().classes('w-full items-center gap-4'):
            self.clock = ui.number(
                'Seconds for a move (0: no limit)', value=0, min=0, max=86_400, precision=0
            ).classes('w-48')
            ui.button('Start', icon='play_arrow', on_click=guarded(self._start)).props(
                'no-caps'
            ).props('data-mark=start')
        self._choose()

    async def _fill(self) -> None:
        """Send the pictures: the first time, they take a moment."""
        cards = await run.io_bound(list_cards) or []
        self._cards = {card.name: card for card in cards}
        self.gallery.show(cards)
        self._show_choice()

    def _take(self, name: str) -> None:
        """Choose a game of the gallery."""
        self.game.set_value(name)
        ui.run_javascript('scrollTo({top: 0, behavior: "smooth"})')

    def _show_choice(self) -> None:
        card = self._cards.get(str(self.game.value))
        self.summary.set_text(card.summary if card else '')
        if self._cards:
            self.gallery.highlight(str(self.game.value))

    def _cast(self, first: str, others: str) -> None:
        """Fill in who plays."""
        for number, select in enumerate(self._players.values()):
            select.set_value(others if number else first)

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
            roles = roles_of(game) if game else []
            if game:
                self._offer_options(open_game(game))
        except GdlError as error:
            complain(str(error))
            return
        runs = {run.player: f'{run.name} (trained)' for run in list_runs(self.hub.folder, game)}
        agents = playable_agents(allows_programs=self.hub.tables.allows_programs)
        known = {ME: 'me, on this page', **{name: name for name in agents}, **runs}
        with self.roles:
            for number, role in enumerate(roles):
                self._players[role] = ui.select(
                    known,
                    value='random' if number else ME,
                    label=role,
                    with_input=True,
                    new_value_mode='add-unique',
                ).classes('w-full')
                mark(self._players[role], f'player-{role}')

    async def _start(self) -> None:
        # A second click is not another table.
        if self._is_starting:
            return
        self._is_starting = True
        try:
            await self._open_table()
        finally:
            self._is_starting = False

    async def _open_table(self) -> None:
        players = {role: str(select.value) for role, select in self._players.items()}
        table = self.hub.tables.open(self._designate(), players, float(self.clock.value or 0))
        own = [role for role, player in players.items() if player == ME]
        await self.hub.begin_when_ready(table.namespace, own)
        ui.navigate.to(match_path(table.namespace, own[0] if own else ''))

    def _refresh(self) -> None:
        matches = self.hub.watch.matches
        wanted = [(name, name in self.hub.tables.tables) for name in matches]
        for key in [key for key in self._rows if key not in wanted]:
            self._rows.pop(key).delete()
        for place, key in enumerate(wanted):
            if key not in self._rows:
                with self.found:
                    self._rows[key] = self._row(*key)
                self._rows[key].move(target_index=place)
        if self.none.visible == bool(matches):
            self.none.set_visibility(not matches)

    def _name(self, namespace: str) -> str:
        """Return what people call a match: its game and players, where they are known."""
        table = self.hub.tables.tables.get(namespace)
        if table is None:
            return namespace.strip('/') or 'the match on this graph'
        title = find_view(table.game)[0].title or table.game.replace('_', ' ').capitalize()
        return f'{title}: {name_players(table.players)}'

    def _row(self, namespace: str, is_own: bool) -> ui.row:
        with ui.row().classes('w-full items-center gap-2') as row:
            link = ui.link(self._name(namespace), match_path(namespace)).classes('text-base')
            link.tooltip(namespace or '/')
            ui.space()
            if is_own:

                async def close(_: Any) -> None:
                    self.hub.tables.close(namespace)
                    self._refresh()

                ui.button('End', icon='close', on_click=guarded(close)).props('flat dense no-caps')
        return row


def open_home(hub: Hub) -> None:
    """Draw the page."""
    with shell('Matches'):
        HomePage(hub).build()
