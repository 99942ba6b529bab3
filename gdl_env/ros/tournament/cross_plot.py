"""Tables of a tournament as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gdl_env.ros.tournament.cross_table import NumberTable

# Names in the picture; and how far from 50 cells are so dark that they need white letters.
_LONGEST = 28
_DARK = 38


def save_plot(tables: Sequence[NumberTable], title: str, path: Path) -> None:
    """Draw tables side by side, from red (0) to green (100)."""
    # Not pyplot: it would look for a screen.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = max(len(table.rows) for table in tables)
    columns = sum(len(table.columns) for table in tables)
    figure = Figure(figsize=(2.0 * len(tables) + 0.9 * columns, 2.2 + 0.6 * rows))
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    for number, table in enumerate(tables, 1):
        axes = figure.add_subplot(1, len(tables), number)
        values = [[float('nan') if cell is None else cell for cell in row] for row in table.cells]
        axes.imshow(values, cmap='RdYlGn', vmin=0, vmax=100, aspect='auto')
        axes.set_title(table.title, fontsize=9, wrap=True)
        names = [_shorten(name) for name in table.columns]
        axes.set_xticks(range(len(names)), names, rotation=45, ha='right')
        axes.set_yticks(range(len(table.rows)), [_shorten(name) for name in table.rows])
        for y, row in enumerate(table.cells):
            for x, cell in enumerate(row):
                text = '-' if cell is None else f'{cell:.0f}'
                is_dark = cell is not None and abs(cell - 50) > _DARK
                colour = 'white' if is_dark else 'black'
                axes.text(x, y, text, ha='center', va='center', color=colour)
    figure.tight_layout()
    figure.savefig(path)


def _shorten(name: str) -> str:
    """Return the name of an agent without the folders of a path in it, cut where it is long."""
    name = ':'.join(part.rstrip('/').rpartition('/')[2] for part in name.split(':'))
    return name if len(name) <= _LONGEST else f'{name[: _LONGEST - 1]}…'
