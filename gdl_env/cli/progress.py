"""A progress bar on the terminal, and silence everywhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
import sys
from typing import TypeVar

T = TypeVar('T')


def track(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield the items; show on standard error how many of them are done, if it is a terminal."""
    with counting(total, label) as advance:
        for item in items:
            yield item
            advance(1)


@contextmanager
def counting(total: int, label: str) -> Iterator[Callable[[int], None]]:
    """Yield a function that is called with how many more are done; shown as by `track`."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn('{task.description}'),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda more: progress.advance(task, more)
