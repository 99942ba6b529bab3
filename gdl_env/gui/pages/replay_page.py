"""Games step by step: recorded, from a match or from PGN. Moves can be tried at any position."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nicegui import run, ui

from gdl_env.errors import GdlError
from gdl_env.gui.components.table import GameTable
from gdl_env.gui.drawing.pieces import role_colour
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.navigator import replay_path
from gdl_env.gui.pages.pgn_field import offer_pgn, offer_rules
from gdl_env.gui.pages.played_list import list_played
from gdl_env.gui.pages.shell import complain, guarded, heading, mark, shell, visitor
from gdl_env.gui.study.pgn import write_pgn
from gdl_env.gui.study.pgn_reader import GAME
from gdl_env.gui.study.played_games import PLAYED
from gdl_env.gui.study.replays import Replay, ReplayPainter, ReplayStep, list_recordings
from gdl_env.gui.study.results import describe_end
from gdl_env.gui.study.saved_games import save_replay
from gdl_env.gui.study.studied_games import StudiedGame, line_of, study_file, study_rules
from gdl_env.gui.study.trial_board import TrialBoard, is_chance
from gdl_env.gui.texts import TextError, text

# Games played here that are listed.
_PLAYED = 50
# Steps a second, by the time of one [s].
_SPEEDS = {1.0: '1', 0.4: '2.5', 0.1: '10'}


class ReplayPage:
    """Some games, one of which is shown."""

    def __init__(self, hub: Hub, games: Sequence[StudiedGame], *, is_trying: bool = False) -> None:
        """Show games; moves can be tried at once, or on request."""
        self._hub = hub
        self.games = games
        self.number = 0
        self.viewer = ''
        self._is_playing = False
        self._is_wanted = is_trying
        # The positions that the buttons lead through.
        self._line: list[int] = []
        # The rules, while moves are tried; who may do what here, and what was chosen already.
        self._board: TrialBoard | None = None
        self._legal: dict[str, tuple[str, ...]] = {}
        self._chosen: dict[str, str] = {}

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-center gap-3'):
            names = {
                i: f'{i + 1}: {game.replay.title or game.replay.game}'
                for i, game in enumerate(self.games)
            }
            self.match = ui.select(
                names, value=0, label=text('replay.match'), on_change=guarded(self._open)
            ).classes('min-w-[14rem]')
            self.eyes = ui.select(
                {'': text('replay.everything')}, value='', label=text('replay.seen_by')
            ).classes('w-40')
            self.eyes.on_value_change(self._change_viewer)
            self.trying = ui.switch(text('replay.try'), on_change=guarded(self._switch_trying))
            mark(self.trying, 'try')
        self.table = GameTable(guarded(self._play))
        self.table.on('visited', lambda event: self._go(int(event.args)))
        self.table.on('stepped', lambda event: self._step(int(event.args)))
        with ui.row().classes('w-full items-center gap-2'):
            self._button('first_page', text('replay.first'), lambda: self._step(-len(self._line)))
            self._button('chevron_left', text('replay.back'), lambda: self._step(-1))
            self.slider = ui.slider(min=0, max=1, value=0).classes('w-40 sm:w-64')
            self.slider.on_value_change(lambda event: self._slide(int(event.value)))
            self._button('chevron_right', text('replay.forth'), lambda: self._step(1))
            self.play = self._button('play_arrow', text('replay.play'), self._toggle)
            speeds = {time: text('replay.speed', steps=n) for time, n in _SPEEDS.items()}
            self.speed = ui.select(speeds, value=1.0, on_change=self._set_speed).props('dense')
            self.slider.props['aria-label'] = text('replay.history')
            self.speed.props['aria-label'] = text('replay.pace')
            self._button('save', text('replay.save'), guarded(self._save))
            self.pgn = ui.button(text('match.save_pgn'), on_click=guarded(self._save_pgn))
            self.pgn.props('flat dense no-caps')
        self.trouble = ui.label().classes('text-negative text-sm')
        self.timer = ui.timer(1.0, self._tick)
        ui.keyboard(on_key=self._on_key)
        self._show_game()
        # Whoever was away is shown the position again.
        ui.context.client.on_connect(self._draw)
        if self._is_wanted:
            # The page is there before the rules are.
            ui.timer(0.1, lambda: self.trying.set_value(True), once=True)

    @property
    def game(self) -> StudiedGame:
        """Return the game that is shown."""
        return self.games[int(self.match.value)]

    @property
    def replay(self) -> Replay:
        """Return what was played."""
        return self.game.replay

    async def _open(self) -> None:
        self._board = None
        self._show_game()
        if self.trying.value:
            await self._switch_trying()

    def _show_game(self) -> None:
        self.painter = ReplayPainter(self.replay)
        self.trouble.set_text(self.painter.trouble or self.replay.note)
        eyes = {'': text('replay.everything'), **{role: role for role in self.replay.roles}}
        self.eyes.set_options(eyes, value='')
        self.eyes.set_visibility(self.painter.hides_facts)
        # Who tries something is to see what it leads to.
        self.trying.set_visibility(not self.painter.hides_facts)
        self.pgn.set_visibility(self.replay.game.partition('(')[0] == GAME)
        self._line = []
        self._go(self.game.number)

    def _change_viewer(self) -> None:
        self.viewer = str(self.eyes.value or '')
        self._go(self.number)

    # ---- going through

    def _go(self, number: int) -> None:
        """Show a position by its number."""
        tree = self.game.tree
        self.number = max(0, min(len(tree.nodes) - 1, number))
        if self.number not in self._line:
            self._line = tree.find_line(self.number)
        self._chosen = {}
        self._legal = self._board.list_moves(tree[self.number].facts) if self._board else {}
        self._draw()

    def _draw(self) -> None:
        place = self._line.index(self.number)
        self.slider.props(f'max={max(1, len(self._line) - 1)}')
        if self.slider.value != place:
            self.slider.set_value(place)
        self.table.show(self._state())
        self.table.show_history(self._moves(), self.number)

    def _step(self, steps: int) -> None:
        """Go back or forth in the line."""
        self._slide(self._line.index(self.number) + steps)

    def _slide(self, place: int) -> None:
        number = self._line[max(0, min(len(self._line) - 1, place))]
        if number != self.number:
            self._go(number)

    def _moves(self) -> list[dict[str, Any]]:
        """Return the list of moves, as far as the viewer may know them."""
        tree = self.game.tree
        return [
            {
                'number': entry.number,
                'words': self._words(tree[entry.number]),
                'isUndone': False,
                'place': entry.place,
                'depth': entry.depth,
            }
            for entry in tree.entries()
        ]

    def _words(self, step: ReplayStep) -> list[tuple[str, str]]:
        """Return the moves that led to a step, as far as the viewer may know them."""
        return self.painter.words(step, self.viewer if self.painter.hides_facts else '')

    def _state(self) -> dict[str, Any]:
        replay, step, role = self.replay, self.game.tree[self.number], self._find_asked()
        words = dict(self._words(step))
        movers = set(self._legal) - set(self._chosen) if self._board else set(step.moves)
        result = describe_end(step.goals, step.facts, self.painter.view, self.viewer)
        scene = self.painter.paint(step, self.viewer or role, self._legal.get(role, ()))
        return {
            'scene': scene.to_json(),
            'players': [
                {
                    'role': name,
                    'colour': role_colour(name, replay.roles),
                    'agent': words.get(name, ''),
                    'isYou': False,
                    'toMove': name in movers,
                    'goal': step.goals.get(name),
                    'tally': '',
                    'strikes': 0,
                }
                for name in replay.roles
            ],
            'banner': self._banner(step, result, role),
            'bannerKind': 'result' if result else '',
            'tick': self.number,
            'episode': int(self.match.value),
            'canPlay': bool(role),
            'clock': None,
            'lastSquares': self.painter.last_squares(step),
        }

    def _banner(self, step: ReplayStep, result: str, role: str) -> str:
        place, last = self._line.index(self.number), len(self._line) - 1
        words = text('replay.step', number=place, last=last)
        moves = ', '.join(f'{name} {move}' for name, move in self._words(step))
        if role:
            name = self.painter.view.word(role)
            moves = text('replay.chance') if is_chance(role) else text('replay.turn', role=name)
        return f'{words}: {result or moves}' if result or moves else words

    # ---- trying

    def _find_asked(self) -> str:
        """Return the role whose move is tried next; '' if none is."""
        return next((role for role in self._legal if role not in self._chosen), '')

    async def _switch_trying(self) -> None:
        self._board = None
        if self.trying.value and self.painter.game is not None:
            self.trouble.set_text(text('replay.opening'))
            try:
                self._board = await run.io_bound(TrialBoard, self.painter.game)
            finally:
                self.trouble.set_text(self.painter.trouble or self.replay.note)
        self._go(self.number)

    async def _play(self, _tick: int, move: str) -> None:
        """Try a move; where all choose at once, the last one leads on."""
        role = self._find_asked()
        if self._board is None or not role:
            return
        chosen = {**self._chosen, role: move}
        if self._board.is_joint and set(chosen) != set(self._legal):
            self._chosen = chosen
            self._draw()
            return
        before = self.number
        step = self._board.play(self.game.tree[before].facts, chosen)
        self._line = []
        self._go(self.game.tree.add(before, step))

    async def _save(self) -> None:
        if len(self._line) < 2:
            raise TextError('trouble.no_moves')
        path = save_replay(line_of(self.game, self.number), self._hub.folder)
        name = path.relative_to(self._hub.folder)
        ui.notify(text('match.saved', name=name), timeout=8000)

    async def _save_pgn(self) -> None:
        ui.download(write_pgn(self.game.tree).encode(), 'game.pgn')

    # ---- playing by itself

    def _toggle(self) -> None:
        self._is_playing = not self._is_playing
        self.play.set_icon('pause' if self._is_playing else 'play_arrow')

    def _set_speed(self) -> None:
        self.timer.interval = float(self.speed.value)

    def _tick(self) -> None:
        if self._is_playing and self.table.is_ready:
            self._step(1)
            if self.number == self._line[-1]:
                self._toggle()

    def _button(self, icon: str, label: str, work: Any) -> ui.button:
        button = ui.button(icon=icon, on_click=work)
        button.props['aria-label'] = label
        return button.props('flat dense round').tooltip(label)

    def _on_key(self, event: Any) -> None:
        if event.action.keydown and event.key.name in {'[', ']'}:
            self._step(1 if event.key.name == ']' else -1)


async def open_replay(hub: Hub, file: str, game: str = '', *, is_own: bool = False) -> None:
    """Draw the page: what there is, a recording, a game to try moves in, or the visitor's own."""
    with shell(text('shell.replay')):
        try:
            if games := await _find_games(hub, file, game, is_own=is_own):
                ReplayPage(hub, games, is_trying=not file).build()
                return
        except (GdlError, OSError) as error:
            complain(str(error))
        with ui.card().classes('w-full'):
            offer_pgn(hub)
        with ui.card().classes('w-full'):
            offer_rules()
        _list_files(hub)


