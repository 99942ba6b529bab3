"""The report as a picture: steps a second, one group of bars for each game.

python benchmark/chart.py engines.json engines.png
"""

from __future__ import annotations

import json
from pathlib import Path
import sys

# Ours in one family of colours, the others in another.
_COLOURS = {
    'circuit': '#0b5fa5',
    'firstorder': '#4d9bd6',
    'prolog': '#b5d5ee',
    'spiel': '#c8541a',
    'spiel-python': '#f0a878',
    'pgx': '#7a7a7a',
}


def draw(source: Path, target: Path) -> bool:
    """Draw a report; return False where matplotlib is not installed."""
    try:
        import matplotlib as mpl
    except ImportError:
        return False
    mpl.use('Agg')
    from matplotlib import pyplot
    from matplotlib.ticker import FuncFormatter, LogLocator

    report = json.loads(source.read_text('utf-8'))
    games = report['games']
    names = list(
        dict.fromkeys(e['contestant'] for g in games for e in g['entries'] if 'best' in e)
    )
    titles = {e['contestant']: e['title'] for g in games for e in g['entries']}
    width_of_all = max(7.0, 2.0 + 1.6 * len(games))
    figure, axes = pyplot.subplots(figsize=(width_of_all, 5.6), dpi=150)
    width = 0.86 / max(1, len(names))
    for index, name in enumerate(names):
        offset = (index - (len(names) - 1) / 2) * width
        found = [_best(game, name) for game in games]
        places = [p + offset for p, value in enumerate(found) if value]
        values = [value for value in found if value]
        axes.bar(
            places, values, width * 0.92, label=titles[name], color=_COLOURS.get(name), zorder=2
        )
        for place, value in zip(places, values, strict=True):
            axes.annotate(
                short(value),
                (place, value),
                xytext=(0, 3),
                textcoords='offset points',
                ha='center',
                fontsize=6.5,
                rotation=90,
                color='#333333',
            )
    axes.set_yscale('log')
    low, high = axes.get_ylim()
    axes.set_ylim(low / 1.5, high * 4)
    axes.yaxis.set_major_locator(LogLocator(base=10))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    axes.set_xticks(range(len(games)), [game['game'].replace(', ', '\n') for game in games])
    axes.tick_params(axis='x', length=0)
    axes.grid(axis='y', which='major', color='#dddddd', linewidth=0.8, zorder=0)
    for side in ('top', 'right', 'left'):
        axes.spines[side].set_visible(False)
    axes.set_ylabel('steps a second, one core')
    axes.set_title('Random play, whole games', loc='left', fontweight='bold', pad=38)
    axes.legend(
        ncols=6 if width_of_all > 10 else 3,
        loc='lower left',
        bbox_to_anchor=(-0.01, 1.0),
        frameon=False,
        fontsize=8,
        columnspacing=1.2,
        handlelength=1.2,
    )
    machine = report['machine']
    figure.text(
        0.995,
        0.005,
        f'{report["date"][:10]}, {machine["cpu"]}',
        ha='right',
        va='bottom',
        fontsize=6.5,
        color='#777777',
    )
    figure.tight_layout()
    figure.savefig(target)
    pyplot.close(figure)
    return True


def short(value: float) -> str:
    """Return a number with two or three digits and a unit."""
    for unit, size in (('G', 1e9), ('M', 1e6), ('k', 1e3)):
        if value >= 0.9995 * size:  # 999.6 is 1 k
            return f'{value / size:.3g} {unit}'
    return f'{value:.3g}'


def _best(game: dict, name: str) -> float:  # type: ignore[type-arg]
    found = [e['best'] for e in game['entries'] if e['contestant'] == name and 'best' in e]
    return found[0] if found else 0.0


if __name__ == '__main__':
    sys.exit(0 if draw(Path(sys.argv[1]), Path(sys.argv[2])) else 1)
