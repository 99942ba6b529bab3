"""The characters and colours by which a terminal shows pieces."""

from __future__ import annotations

import colorsys
import re

from rich.color import Color, ColorParseError

from gdl_env.gui.drawing.scene import Piece

_WHITE = dict(zip(('king', 'queen', 'rook', 'bishop', 'knight', 'pawn'), '♔♕♖♗♘♙', strict=True))
_BLACK = dict(zip(_WHITE, '♚♛♜♝♞♟', strict=True))
_SHAPES = {'person': '☺', 'target': '◎', 'hole': '○', 'exit': '▯', 'object': '●'}
_HSL = re.compile(r'hsl\((\d+) (\d+)% (\d+)%\)')


def to_symbol(piece: Piece, *, is_checkered: bool) -> str:
    """Return the characters for a piece; men on a checkered board are those of checkers."""
    is_light = brightness(piece.fill) > 0.5
    match piece.kind:
        case 'chess':
            return (_WHITE if is_light else _BLACK).get(piece.text, piece.text[:2])
        case 'cross':
            return 'X'
        case 'ring':
            return 'O'
        case 'disc' | 'stone' if is_checkered:
            return '⛀' if is_light else '⛂'
        case 'king' if is_checkered:
            return '⛁' if is_light else '⛃'
        case 'disc' | 'stone':
            return '●'
        case 'king':
            return '◉'
        case 'wall':
            return '█'
        case 'svg' | 'box':
            return '■'
        case 'bike':
            return '▲▶▼◀'[piece.turn // 90 % 4]
    if piece.kind in _SHAPES:
        return _SHAPES[piece.kind]
    # A tile without a text is an area of one colour.
    return _shorten(piece.text.strip()) or '▒'


def _shorten(text: str) -> str:
    """Return at most a few characters; what they mean is in a legend."""
    words = text.split()
    if len(text) <= 4:
        return text
    return ''.join(word[0] for word in words)[:3] if len(words) > 1 else text[:3]


def to_colour(css: str) -> str:
    """Return a CSS colour as rich writes it; 'default' for what it does not know."""
    found = _HSL.fullmatch(css)
    if found:
        hue, saturation, lightness = map(int, found.groups())
        parts = colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)
        return '#' + ''.join(f'{round(255 * part):02x}' for part in parts)
    try:
        Color.parse(css)
    except ColorParseError:
        return 'default'
    return css


def brightness(css: str) -> float:
    """Return how bright a colour is to the eye, 0 to 1."""
    try:
        red, green, blue = Color.parse(to_colour(css)).get_truecolor()
    except ColorParseError:
        return 1.0
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255
