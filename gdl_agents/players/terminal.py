"""The terminal of a person: writes text, reads lines, keeps to a time limit."""

from __future__ import annotations

import os
import select
import sys
from time import monotonic

from gdl_agents.errors import AgentError, LateError

TTY = '/dev/tty'
STDIN = 'stdin'

# Clears the screen of a terminal and what can be scrolled back to.
_CLEAR = '\x1b[2J\x1b[3J\x1b[H'


class Terminal:
    """Reads from a terminal or from standard input.

    A node that was started by a launch has no standard input of its own, but its person sits at
    the terminal; so that is preferred.
    """

    def __init__(self, place: str = '') -> None:
        """Open `stdin`, `/dev/tty` or another device; '' takes the first that is there.

        Raises AgentError if it cannot be opened.
        """
        self._unread = b''
        self._owned: int | None = None
        if place != STDIN and not (place == '' and sys.stdin.isatty()):
            try:
                self._owned = os.open(place or TTY, os.O_RDWR | os.O_NOCTTY)
            except OSError as error:
                if place:
                    raise AgentError(
                        f'cannot open terminal {place!r}: {error.strerror}'
                    ) from error
        self._input = sys.stdin.fileno() if self._owned is None else self._owned
        self._has_keyboard = os.isatty(self._input)
        self._can_edit = self._owned is None and self._has_keyboard and sys.stdout.isatty()
        if self._can_edit:
            # Gives the prompt a history and the arrow keys.
            import readline  # noqa: F401

    def write(self, text: str) -> None:
        """Write text as it is; characters that the terminal does not have are replaced."""
        if self._owned is None:
            encoding = sys.stdout.encoding or 'utf-8'
            sys.stdout.write(text.encode(encoding, 'replace').decode(encoding))
            sys.stdout.flush()
            return
        data = text.encode()
        while data:
            data = data[os.write(self._owned, data) :]

    def clear(self) -> None:
        """Clear the screen, and what can be scrolled back to."""
        is_screen = sys.stdout.isatty() if self._owned is None else os.isatty(self._owned)
        if is_screen and os.environ.get('TERM', 'dumb') != 'dumb':
            self.write(_CLEAR)

    def read_line(self, prompt: str, deadline: float | None = None) -> str:
        """Read a line. Raises EOFError at the end, LateError at the deadline (monotonic).

        With a deadline the line cannot be edited by the arrow keys: readline has no time limit.
        """
        if self._can_edit and deadline is None and not self._unread:
            try:
                return input(prompt).strip()
            except EOFError:
                self.write('\n')
                raise
        self.write(prompt)
        while b'\n' not in self._unread:
            rest = None if deadline is None else max(0.0, deadline - monotonic())
            if not select.select([self._input], [], [], rest)[0]:
                raise LateError('the time to move is up')
            try:
                data = os.read(self._input, 4096)
            except OSError:
                # What a terminal says whose other side has gone.
                data = b''
            if not data:
                self.write('\n')
                raise EOFError
            self._unread += data
        line, _, self._unread = self._unread.partition(b'\n')
        text = line.decode(errors='replace').strip()
        if not self._has_keyboard:
            # Without a keyboard nothing else shows what was read.
            self.write(f'{text}\n')
        return text

    def close(self) -> None:
        """Let go of what was opened."""
        if self._owned is not None:
            os.close(self._owned)
            self._owned = None
