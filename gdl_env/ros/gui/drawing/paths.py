"""Where to click for a move: the squares it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdl_env.language.terms import Term, args_of, name_of
from gdl_env.ros.gui.drawing.layout import BoardPlan, split_term
from gdl_env.ros.gui.drawing.scene import MovePicture, Square
from gdl_env.ros.gui.drawing.view_file import MoveView

# Values of each argument of each kind of move, by name and number of arguments.
MoveDomain = Mapping[tuple[str, int], Sequence[set[str]]]


def picture_move(
    move: Term, boards: Sequence[BoardPlan], domain: MoveDomain, told: MoveView | None
) -> MovePicture:
    """Return a move with its place on the first board that has one for it."""
    text = str(move)
    label = _label(move, told)
    for number, board in enumerate(boards):
        path = _told_path(move, board, told) if told and told.target else _path(move, board)
        if path:
            return MovePicture(text, label, number, path)
    for number, board in enumerate(boards):
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


def _told_path(move: Term, board: BoardPlan, told: MoveView) -> tuple[Square, ...]:
    args = args_of(move)
    found = []
    for places in (told.start, told.target):
        if not places or max(places) >= len(args):
            continue
        if len(places) == 1:
            square = _square(args[places[0]], board)
        else:
            square = board.square(str(args[places[0]]), str(args[places[1]]))
        if square is None:
            return ()
        found.append(square)
    return tuple(found)


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


def _label(move: Term, told: MoveView | None) -> str:
    """Return a move as people read it: without the outer parentheses."""
    if told and told.label:
        words = [str(arg) for arg in args_of(move)]
        label = told.label
        for number, word in enumerate(words, start=1):
            label = label.replace(f'{{{number}}}', word)
        return label
    text = str(move)
    text = text[1:-1] if text.startswith('(') else text
    return text.replace('_', ' ')
