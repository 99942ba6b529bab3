"""View files: how a game is to be drawn, where the guess of the page is not good enough.

`games/chess.view.yaml` lies beside `games/chess.gdl`. Everything in it is optional. It may come
from others: it is text, colours and pictures, and never runs anything in a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from gdl_env.gui.drawing.errors import ViewError
from gdl_env.gui.drawing.shows import ARGUMENTS, Show
from gdl_env.gui.drawing.view_boards import (
    OTHER,
    OWN,
    CardsView,
    GraphView,
    PointsView,
    ResultView,
)
from gdl_env.gui.drawing.view_checks import (
    check_mapping,
    read_argument,
    read_colour,
    read_flag,
    read_names,
    read_text,
    read_texts,
    read_words,
    suggest,
)
from gdl_env.gui.drawing.view_sections import (
    read_card,
    read_cards,
    read_graph,
    read_points,
    read_result,
    read_show,
)
from gdl_env.yaml_text import YamlTextError, read_yaml

SUFFIX = '.view.yaml'
STYLES = ('plain', 'lines', 'checkered', 'green', 'hex', 'holes')
_TOP = (
    *('title', 'style', 'colours', 'relations', 'pieces', 'moves', 'roles'),
    *('points', 'graph', 'cards', 'result', 'words', 'ground'),
)
SIDES = ('top', 'bottom', 'left', 'right')
_COLOURS = ('light', 'dark', 'line', *SIDES)
_RELATION = (
    *('row', 'column', 'square', 'board', 'upward', 'leftward', 'letters', 'hide', 'table'),
    *('label', 'show', *ARGUMENTS),
)
_PIECE = ('kind', 'glyph', 'svg', 'text', 'fill', 'edge', 'label')
KINDS = (
    'cross',
    'ring',
    'disc',
    'king',
    'chess',
    'stone',
    'tile',
    'wall',
    'none',
    'box',
    'target',
    'person',
    'hole',
    'exit',
    'bike',
    'object',
)
_MOVE = ('from', 'to', 'steps', 'minus', 'plus', 'label', 'ask', 'card', 'board')
_ROLE = ('colour', 'label')
# An SVG inside a page is drawn as a picture, which must be well-formed.
_PICTURE = '<svg xmlns="s" xmlns:xlink="x">{}</svg>'


@dataclass(frozen=True)
class RelationView:
    """What a view file says of one relation."""

    # Arguments that hold row and column, counted from 0; None: to be guessed.
    row: int | None = None
    column: int | None = None
    square: int | None = None
    board_argument: int | None = None
    upward: bool | None = None
    leftward: bool = False
    # Columns that are numbers are called a, b, c.
    letters: bool = False
    hide: bool = False
    as_table: bool = False
    label: str = ''
    # Shown in another way than as a board or a table.
    show: Show = field(default_factory=Show)

    @property
    def is_board(self) -> bool:
        """Tell whether it says where squares are."""
        return self.square is not None or self.row is not None

    @property
    def where(self) -> tuple[int, int] | None:
        """Return the arguments of the square, the smaller one first."""
        if self.square is not None:
            return self.square, self.square
        if self.row is None or self.column is None:
            return None
        return min(self.row, self.column), max(self.row, self.column)

    @property
    def across(self) -> bool | None:
        """Tell whether the first of both coordinates is the column, if that is said."""
        if self.row is None or self.column is None:
            return None
        return self.column < self.row


# A coordinate of a move: an argument, counted from 0, or a constant, for all roles or for each.
Coordinate = int | str | Mapping[str, str]
# What is added to both coordinates, by role; '' is any.
Shift = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class MoveView:
    """What a view file says of one kind of move: its squares, and what people call it."""

    start: tuple[Coordinate, ...] = ()
    target: tuple[Coordinate, ...] = ()
    label: str = ''
    # Where moves name a direction instead of a target: how far from the start each leads.
    steps: Mapping[str, Shift] = field(default_factory=dict)
    # Along points: the argument by which the place sinks or rises; -1 is none.
    minus: int = -1
    plus: int = -1
    # The question that it answers.
    ask: str = ''
    # The arguments that name the card it plays, where cards are no playing cards.
    card: tuple[int, ...] = ()
    # Where each player has a board: on whose it is made, own or other.
    board: str = ''

    @property
    def has_path(self) -> bool:
        """Tell whether it says where a move goes."""
        return bool(self.target or self.steps)


@dataclass(frozen=True)
class ViewFile:
    """A view file, checked; an empty one says nothing."""

    title: str = ''
    style: str = ''
    colours: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[str, RelationView] = field(default_factory=dict)
    pieces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    moves: Mapping[str, MoveView] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    points: PointsView = field(default_factory=PointsView)
    graph: GraphView = field(default_factory=GraphView)
    cards: CardsView = field(default_factory=CardsView)
    result: ResultView | None = None
    # What people call the terms of the rules.
    words: Mapping[str, str] = field(default_factory=dict)
    # Contents that lie under others and stay where they were first seen.
    ground: tuple[str, ...] = ()

    def relation(self, name: str) -> RelationView:
        """Return what is said of a relation."""
        return self.relations.get(name, _NOTHING)

    def shown(self, *kinds: str) -> dict[str, Show]:
        """Return the relations that are shown in one of these ways."""
        return {n: told.show for n, told in self.relations.items() if told.show.kind in kinds}

    def word(self, term: str) -> str:
        """Return what people call a term."""
        return self.words.get(term) or self.roles.get(term, {}).get('label') or spaced(term)


_NOTHING = RelationView()


def spaced(term: str) -> str:
    """Return a term as people write it."""
    return term.replace('_', ' ')


def view_path(game: Path) -> Path:
    """Return where the view file of a rule file would be."""
    return game.with_name(f'{game.stem}{SUFFIX}')


def load_view(path: Path) -> ViewFile:
    """Read a view file. Raises ViewError, which names the file, the key and what is allowed."""
    try:
        text = path.read_text('utf-8')
    except OSError as error:
        raise ViewError(f'{path}: {error.strerror or error}') from error
    except UnicodeDecodeError as error:
        raise ViewError(f'{path}: this is not UTF-8: {error}') from error
    return read_view(text, str(path))


def read_view(text: str, place: str) -> ViewFile:
    """Read the text of a view file. Raises ViewError, with the place of the file."""
    try:
        data = read_yaml(text)
    except YamlTextError as error:
        raise ViewError(f'{place}: {error}') from error
    return parse_view(data or {}, place)


def parse_view(data: Any, place: str) -> ViewFile:
    """Check what a view file holds. Raises ViewError."""
    top = check_mapping(data, _TOP, place)
    style = read_text(top.get('style', ''), f'{place}: style')
    if style and style not in STYLES:
        raise ViewError(f'{place}: style {style!r} is unknown{suggest(style, STYLES)}')
    colours = check_mapping(top.get('colours', {}), _COLOURS, f'{place}: colours')
    relations = _each(top, 'relations', place, _RELATION)
    pieces = _each(top, 'pieces', place, _PIECE)
    moves = _each(top, 'moves', place, _MOVE)
    roles = _each(top, 'roles', place, _ROLE)
    for name, piece in pieces.items():
        kind = piece.get('kind', '')
        if kind and kind not in KINDS:
            where = f'{place}: pieces: {name}'
            raise ViewError(f'{where}: kind {kind!r} is unknown{suggest(str(kind), KINDS)}')
        _check_picture(piece, f'{place}: pieces: {name}: svg')
    return ViewFile(
        read_text(top.get('title', ''), f'{place}: title'),
        style,
        {key: read_colour(value, f'{place}: colours: {key}') for key, value in colours.items()},
        {name: _relation(told, f'{place}: relations: {name}') for name, told in relations.items()},
        {name: read_texts(told, f'{place}: pieces: {name}') for name, told in pieces.items()},
        {name: _move(told, f'{place}: moves: {name}') for name, told in moves.items()},
        {name: read_texts(told, f'{place}: roles: {name}') for name, told in roles.items()},
        points=read_points(top.get('points', {}), f'{place}: points'),
        graph=read_graph(top.get('graph', {}), f'{place}: graph'),
        cards=read_cards(top.get('cards', {}), f'{place}: cards'),
        result=read_result(top['result'], f'{place}: result') if 'result' in top else None,
        words=read_names(top.get('words', {}), f'{place}: words'),
        ground=read_words(top, 'ground', place),
    )


def _relation(told: Mapping[str, Any], place: str) -> RelationView:
    if ('row' in told) != ('column' in told):
        raise ViewError(f'{place}: row and column belong together')
    if 'square' in told and 'row' in told:
        raise ViewError(f'{place}: either square, or row and column')
    return RelationView(
        row=read_argument(told, 'row', place),
        column=read_argument(told, 'column', place),
        square=read_argument(told, 'square', place),
        board_argument=read_argument(told, 'board', place),
        upward=read_flag(told, 'upward', place),
        leftward=bool(read_flag(told, 'leftward', place)),
        letters=bool(read_flag(told, 'letters', place)),
        hide=bool(read_flag(told, 'hide', place)),
        as_table=bool(read_flag(told, 'table', place)),
        label=read_text(told.get('label', ''), f'{place}: label'),
        show=read_show(told, place),
    )


def _move(told: Mapping[str, Any], place: str) -> MoveView:
    if 'steps' in told and ('to' in told or 'from' not in told):
        raise ViewError(f'{place}: steps go with from, and without to')
    return MoveView(
        _coordinates(told, 'from', place),
        _coordinates(told, 'to', place),
        read_text(told.get('label', ''), f'{place}: label'),
        _steps(told.get('steps', {}), f'{place}: steps'),
        _number(told, 'minus', place),
        _number(told, 'plus', place),
        read_text(told.get('ask', ''), f'{place}: ask'),
        read_card(told, place),
        _owner(told, place),
    )


def _owner(told: Mapping[str, Any], place: str) -> str:
    value = read_text(told.get('board', ''), f'{place}: board')
    if value not in ('', OWN, OTHER):
        raise ViewError(f'{place}: board should be {OWN} or {OTHER}')
    return value


def _number(told: Mapping[str, Any], key: str, place: str) -> int:
    index = read_argument(told, key, place)
    return -1 if index is None else index


def _steps(told: Any, place: str) -> dict[str, Shift]:
    """Read directions: each with two numbers, or with two for each role."""
    if not isinstance(told, dict):
        raise ViewError(f'{place} should hold directions, such as north: [1, 0]')
    return {
        str(name): {
            str(role): _shift(one, f'{place}: {name}')
            for role, one in (shift if isinstance(shift, dict) else {'': shift}).items()
        }
        for name, shift in told.items()
    }


def _shift(value: Any, place: str) -> tuple[int, int]:
    match value:
        case [int(first), int(second)]:
            return first, second
    raise ViewError(f'{place} should be what is added to both coordinates, such as [1, -1]')


def _each(
    top: Mapping[str, Any], key: str, place: str, allowed: tuple[str, ...]
) -> dict[str, Mapping[str, Any]]:
    entries = top.get(key, {})
    if not isinstance(entries, dict):
        raise ViewError(f'{place}: {key} should hold names, each with what is said of it')
    if any(isinstance(name, bool) for name in entries):
        raise ViewError(f"{place}: {key}: put quotes around 'on', 'off', 'yes' and 'no'")
    return {
        str(name): check_mapping(entry, allowed, f'{place}: {key}: {name}')
        for name, entry in entries.items()
    }


def _coordinates(told: Mapping[str, Any], key: str, place: str) -> tuple[Coordinate, ...]:
    value = told.get(key, [])
    found = value if isinstance(value, list) else [value]
    if len(found) > 2:
        raise ViewError(f'{place}: {key} should be one square, or two coordinates')
    return tuple(_coordinate(one, f'{place}: {key}') for one in found)


def _coordinate(value: Any, place: str) -> Coordinate:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {str(role): str(constant) for role, constant in value.items()}
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 20:
        raise ViewError(
            f"{place} should be the number of an argument, from 1, or a constant in quotes ('8'), "
            'or one for each role'
        )
    return value - 1


def _check_picture(piece: Mapping[str, Any], place: str) -> None:
    if 'svg' not in piece:
        return
    try:
        ElementTree.fromstring(_PICTURE.format(read_text(piece['svg'], place)))
    except ElementTree.ParseError as error:
        raise ViewError(f'{place} is not well-formed: {error}') from error
