"""How training goes: a live line on a terminal, a line for each snapshot elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import isnan
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gdl_agents.learning.training.trainer import TrainingStatus
    from gdl_agents.learning.training.training_run import TrainingRun

# Seconds between two drawings, and between two lines.
_REDRAW = 0.2
_SAY = 10.0


class _Watch(Protocol):
    def __call__(self, status: TrainingStatus) -> None: ...


@contextmanager
def show_training(run: TrainingRun[Any]) -> Iterator[_Watch]:
    """Yield a function that shows the status of training: episodes, or the time of the run."""
    start, begun = monotonic(), run.trainer.episodes
    seconds, episodes = run.config.seconds, run.config.episodes
    total = seconds or episodes

    def count(status: TrainingStatus) -> int:
        return int(min(run.seconds if seconds else status.episodes, total))

    if not sys.stderr.isatty():
        last = [start]

        def say(status: TrainingStatus) -> None:
            if monotonic() - last[0] >= _SAY:
                last[0] = monotonic()
                speed = (status.episodes - begun) / (monotonic() - start)
                done = f'{count(status)}/{total:g} s,' if seconds else ''
                done += f' {status.episodes} episodes' if seconds else f'{status.episodes}/{total}'
                print(f'{done} {_describe(status, speed)}', file=sys.stderr)

        yield say
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        TextColumn('{task.description}'),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        Remaining(),
        TextColumn('{task.fields[told]}'),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        label = str(run.folder.path)
        task = progress.add_task(label, total=total, completed=0, told='')
        drawn = [0.0]

        def draw(status: TrainingStatus) -> None:
            if monotonic() - drawn[0] >= _REDRAW:
                drawn[0] = monotonic()
                speed = (status.episodes - begun) / max(1e-9, monotonic() - start)
                told = _describe(status, speed)
                progress.update(task, completed=count(status), told=told)

        yield draw


def _describe(status: TrainingStatus, speed: float) -> str:
    told = [('reward', status.reward), ('loss', status.loss), ('score', status.score)]
    told.append(('exploitability', status.exploitability))
    known = ' '.join(f'{name} {value:.2f}' for name, value in told if not isnan(value))
    return f'ε {status.epsilon:.2f} updates {status.updates} {speed:.0f} episodes/s {known}'
