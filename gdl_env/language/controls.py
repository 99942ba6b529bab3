"""Characters that change what a terminal shows, and so can make a text pass for another one."""

from __future__ import annotations

import re

# Those of ASCII and Latin-1 but blanks, and those that turn the direction of what follows.
_CONTROLS = re.compile('[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]')
_SHOWN = '\ufffd'


def find_controls(text: str) -> list[int]:
    """Return where such characters stand."""
    # Nearly all texts have none.
    if text.isprintable():
        return []
    return [match.start() for match in _CONTROLS.finditer(text)]


def without_controls(text: str) -> str:
    """Return a text of the same length, with a sign in the place of each such character."""
    return _CONTROLS.sub(_SHOWN, text)
