"""A mapping by hand is trained, rated, evaluated and played."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.levels.reward_levels import list_snapshots
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import load_tree
from gdl_env.cli.main import main

pytestmark = pytest.mark.torch

PAGE = Path(__file__).parents[2] / 'doc' / 'mapping.md'


def test_a_mapping_by_hand_is_learned_and_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r'```python\n(.*?)```', PAGE.read_text('utf-8'), re.DOTALL)
    (code,) = (block for block in blocks if block.startswith('# my_mapping.py'))
    (tmp_path / 'my_mapping.py').write_text(code)
    mapping = f'{tmp_path / "my_mapping.py"}:OwnAndOther'
    words = ['train', 'tictactoe', '--mapping', mapping, '--runs', str(tmp_path), '--name', 'own']
    small = {'episodes': 60, 'evaluation_games': 5, 'final_games': 5, 'level_games': 2}
    settings = [f'--set={name}={value}' for name, value in {**small, 'levels': 2}.items()]
    assert main([*words, *settings, '--set=until_proved=false']) == 0
    assert '18 entries, 9 actions' in capsys.readouterr().out
    run = RunFolder(tmp_path / 'tictactoe' / 'own')
    assert load_tree(list_snapshots(run)[0].path)['observations'] == 18
    agent = f'rainbow:{run.path}'
    assert main(['eval', 'tictactoe', agent, '-n', '4', '--mapping', mapping, '--seed', '1']) == 0
    assert 'x' in capsys.readouterr().out
    match = [
        'play',
        'tictactoe',
        f'x={agent}',
        f'o={agent}@1',
        '--seed',
        '1',
        '--mapping',
        mapping,
    ]
    assert main(match) == 0
    # Under another mapping the network sees something else, and says so.
    assert main(['eval', 'tictactoe', agent, '-n', '4', '--seed', '1']) == 1
    assert '18 entries' in capsys.readouterr().err
