"""What is not installed is named, with what to install, in one sentence."""

from __future__ import annotations

from collections.abc import Callable
import subprocess

import pytest

from gdl_env.agent_catalog import list_agents
from gdl_env.requirements import PYTORCH

Run = Callable[..., subprocess.CompletedProcess[str]]

LEARN = "pip install '.[learn]' (in the checkout)"
RL = "pip install '.[rl]' (in the checkout)"

CASES = [
    ('train tictactoe', 'torch', f'train needs PyTorch: {LEARN}'),
    ('train tictactoe', 'tensorboardX', f'train needs tensorboardX: {LEARN}'),
    ('train tictactoe', 'torch tensorboardX', f'train needs PyTorch and tensorboardX: {LEARN}'),
    ('levels runs/x', 'torch', f'levels needs PyTorch: {LEARN}'),
    ('curve runs/x', 'torch', f'curve needs PyTorch: {LEARN}'),
    ('eval tictactoe rainbow:x --seed 1', 'torch', f"agent 'rainbow' needs PyTorch: {LEARN}"),
]


@pytest.mark.parametrize(('words', 'hidden', 'sentence'), CASES)
def test_verbs_name_what_is_missing(
    words: str, hidden: str, sentence: str, run_without: Run
) -> None:
    done = run_without(hidden, '-m', 'gdl_env.cli.main', *words.split())
    assert (done.returncode, done.stderr) == (1, f'gdl: {sentence}\n')


def test_agents_that_do_not_learn_are_evaluated_without_pytorch(run_without: Run) -> None:
    words = ('eval', 'tictactoe', 'legal', '-n', '2', '--seed', '1')
    done = run_without('torch tensorboardX', '-m', 'gdl_env.cli.main', *words)
    assert done.returncode == 0, done.stderr


OPEN_ALL = """
from gdl_agents.registry import agent_names, open_agent
from gdl_env.errors import GdlError
for name in agent_names():
    try:
        open_agent(name)
    except GdlError as error:
        print(name, error, sep=': ')
"""


def test_agents_that_need_pytorch_are_those_of_the_table(run_without: Run) -> None:
    done = run_without('torch', '-c', OPEN_ALL)
    assert done.returncode == 0, done.stderr
    listed = [agent.name for agent in list_agents() if agent.packages == (PYTORCH,)]
    for name in listed:
        assert f"{name}: agent '{name}' needs PyTorch: {LEARN}" in done.stdout
    assert listed and done.stdout.count('PyTorch') == len(listed)
    assert 'cannot be loaded' not in done.stdout


@pytest.mark.parametrize(
    ('module', 'hidden', 'sentence'),
    [
        ('gymnasium', 'gymnasium', f'gdl_env.adapters.gymnasium needs Gymnasium: {RL}'),
        ('pettingzoo', 'pettingzoo', f'gdl_env.adapters.pettingzoo needs PettingZoo: {RL}'),
        (
            'pettingzoo',
            'pettingzoo gymnasium',
            f'gdl_env.adapters.pettingzoo needs Gymnasium and PettingZoo: {RL}',
        ),
    ],
)
def test_wrappers_name_what_is_missing(
    module: str, hidden: str, sentence: str, run_without: Run
) -> None:
    name = f'gdl_env.adapters.{module}'
    code = f'try:\n    import {name}\nexcept ImportError as error:\n    print(error)'
    done = run_without(hidden, '-c', code)
    assert done.stdout == f'{sentence}\n', done.stderr
    shown = run_without(hidden, '-c', f'import {name}').stderr
    assert shown.count('Traceback') == 1
