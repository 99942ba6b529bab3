"""Learning curves as pictures."""

from __future__ import annotations

from collections.abc import Sequence
import io
from math import isnan
from pathlib import Path

from gdl_agents.learning.errors import RunError
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import write_file

# Curves with more points than this are averaged, for people to see a line.
_POINTS = 100


def draw_curves(runs: Sequence[RunFolder], path: Path) -> None:
    """Draw reward and evaluation over episodes, all runs in one picture. Raises RunError.

    What best responses gain, where it was measured, has an axis of its own.
    """
    # Not pyplot: it would look for a screen, and keep every figure.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), dpi=120, layout='constrained')
    axes = figure.add_subplot()
    beside = None
    for number, run in enumerate(runs):
        rows = run.read_metrics()
        if not rows:
            raise RunError(f'{run.path} has no metrics yet')
        colour = f'C{number % 10}'
        name = f'{run.path.parent.name}/{run.path.name}'
        episodes = [row['episodes'] for row in rows]
        smooth = _smooth([row['reward'] for row in rows])
        axes.plot(episodes, smooth, color=colour, alpha=0.5, label=f'{name}: in training')
        seen = [(row['episodes'], row['score']) for row in rows if not isnan(row['score'])]
        if seen:
            axes.plot(*zip(*seen, strict=True), 'o-', color=colour, label=f'{name}: evaluated')
        gains = [row['exploitability'] for row in rows]
        at = [place for place, gain in enumerate(gains) if not isnan(gain)]
        if at:
            beside = beside or axes.twinx()
            pairs = [(episodes[place], gains[place]) for place in at]
            beside.plot(*zip(*pairs, strict=True), 'x:', color=colour)
            axes.plot([], [], 'x:', color=colour, label=f'{name}: exploitable (right)')
    axes.set_xlabel('episodes')
    axes.set_ylabel('mean reward of an episode')
    if beside is not None:
        beside.set_ylabel('NashConv [goals]')
        beside.set_ylim(bottom=0)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize='small')
    stream = io.BytesIO()
    FigureCanvasAgg(figure).print_png(stream)  # type: ignore[no-untyped-call]
    write_file(path, stream.getvalue())


def _smooth(values: list[float]) -> list[float]:
    width = max(1, len(values) // _POINTS)
    return [
        sum(values[max(0, i - width + 1) : i + 1]) / min(i + 1, width) for i in range(len(values))
    ]
