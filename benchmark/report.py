"""Measurements → plain data, as it goes into JSON."""

from __future__ import annotations

from dataclasses import asdict
import statistics

from contestants import ENTRIES, REFERENCE, SINGLE, Entry
from measure import Sample, distance
from rows import Row
from tournament import Measured

# Samples of the same game are further apart than this about once in ten thousand times.
_FAR = 4.5
# With fewer games than this, standard errors say nothing.
_FEWEST = 30


def to_json(
    rows: list[tuple[Row, dict[str, Measured], dict[str, Measured]]],
) -> list[dict[str, object]]:
    """Return one object for each game."""
    return [
        {
            'game': row.name,
            'rules': f'{row.source}/{row.path.name}',
            'entries': [_entry(e, row, games) for e in ENTRIES if e.name in games],
            'single': [_rates(e, single[e.name]) for e in SINGLE if e.name in single],
        }
        for row, games, single in rows
    ]


def _entry(entry: Entry, row: Row, games: dict[str, Measured]) -> dict[str, object]:
    result = games[entry.name]
    found = _rates(entry, result)
    if result.missing:
        return found
    reference = games.get(REFERENCE)
    if reference is not None and reference.runs and not reference.missing:
        found['ratio'] = found['best'] / _best(reference)  # type: ignore[operator]
        found['ratio_of_medians'] = found['median'] / _median(reference)  # type: ignore[operator]
    if result.sample is not None:
        found['sample'] = asdict(result.sample)
        ours = next((games[e.name] for e in ENTRIES if e.is_ours and e.name in games), None)
        if ours is not None and ours is not result and ours.sample is not None:
            found['agreement'] = _agreement(entry, row, ours.sample, result.sample)
    return found | result.facts


def _rates(entry: Entry, result: Measured) -> dict[str, object]:
    found: dict[str, object] = {'contestant': entry.name, 'title': entry.title}
    if result.missing:
        return found | {'missing': result.missing}
    if result.first_start is not None:
        found['first_start_seconds'] = _times(result.first_start)
    if result.start is not None:
        found['start_seconds'] = _times(result.start)
    return found | {
        'rates': [round(run.rate) for run in result.runs],
        'wall_rates': [round(run.wall_rate) for run in result.runs],
        'best': _best(result),
        'median': _median(result),
    }


def _agreement(entry: Entry, row: Row, ours: Sample, theirs: Sample) -> dict[str, object]:
    """Return whether random play looks the same, and whether it should."""
    differs = row.pgx_differs if entry.name == 'pgx' else row.spiel_differs
    far = distance(ours, theirs)
    return {
        'rules_differ': '' if entry.is_ours else differs,
        'standard_errors': min(far, 1e6),
        'is_enough': min(ours.games, theirs.games) >= _FEWEST,
        'looks_same': far < _FAR,
    }


def _times(times: tuple[float, float]) -> dict[str, float]:
    return {'process': round(times[0], 3), 'open': round(times[1], 3)}


def _best(result: Measured) -> float:
    return max(run.rate for run in result.runs)


def _median(result: Measured) -> float:
    return statistics.median(run.rate for run in result.runs)
