"""Where to click for a move: the squares it names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gdl_env.gui.drawing.axes import split_square
from gdl_env.gui.drawing.layout import BoardPlan, split_term
from gdl_env.gui.drawing.scene import MovePicture, Square
from gdl_env.gui.drawing.view_file import Coordinate, MoveView
from gdl_env.language.terms import Term, args_of, name_of

# Values of each argument of each kind of move, by name and number of arguments.
MoveDomain = Mapping[tuple[str, int], Sequence[set[str]]]


def picture_move(
    move: Term,
    boards: Sequence[BoardPlan],
    domain: MoveDomain,
    told: MoveView | None,
    role: str = '',
    words: Mapping[str, str] | None = None,
) -> MovePicture:
    """Return a move of a role with its place on the first board that has one for it."""
    text = str(move)
    label = _label(move, told, words or {})
    for number, board in enumerate(boards):
        is_told = told is not None and told.has_path
        path = _told_path(move, board, told, role) if is_told else _path(move, board)
        if path:
            return MovePicture(text, label, number, path)
    for number, board in enumerate(boards if told is None or not told.has_path else ()):
        column, row = _line(move, board, domain)
        if column >= 0 or row >= 0:
            return MovePicture(text, label, number, column=column, row=row)
    return MovePicture(text, label)


def _path(move: Term, board: BoardPlan) -> tuple[Square, ...]:
    """Find pairs of coordinates, or whole squares, from the left; at most two."""
    args = args_of(move)
    found: list[Square] = []
    index = 0
    while index < len(args) and len(found) < 2:
        square = _square(args[index], board)
        if square is not None:
            found.append(square)
            index += 1
            continue
        if index + 1 < len(args):
            square = board.square(str(args[index]), str(args[index + 1]))
            if square is not None:
                found.append(square)
                index += 2
                continue
        index += 1
    return tuple(found)


def _square(term: Term, board: BoardPlan) -> Square | None:
    both = split_term(term)
    return board.square(*both) if both else None


def _told_path(
    move: Term, board: BoardPlan, told: MoveView | None, role: str
) -> tuple[Square, ...]:
    """Follow the view file."""
    args = args_of(move)
    found = []
    for places in (told.start, told.target) if told else ():
        if not places:
            continue
        both = _coordinates(args, places, role)
        square = board.square(*both) if both else None
        if square is None:
            return ()
        found.append(square)
    if told is not None and told.steps:
        both = _coordinates(args, told.start, role)
        shift = _shift(args, told, role)
        square = board.square(*map(_shifted, both, shift)) if both and shift else None
        if square is not None:
            found.append(square)
    return tuple(found)


def _coordinates(
    args: Sequence[Term], places: Sequence[Coordinate], role: str
) -> tuple[str, str] | None:
    words = [_coordinate(args, place, role) for place in places]
    return (words[0], words[1]) if len(words) == 2 else split_square(words[0])


def _shift(args: Sequence[Term], told: MoveView, role: str) -> tuple[int, int] | None:
    """Return how far the direction of a move leads."""
    for index, arg in enumerate(args):
        shift = told.steps.get(str(arg)) if index not in told.start else None
        if shift is not None:
            return shift.get(role, shift.get(''))
    return None


def _shifted(coordinate: str, steps: int) -> str:
    """Return the coordinate `steps` further, a number or a letter; '' if it is neither."""
    if coordinate.isdecimal():
        return str(int(coordinate) + steps)
    return chr(ord(coordinate) + steps) if len(coordinate) == 1 else ''


def _coordinate(args: Sequence[Term], place: Coordinate, role: str) -> str:
    if isinstance(place, int):
        return str(args[place]) if place < len(args) else ''
    return place if isinstance(place, str) else place.get(role, '')


def _line(move: Term, board: BoardPlan, domain: MoveDomain) -> tuple[int, int]:
    """Return column and row of a move that names one of them; -1 where it does not."""
    args = args_of(move)
    for index, values in enumerate(domain.get((name_of(move), len(args)), ())):
        axis = board.axis(values)
        value = str(args[index])
        if axis == 'column':
            return board.columns.index(value), -1
        if axis == 'row':
            return -1, board.rows.index(value)
    return -1, -1


def _label(move: Term, told: MoveView | None, words: Mapping[str, str]) -> str:
    """Return a move as people read it: without the outer parentheses."""
    if told and told.label:
        label = told.label
        for number, arg in enumerate(args_of(move), start=1):
            label = label.replace(f'{{{number}}}', words.get(str(arg), str(arg)))
        return label
    if not args_of(move) and str(move) in words:
        return words[str(move)]
    text = str(move)
    text = text[1:-1] if text.startswith('(') else text
    return text.replace('_', ' ')


def list_places(picture: MovePicture, boards: Sequence[BoardPlan]) -> Collection[str]:
    """Return the squares that a move leads to, as 'board:row,column': one, or a whole line."""
    if picture.board < 0:
        return ()
    if picture.path:
        row, column = picture.path[-1]
        return (f'{picture.board}:{row},{column}',)
    board = boards[picture.board]
    if picture.column >= 0:
        return [f'{picture.board}:{row},{picture.column}' for row in range(len(board.rows))]
    return [f'{picture.board}:{picture.row},{column}' for column in range(len(board.columns))]
