"""`gdl solve` and `gdl exploit`, as people type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdl_env.cli.main import main


def test_solve_then_exploit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['solve', 'kuhn_poker', '--unit', '25', '--root', str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert '12 information sets' in said
    assert 'in units of 25 goals' in said
    run = tmp_path / 'kuhn_poker' / 'solved-1'
    assert (run / 'strategy.csv').read_text().count('\n') == 25
    agent = f'gdl_agents.solving.playing.solved_agent:SolvedAgent:{run}'
    words = ['exploit', 'kuhn_poker', agent, '--unit', '25', '--json', '--seed', '1']
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found['method'] == 'exact'
    assert 0 <= found['nash_conv'] <= 0.001
    assert [role['asked'] for role in found['roles']] == [0, 0]


def test_exploit_of_random_play(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['exploit', 'kuhn_poker', 'random', '--unit', '25', '--seed', '1']) == 0
    assert 'NashConv 0.916667' in capsys.readouterr().out


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['solve', 'leduc_poker', '--nodes', '100', '--root', str(tmp_path)]) == 1
    assert 'leduc_poker is larger than 100 nodes' in capsys.readouterr().err
    assert main(['exploit', 'kuhn_poker', 'random', 'legal', 'random', '--seed', '1']) == 2
    assert '3 agents for 2 roles' in capsys.readouterr().err
    assert main(['solve', 'kuhn_poker', '--method', 'values', '--root', str(tmp_path)]) == 1
    assert 'hides something' in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
