"""Recorded matches, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import run, ui

from gdl_env.errors import GdlError
from gdl_env.gui.components.table import GameTable
from gdl_env.gui.drawing.pieces import role_colour
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.navigator import replay_path
from gdl_env.gui.pages.played_list import list_played
from gdl_env.gui.pages.shell import complain, heading, shell
from gdl_env.gui.study.played_games import PLAYED
from gdl_env.gui.study.replays import Replay, ReplayPainter, list_recordings, load_replays
from gdl_env.gui.study.results import describe_end
from gdl_env.gui.texts import text

# Games played here that are listed.
_PLAYED = 50
# Steps a second, by the time of one [s].
_SPEEDS = {1.0: '1', 0.4: '2.5', 0.1: '10'}


class ReplayPage:
    """One open file."""

    def __init__(self, replays: list[Replay]) -> None:
        self.replays = replays
        self.number = 0
        self.viewer = ''
        self._is_playing = False

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-center gap-3'):
            names = {i: f'{i + 1}: {replay.game}' for i, replay in enumerate(self.replays)}
            self.match = ui.select(
                names, value=0, label=text('replay.match'), on_change=self._open
            ).classes('w-48')
            self.eyes = ui.select(
                {'': text('replay.everything')}, value='', label=text('replay.seen_by')
            ).classes('w-40')
            self.eyes.on_value_change(self._change_viewer)
        self.table = GameTable(_ignore)
        self.table.on('visited', lambda event: self._go(int(event.args)))
        self.table.on('stepped', lambda event: self._go(self.number + int(event.args)))
        with ui.row().classes('w-full items-center gap-2'):
            self._button('first_page', text('replay.first'), lambda: self._go(0))
            self._button('chevron_left', text('replay.back'), lambda: self._go(self.number - 1))
            self.slider = ui.slider(min=0, max=1, value=0).classes('w-40 sm:w-64')
            self.slider.on_value_change(lambda event: self._go(int(event.value)))
            self._button('chevron_right', text('replay.forth'), lambda: self._go(self.number + 1))
            self.play = self._button('play_arrow', text('replay.play'), self._toggle)
            speeds = {time: text('replay.speed', steps=n) for time, n in _SPEEDS.items()}
            self.speed = ui.select(speeds, value=1.0, on_change=self._set_speed).props('dense')
            self.slider.props['aria-label'] = text('replay.history')
            self.speed.props['aria-label'] = text('replay.pace')
        self.trouble = ui.label().classes('text-negative text-sm')
        self.timer = ui.timer(1.0, self._tick)
        ui.keyboard(on_key=self._on_key)
        self._open()

    @property
    def replay(self) -> Replay:
        """Return the match that is shown."""
        return self.replays[int(self.match.value)]

    def _open(self) -> None:
        self.painter = ReplayPainter(self.replay)
        self.trouble.set_text(self.painter.trouble or self.replay.note)
        eyes = {'': text('replay.everything'), **{role: role for role in self.replay.roles}}
        self.eyes.set_options(eyes, value='')
        self.slider.props(f'max={max(1, len(self.replay.steps) - 1)}')
        self._go(0)

    def _change_viewer(self) -> None:
        self.viewer = str(self.eyes.value or '')
        self._go(self.number)

    def _go(self, number: int) -> None:
        self.number = max(0, min(len(self.replay.steps) - 1, number))
        if self.slider.value != self.number:
            self.slider.set_value(self.number)
        self.table.show(self._state())
        self.table.show_history(self._moves(), self.number)

    def _moves(self) -> list[dict[str, Any]]:
        """Return the list of moves, as far as the viewer may know them."""
        viewer = self.viewer if self.painter.hides_facts else ''
        return [
            {'number': n, 'words': self.painter.words(n, viewer), 'isUndone': False}
            for n in range(len(self.replay.steps))
        ]

    def _state(self) -> dict[str, Any]:
        replay = self.replay
        step = replay.steps[self.number]
        moves = ', '.join(f'{role} {move}' for role, move in step.moves.items())
        result = describe_end(step.goals, step.facts, self.painter.view, self.viewer)
        words = text('replay.step', number=self.number, last=len(replay.steps) - 1)
        return {
            'scene': self.painter.paint(self.number, self.viewer).to_json(),
            'players': [
                {
                    'role': role,
                    'colour': role_colour(role, replay.roles),
                    'agent': step.moves.get(role, ''),
                    'isYou': False,
                    'toMove': role in step.moves,
                    'goal': step.goals.get(role),
                    'tally': '',
                    'strikes': 0,
                }
                for role in replay.roles
            ],
            'banner': f'{words}: {result or moves}' if result or moves else words,
            'bannerKind': 'result' if result else '',
            'tick': self.number,
            'canPlay': False,
            'clock': None,
            'lastSquares': self.painter.last_squares(self.number),
        }

    def _toggle(self) -> None:
        self._is_playing = not self._is_playing
        self.play.set_icon('pause' if self._is_playing else 'play_arrow')

    def _set_speed(self) -> None:
        self.timer.interval = float(self.speed.value)

    def _tick(self) -> None:
        if self._is_playing and self.table.is_ready:
            self._go(self.number + 1)
            if self.number == len(self.replay.steps) - 1:
                self._toggle()

    def _button(self, icon: str, label: str, work: Any) -> ui.button:
        button = ui.button(icon=icon, on_click=work)
        button.props['aria-label'] = label
        return button.props('flat dense round')

    def _on_key(self, event: Any) -> None:
        if event.action.keydown and event.key.name in {'[', ']'}:
            self._go(self.number + (1 if event.key.name == ']' else -1))


def _ignore(tick: int, move: str) -> None:
    """Do nothing: what is recorded is over."""


async def open_replay(hub: Hub, file: str) -> None:
    """Draw the page: the recordings there are, or one of them."""
    with shell(text('shell.replay')):
        if file:
            path = Path(file)
            if not path.is_absolute():
                path = hub.folder / path
            known = list_recordings(hub.folder)
            # A page must not read whatever its address names.
            if path.resolve() in known or path.resolve().is_relative_to(hub.folder):
                try:
                    ReplayPage(await run.io_bound(load_replays, path) or []).build()
                    return
                except (GdlError, OSError) as error:
                    complain(str(error))
            else:
                complain(text('replay.outside', file=file, folder=hub.folder))
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
