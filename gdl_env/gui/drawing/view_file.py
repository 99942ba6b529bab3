"""View files: how a game is to be drawn, where the guess of the page is not good enough.

`games/chess.view.yaml` lies beside `games/chess.gdl`. Everything in it is optional. It may come
from others: it is text, colours and pictures, and never runs anything in a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import difflib
from pathlib import Path
import re
from typing import Any
from xml.etree import ElementTree

import yaml

from gdl_env.gui.drawing.errors import ViewError

SUFFIX = '.view.yaml'
STYLES = ('plain', 'lines', 'checkered', 'green', 'hex', 'holes')
_TOP = ('title', 'style', 'colours', 'relations', 'pieces', 'moves', 'roles')
SIDES = ('top', 'bottom', 'left', 'right')
_COLOURS = ('light', 'dark', 'line', *SIDES)
_RELATION = ('row', 'column', 'square', 'board', 'upward', 'leftward', 'hide', 'table', 'label')
_PIECE = ('kind', 'glyph', 'svg', 'text', 'fill', 'edge', 'label')
KINDS = ('cross', 'ring', 'disc', 'king', 'chess', 'stone', 'tile', 'wall', 'none')
_MOVE = ('from', 'to', 'steps', 'label')
_ROLE = ('colour', 'label')
# Keys that hold colours, and what these are: no addresses, which a page would load.
_PAINTS = ('fill', 'edge', 'colour')
_COLOUR = re.compile(r'#[0-9a-f]{3,8}|[a-z]+|(?:rgb|hsl)a?\([\w\s.,%/+-]*\)', re.IGNORECASE)
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
    hide: bool = False
    as_table: bool = False
    label: str = ''

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

    def relation(self, name: str) -> RelationView:
        """Return what is said of a relation."""
        return self.relations.get(name, _NOTHING)


_NOTHING = RelationView()


def view_path(game: Path) -> Path:
    """Return where the view file of a rule file would be."""
    return game.with_name(f'{game.stem}{SUFFIX}')


def load_view(path: Path) -> ViewFile:
    """Read a view file. Raises ViewError, which names the file, the key and what is allowed."""
    try:
        data = yaml.safe_load(path.read_text('utf-8'))
    except OSError as error:
        raise ViewError(f'{path}: {error.strerror or error}') from error
    except yaml.YAMLError as error:
        raise ViewError(f'{path}: {error}') from error
    return parse_view(data or {}, str(path))


def parse_view(data: Any, place: str) -> ViewFile:
    """Check what a view file holds. Raises ViewError."""
    top = _mapping(data, _TOP, place)
    style = _text(top.get('style', ''), f'{place}: style')
    if style and style not in STYLES:
        raise ViewError(f'{place}: style {style!r} is unknown{_suggest(style, STYLES)}')
    colours = _mapping(top.get('colours', {}), _COLOURS, f'{place}: colours')
    relations = _each(top, 'relations', place, _RELATION)
    pieces = _each(top, 'pieces', place, _PIECE)
    moves = _each(top, 'moves', place, _MOVE)
    roles = _each(top, 'roles', place, _ROLE)
    for name, piece in pieces.items():
        kind = piece.get('kind', '')
        if kind and kind not in KINDS:
            where = f'{place}: pieces: {name}'
            raise ViewError(f'{where}: kind {kind!r} is unknown{_suggest(str(kind), KINDS)}')
        _check_picture(piece, f'{place}: pieces: {name}: svg')
    return ViewFile(
        _text(top.get('title', ''), f'{place}: title'),
        style,
        {key: _colour(value, f'{place}: colours: {key}') for key, value in colours.items()},
        {name: _relation(told, f'{place}: relations: {name}') for name, told in relations.items()},
        {name: _texts(told, f'{place}: pieces: {name}') for name, told in pieces.items()},
        {name: _move(told, f'{place}: moves: {name}') for name, told in moves.items()},
        {name: _texts(told, f'{place}: roles: {name}') for name, told in roles.items()},
    )


def _relation(told: Mapping[str, Any], place: str) -> RelationView:
    if ('row' in told) != ('column' in told):
        raise ViewError(f'{place}: row and column belong together')
    if 'square' in told and 'row' in told:
        raise ViewError(f'{place}: either square, or row and column')
    return RelationView(
        row=_argument(told, 'row', place),
        column=_argument(told, 'column', place),
        square=_argument(told, 'square', place),
        board_argument=_argument(told, 'board', place),
        upward=_flag(told, 'upward', place),
        leftward=bool(_flag(told, 'leftward', place)),
        hide=bool(_flag(told, 'hide', place)),
        as_table=bool(_flag(told, 'table', place)),
        label=_text(told.get('label', ''), f'{place}: label'),
    )


def _move(told: Mapping[str, Any], place: str) -> MoveView:
    if 'steps' in told and ('to' in told or 'from' not in told):
        raise ViewError(f'{place}: steps go with from, and without to')
    return MoveView(
        _coordinates(told, 'from', place),
        _coordinates(told, 'to', place),
        _text(told.get('label', ''), f'{place}: label'),
        _steps(told.get('steps', {}), f'{place}: steps'),
    )


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
    return {
        str(name): _mapping(entry, allowed, f'{place}: {key}: {name}')
        for name, entry in entries.items()
    }


def _mapping(data: Any, allowed: tuple[str, ...], place: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise ViewError(f'{place}: expected keys with values; allowed: {", ".join(allowed)}')
    for key in data:
        if key not in allowed:
            raise ViewError(f'{place}: unknown key {key!r}{_suggest(str(key), allowed)}')
    return data


def _argument(told: Mapping[str, Any], key: str, place: str) -> int | None:
    if key not in told:
        return None
    value = told[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 20:
        raise ViewError(f'{place}: {key} should be the number of an argument, from 1')
    return value - 1


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


def _flag(told: Mapping[str, Any], key: str, place: str) -> bool | None:
    value = told.get(key)
    if value is not None and not isinstance(value, bool):
        raise ViewError(f'{place}: {key} should be true or false')
    return value


def _texts(told: Mapping[str, Any], place: str) -> dict[str, str]:
    return {
        key: (_colour if key in _PAINTS else _text)(value, f'{place}: {key}')
        for key, value in told.items()
    }


def _colour(value: Any, place: str) -> str:
    text = _text(value, place)
    if text and _COLOUR.fullmatch(text) is None:
        raise ViewError(f"{place}: {text!r} is no colour; write '#2f6fd8', a name, or rgb(…)")
    return text


def _check_picture(piece: Mapping[str, Any], place: str) -> None:
    if 'svg' not in piece:
        return
    try:
        ElementTree.fromstring(_PICTURE.format(_text(piece['svg'], place)))
    except ElementTree.ParseError as error:
        raise ViewError(f'{place} is not well-formed: {error}') from error


def _text(value: Any, place: str) -> str:
    if isinstance(value, dict | list | bool) or value is None:
        raise ViewError(f'{place} should be a text (put quotes around #colours)')
    return str(value)


def _suggest(wanted: str, known: tuple[str, ...]) -> str:
    similar = difflib.get_close_matches(wanted.lower(), known, n=1)
    meant = f'; did you mean {similar[0]}?' if similar else ''
    return f'{meant} (allowed: {", ".join(known)})'
