"""What is printed on pieces, so that people and cameras can tell them apart from above."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from gdl_env.gui.drawing.scene import Piece

Picture = NDArray[np.uint8]

SIZE = 128
_WOOD = '#e6d3a8'
_FIGURES = {'knight': 'N'}
# Kinds that are drawn as what they are, without letters.
_PLAIN = frozenset({'disc', 'stone'})


def draw_faces(pieces: Iterable[Piece]) -> dict[str, Picture]:
    """Return a picture for each name of a piece; pieces that look alike are given numbers."""
    found: dict[str, Picture] = {}
    for piece in pieces:
        face = draw_face(piece)
        number = 1
        while any(np.array_equal(face, other) for other in found.values()):
            number += 1
            face = draw_face(piece, str(number))
        found[piece.label] = face
    return found


def draw_face(piece: Piece, letters: str = '') -> Picture:
    """Return the top of a piece, RGB; `letters` instead of its own, where they are given."""
    fill = parse_colour(piece.fill or _WOOD)
    if piece.kind in ('cross', 'ring'):
        fill = parse_colour(_WOOD)
    face = np.full((SIZE, SIZE, 3), fill, np.uint8)
    ink = (25, 25, 25) if sum(fill) > 330 else (245, 245, 245)
    middle, radius = (SIZE // 2, SIZE // 2), SIZE // 2
    if piece.kind == 'cross' and not letters:
        ink = parse_colour(piece.fill or '#d8382f')
        low, high = int(0.26 * SIZE), int(0.74 * SIZE)
        cv2.line(face, (low, low), (high, high), ink, SIZE // 7, cv2.LINE_AA)
        cv2.line(face, (low, high), (high, low), ink, SIZE // 7, cv2.LINE_AA)
    elif piece.kind == 'ring' and not letters:
        ink = parse_colour(piece.fill or '#2f6fd8')
        cv2.circle(face, middle, int(0.56 * radius), ink, SIZE // 8, cv2.LINE_AA)
    elif piece.kind == 'king' and not letters:
        cv2.circle(face, middle, int(0.62 * radius), ink, SIZE // 14, cv2.LINE_AA)
        _write(face, 'K', ink, 0.36)
    elif letters or piece.kind not in _PLAIN:
        _write(face, letters or _letters(piece), ink, 0.58)
    return face


def parse_colour(text: str) -> tuple[int, int, int]:
    """Return a CSS colour of six digits as RGB; wood for any other."""
    digits = text.removeprefix('#')
    if len(digits) != 6:
        return parse_colour(_WOOD)
    red, green, blue = bytes.fromhex(digits)
    return red, green, blue


def _letters(piece: Piece) -> str:
    if piece.kind == 'chess':
        return _FIGURES.get(piece.text, piece.text[:1].upper())
    words = (piece.text or piece.label).split()
    return (''.join(word[0] for word in words) if len(words) > 1 else words[0])[:2].upper()


def _write(face: Picture, text: str, ink: tuple[int, int, int], share: float) -> None:
    """Write in the middle, underlined, so that it can be read from one side only."""
    font, thick = cv2.FONT_HERSHEY_DUPLEX, SIZE // 20
    (width, height), _ = cv2.getTextSize(text, font, 1.0, thick)
    scale = share * SIZE / max(width, height)
    (width, height), _ = cv2.getTextSize(text, font, scale, thick)
    left, base = (SIZE - width) // 2, (SIZE + height) // 2 - SIZE // 30
    cv2.putText(face, text, (left, base), font, scale, ink, thick, cv2.LINE_AA)
    under = base + SIZE // 10
    cv2.line(face, (left, under), (left + width, under), ink, SIZE // 26, cv2.LINE_AA)
