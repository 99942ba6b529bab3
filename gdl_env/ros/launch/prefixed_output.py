"""The output of many processes on one stream, each line behind the name of its process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import os
import sys
from typing import TextIO

OWN_NAME = 'launch'
# Cyan, green, yellow, magenta, blue, and their bright forms: all legible on dark and light.
COLOURS = (36, 32, 33, 35, 34, 96, 92, 93, 95, 94)


class PrefixedOutput:
    """Writes lines behind names, in a colour for each name on a terminal."""

    def __init__(
        self, names: Sequence[str], stream: TextIO | None = None, *, is_chatty: bool = True
    ) -> None:
        self._stream = stream or sys.stdout
        # Whether to tell more than problems.
        self._is_chatty = is_chatty
        is_coloured = self._stream.isatty() and not os.environ.get('NO_COLOR')
        self._prefixes = {
            name: f'\033[{COLOURS[i % len(COLOURS)]}m[{name}]\033[0m'
            if is_coloured
            else f'[{name}]'
            for i, name in enumerate(dict.fromkeys(names))
        }

    def write(self, name: str, lines: Iterable[str]) -> None:
        """Write lines of a process."""
        prefix = self._prefixes.get(name, f'[{name}]')
        for line in lines:
            self._stream.write(f'{prefix} {line.rstrip()}\n')
        self._stream.flush()

    def print_message(self, text: str, *, is_problem: bool = False) -> None:
        """Write a line of our own."""
        if is_problem or self._is_chatty:
            self.write(OWN_NAME, [text])
