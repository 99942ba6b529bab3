"""What an evaluator keeps: a table of evaluations, and the curve they make."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from gdl_msgs.msg import Evaluation

from gdl_agents.learning.training.state_file import write_file

TABLE = 'evaluations.csv'
CURVE = 'learning_curve.png'
_HEADER = ('version', 'episodes', 'role', 'games', 'wins', 'draws', 'losses', 'reward')


def rows_of(message: Evaluation) -> list[tuple[object, ...]]:
    """Return an evaluation as rows, one a seat."""
    columns = (message.games, message.wins, message.draws, message.losses, message.reward)
    seats = zip(message.roles, *columns, strict=True)
    return [(message.version, message.episodes, *seat) for seat in seats]


def append_table(folder: Path, message: Evaluation) -> None:
    """Add an evaluation to the table; a row is written at once or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / TABLE
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator='\n')
    if not path.exists():
        writer.writerow(_HEADER)
    writer.writerows(rows_of(message))
    with path.open('a', encoding='utf-8') as file:
        file.write(stream.getvalue())


def draw(folder: Path, title: str, messages: list[Evaluation]) -> None:
    """Draw the mean reward over episodes, by seat and over all. Raises RunError."""
    # Not pyplot: it would look for a screen, and keep every figure.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), dpi=120, layout='constrained')
    axes = figure.add_subplot()
    episodes = [message.episodes for message in messages]
    axes.plot(episodes, [m.mean_reward for m in messages], 'o-', color='black', label='all')
    for seat, role in enumerate(messages[-1].roles):
        axes.plot(episodes, [m.reward[seat] for m in messages], alpha=0.6, label=role)
    axes.set_title(title)
    axes.set_xlabel('episodes')
    axes.set_ylabel('mean reward against random players')
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize='small')
    stream = io.BytesIO()
    FigureCanvasAgg(figure).print_png(stream)  # type: ignore[no-untyped-call]
    write_file(folder / CURVE, stream.getvalue())
