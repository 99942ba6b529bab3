"""Moves as a person reads and types them: a numbered list, a number or a text."""

from __future__ import annotations

from collections.abc import Sequence
import textwrap

from gdl_env.engine.contract import Move
from gdl_env.language.parser import parse_term
from gdl_env.language.terms import Number

# Moves that are listed at most; more are found by a text they contain.
_LISTED = 60


def list_moves(legal: Sequence[Move], text: str = '') -> str:
    """Return moves with their numbers, in columns; only those that contain a text, if given."""
    rows = [
        str(move) if _are_numbers(legal) else f'{number:3}  {move}'
        for number, move in enumerate(legal, start=1)
        if text.lower() in str(move)
    ]
    if not rows:
        return f'  no move contains {text!r}'
    shown = rows if text else rows[:_LISTED]
    width = max(map(len, shown)) + 3
    per_line = max(1, 96 // width)
    # Down the columns first, as people read a list.
    height = -(-len(shown) // per_line)
    lines = [
        f'  {"".join(f"{row:{width}}" for row in shown[line::height])}'.rstrip()
        for line in range(height)
    ]
    if len(shown) < len(rows):
        lines.append(
            f"  … {len(rows) - len(shown)} more; 'moves TEXT' lists those that contain TEXT"
        )
    return '\n'.join(lines)


def find_move(text: str, legal: Sequence[Move]) -> Move | None:
    """Return the legal move a text stands for: its number in the list, or its own text."""
    if text.isascii() and text.isdigit() and not _are_numbers(legal):
        index = int(text) - 1
        return legal[index] if 0 <= index < len(legal) else None
    for attempt in (text, f'({text})'):
        try:
            move = parse_term(attempt)
        except ValueError:
            continue
        if move in legal:
            return move
    return None


def explain_refusal(text: str, legal: Sequence[Move]) -> str:
    """Return why a text is no move."""
    if text.isascii() and text.isdigit():
        return f'  there is no move {text}: type a number from 1 to {len(legal)}, or help'
    return textwrap.shorten(f'{text!r} is not a legal move', 90) + '; try moves or help'


def _are_numbers(legal: Sequence[Move]) -> bool:
    """Tell whether moves are numbers themselves, so that their place in a list would mislead."""
    return any(isinstance(move, Number) for move in legal)
