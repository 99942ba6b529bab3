"""The card of a data set: a README with a header, as hubs of data sets read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from gdl_agents.data.columns import DataColumn
from gdl_agents.data.job import BATTLE, IMITATION, PARQUET, RANDOMISED, THOROUGH

# As hubs sort data sets by size: up to so many rows.
_SIZES = (
    (1_000, 'n<1K'),
    (10_000, '1K<n<10K'),
    (100_000, '10K<n<100K'),
    (1_000_000, '100K<n<1M'),
    (10_000_000, '1M<n<10M'),
    (100_000_000, '10M<n<100M'),
    (1_000_000_000, '100M<n<1B'),
)
_HOWS = {
    THOROUGH: 'the whole tree: every state once{sequences}',
    RANDOMISED: '{number:,} random states, and {endings:,} final states from each by random play',
    BATTLE: '{number:,} games of a random player against given opponents,'
    ' {endings:,} endings of each{wins}',
    IMITATION: '{number:,} games of given players, up to {endings:,} endings of each: beside'
    ' the move of a player, another one is tried with probability {extra:g}{wins}',
}
# Not at the start of a line here: that would be taken for an import of this module.
_READING = 'from gdl_agents.data.reader import read_data'
_CARD = """\
---
{header}---

# {title}

Positions and games of **{game}**, made by `gdl data`.

| | |
|---|---|
| game | {game} |
| rules | SHA-256 `{rules_hash}` (`rules.gdl`) |
| roles | {roles} |
| how | {how} |
| seed | {seed} |
| agents | {agents} |
| positions | {positions:,} |
| games | {games} |
| made by | `{command}` |
{results}
## Columns

{columns}

Columns of bits are packed into bytes: entry *i* is bit *i* mod 8, from the least significant, of
byte *i* div 8. `data.json` lists what the entries stand for: `facts` (of states), `features` (of
observations), `moves` (of actions), `roles` and `seatings`. Forced moves and those of chance are
played by the environment, so they are no rows. Goals go from 0 to 100; -1 is none.

```python
{reading}

data = read_data('.')
print(data.positions['observation'].shape, data.positions['action'].shape)
```
"""


def write_data_card(about: Mapping[str, Any], columns: Mapping[str, Sequence[DataColumn]]) -> str:
    """Return the text of a card, from what data.json holds."""
    job, rows = about['job'], about['rows']
    how = _HOWS[job['how']].format(
        sequences=', and every game' if job.get('sequences') else '',
        wins=f'; more until {job.get("wins")} are won' if job.get('wins') else '',
        **{'number': 0, 'endings': 0, 'extra': 0.0}
        | {name: job[name] for name in ('number', 'endings', 'extra') if name in job},
    )
    return _CARD.format(
        header=_write_header(about),
        title=_title(about),
        game=about['game'],
        rules_hash=job['rules_hash'],
        roles=', '.join(about['roles']),
        how=how,
        seed=job.get('seed', 'none: nothing is drawn'),
        agents=', '.join(f'`{name}`' for name in job.get('agents', ())) or 'none',
        positions=rows['positions'],
        games=f'{rows["games"]:,}' if 'games' in rows else 'not listed',
        command=about['command'],
        results=_write_results(about),
        reading=_READING,
        columns='\n\n'.join(
            f'Table `{name}`:\n\n| column | type | meaning |\n|---|---|---|\n'
            + '\n'.join(f'| `{c.name}` | {c.kind} | {c.meaning} |' for c in found)
            for name, found in columns.items()
        ),
    )


def _title(about: Mapping[str, Any]) -> str:
    return f'{about["game"]}, {about["job"]["how"]}'


def _write_header(about: Mapping[str, Any]) -> str:
    rows = about['rows']
    total = max(rows.values())
    form = about['job']['formats']
    held: dict[str, Any] = {
        'pretty_name': _title(about),
        'tags': ['games', 'gdl', 'general-game-playing', 'reinforcement-learning'],
        'task_categories': ['reinforcement-learning'],
        'size_categories': [
            next((name for most, name in _SIZES if total < most), 'n>1B'),
        ],
    }
    if PARQUET in form:
        held['configs'] = [
            {'config_name': name, 'data_files': f'{name}-*.{PARQUET}'} for name in rows
        ]
    return str(yaml.safe_dump(held, sort_keys=False, allow_unicode=True))


def _write_results(about: Mapping[str, Any]) -> str:
    lines = []
    if 'mean_goals' in about:
        goals = zip(about['roles'], about['mean_goals'], strict=True)
        told = ', '.join(f'{role} {goal:.2f}' for role, goal in goals)
        lines.append(f'| mean goals | {told} |')
    if about.get('no_values'):
        lines.append(f'| values | unknown: {about["no_values"]} |')
    return ''.join(f'{line}\n' for line in lines)
