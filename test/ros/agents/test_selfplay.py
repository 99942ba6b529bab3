"""`gdl selfplay`: from nothing to a player."""

from __future__ import annotations

import os
from pathlib import Path
import shlex
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.torch, pytest.mark.timeout(300)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('torch', reason='PyTorch is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

SMALL = ('batch=16', 'warm_up=32', 'updates=0.1', 'log_every=20')


# Nobody can lose: proved as soon as it is asked.
PEACE = """
(role a) (role b) (init start)
(<= (legal ?r (go 1)) (role ?r)) (<= (legal ?r (go 2)) (role ?r))
(<= (next over) (true start))
(<= terminal (true over)) (<= (goal ?r 50) (role ?r))
"""


def selfplay(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `gdl selfplay` in a domain of its own; it must end well."""
    from domains import free_domain

    with free_domain() as domain:
        done = subprocess.run(
            [sys.executable, '-m', 'gdl_env.cli.main', 'selfplay', *words],
            env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
            capture_output=True,
            text=True,
            timeout=240,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    # Every node ended with 0, and nobody complained about another that had left.
    for bad in ('ERROR', 'exit code', 'no answer in time'):
        assert bad not in done.stdout, done.stdout
    return done


def test_proof_ends_the_match_before_the_nodes(tmp_path: Path) -> None:
    rules, run = tmp_path / 'peace.gdl', tmp_path / 'run'
    rules.write_text(PEACE)
    options = [word for option in (*SMALL, 'checkpoint_every=20') for word in ('--set', option)]
    words = [str(rules), '--seed', '7', '--episodes', '1000000', '--run', str(run)]
    done = selfplay(*words, *options, 'evaluate:=20')
    assert 'the match was cancelled after' in done.stdout
    assert 'seed: 7\n' in (run / 'config.yaml').read_text()
    # The result, where it is, and what to do with it come last.
    result = done.stdout[done.stdout.rindex('| seat') :]
    assert '- a never loses' in result
    play, gui, judge = (shlex.split(line) for line in result.splitlines()[-3:])
    # By the name that was given: it is no known game.
    assert play == ['gdl', 'play', str(rules), f'b=rainbow:{run}']
    assert (gui[1:3], judge[1:3]) == (['gui', str(rules)], ['eval', str(rules)])


def test_run_that_can_be_played_from(tmp_path: Path) -> None:
    from gdl_agents.learning.training.evaluation import Arena
    from gdl_agents.registry import open_agent
    from gdl_env.language.library import find_game
    from gdl_env.language.load import load_game

    run = tmp_path / 'run'
    options = [word for option in SMALL for word in ('--set', option)]
    words = ['tictactoe', 'evaluate:=20', '--episodes', '60', '--lanes', '8', 'publish_every:=10']
    done = selfplay(*words, '--algorithm', 'dqn', '--run', str(run), *options)
    assert f'gdl eval tictactoe dqn:{run}' in done.stdout
    names = ('metrics.csv', 'config.yaml', 'learning_curve.png', 'checkpoint.npz')
    assert all((run / name).stat().st_size for name in names)
    arena = Arena(load_game(find_game('tictactoe')), 8)
    scores = arena.seat_in_turn(lambda role: open_agent(f'dqn:{run}'), 8, 0)
    arena.close()
    assert [score.games for score in scores.values()] == [8, 8]


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_doppelkopf_is_learned_as_its_file_says(tmp_path: Path) -> None:
    from domains import free_domain

    run = tmp_path / 'run'
    words = ['game:=doppelkopf', 'episodes:=300', 'lanes:=32', 'evaluate:=5', f'run:={run}']
    command = [sys.executable, '-m', 'gdl_env.cli.main', 'launch', 'selfplay.launch.py', *words]
    with free_domain() as domain:
        done = subprocess.run(
            [*command, 'options:=warm_up=500,final_games=5,log_every=100'],
            env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
            capture_output=True,
            text=True,
            timeout=380,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    config = (run / 'config.yaml').read_text()
    assert 'network: flat' in config and 'atoms: 51' in config
    assert 'hidden information' in (run / 'training.yaml').read_text()
    last = (run / 'metrics.csv').read_text().splitlines()
    names, values = last[0].split(','), last[-1].split(',')
    row = dict(zip(names, values, strict=True))
    assert int(row['episodes']) >= 300 and int(row['updates']) > 10
    assert (run / 'checkpoint.npz').is_file()
