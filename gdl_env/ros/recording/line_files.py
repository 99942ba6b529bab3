"""The JSON lines of a recording: a file a lane, cut back to what was confirmed after a crash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
import os
from pathlib import Path
from typing import BinaryIO


class LineFiles:
    """Files `matches.jsonl`, `matches_lane_1.jsonl` … in a folder, opened as they are needed."""

    def __init__(self, folder: Path, sizes: Mapping[str, int] | None = None) -> None:
        """Open; `sizes` is what a recording that is continued has confirmed.

        Its files are cut back to that, since the rest comes again. One that is not named was begun
        after the last confirmation.
        """
        self._folder = folder
        self._streams: dict[str, BinaryIO] = {}
        # Bytes of each file that are known to be written.
        self.sizes = dict(sizes or {})
        if sizes is not None:
            begun = {path.name: 0 for path in folder.glob('matches*.jsonl')}
            for name, size in (begun | self.sizes).items():
                os.truncate(folder / name, size)

    def write(self, lane: int, lines: Iterable[str]) -> None:
        """Add lines of a lane. Raises OSError."""
        name = 'matches.jsonl' if lane == 0 else f'matches_lane_{lane}.jsonl'
        if name not in self._streams:
            self._streams[name] = (self._folder / name).open('ab')
        self._streams[name].write(''.join(f'{line}\n' for line in lines).encode())

    def flush(self) -> None:
        """Give all lines to the system. Raises OSError."""
        for name, stream in self._streams.items():
            stream.flush()
            self.sizes[name] = stream.tell()

    def close(self) -> None:
        """Close the files, each with whole lines only."""
        for name, stream in self._streams.items():
            try:
                stream.close()
            except OSError:
                # The disk is full: what is only half there goes.
                with suppress(OSError):
                    os.truncate(self._folder / name, self.sizes.get(name, 0))
