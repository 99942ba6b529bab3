"""Learning curves as options of a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl_env.gui.texts import text
from gdl_env.gui.training.runs import Curve, ListedRun

# What is drawn, and the key of its title.
CURVES = {
    'reward': 'train.curve_reward',
    'results': 'train.curve_results',
    'score': 'train.curve_score',
    'exploitability': 'train.curve_exploitability',
    'loss': 'train.curve_loss',
    'speed': 'train.curve_speed',
}
# Curves that are left out where no run has them.
SOMETIMES = ('score', 'exploitability')
_COLOURS = ('#2f6fd8', '#e5484d', '#2d8a4a', '#c46a00', '#8a4fc9', '#1f9c94')
# Results: their colours, and the keys of their names.
_RESULTS = {
    'wins': ('#2d8a4a', 'train.wins'),
    'draws': ('#c9a227', 'train.draws'),
    'losses': ('#d8382f', 'train.losses'),
}
_INK = '#8a93a0'


def chart_options(key: str, title: str, runs: Sequence[ListedRun]) -> dict[str, Any]:
    """Return one chart of some runs."""
    series = _results(runs) if key == 'results' else _series(key, runs)
    axis = {
        'type': 'value',
        'scale': True,
        'axisLabel': {'color': _INK},
        'nameTextStyle': {'color': _INK},
        'splitLine': {'lineStyle': {'color': _INK, 'opacity': 0.2}},
    }
    return {
        'title': {
            'text': title,
            'textStyle': {'fontSize': 13, 'color': _INK},
            'left': 8,
            'top': 4,
        },
        'grid': {'left': 52, 'right': 18, 'top': 58, 'bottom': 34},
        'legend': {'top': 26, 'left': 8, 'type': 'scroll', 'textStyle': {'color': _INK}},
        'tooltip': {'trigger': 'axis'},
        'animation': False,
        'xAxis': {**axis, 'name': text('train.episodes'), 'nameLocation': 'middle', 'nameGap': 22},
        'yAxis': {**axis, **({'min': 0, 'max': 1} if key == 'results' else {})},
        'series': series,
    }


def _series(key: str, runs: Sequence[ListedRun]) -> list[dict[str, Any]]:
    return [
        _line(run.name, run.curve(key), _COLOURS[number % len(_COLOURS)])
        for number, run in enumerate(runs)
    ]


def _results(runs: Sequence[ListedRun]) -> list[dict[str, Any]]:
    """Return shares of results; of several runs only what was won, so that it can be read."""
    if len(runs) == 1:
        found = runs[0].results()
        return [_line(text(key), found[name], colour) for name, (colour, key) in _RESULTS.items()]
    return [
        _line(run.name, run.results()['wins'], _COLOURS[number % len(_COLOURS)])
        for number, run in enumerate(runs)
    ]


def _line(name: str, curve: Curve, colour: str) -> dict[str, Any]:
    return {
        'type': 'line',
        'name': name,
        'data': [[x, round(y, 5)] for x, y in curve],
        'showSymbol': len(curve) < 3,
        'lineStyle': {'width': 2, 'color': colour},
        'itemStyle': {'color': colour},
    }
