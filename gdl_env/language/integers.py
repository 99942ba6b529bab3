"""Integers of any size as decimal text and back.

Python refuses to convert numbers of some thousand digits at once, because it would take long.
The limit is one of the whole process, so we do not touch it: long numbers are cut in halves.
"""

from __future__ import annotations

# Python lets nobody set the limit lower than this.
_AT_ONCE = 640


def integer_text(value: int) -> str:
    """Return an integer as one writes it."""
    try:
        return str(value)
    except ValueError:
        if value < 0:
            return f'-{integer_text(-value)}'
        # A little more than the number of digits; log10(2) is below 0.30103.
        width = value.bit_length() * 30103 // 100000 + 1
        return _padded(value, width).lstrip('0')


def read_integer(text: str) -> int:
    """Return the integer that is written as digits, perhaps with a minus before them."""
    if text.startswith('-'):
        return -read_integer(text[1:])
    if len(text) <= _AT_ONCE:
        return int(text)
    half = len(text) // 2
    scale: int = 10**half
    return read_integer(text[:-half]) * scale + read_integer(text[-half:])


def _padded(value: int, width: int) -> str:
    if width <= _AT_ONCE:
        return str(value).zfill(width)
    half = width // 2
    high, low = divmod(value, 10**half)
    return _padded(high, width - half) + _padded(low, half)
