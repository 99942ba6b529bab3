"""Names as a server writes them: some servers tell capitals from small letters."""

from __future__ import annotations

import re

_NAME = re.compile(r'[^\s()]+')
_COMMENT = re.compile(r';[^\n]*')


class Spelling:
    """Writes moves with the capitals that a text has; the first spelling of a name counts."""

    def __init__(self, text: str) -> None:
        self._names: dict[str, str] = {}
        for name in _NAME.findall(_COMMENT.sub('', text)):
            self._names.setdefault(name.lower(), name)

    def write(self, move: str) -> str:
        """Return a move as the text spells its names."""
        return _NAME.sub(lambda name: self._names.get(name[0], name[0]), move)
