"""Games that actors play: the result follows from the seed, whoever plays and whatever is lost."""

from __future__ import annotations

import os
from pathlib import Path
import signal
from typing import Any

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.cluster.job_pool import InlinePool, JobPool
from gdl_agents.cluster.process_pool import ProcessPool
from gdl_agents.learning.actors.actor import LanePart
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.state_file import from_bytes, to_bytes
from gdl_agents.learning.training.trainer import Trainer
from gdl_agents.learning.training_runs import open_trainer
from gdl_env.cli.main import main
from gdl_env.language.load import open_game

pytestmark = pytest.mark.torch

SMALL: dict[str, dict[str, Any]] = {
    'rainbow': {'mode': 'league', 'learner': {'warm_up': 50, 'batch': 32, 'advice': 8}},
    'dqn': {'mode': 'together', 'learner': {'warm_up': 50, 'batch': 32}},
    'alphazero': {'learner': {'warm_up': 20, 'batch': 16, 'playouts': 4, 'quick_playouts': 2}},
    'mmd': {'network': 'small', 'learner': {'batch': 64}},
    'sequence': {'learner': {'batch': 64}},
}


def open_small(algorithm: str, pool: JobPool | None = None, **changes: Any) -> Trainer[Any]:
    told = {
        'game': 'nim',
        'algorithm': algorithm,
        'lanes': 9,
        'episodes': 100_000,
        'seed': 7,
    }
    acted = {'actors': 2, 'actor_ticks': 6} if changes.get('actors', 2) else {}
    config = make_config(told, acted, SMALL[algorithm], changes)
    return open_trainer(open_game('nim'), config, pool)


def learned(trainer: Trainer[Any]) -> list[bytes]:
    """Return the weights of all networks."""
    found = []
    for learner in trainer.learners.values():
        network: Any = getattr(learner, 'network', learner)
        found += [tensor.numpy().tobytes() for tensor in network.state_dict().values()]
    return found


def test_parts_share_the_lanes_and_have_seeds_of_their_own() -> None:
    config = make_config({'game': 'nim', 'lanes': 8, 'actors': 3})
    parts = [LanePart.of(config, number) for number in range(3)]
    assert [part.lanes for part in parts] == [3, 3, 2]
    assert len({part.seed for part in parts}) == 3


@pytest.mark.parametrize('algorithm', SMALL)
def test_an_interrupted_run_ends_with_the_same_weights(algorithm: str) -> None:
    whole = open_small(algorithm)
    for _ in range(4):
        whole.tick()
    first = open_small(algorithm)
    first.tick()
    first.tick()
    held = from_bytes(to_bytes(first.to_tree()))
    second = open_small(algorithm)
    second.restore(held)
    second.tick()
    second.tick()
    assert learned(second) == learned(whole) != learned(open_small(algorithm))
    status = second.status()
    assert status.episodes == whole.status().episodes > 0
    assert status.steps == whole.status().steps > status.episodes
    assert status.repeated == 0
    # mmd learns from the policy that plays; others play while they learn.
    if algorithm in ('mmd', 'sequence'):
        # What sequence players learn last may be what they played last.
        assert status.lag == 0
    else:
        assert status.lag > 0
    for trainer in (whole, first, second):
        trainer.close()


def test_learning_without_actors_has_neither_lag_nor_repeats() -> None:
    trainer = open_small('mmd', actors=0)
    trainer.tick()
    assert str((trainer.status().lag, trainer.status().repeated)) == '(nan, nan)'
    trainer.close()


@pytest.mark.slow
@pytest.mark.parametrize('algorithm', SMALL)
def test_a_killed_worker_changes_nothing_but_the_time(algorithm: str) -> None:
    quiet = open_small(algorithm, InlinePool())
    for _ in range(4):
        quiet.tick()
    with ProcessPool(2) as pool:
        disturbed = open_small(algorithm, pool)
        disturbed.tick()
        os.kill(pool.process_ids[0], signal.SIGKILL)
        for _ in range(3):
            disturbed.tick()
        assert learned(disturbed) == learned(quiet)
        assert disturbed.status().repeated >= 1
        disturbed.close()
    quiet.close()


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'actors': 10}, '10 actors share 9 lanes: lanes must be as many or more'),
        (
            {'algorithm': 'sequence', 'learner': {'data': 'some_folder'}},
            'actors=2 does not apply: games of the data set some_folder are learned from',
        ),
        ({'actors': -1}, 'actors must be 0 or more, not -1'),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_small(changes.pop('algorithm', 'alphazero'), **changes)


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['--on', 'ray'], '--on needs --actors N'),
        (['--ray-address', 'x:1'], '--ray-address needs --actors N'),
        (
            ['--actors', '2', '--on', 'processes', '--ray-address', 'x:1'],
            '--ray-address is for --on ray, not for --on processes',
        ),
        (['--set', 'actor_ticks=8'], 'actor_ticks does nothing here'),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['train', 'nim', '--runs', str(tmp_path), *arguments]) != 0
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
