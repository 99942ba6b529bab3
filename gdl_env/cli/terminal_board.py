"""Boards, cards and facts in a terminal, with the pieces and colours of the web page.

For terminals that can: elsewhere facts are drawn as plain text, see `gdl_env.engine.board`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
import os

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from gdl_env.cli.terminal_pieces import brightness, to_colour, to_symbol
from gdl_env.cli.terminal_seats import (
    SPECIAL,
    draw_cards,
    draw_dice,
    draw_seats,
    draw_special,
)
from gdl_env.environment.protocol import MatchInfo
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import BoardPicture, FactTable, Piece, Scene
from gdl_env.gui.views import find_view
from gdl_env.language.game import Game

_LIGHT, _DARK = '#e8d0a9', '#b08860'
_MARKED = '#d6c94a'
# Boards on which pieces may be as dark as a terminal.
_GROUNDS = {'green': '#2e7d4f', 'holes': '#2a52a0', 'hex': '#d9b97c', 'plain': '#d9b97c'}
_PLACED = frozenset({'disc', 'king', 'stone'})
# Rows of one relation that are worth reading between two moves.
_MOST_ROWS = 24


def open_console() -> Console:
    """Return standard output, as rich sees it."""
    return Console(highlight=False, soft_wrap=True)


def can_draw(console: Console) -> bool:
    """Tell whether a terminal has colours, and the characters of chess and checkers."""
    if not console.is_terminal or console.no_color or console.color_system is None:
        return False
    is_utf = console.encoding.replace('-', '').lower().startswith('utf')
    return is_utf and os.environ.get('TERM', 'dumb') != 'dumb'


class TerminalBoard:
    """Draws what one viewer sees."""

    def __init__(self, game: Game, info: MatchInfo, console: Console) -> None:
        view, _ = find_view(info.name)
        self._painter = Painter(info.name, info.roles, game, info.facts, info.moves, view)
        self._console = console
        # The newest moves that the viewer may know, by role: their squares are marked.
        self.last_moves: Mapping[str, str] = {}

    def draw(self, facts: Iterable[str], role: str) -> str:
        """Return what a role sees ('' is a spectator), with the codes of the terminal."""
        scene = self._painter.paint(facts, viewer=role, last=self.last_moves)
        marked = self._painter.squares_of(self.last_moves, role)
        with self._console.capture() as captured:
            for part in _parts(scene, marked):
                self._console.print(part)
        return captured.get().rstrip('\n')


def _parts(scene: Scene, marked: Collection[str]) -> Iterable[Text]:
    """Yield what is drawn, line by line."""
    blocks = [
        *(_board(picture, _squares(marked, i)) for i, picture in enumerate(scene.boards)),
        *([[draw_dice(scene.dice)]] if scene.dice else []),
        *([draw_seats(scene.table)] if scene.table else []),
        *([draw_cards(group.title, group.cards)] for group in scene.cards),
    ]
    rest = [_table(table) for table in scene.tables]
    if scene.notes:
        rest.append(Text('   '.join(scene.notes)))
    rest += [Text(hidden, 'dim') for hidden in scene.hidden]
    if rest:
        blocks.append(rest)
    for number, block in enumerate(blocks):
        if number:
            yield Text()
        for line in block:
            yield Text('  ').append_text(line)


def _squares(marked: Collection[str], board: int) -> set[str]:
    return {place.partition(':')[2] for place in marked if place.startswith(f'{board}:')}


def _board(picture: BoardPicture, marked: Collection[str]) -> list[Text]:
    if picture.style in SPECIAL:
        return draw_special(picture)
    is_checkered = picture.style == 'checkered'
    on_top = {place: _top(pieces) for place, pieces in picture.pieces.items() if pieces}
    symbols = {
        place: to_symbol(piece, is_checkered=is_checkered) for place, piece in on_top.items()
    }
    labels = (*picture.columns, *symbols.values())
    width = max((cell_len(text) for text in labels), default=1)
    margin = max((len(row) for row in picture.rows), default=0)
    ground = _ground(picture, on_top.values())
    lines = []
    for y, row in enumerate(picture.rows):
        indent = y * (width + 2) // 2 if picture.style == 'hex' else 0
        line = Text(' ' * indent).append(f'{row:>{margin}} ', 'dim')
        for x in range(len(picture.columns)):
            place = f'{y},{x}'
            back = _MARKED if place in marked else ground
            if is_checkered and place not in marked:
                back = _DARK if (x + y + picture.is_turned) % 2 else _LIGHT
            if picture.style == 'lines' and x:
                line.append('│', 'dim')
            line.append_text(_cell(symbols.get(place, ''), on_top.get(place), width, back))
        lines.append(line)
        if picture.style == 'lines' and y < len(picture.rows) - 1:
            bar = '┼'.join(['─' * (width + 2)] * len(picture.columns))
            lines.append(Text(' ' * (margin + 1)).append(bar, 'dim'))
    gap = 1 if picture.style == 'lines' else 0
    head = Text(' ' * (margin + 1), 'dim')
    head.append((' ' * gap).join(column.center(width + 2) for column in picture.columns), 'dim')
    is_upward = picture.rows[0].isdecimal() and int(picture.rows[0]) > int(picture.rows[-1])
    lines = [*lines, head] if is_upward else [head, *lines]
    legend = {
        symbol: on_top[place].label
        for place, symbol in sorted(symbols.items())
        if on_top[place].kind in {'tile', 'glyph'} and symbol not in {on_top[place].label, '▒'}
    }
    if legend:
        words = ', '.join(f'{symbol} {label}' for symbol, label in legend.items())
        lines.append(Text(f'({words})', 'dim'))
    return lines


def _top(pieces: Sequence[Piece]) -> Piece:
    """Return the piece that is seen: the last one, but not an area of colour over another."""
    return next((p for p in reversed(pieces) if p.kind != 'tile' or p.text.strip()), pieces[-1])


def _ground(picture: BoardPicture, pieces: Iterable[Piece]) -> str:
    """Return the colour under the pieces; '' leaves that of the terminal."""
    if picture.style == 'plain' and not any(piece.kind in _PLACED for piece in pieces):
        return ''
    return _GROUNDS.get(picture.style, '')


def _cell(symbol: str, piece: Piece | None, width: int, back: str) -> Text:
    style = f'on {back}' if back else ''
    if piece is None:
        symbol, colour = ('', '') if back in {_LIGHT, _DARK} else ('·', 'bright_black')
    elif piece.kind == 'chess' or symbol in '⛀⛁⛂⛃':
        # As printed: what is white is an outline.
        colour = 'black'
    elif piece.kind == 'tile' and symbol != '▒' and back:
        colour = 'black' if brightness(back) > 0.5 else 'white'
    else:
        colour = f'bold {to_colour(piece.fill)}'
    left = (width - cell_len(symbol)) // 2
    right = width - cell_len(symbol) - left
    return Text(f' {" " * left}{symbol}{" " * right} ', f'{colour} {style}'.strip())


def _table(table: FactTable) -> Text:
    rows = [' '.join(row) for row in table.rows[:_MOST_ROWS]]
    if len(table.rows) > _MOST_ROWS:
        rows.append(f'… and {len(table.rows) - _MOST_ROWS} more')
    return Text(f'{table.title}: {", ".join(rows)}')
