"""What stands where: the boards of any game as squares with names of pieces.

Boards, squares and pieces are those of the picture of the game, so a view file that refines the
picture refines them, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
import re

from gdl_env.gui.drawing.domain import GameDomain, Key, bare, read
from gdl_env.gui.drawing.layout import find_boards
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import BoardPicture, Piece
from gdl_env.gui.drawing.view_file import ViewFile
from gdl_env.gui.views import find_view
from gdl_env.language.game import Game
from gdl_env.language.terms import args_of, name_of
from gdl_env.robot.errors import BoardError

# Parts of the board, however they are drawn: nothing that could be picked up.
_PRINTED = frozenset({'target', 'hole', 'exit'})


@dataclass(frozen=True, order=True)
class Place:
    """A square: the name of its board, its row from the top and its column from the left."""

    board: str
    row: int
    column: int


# The pieces on every square that is not empty, from the bottom.
Position = Mapping[Place, tuple[str, ...]]


class PositionReader:
    """Reads positions from facts, and knows what squares are called.

    Boards are found in what the rules declare, in `facts`, all that can ever be the case (the
    facts of MatchInfo), and in everything that was read so far.
    """

    def __init__(
        self,
        game: Game,
        name: str = '',
        facts: Iterable[str] = (),
        view: ViewFile | None = None,
    ) -> None:
        self.game = game
        name = name or game.name
        roles = [str(role) for role in game.roles]
        facts = tuple(facts)
        view = view or find_view(name)[0]
        self._painter = Painter(name, roles, game, facts, view=view)
        self._marks = _find_marks(game, facts, view)
        self.boards: dict[str, BoardPicture] = {}
        # Names of pieces that were seen on boards. Another painter shows all there are, so that
        # this one does not take them for seen.
        shown = _without(self._marks, facts)
        everything = Painter(name, roles, game, facts, view=view).paint(shown)
        self._seen = {
            piece.label: piece
            for board in everything.boards
            for pieces in board.pieces.values()
            for piece in pieces
            if piece.kind not in _PRINTED
        }
        self._names: dict[Place, str] = {}
        self._places: dict[str, Place] = {}

    def read(self, facts: Iterable[object]) -> Position:
        """Return what stands where. Raises BoardError if the game has no board."""
        scene = self._painter.paint(_without(self._marks, map(str, facts)))
        if not scene.boards:
            raise BoardError(f'{self._painter.name} has no board: pieces cannot be moved on it')
        position: dict[Place, tuple[str, ...]] = {}
        boards = dict(zip(_labels(scene.boards), scene.boards, strict=True))
        for label, board in boards.items():
            for key, found in board.pieces.items():
                row, column = map(int, key.split(','))
                real = [piece for piece in found if piece.kind not in _PRINTED]
                if real:
                    position[Place(label, row, column)] = tuple(piece.label for piece in real)
                    self._seen.update((piece.label, piece) for piece in real)
        if any(self._is_news(label, board) for label, board in boards.items()):
            self.boards.update(boards)
            self._name_places()
        return position

    @property
    def pieces(self) -> tuple[str, ...]:
        """Return the names of all pieces that the rules or the positions so far name."""
        return tuple(sorted(self._pictures()))

    def picture(self, name: str) -> Piece:
        """Return how a piece is drawn. Raises BoardError if no piece has that name."""
        try:
            return self._pictures()[name]
        except KeyError:
            raise BoardError(f'no piece is called {name!r}') from None

    @property
    def places(self) -> tuple[Place, ...]:
        """Return all squares of the boards that were read."""
        return tuple(self._names)

    def name(self, place: Place) -> str:
        """Return the name of a square in messages and frames: e4, row_1_column_2."""
        return self._names[place]

    def place(self, name: str) -> Place:
        """Return the square of that name. Raises BoardError."""
        try:
            return self._places[name]
        except KeyError:
            some = ', '.join(list(self._places)[:6])
            raise BoardError(f'no square is called {name!r}; squares: {some}, …') from None

    def words(self, place: Place) -> str:
        """Return the name of a square as people say it: e4, row 1, column 2."""
        name = self.name(place)
        return re.sub(r'row_(\d+)_column', r'row \1, column', name).replace('_', ' ')

    def path(self, moves: Mapping[str, str]) -> list[tuple[Place, Place]]:
        """Return from where to where the moves of roles lead, of those that name two squares."""
        labels = list(self.boards)
        found = []
        for picture in self._painter.pictures_of(moves):
            if len(picture.path) == 2 and picture.board < len(labels):
                start, target = (Place(labels[picture.board], *square) for square in picture.path)
                found.append((start, target))
        return found

    def describe(self, moves: Mapping[str, str]) -> str:
        """Return what roles play, in words."""
        return self._painter.describe_moves(moves)

    def _pictures(self) -> dict[str, Piece]:
        marks = {mark.replace('_', ' ') for mark, _ in self._marks}
        known = [piece for piece in self._painter.known_pieces() if piece.kind not in _PRINTED]
        return {piece.label: piece for piece in known if piece.label not in marks} | self._seen

    def _is_news(self, label: str, board: BoardPicture) -> bool:
        known = self.boards.get(label)
        return known is None or (known.columns, known.rows, known.style) != (
            board.columns,
            board.rows,
            board.style,
        )

    def _name_places(self) -> None:
        self._names.clear()
        for label, board in self.boards.items():
            prefix = f'{_slug(label)}_' if len(self.boards) > 1 else ''
            for place in _places(label, board):
                self._names[place] = prefix + _name(board, place)
        self._places = {name: place for place, name in self._names.items()}


def _find_marks(game: Game, facts: Iterable[str], view: ViewFile) -> frozenset[Key]:
    """Return the relations that mark squares of a board: they have no contents.

    Checkers has `(jumping 3 5)`, of a piece that has to go on. A relation that the view file makes
    a board is one of pieces.
    """
    domain = GameDomain()
    domain.add_game(game)
    domain.add(map(read, facts))
    return frozenset(
        (plan.name, plan.arity)
        for board in find_boards(domain, view)
        for plan in board.relations
        if plan.arity == len(plan.where.places) and not view.relation(plan.name).is_board
    )


def _without(marks: Collection[Key], facts: Iterable[str]) -> list[str]:
    """Return the facts that are about pieces."""
    return [text for text in facts if _find_key(text) not in marks]


@lru_cache(maxsize=100_000)
def _find_key(text: str) -> Key:
    """Return the relation of a fact; the same ones come again and again."""
    term = bare(read(text))
    return name_of(term), len(args_of(term))


def _places(label: str, board: BoardPicture) -> Iterable[Place]:
    for row in range(len(board.rows)):
        for column in range(len(board.columns)):
            yield Place(label, row, column)


def _labels(boards: Iterable[BoardPicture]) -> list[str]:
    """Return the names of boards, with numbers where two have the same."""
    found: list[str] = []
    for board in boards:
        count = sum(label.partition('#')[0] == board.name for label in found)
        found.append(f'{board.name}#{count + 1}' if count else board.name)
    return found


def _name(board: BoardPicture, place: Place) -> str:
    column, row = board.columns[place.column], board.rows[place.row]
    key = f'{place.row},{place.column}'
    if key in board.names:
        told = board.names[key]
        is_unique = sum(name == told for name in board.names.values()) == 1
        return _slug(told if is_unique else f'{told} {row}')
    if not row:
        return _slug(column)
    if column.isdecimal() and row.isdecimal():
        return f'row_{row}_column_{column}'
    return f'{column}{row}' if column.isalpha() and row.isdecimal() else _slug(f'{column}_{row}')


def _slug(text: str) -> str:
    return re.sub(r'\W+', '_', text).strip('_')
