"""Text that others have written, for logs and terminals."""

from __future__ import annotations

# Longer ones are cut off [characters].
_LONGEST = 500


def one_line(text: str) -> str:
    r"""Return text that cannot pass for something else: line breaks and the like as `\n`, `\x1b`.

    Without this, a name with a line break in it would begin a line of the log of its own.
    """
    shown = ''.join(c if c.isprintable() else repr(c)[1:-1] for c in text[: _LONGEST + 1])
    return shown if len(text) <= _LONGEST else f'{shown[:_LONGEST]}…'
