"""How far a match is: a bar on a terminal, a line now and then everywhere else."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class MatchProgress:
    """Shows the episodes that are finished, out of those that were asked for."""

    def __init__(self, total: int, period: float) -> None:
        self._total = total
        # Between two lines [s]; 0 turns everything off.
        self._period = period
        self._last = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if period > 0 and sys.stdout.isatty():
            self._open_bar()

    def set_period(self, period: float) -> None:
        """Change the time between two lines [s]; 0 turns them off."""
        self._period = period

    def show(self, finished: int, step_rate: float) -> None:
        """Show where it stands."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=finished, rate=f'{step_rate:,.0f} steps/s')
            return
        now = time.monotonic()
        if self._period > 0 and now - self._last >= self._period:
            self._last = now
            share = finished / self._total if self._total else 1.0
            where = f'{finished:,} of {self._total:,} episodes ({share:.0%})'
            sys.stdout.write(f'{where}, {step_rate:,.0f} steps/s\n')
            sys.stdout.flush()

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _open_bar(self) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn('{task.fields[rate]}'),
            TimeRemainingColumn(),
            transient=True,
        )
        self._task = self._bar.add_task('', total=self._total, rate='')
        self._bar.start()
