"""A progress bar on the terminal, and silence everywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import sys
from typing import TypeVar

T = TypeVar('T')


def track(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield the items; show on standard error how many of them are done, if it is a terminal."""
    if not sys.stderr.isatty():
        yield from items
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
        for item in items:
            yield item
            progress.advance(task)
