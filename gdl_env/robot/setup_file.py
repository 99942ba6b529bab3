"""Set-ups as YAML: what the file leaves open is as the game's board suggests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import yaml

from gdl_env.gui.drawing.view_checks import suggest
from gdl_env.robot.errors import SetupError
from gdl_env.robot.piece_motions import Flips
from gdl_env.robot.positions import Position, PositionReader
from gdl_env.robot.robot_setup import (
    BoardPose,
    PieceShape,
    RobotSetup,
    TrayPlan,
    default_setup,
)

_Part = TypeVar('_Part', BoardPose, PieceShape, TrayPlan)
_LENGTHS = ('square', 'surface', 'clearance', 'gap')
_TRAYS = ('captured', 'reserve')
_KEYS = ('frame', 'parent', 'pose', *_LENGTHS, 'shape', 'pieces', 'flips', *_TRAYS)
# What may be 0 or less.
_SIGNED = frozenset({'x', 'y', 'z', 'roll', 'pitch', 'yaw', 'surface'})
_WHOLE = frozenset({'rows', 'columns'})
_MAY_BE_ZERO = frozenset({'gap', 'grasp', 'rows', 'columns'})


def load_setup(path: Path, reader: PositionReader, start: Position) -> RobotSetup:
    """Read the file of a set-up for a game. Raises SetupError, with the path and the key."""
    try:
        text = path.read_text('utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f'{path} cannot be read: {error}') from error
    return parse_setup(text, reader, start, str(path))


def parse_setup(
    text: str, reader: PositionReader, start: Position, place: str = 'set-up'
) -> RobotSetup:
    """Read a set-up from text. Raises SetupError."""
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise SetupError(f'{place} is no YAML: {error}') from error
    told = _mapping({} if data is None else data, _KEYS, place)
    square = _number(told['square'], 'square', place) if 'square' in told else 0.05
    setup = default_setup(reader, start, square)
    changes: dict[str, Any] = {}
    changes |= {key: _number(told[key], key, place) for key in _LENGTHS if key in told}
    frames = [key for key in ('frame', 'parent') if key in told]
    changes |= {key: _frame(told[key], f'{place}: {key}') for key in frames}
    setup = replace(setup, **changes)
    if setup.frame == setup.parent or not setup.frame:
        raise SetupError(f'{place}: frame {setup.frame!r} and parent {setup.parent!r} must differ')
    setup = replace(setup, pose=_part(setup.pose, told.get('pose', {}), f'{place}: pose'))
    setup = replace(setup, shape=_part(setup.shape, told.get('shape', {}), f'{place}: shape'))
    if 'shape' in told:
        # A file that says what pieces are like means all of them.
        setup = replace(setup, shapes={})
    captured = _part(setup.captured, told.get('captured', {}), f'{place}: captured')
    reserve = _part(setup.reserve, told.get('reserve', {}), f'{place}: reserve')
    setup = replace(setup, captured=captured, reserve=reserve)
    if 'flips' in told:
        setup = replace(setup, flips=_flips(told['flips'], reader.pieces, f'{place}: flips'))
    return _add_pieces(setup, told.get('pieces', {}), reader.pieces, place)


def write_setup(setup: RobotSetup) -> str:
    """Return a set-up as YAML, to be edited."""
    data: dict[str, Any] = {'frame': setup.frame, 'parent': setup.parent}
    data['pose'] = asdict(setup.pose)
    data |= {key: getattr(setup, key) for key in _LENGTHS}
    data['shape'] = asdict(setup.shape)
    pieces: dict[str, Any] = {piece: asdict(shape) for piece, shape in setup.shapes.items()}
    for piece, count in setup.counts.items():
        pieces.setdefault(piece, {})['count'] = count
    data['pieces'] = pieces
    data['flips'] = [sorted(pair) for pair in setup.flips]
    data |= {key: asdict(getattr(setup, key)) for key in _TRAYS}
    text: str = yaml.safe_dump(_rounded(data), sort_keys=False, allow_unicode=True)
    return text


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def _part(part: _Part, told: Any, place: str) -> _Part:
    """Return a part of a set-up with the numbers that a file has for it."""
    names = tuple(field.name for field in fields(part))
    found = _mapping(told, names, place)
    numbers: dict[str, Any] = {key: _number(value, key, place) for key, value in found.items()}
    return replace(part, **numbers)


def _add_pieces(setup: RobotSetup, told: Any, known: Collection[str], place: str) -> RobotSetup:
    shapes, counts = dict(setup.shapes), {}
    for piece, values in _mapping(told, known, f'{place}: pieces').items():
        where = f'{place}: pieces: {piece}'
        names = (*(field.name for field in fields(PieceShape)), 'count')
        found = dict(_mapping(values, names, where))
        if 'count' in found:
            counts[piece] = _count(found.pop('count'), where)
        shapes[piece] = _part(setup.shape_of(piece), found, where)
    for piece, shape in shapes.items():
        if shape.grasp > shape.height:
            raise SetupError(
                f'{place}: pieces: {piece}: grasp {shape.grasp:g} is above its height'
                f' {shape.height:g}'
            )
        if shape.opening <= shape.width:
            raise SetupError(
                f'{place}: pieces: {piece}: opening {shape.opening:g} must be larger than its'
                f' width {shape.width:g}'
            )
    return replace(setup, shapes=shapes, counts=counts)


def _flips(told: Any, known: Collection[str], place: str) -> Flips:
    if not isinstance(told, list):
        raise SetupError(f'{place}: expected a list of pairs, such as [[black, white]]')
    found = []
    for pair in told:
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] == pair[1]:
            raise SetupError(f'{place}: {pair!r} is no pair of two different pieces')
        for piece in pair:
            if piece not in known:
                raise SetupError(f'{place}: {_unknown(str(piece), known, "piece")}')
        found.append(frozenset(pair))
    return tuple(found)


def _mapping(data: Any, allowed: Iterable[str], place: str) -> Mapping[str, Any]:
    allowed = tuple(allowed)
    if not isinstance(data, dict):
        raise SetupError(f'{place}: expected keys with values; allowed: {", ".join(allowed)}')
    for key in data:
        if key not in allowed:
            raise SetupError(f'{place}: {_unknown(str(key), allowed, "key")}')
    return data


def _unknown(word: str, allowed: Collection[str], kind: str) -> str:
    return f'unknown {kind} {word!r}{suggest(word, tuple(allowed))}'


def _number(value: Any, key: str, place: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (key in _WHOLE and not isinstance(value, int)):
        kind = 'a whole number' if key in _WHOLE else 'a number'
        raise SetupError(f'{place}: {key} should be {kind}, not {value!r}')
    if key not in _SIGNED and (value < 0 or (value == 0 and key not in _MAY_BE_ZERO)):
        least = '0 or more' if key in _MAY_BE_ZERO else 'more than 0'
        raise SetupError(f'{place}: {key} should be {least}, not {value!r}')
    return int(value) if key in _WHOLE else float(value)


def _count(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SetupError(f'{place}: count should be a whole number, 0 or more, not {value!r}')
    return value


def _frame(value: Any, place: str) -> str:
    if not isinstance(value, str) or value.startswith('/') or ' ' in value:
        raise SetupError(f'{place}: {value!r} is no name of a frame: no slash before, no spaces')
    return value
