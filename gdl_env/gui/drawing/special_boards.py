"""Boards without rows and columns: points with stacks, stacks side by side, places and lines.

Each has squares like other boards, row from the top and column from the left, so that pages mark,
choose and drag on all of them alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gdl_env.gui.drawing.axes import to_axis
from gdl_env.gui.drawing.pieces import PieceBook
from gdl_env.gui.drawing.scene import BoardPicture, MovePicture, Piece, Square
from gdl_env.gui.drawing.shows import Show
from gdl_env.gui.drawing.view_boards import PointsView
from gdl_env.gui.drawing.view_file import MoveView, ViewFile, spaced
from gdl_env.language.terms import Term, args_of, name_of

# Stacks that are higher are drawn closer.
_DEPTH = 5


class SpecialBoard(ABC):
    """The relations that are shown on such a board."""

    def __init__(self, shows: Mapping[str, Show], view: ViewFile, book: PieceBook) -> None:
        self.names = tuple(shows)
        self._shows = shows
        self._view = view
        self._book = book

    @abstractmethod
    def paint(self, terms: Sequence[Term], viewer: str) -> BoardPicture:
        """Return the picture of its facts."""

    @abstractmethod
    def square(self, place: str, owner: str, viewer: str) -> Square | None:
        """Return the square of a place, as its owner calls it."""

    def place(self, move: Term, role: str, viewer: str, number: int) -> MovePicture | None:
        """Return a move of a role that leads from place to place here; None for others."""
        told = self._view.moves.get(name_of(move))
        if told is None or not (told.start or told.target):
            return None
        path = self._path(args_of(move), told, role, viewer)
        return MovePicture(str(move), '', number, path) if path else None

    def _path(
        self, args: Sequence[Term], told: MoveView, role: str, viewer: str
    ) -> tuple[Square, ...]:
        words = [_word(args, places[0]) for places in (told.start, told.target) if places]
        if told.start and (told.minus >= 0 or told.plus >= 0):
            words.append(self._further(args, told, words[0]))
        squares = [self.square(word, role, viewer) for word in words]
        return tuple(s for s in squares if s is not None) if all(squares) else ()

    def _further(self, args: Sequence[Term], told: MoveView, start: str) -> str:
        steps = _word(args, told.minus if told.minus >= 0 else told.plus)
        if not (start.isdecimal() and steps.isdecimal()):
            return ''
        return str(int(start) + int(steps) * (1 if told.plus >= 0 else -1))

    def _pieces(self, term: Term) -> tuple[Piece, ...]:
        """Return what a fact puts on its place: the owner's pieces, or those it is called by."""
        name, args = name_of(term), args_of(term)
        show = self._shows[name]
        used = {show.place, show.count}
        rest = ' '.join(str(arg) for index, arg in enumerate(args) if index not in used)
        piece = self._book.piece(show.word(args, 'owner') or rest or name)
        return (piece,) * show.number(args, 'count') if piece else ()

    def _place_of(self, term: Term) -> str:
        return self._shows[name_of(term)].word(args_of(term), 'place')

    @property
    def _title(self) -> str:
        return self._view.relation(self.names[0]).label or spaced(self.names[0])


