"""Tables of cards, dice and boards without rows and columns, as lines in a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from gdl_env.cli.terminal_pieces import to_colour, to_symbol
from gdl_env.gui.drawing.scene import (
    BoardPicture,
    CardGroup,
    CardPicture,
    SeatPicture,
    TablePicture,
)

SPECIAL = frozenset({'points', 'stacks', 'graph'})
_FACES = '⚀⚁⚂⚃⚄⚅'


def draw_special(picture: BoardPicture) -> list[Text]:
    """Return what is on each place of a board that has no rows and columns."""
    lines = []
    for place, pieces in sorted(picture.pieces.items(), key=lambda one: _order(picture, one[0])):
        if not pieces:
            continue
        line = Text(f'{_name(picture, place):>4} ', 'dim')
        for piece in pieces:
            line.append(to_symbol(piece, is_checkered=False), f'bold {to_colour(piece.fill)}')
        counts = dict.fromkeys(piece.label for piece in pieces)
        words = ', '.join(f'{_count(pieces, label)} {label}' for label in counts)
        lines.append(line.append(f'  {words}', 'dim'))
    return lines


def _count(pieces: Iterable[object], label: str) -> int:
    return sum(getattr(piece, 'label', '') == label for piece in pieces)


def _name(picture: BoardPicture, place: str) -> str:
    return picture.names.get(place) or picture.columns[int(place.partition(',')[2])]


def _order(picture: BoardPicture, place: str) -> tuple[bool, int, str]:
    name = _name(picture, place)
    return not name.isdecimal(), -int(name) if name.isdecimal() else 0, name


def draw_dice(dice: Iterable[int]) -> Text:
    """Return dice by their faces."""
    faces = [_FACES[number - 1] if number <= len(_FACES) else str(number) for number in dice]
    return Text(' '.join(faces), 'bold')


def draw_cards(title: str, cards: Iterable[CardPicture]) -> Text:
    """Return cards in a row."""
    line = Text(f'{title}: ' if title else '')
    for card in cards:
        text = f'{card.rank}{card.suit}' if card.is_up else '▒▒'
        line.append(f' {text or card.label} ', 'red' if card.is_red else 'bold')
    return line


def draw_seats(table: TablePicture) -> list[Text]:
    """Return the others, what lies in the middle, and at last the viewer."""
    first, *others = table.seats
    lines = [line for seat in others for line in _seat(seat)]
    for seat in table.seats:
        if seat.played:
            lines.append(draw_cards(f'{seat.name} played', seat.played))
    lines += _piles(table.piles)
    middle = [*table.notes, *([f'pot {table.money}'] if table.money > 0 else [])]
    if middle:
        lines.append(Text('   '.join(middle)))
    return [*lines, *_seat(first)]


def _seat(seat: SeatPicture) -> list[Text]:
    words = [*seat.notes, *(f'“{word}”' for word in seat.said)]
    if seat.money >= 0:
        words.append(f'{seat.money} paid')
    title = ' '.join([seat.name, *([f'({", ".join(words)})'] if words else [])])
    return [draw_cards(title, seat.cards), *_piles(seat.piles)]


def _piles(groups: Iterable[CardGroup]) -> list[Text]:
    return [draw_cards(f'  {group.title}', group.cards) for group in groups]
