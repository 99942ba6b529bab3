"""Tournaments: everyone against everyone, a cross table that fills up, and who is strongest."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from gdl_env.errors import GdlError
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.shell import guarded, heading, mark, shell
from gdl_env.gui.player_names import describe_player, offer_players
from gdl_env.gui.texts import text
from gdl_env.gui.tournaments.ladder import Rung, climb
from gdl_env.gui.tournaments.tournaments import ListedTournament
from gdl_env.gui.views import list_titles, title_of
from gdl_env.ros.tournament.cross_table import CrossTable, NumberTable

_START = ('random', 'lookahead', 'mcts:time=0.1')


class TournamentPage:
    """One open page."""

    def __init__(self, hub: Hub, name: str) -> None:
        self.hub = hub
        self._wanted = name
        self._names: list[str] = []
        self._drawn: tuple[Any, ...] = ()

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-start gap-4 no-wrap max-md:flex-wrap'):
            with ui.card().classes('w-full md:w-[23rem] shrink-0'):
                self._build_form()
            with ui.column().classes('grow min-w-0 gap-3'):
                with ui.card().classes('w-full'):
                    self.choice = ui.select(
                        [], label=text('tournament.shown'), on_change=self._refresh
                    ).classes('w-full sm:w-72')
                    with ui.row().classes('w-full items-center gap-3'):
                        self.state = ui.label().props('role=status')
                        ui.space()
                        self.stop = ui.button(
                            text('tournament.stop'), icon='stop', on_click=guarded(self._stop)
                        ).props('flat dense no-caps')
                    self.progress = ui.linear_progress(0, show_value=False).props('rounded')
                    self.progress.props['aria-label'] = text('tournament.progress')
                    self.cross = ui.column().classes('w-full gap-2')
                self.ranks = ui.card().classes('w-full')
                with self.ranks:
                    self.ladder = ui.column().classes('w-full gap-2')
        self._refresh()
        ui.timer(1.0, self._refresh)

    def _build_form(self) -> None:
        heading(text('tournament.new'))
        games = list_titles()
        self.game = ui.select(
            games,
            value='tictactoe' if 'tictactoe' in games else next(iter(games), None),
            label=text('home.game'),
            with_input=True,
            on_change=self._offer,
        ).classes('w-full')
        self.agents = ui.select(
            {}, multiple=True, with_input=True, label=text('tournament.agents')
        ).props('use-chips')
        mark(self.agents.classes('w-full'), 'agents')
        with ui.row().classes('w-full gap-3 no-wrap'):
            self.episodes = ui.number(text('tournament.episodes'), value=10, min=1, precision=0)
            self.seconds = ui.number(text('tournament.seconds'), value=10, min=0)
        start = ui.button(
            text('tournament.start'), icon='play_arrow', on_click=guarded(self._start)
        )
        mark(start.props('no-caps'), 'start')
        self._offer()

    def _offer(self) -> None:
        allows = self.hub.tables.allows_programs
        known = offer_players(self.hub.folder, str(self.game.value), allows_programs=allows)
        value = [a for a in self.agents.value or _START if a in known]
        self.agents.set_options(known, value=value)

    async def _start(self) -> None:
        started = self.hub.tournaments.start(
            game=str(self.game.value or ''),
            agents=list(self.agents.value or []),
            episodes=int(self.episodes.value or 0),
            seconds=float(self.seconds.value or 0),
        )
        self._wanted = started.listed.name
        self._refresh()

    async def _stop(self) -> None:
        chosen = self._chosen()
        tournament = self.hub.tournaments.find(chosen) if chosen is not None else None
        if tournament is not None:
            self.hub.tournaments.stop(tournament)

    # ---- what is shown

    def _chosen(self) -> ListedTournament | None:
        known = {one.name: one for one in self.hub.tournaments.list_all()}
        return known.get(str(self.choice.value or ''))

    def _refresh(self) -> None:
        names = [one.name for one in self.hub.tournaments.list_all()]
        if self._wanted in names or names != self._names:
            self._names = names
            value = self._wanted if self._wanted in names else self.choice.value
            self._wanted = ''
            self.choice.set_options(
                names, value=value if value in names else next(iter(names), None)
            )
        chosen = self._chosen()
        if chosen is None:
            self._show_nothing()
            return
        tournament = self.hub.tournaments.find(chosen)
        is_running = tournament is not None and tournament.is_running
        code = tournament.child.exit_code if tournament is not None else None
        drawn = (chosen.path, chosen.stamp, is_running, code)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        self.stop.set_visibility(is_running)
        self.progress.set_visibility(is_running)
        try:
            table = tournament.read() if tournament is not None else chosen.read()
        except GdlError as error:
            self.state.set_text(str(error))
            return
        if table is None:
            return
        done = len(table.pairings)
        words = text('tournament.done', count=done)
        if tournament is not None and is_running:
            words = text('tournament.running', done=done, count=tournament.matches)
            self.progress.set_value(done / max(1, tournament.matches))
        elif code and tournament is not None:
            last = [line for line in tournament.child.lines if line.strip()][-2:]
            words = text('tournament.failed', reason=' | '.join(last))
        self.state.set_text(words)
        self._draw(chosen, table)

    def _show_nothing(self) -> None:
        if self._drawn != ('nothing',):
            self._drawn = ('nothing',)
            self.state.set_text(text('tournament.none'))
            self.ranks.set_visibility(False)
            self.stop.set_visibility(False)
            self.progress.set_visibility(False)

    def _draw(self, chosen: ListedTournament, table: CrossTable) -> None:
        self.cross.clear()
        with self.cross:
            heading(text('tournament.cross', game=title_of(chosen.game) or chosen.name))
            is_pair = len(table.roles) == 2
            hint = text('tournament.points' if is_pair else 'tournament.goals')
            ui.label(hint).classes('text-sm opacity-80')
            _draw_table(table.tables()[0])
        self.ladder.clear()
        self.ranks.set_visibility(True)
        with self.ladder:
            league = self.hub.tournaments.league(chosen.game) if chosen.game else []
            tables = league if len(league) > 1 else [table]
            count = len(tables)
            heading(text('tournament.ladder'))
            key = 'tournament.league' if count > 1 else 'tournament.alone'
            ui.label(text(key, count=count)).classes('text-sm opacity-80')
            _draw_ladder(climb(tables))


def _draw_table(table: NumberTable) -> None:
    """Draw numbers as a table whose cells go from red to green."""
    columns = (*table.columns[:-1], text('tournament.all'))
    with ui.element('div').classes('gt-scroll').props('tabindex=0 role=region') as region:
        region.props['aria-label'] = text('tournament.table')
        with ui.element('table').classes('gt-cross'):
            with ui.element('thead'), ui.element('tr'):
                _cell('td', '')
                for name in columns:
                    _cell('th', describe_player(name)).props('scope=col')
            with ui.element('tbody'):
                for name, row in zip(table.rows, table.cells, strict=True):
                    with ui.element('tr'):
                        _cell('th', describe_player(name)).props('scope=row')
                        for number, cell in enumerate(row):
                            is_own = number < len(table.rows) and table.columns[number] == name
                            shown = '' if is_own else '·' if cell is None else f'{cell:.0f}'
                            drawn = _cell('td', shown)
                            if cell is not None and not is_own:
                                drawn.style(f'--share: {cell:.0f}').classes('gt-share')


def _draw_ladder(rungs: list[Rung]) -> None:
    heads = ('rank', 'agent', 'rating', 'points', 'games', 'won')
    keys = {
        'rank': 'tournament.rank',
        'agent': 'tournament.agent',
        'rating': 'tournament.rating',
        'points': 'tournament.share',
        'games': 'tournament.games',
        'won': 'tournament.record',
    }
    with ui.element('div').classes('gt-scroll').props('tabindex=0 role=region') as region:
        region.props['aria-label'] = text('tournament.ladder')
        with ui.element('table').classes('gt-ladder'):
            with ui.element('thead'), ui.element('tr'):
                for head in heads:
                    _cell('th', text(keys[head])).props('scope=col')
            with ui.element('tbody'):
                for number, rung in enumerate(rungs, 1):
                    score = rung.score
                    points = score.win_percentage
                    with ui.element('tr'):
                        _cell('td', str(number))
                        _cell('th', describe_player(rung.agent)).props('scope=row')
                        _cell('td', '-' if rung.rating is None else f'{rung.rating:.0f}')
                        _cell('td', '-' if points is None else f'{points:.0f} %')
                        _cell('td', f'{score.games:,}')
                        _cell('td', f'{score.wins} / {score.draws} / {score.losses}')


def _cell(tag: str, words: str) -> ui.element:
    with ui.element(tag) as cell:
        if words:
            ui.label(words)
    return cell


def open_tournament(hub: Hub, name: str = '') -> None:
    """Draw the page."""
    with shell(text('shell.tournament')):
        TournamentPage(hub, name).build()