async def _find_games(hub: Hub, file: str, game: str, *, is_own: bool) -> Sequence[StudiedGame]:
    """Return what the address asks for; nothing if it names nothing. Raises GdlError, OSError."""
    if is_own:
        return hub.studied.get(visitor(), ())
    if game:
        return await run.io_bound(study_rules, game) or ()
    if not file:
        return ()
    path = Path(file)
    if not path.is_absolute():
        path = hub.folder / path
    known = list_recordings(hub.folder)
    # A page must not read whatever its address names.
    if path.resolve() not in known and not path.resolve().is_relative_to(hub.folder):
        raise TextError('replay.outside', file=file, folder=hub.folder)
    return await run.io_bound(study_file, path) or ()


def _list_files(hub: Hub) -> None:
    if hub.played_games.list_newest(1):
        with ui.card().classes('w-full'):
            list_played(hub, _PLAYED)
    with ui.card().classes('w-full'):
        heading(text('replay.recordings'))
        # What was played here is above, by name and time.
        played = hub.folder.resolve() / PLAYED
        found = [p for p in list_recordings(hub.folder) if not p.is_relative_to(played)]
        if not found:
            ui.label(text('replay.none'))
        for path in found:
            name = path.relative_to(hub.folder) if path.is_relative_to(hub.folder) else path
            ui.link(str(name), replay_path(str(name)))
