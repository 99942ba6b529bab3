"""A learner that is killed resumes from its run, and no game is missing from its metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
import json
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytestmark = [pytest.mark.ros, pytest.mark.torch, pytest.mark.timeout(300)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('torch', reason='PyTorch is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from domains import free_domain  # noqa: E402

from gdl_agents.learning.dqn.learning_agent import LearningAgent  # noqa: E402
from gdl_agents.learning.dqn.model import About  # noqa: E402
from gdl_agents.learning.errors import RunError  # noqa: E402
from gdl_agents.learning.training.evaluation import Arena  # noqa: E402
from gdl_agents.learning.training.run import TRAINER, Run  # noqa: E402
from gdl_agents.learning.training.run_folder import RunFolder  # noqa: E402
from gdl_agents.ros.learning.learner_run import LearnerRun  # noqa: E402
from gdl_agents.ros.learning.match_counts import MatchCounts  # noqa: E402
from gdl_env.environment.environment import Environment  # noqa: E402
from gdl_env.environment.lanes.open_lanes import open_lanes  # noqa: E402
from gdl_env.environment.options import Options  # noqa: E402
from gdl_env.language.library import find_game  # noqa: E402
from gdl_env.language.load import load_game  # noqa: E402

EPISODES = 300
SMALL = 'batch=16,warm_up=32,updates=0.1,log_every=20,checkpoint_every=20,until_proved=false'
SEED = 5


def open_learner(folder: Path) -> tuple[LearningAgent, LearnerRun]:
    game = load_game(find_game('tictactoe'))
    arena = Arena(game, 4)
    agent = LearningAgent('algorithm=dqn,batch=16,warm_up=32,checkpoint_every=1')
    agent.begin(arena.info, arena.roles, 0)
    arena.close()
    return agent, LearnerRun(folder, agent.config, About('tictactoe', ('x', 'o'), 'dqn'))


def play(agent: LearningAgent, run: LearnerRun, ticks: int) -> None:
    """Learn from some ticks of a match."""
    environment = Environment(open_lanes(load_game(find_game('tictactoe')), 4), Options(4))
    for _ in range(ticks):
        answers = {q.role: agent.choose(q) for q in environment.questions(only_decisions=True)}
        step = environment.step(answers)
        for role, feedback in step.feedback.items():
            agent.learn(feedback)
            run.count(feedback, is_first=role == 'x')


def test_everything_that_was_learned_is_resumed(tmp_path: Path) -> None:
    agent, run = open_learner(tmp_path / 'run')
    assert agent.learner is not None
    assert not run.resume(agent.learner, SEED)
    play(agent, run, 60)
    run.write_row(agent.learner)
    run.save(agent.learner)
    before = deepcopy(agent.learner.to_tree())
    assert len(before['replay']['rows']['action']) > 100 and before['optimiser']['state']
    # What came after the state was written is learned again.
    play(agent, run, 5)
    run.write_row(agent.learner)

    again, resumed = open_learner(tmp_path / 'run')
    assert again.learner is not None and resumed.resume(again.learner, SEED)
    after = again.learner.to_tree()
    assert after['collectors'] == {}, 'what is pending was not heard'
    assert after['counts'] == before['counts']
    for name, rows in before['replay']['rows'].items():
        assert np.array_equal(after['replay']['rows'][name], rows)
    moments = (before['optimiser']['state'][0], after['optimiser']['state'][0])
    assert (moments[0]['exp_avg'] == moments[1]['exp_avg']).all()
    assert resumed.episodes > 10
    assert len((tmp_path / 'run' / 'metrics.csv').read_text().splitlines()) == 2


def test_run_is_resumed_by_what_made_it(tmp_path: Path) -> None:
    agent, run = open_learner(tmp_path / 'run')
    assert agent.learner is not None
    run.save(agent.learner)
    with pytest.raises(RunError, match='gdl selfplay --run'):
        Run(RunFolder(tmp_path / 'run'), agent.config, TRAINER).load()


def test_games_are_counted_though_their_ends_were_not_heard() -> None:
    counts = MatchCounts()
    counts.correct('', 0)
    counts.add('', 10)
    assert counts.episodes == 10
    counts.correct('', 9)
    assert counts.episodes == 10, 'the status is older than what was heard'
    kept = counts.to_tree()
    # Killed here. Meanwhile 15 were finished.
    again = MatchCounts()
    again.restore(kept, is_same=True)
    again.correct('', 15)
    again.add('', 3)
    assert again.episodes == 15
    again.correct('', 18)
    assert again.episodes == 18
    # The environment was killed, and had no journal.
    again.correct('', 0)
    again.correct('', 4)
    assert again.episodes == 22
    # Another match, of which 7 games were played before the learner came.
    other = MatchCounts()
    other.restore(again.to_tree(), is_same=False)
    other.correct('', 7)
    assert other.episodes == 22
    other.correct('', 9)
    assert other.episodes == 24


def begin_evaluation(run: Path, text: str) -> bool:
    return 'evaluating what was learned' in text


def write_state(run: Path, text: str) -> bool:
    return (run / 'state.npz').exists()


def kill_learner(
    tmp_path: Path, words: Sequence[str], is_time: Callable[[Path, str], bool]
) -> tuple[Path, str]:
    """Train by a launch whose learner is killed once; return the run and what was printed."""
    run, log = tmp_path / 'run', tmp_path / 'log'
    common = ['game:=tictactoe', 'evaluate:=0', f'run:={run}']
    with free_domain() as domain, log.open('wb') as stream:
        launch = subprocess.Popen(
            [sys.executable, '-m', 'gdl_env.cli.main', 'launch', 'selfplay', *common, *words],
            env={**os.environ, 'ROS_DOMAIN_ID': str(domain), 'PYTHONUNBUFFERED': '1'},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )
        try:
            while not is_time(run, log.read_text()):
                assert launch.poll() is None, log.read_text()
                time.sleep(0.02)
            (pid,) = re.findall(r'learner_node started, process (\d+)', log.read_text())
            os.kill(int(pid), signal.SIGKILL)
            assert launch.wait(240) == 0, log.read_text()
        finally:
            launch.send_signal(signal.SIGINT)
            launch.wait(60)
    text = log.read_text()
    assert 'learner_node failed with exit code 137; starting it again' in text
    assert re.search(r'resumes after \d+ episodes', text), text
    return run, text


@pytest.mark.slow
def test_killed_learner_is_restarted_and_resumes(tmp_path: Path) -> None:
    result = tmp_path / 'result.json'
    words = [f'episodes:={EPISODES}', 'lanes:=4', 'algorithm:=dqn', f'options:={SMALL}']
    run, _ = kill_learner(tmp_path, [*words, f'result_file:={result}'], write_state)
    assert json.loads(result.read_text())['episodes'] == EPISODES
    rows = (run / 'metrics.csv').read_text().splitlines()
    assert rows[-1].startswith(f'{EPISODES},'), rows


@pytest.mark.slow
def test_learner_killed_after_its_proof_ends_the_launch(tmp_path: Path) -> None:
    # The match is over by then: no episode will be played any more.
    run, text = kill_learner(tmp_path, ['episodes:=20000', 'seed:=7'], begin_evaluation)
    assert 'x never loses' in text
    assert (run / 'README.md').is_file()
