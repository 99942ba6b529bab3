"""Moves that are directions: played by arrow keys, by swipes, or by the square beside a piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdl_env.gui.drawing.scene import Square
from gdl_env.language.terms import Term, args_of

# Clockwise.
_WAYS = ('up', 'right', 'down', 'left')
_WORDS: Mapping[str, int] = {
    **{'north': 0, 'up': 0, 'n': 0, 'east': 1, 'right': 1, 'e': 1},
    **{'south': 2, 'down': 2, 's': 2, 'west': 3, 'left': 3, 'w': 3},
}
# Turns of one who looks in a direction.
_TURNS: Mapping[str, int] = {'straight': 0, 'ahead': 0, 'forward': 0, 'right': 1, 'left': 3}
_STEPS: Mapping[str, Square] = {'up': (-1, 0), 'right': (0, 1), 'down': (1, 0), 'left': (0, -1)}


def arrow_of(move: Term, heading: str = '') -> str:
    """Return where a move leads: up, right, down, left, or '' if it is no direction.

    With a heading, such as north, moves are turns: left, straight, right.
    """
    words = [str(arg) for arg in args_of(move)] or [str(move)]
    if len(words) != 1:
        return ''
    if heading:
        before, turn = _WORDS.get(heading), _TURNS.get(words[0])
        return _WAYS[(before + turn) % 4] if before is not None and turn is not None else ''
    way = _WORDS.get(words[0]) if len(words[0]) > 1 else None
    return '' if way is None else _WAYS[way]


def degrees_of(heading: str) -> int:
    """Return the angle of a direction, clockwise from above."""
    return 90 * _WORDS.get(heading, 0)


def beside(square: Square, arrow: str, size: Sequence[int]) -> tuple[Square, ...]:
    """Return the square next to another one in a direction, if the board has it."""
    down, right = _STEPS[arrow]
    row, column = square[0] + down, square[1] + right
    return ((row, column),) if 0 <= row < size[0] and 0 <= column < size[1] else ()
