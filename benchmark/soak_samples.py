"""What nodes use while they run: memory, file descriptors, segments of shared memory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
import os
from pathlib import Path
import re
import statistics

_SEGMENT = re.compile(r'/dev/shm/((?:fastrtps|fastdds)_[0-9a-f]{16})')
_PAGE = os.sysconf('SC_PAGE_SIZE')
# A node that was started a moment ago still loads what it needs [s].
SETTLED = 30.0


@dataclass(frozen=True)
class Sample:
    """What one process used at one time."""

    # Since the beginning [s].
    time: float
    # Resident [MB].
    memory: float
    descriptors: int


class Samples:
    """Samples of all nodes, over all their lives."""

    def __init__(self) -> None:
        self._series: dict[str, list[Sample]] = defaultdict(list)
        self._born: dict[int, float] = {}
        # Segments that any of the nodes ever had.
        self._segments: set[str] = set()
        # At each sample: segments in use, and those of nodes that are gone.
        self.used: list[int] = []
        self.abandoned: list[int] = []

    def take(self, time: float, processes: dict[str, int]) -> None:
        """Look at all processes."""
        mapped: set[str] = set()
        for name, pid in processes.items():
            try:
                pages = int(Path(f'/proc/{pid}/statm').read_text().split()[1])
                descriptors = len(list(Path(f'/proc/{pid}/fd').iterdir()))
                mapped.update(_SEGMENT.findall(Path(f'/proc/{pid}/maps').read_text()))
            except OSError:
                continue
            if time - self._born.setdefault(pid, time) >= SETTLED:
                memory = pages * _PAGE / 2**20
                self._series[name].append(Sample(time, memory, descriptors))
        self._segments |= mapped
        there = {name for name in self._segments if Path('/dev/shm', name).exists()}
        self.used.append(len(mapped))
        self.abandoned.append(len(there - mapped))

    def rows(self) -> list[tuple[str, float, float, float, float]]:
        """Return for each node: memory and descriptors, early and late (medians of a third)."""
        found = []
        for name, series in sorted(self._series.items()):
            third = max(1, len(series) // 3)
            early, late = series[:third], series[-third:]
            found.append(
                (
                    name,
                    statistics.median(s.memory for s in early),
                    statistics.median(s.memory for s in late),
                    statistics.median(s.descriptors for s in early),
                    statistics.median(s.descriptors for s in late),
                )
            )
        return found
