"""Legal moves as a person reads them: a numbered list, and answers to what was typed."""

from __future__ import annotations

from collections.abc import Sequence
import textwrap

from gdl_agents.players.move_input import MoveInput

# Moves that are listed at most; more are found by a text they contain.
_LISTED = 60
# Candidates that are named where a text could mean several moves.
_NAMED = 8
_WIDTH = 96


def list_moves(moves: MoveInput, text: str = '') -> str:
    """Return moves with their numbers, in columns; only those that contain a text, if given."""
    rows = [
        f'{moves.label(index):>3}  {move}'
        for index, move in enumerate(moves.legal)
        if text.lower() in move
    ]
    if not rows:
        return f'  no move contains {text!r}'
    shown = rows if text else rows[:_LISTED]
    width = max(map(len, shown)) + 3
    per_line = max(1, _WIDTH // width)
    # Down the columns first, as people read a list.
    height = -(-len(shown) // per_line)
    lines = [
        f'  {"".join(f"{row:{width}}" for row in shown[line::height])}'.rstrip()
        for line in range(height)
    ]
    if len(shown) < len(rows):
        lines.append(
            f"  ... {len(rows) - len(shown)} more; 'moves TEXT' lists those that contain TEXT"
        )
    return '\n'.join(lines)


def explain_ambiguity(text: str, candidates: Sequence[str]) -> str:
    """Return which moves a text could mean."""
    named = list(candidates[:_NAMED])
    if len(candidates) > _NAMED:
        named.append(f'{len(candidates) - _NAMED} others')
    listed = f'{", ".join(named[:-1])} or {named[-1]}'
    return f'  {_quote(text)} could be {listed}: type more of it'


def explain_refusal(text: str, moves: MoveInput) -> str:
    """Return why a text is no move, and what is legal that looks like it."""
    if text.isascii() and text.isdigit() and not moves.has_own_numbers:
        last = len(moves.legal)
        return f'  there is no move {text}: type a number from 1 to {last}, or help'
    nearest = ', '.join(moves.nearest(text))
    which = 'legal' if len(moves.legal) <= 3 else 'the nearest legal ones'
    return f'  {_quote(text)} is not a legal move; {which}: {nearest}. Try moves or help'


def _quote(text: str) -> str:
    return repr(textwrap.shorten(text, 40, placeholder='...'))