class PointsBoard(SpecialBoard):
    """Two sides of points with stacks, a bar between their halves, and what is off at the side.

    Whoever looks counts from the lower right, as at a real board.
    """

    @property
    def _told(self) -> PointsView:
        return self._view.points

    def square(self, place: str, owner: str, viewer: str) -> Square | None:
        """Return row and column: the bar is in the middle, what is off is at the right."""
        half = self._told.length // 4
        is_mine = self._is_turned(owner) == self._is_turned(viewer)
        if place and place == self._told.bar:
            return (0 if is_mine else 1), half
        is_off = place.lstrip('-').isdecimal() and int(place) <= 0
        if place and (place == self._told.out or (is_off and self._told.out)):
            return (1 if is_mine else 0), 2 * half + 1
        if not place.isdecimal() or not 1 <= int(place) <= self._told.length:
            return None
        number = int(place) if is_mine else self._told.length + 1 - int(place)
        return self._square_of(number)

    def _is_turned(self, owner: str) -> bool:
        return owner in self._told.turned

    def _square_of(self, number: int) -> Square:
        side = self._told.length // 2
        row, column = (1, side - number) if number <= side else (0, number - side - 1)
        return row, column + (column >= side // 2)

    def paint(self, terms: Sequence[Term], viewer: str) -> BoardPicture:
        """Return both sides; points are called by their numbers, as the viewer counts."""
        pieces: dict[str, tuple[Piece, ...]] = {}
        for term in terms:
            owner = self._shows[name_of(term)].word(args_of(term), 'owner')
            square = self.square(self._place_of(term), owner, viewer)
            if square is not None:
                key = f'{square[0]},{square[1]}'
                pieces[key] = pieces.get(key, ()) + self._pieces(term)
        numbers = range(1, self._told.length + 1)
        names = {'{},{}'.format(*self._square_of(n)): str(n) for n in numbers}
        half = self._told.length // 4
        for row in (0, 1):
            names[f'{row},{half}'] = 'bar'
            names[f'{row},{2 * half + 1}'] = 'off'
        columns = tuple(str(n) for n in range(1, 2 * half + 3))
        rows = ('top', 'bottom')
        return BoardPicture(
            self._title, 'points', columns, rows, pieces, names=names, depth=_DEPTH
        )


class StacksBoard(SpecialBoard):
    """Stacks side by side, such as heaps."""

    def __init__(self, shows: Mapping[str, Show], view: ViewFile, book: PieceBook) -> None:
        super().__init__(shows, view, book)
        self._places: tuple[str, ...] = ()
        self._depth = 1

    def square(self, place: str, owner: str, viewer: str) -> Square | None:
        """Return the column of a place."""
        return (0, self._places.index(place)) if place in self._places else None

    def place(self, move: Term, role: str, viewer: str, number: int) -> MovePicture | None:
        """Return a move that names a stack: the whole column is clicked."""
        told = self._view.moves.get(name_of(move))
        if told is None or not told.target:
            return super().place(move, role, viewer, number)
        square = self.square(_word(args_of(move), told.target[0]), role, viewer)
        return MovePicture(str(move), '', number, column=square[1]) if square else None

    def paint(self, terms: Sequence[Term], viewer: str) -> BoardPicture:
        """Return all stacks; places do not vanish with what lies there."""
        found = [(self._place_of(term), term) for term in terms]
        seen = {*self._places, *(place for place, _ in found)}
        self._places = to_axis(seen) or tuple(sorted(seen))
        pieces: dict[str, tuple[Piece, ...]] = {}
        for place, term in found:
            key = f'0,{self._places.index(place)}'
            pieces[key] = pieces.get(key, ()) + self._pieces(term)
        self._depth = max(self._depth, *map(len, pieces.values()), 1)
        return BoardPicture(self._title, 'stacks', self._places, ('',), pieces, depth=self._depth)


class GraphBoard(SpecialBoard):
    """Places anywhere with lines between them."""

    def square(self, place: str, owner: str, viewer: str) -> Square | None:
        """Return the number of a place."""
        names = list(self._view.graph.nodes)
        return (0, names.index(place)) if place in names else None

    def paint(self, terms: Sequence[Term], viewer: str) -> BoardPicture:
        """Return all places and lines, and what stands on them."""
        graph = self._view.graph
        names = list(graph.nodes)
        pieces: dict[str, tuple[Piece, ...]] = {}
        for term in terms:
            place = self._place_of(term)
            if place in graph.nodes:
                key = f'0,{names.index(place)}'
                pieces[key] = pieces.get(key, ()) + self._pieces(term)
        picture = BoardPicture(self._title, 'graph', tuple(names), ('',), pieces)
        edges = tuple((names.index(one), names.index(other)) for one, other in graph.edges)
        return replace(picture, nodes=tuple(graph.nodes.values()), edges=edges)


_CLASSES: Mapping[str, type[SpecialBoard]] = {
    'points': PointsBoard,
    'stacks': StacksBoard,
    'graph': GraphBoard,
}


def make_special_boards(view: ViewFile, roles: Sequence[str]) -> list[SpecialBoard]:
    """Return the boards that a view file asks for."""
    return [
        kind(shows, view, PieceBook((), roles, view.pieces))
        for name, kind in _CLASSES.items()
        if (shows := view.shown(name))
    ]


def _word(args: Sequence[Term], place: object) -> str:
    return str(args[place]) if isinstance(place, int) and place < len(args) else str(place)
