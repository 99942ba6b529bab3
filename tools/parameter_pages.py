"""Write what is made from the table of parameters: doc/parameters.md and the files in config/.

    .venv/bin/python tools/parameter_pages.py

A test compares them with the table.
"""

from __future__ import annotations

import json
from pathlib import Path
import sys
from textwrap import wrap

ROOT = Path(__file__).resolve().parents[1]
# On the sources as they are, wherever this is called.
sys.path.insert(0, str(ROOT))

from gdl_env.ros.parameters import FOLLOWER, NODES, Parameter, Table  # noqa: E402

INTRODUCTION = """\
# Parameters

Every parameter of every node. *Live* ones take effect while the node runs
(`ros2 param set /env_node play_clock 5.0`); all others are read-only, and are given when the node
starts. What is out of range or of another type is refused. `ros2 param describe` says the same.

```console
$ ros2 run gdl_env env_node --ros-args -p game:=chess -p play_clock:=5.0
$ ros2 run gdl_env env_node --ros-args --params-file my.yaml
$ gdl launch match params:=my.yaml
```

Files to begin with are in [`config`](../config/README.md). The same file serves `ros2 run` and
launches: nodes have the same names in both, except agents, which launches call by role and agent
(`x_random`). Every node has `use_sim_time`, too: stamps are then in the time of `/clock`, while
clocks of a match run in wall-clock time.

This page is written by `tools/parameter_pages.py`, from the table `gdl_env/ros/parameters.py`.
"""

TITLES = {
    'agent_node': 'Aliases such as `random_agent` and `mcts_agent` have the same parameters.',
    'learner_node': 'Beside those of every agent (`agent_node`):',
}

# What people are likely to change: the keys of each file, by node.
FILES: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    'match.yaml': (
        'Parameters of a match that people are likely to change, with their defaults. Copy it, '
        'change it: gdl launch match params:=my.yaml. Arguments of the launch that are given win '
        'over this file, and so do game, role and detail.',
        {
            'env_node': (
                *('engine', 'lanes', 'play_clock', 'missing_clock', 'start_clock', 'max_steps'),
                *('illegal', 'spectator', 'text'),
            ),
            'match_node': ('wait_timeout', 'progress_period'),
            'board_node': ('square_size', 'frame_id', 'parent_frame_id'),
            'gui_node': ('host', 'port'),
        },
    ),
    'selfplay.yaml': (
        'Parameters of learning on the graph that people are likely to change, with their '
        'defaults. Copy it, change it: gdl selfplay tictactoe params:=my.yaml. How the learner '
        'learns follows from the game, or is in another file, training:=FILE.',
        {'learner_node': ('publish_every',), 'evaluator_node': ('every', 'games', 'lanes')},
    ),
    'agents.yaml': (
        'Parameters of agents that people are likely to change, with their defaults. Launches '
        'call agents by role and agent, such as x_random; /** is all nodes. Copy it, change it: '
        'gdl launch match params:=my.yaml.',
        {'agent_node': ('seed', 'delay_ms')},
    ),
}


def make_files() -> dict[Path, str]:
    """Return the text of every file that is made from the table."""
    files = {ROOT / 'doc' / 'parameters.md': make_page()}
    for name, (about, nodes) in FILES.items():
        files[ROOT / 'config' / name] = make_yaml(about, nodes)
    return files


def make_page() -> str:
    """Return the page with all parameters."""
    parts = [INTRODUCTION]
    for node, table in NODES.items():
        own = {key: value for key, value in table.items() if not _is_shared(node, key)}
        parts.append('\n'.join(filter(None, [f'## {node}\n', TITLES.get(node, '')])))
        parts.append(make_table(own))
        if node == 'agent_node':
            parts.append('Agents that play by what was learned (`dqn`, `rainbow`) also have:')
            parts.append(make_table(FOLLOWER))
    return '\n\n'.join(part.rstrip('\n') for part in parts) + '\n'


def make_table(table: Table) -> str:
    """Return a table of parameters in Markdown."""
    rows = ['| parameter | default | meaning | values | live |', '|---|---|---|---|---|']
    for name, parameter in table.items():
        mark = 'yes' if parameter.is_live else ''
        cells = (f'`{name}`', _default(parameter), parameter.description, parameter.values, mark)
        rows.append('| ' + ' | '.join(cell.replace('|', '\\|') for cell in cells) + ' |')
    return '\n'.join(row.replace('  |', ' |') for row in rows)


def make_yaml(about: str, nodes: dict[str, tuple[str, ...]]) -> str:
    """Return a parameter file: every key with its default, behind a comment."""
    lines = [f'# {line}' for line in wrap(about, 97)]
    for node, keys in nodes.items():
        pattern = '/**' if node == 'agent_node' else f'/**/{node}'
        lines += ['', f'{pattern}:', '  ros__parameters:']
        for key in keys:
            parameter = NODES[node][key]
            values = f' Values: {parameter.values}.' if parameter.values else ''
            lines += [f'    # {line}' for line in wrap(f'{parameter.description}.{values}', 93)]
            lines.append(f'    {key}: {_literal(parameter)}')
    return '\n'.join(lines) + '\n'


def _is_shared(node: str, name: str) -> bool:
    return node == 'learner_node' and name in NODES['agent_node']


def _default(parameter: Parameter) -> str:
    text = _literal(parameter)
    return '' if text in ('""', '[""]') else f'`{text}`'


def _literal(parameter: Parameter) -> str:
    value = parameter.value
    return value if isinstance(value, str) and value else json.dumps(value)


if __name__ == '__main__':
    for path, text in make_files().items():
        path.write_text(text, 'utf-8')
        print(path.relative_to(ROOT))
