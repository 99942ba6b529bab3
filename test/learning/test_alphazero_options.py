"""Options of training with AlphaZero: each is obeyed, or refused by name."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

import torch

from gdl_agents.learning.alphazero import trainer as trainer_module
from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.alphazero.trainer import AlphaZeroTrainer
from gdl_agents.learning.dqn.value_trainer import ValueTrainer
from gdl_agents.learning.errors import ConfigError, RunError
from gdl_agents.learning.mmd.config import MmdConfig
from gdl_agents.learning.sequence.config import SequenceConfig
from gdl_agents.learning.training.algorithm_options import (
    ALPHAZERO_OPTIONS,
    MMD_OPTIONS,
    SECTIONS,
    does_something,
)
from gdl_agents.learning.training.config import LearnerConfig, TrainingConfig
from gdl_agents.learning.training.config_file import make_config, read_config, to_yaml
from gdl_agents.learning.training.device import open_device
from gdl_agents.learning.training.goal_scale import check_goal_scale
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_env.cli.main import main
from gdl_env.environment.score import Score
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game

pytestmark = pytest.mark.torch

REWARDS = """
from gdl_agents.learning.training.rewards import OutcomeReward

POINTS = OutcomeReward(win=1, draw=0, loss=-1)
BOLD = OutcomeReward(win=1, draw=-1, loss=-1)
POLITE = OutcomeReward(win=1, draw=0, loss=-1, legal=0.5)
WRONG = OutcomeReward(win=-1, draw=0, loss=1)

def plain(goal, state, legal, episode):
    return 0.0 if goal is None else goal / 100
"""


def configure(**changes: Any) -> TrainingConfig:
    small = {
        'game': 'tictactoe',
        'algorithm': 'alphazero',
        'episodes': 12,
        'lanes': 4,
        'snapshots': 1,
        'evaluation_games': 2,
        'final_games': 2,
        'levels': 0,
        'network': 'small',
    }
    return make_config(small, changes)


def open_trainer(game: str = 'tictactoe', **changes: Any) -> AlphaZeroTrainer:
    return AlphaZeroTrainer(load_game(find_game(game)), configure(game=game, **changes))


@pytest.fixture
def rewards(tmp_path: Path) -> str:
    path = tmp_path / 'rewards.py'
    path.write_text(REWARDS)
    return str(path)


REFUSED = [
    ('mode=random', 'mode=random does not apply to alphazero; mode must be selfplay or together'),
    ('mode=fixed:legal', 'mode=fixed:legal does not apply to alphazero'),
    ('role=x', 'role=x does not apply to alphazero; role must be all'),
    ('shared=no', 'shared=no does not apply to alphazero; shared must be auto or yes'),
    ('network=search', 'network must be a generator or a file'),
    (
        'illegal=end',
        'illegal=end does not apply to alphazero; options that do: actor_ticks, actors, algorithm',
    ),
    ('copy_every=20', 'copy_every=20 does not apply'),
    ('until_proved=true', 'until_proved=True does not apply'),
    # Not even a default is accepted, if it is given and says something that is not done.
    ('updates=0.1', 'updates=0.1 does not apply to alphazero'),
    ('playout=100', "no option 'playout'; did you mean playouts?"),
    ('playouts=0', 'playouts must be 1 or more, not 0'),
    ('playouts=many', "playouts must be int, not 'many'"),
    ('precision=half', 'precision must be auto, float32, bfloat16, not half'),
    ('noisy=true', 'noisy=True does not apply'),
    ('n_step=3', 'n_step=3 does not apply'),
    ('device=gpu9', "no device 'gpu9'; available: cpu"),
    ('device=meta', "no device 'meta'"),
    ('turn=nobody', "no turn rule 'nobody'; rules: rotate, priority, random, first"),
    ('reward=gold', "no reward 'gold'; rewards: goal"),
    (
        'reward=gdl_agents.learning.training.rewards:PUNISHING',
        'PUNISHING does not apply to alphazero; reward must be goal, or',
    ),
    ('judge=nobody', "'nobody'"),
]


@pytest.mark.parametrize(('setting', 'words'), REFUSED, ids=[row[0][:24] for row in REFUSED])
def test_refused_by_name(
    setting: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ['train', 'tictactoe', '--algorithm', 'alphazero', '--set', setting]
    assert main([*arguments, '--runs', str(tmp_path / 'runs')]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / 'runs').exists()


PARTS = (TrainingConfig, LearnerConfig, AlphaZeroConfig, MmdConfig, SequenceConfig)
ALL = [
    (part, option.name) for part in PARTS for option in fields(part) if option.name not in SECTIONS
]
INNER = {
    'alphazero': AlphaZeroConfig,
    'mmd': MmdConfig,
    'sequence': SequenceConfig,
    'rainbow': LearnerConfig,
}
# Of those that have not all options of training.
OUTER = {'alphazero': ALPHAZERO_OPTIONS, 'mmd': MMD_OPTIONS, 'sequence': MMD_OPTIONS}


@pytest.mark.parametrize(('part', 'name'), ALL)
def test_no_option_is_ignored(part: type, name: str) -> None:
    value = getattr(part(), name)
    told: dict[str, Any] = {name: value}
    told = told if part is TrainingConfig else {'learner': told}
    for algorithm, inner in INNER.items():
        names = {option.name for option in fields(inner)}
        outer = OUTER.get(algorithm)
        is_outer = part is TrainingConfig and (outer is None or name in outer)
        is_known = is_outer or (part is not TrainingConfig and name in names)
        if is_known and does_something(TrainingConfig(), name):
            make_config(told, {'algorithm': algorithm})
        elif is_known:
            with pytest.raises(ConfigError, match=f'^{name} does nothing here'):
                make_config(told, {'algorithm': algorithm})
        else:
            with pytest.raises(ConfigError, match=f'^{name}={value} does not apply to'):
                make_config(told, {'algorithm': algorithm})


def test_the_documentation_lists_every_option() -> None:
    text = (Path(__file__).parents[2] / 'doc' / 'learning.md').read_text(encoding='utf-8')
    part = text.partition('### Which options apply')[2].partition('\n### ')[0]
    rows = [line.strip('|').split('|') for line in part.splitlines() if line.startswith('| `')]
    names = [re.findall('`(.+?)`', row[0]) for row in rows]
    listed = [name for row in names for name in row]
    assert sorted(listed) == sorted({name for _, name in ALL})
    for column, algorithm in ((2, 'alphazero'), (3, 'mmd'), (4, 'sequence')):
        refused = {
            name
            for row, group in zip(rows, names, strict=True)
            for name in group
            if row[column].strip().startswith('refused')
        }
        own = {option.name for option in fields(INNER[algorithm])}
        assert set(listed) - refused == set(OUTER[algorithm]) | own


def test_a_configuration_made_in_code_is_checked() -> None:
    game = load_game(find_game('tictactoe'))
    for changes in ({'mode': 'league'}, {'role': 'o'}, {'learner': LearnerConfig(gamma=0.9)}):
        config = TrainingConfig(algorithm='alphazero', **changes)  # type: ignore[arg-type]
        name = 'gamma' if 'learner' in changes else next(iter(changes))
        with pytest.raises(ConfigError, match=f'^{name}=.* does not apply to alphazero'):
            AlphaZeroTrainer(game, config)


def test_other_learners_do_not_take_its_name() -> None:
    game = load_game(find_game('tictactoe'))
    with pytest.raises(ConfigError, match=r'algorithm=alphazero .* must be rainbow or dqn here'):
        ValueTrainer(game, configure())


def test_the_file_of_a_run_holds_what_applies(tmp_path: Path) -> None:
    folder = RunFolder.create(configure(name='a', role='all'), tmp_path)
    written = read_config(folder.config_file)
    assert 'role' in written and 'batch' in written['learner']
    assert 'illegal' not in written and 'noisy' not in written['learner']
    assert written['learner']['playouts'] == AlphaZeroConfig.playouts
    assert folder.config == configure(name='a')
    # It can be the file of another run.
    assert make_config(written, {'name': 'b'}).name == 'b'
    # Runs of earlier versions list everything.
    folder.config_file.write_text(to_yaml(TrainingConfig()).replace('rainbow', 'alphazero'))
    assert folder.config.algorithm == 'alphazero'


def test_games_of_the_last_evaluation() -> None:
    assert make_config({'algorithm': 'alphazero'}).final_games == 200
    assert make_config({'algorithm': 'alphazero', 'final_games': 700}).final_games == 700
    assert make_config().final_games == 1_000


# ---- options that are obeyed


def test_the_turn_rule_is_that_of_all_matches() -> None:
    trainer = open_trainer(turn='priority')
    assert trainer.environment.options.turn == trainer.info.turn == 'priority'
    assert trainer.arena.info.turn == 'priority'
    trainer.close()


def test_the_network_is_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    # A device that every machine has, and which is not the processor.
    monkeypatch.setattr(trainer_module, 'open_device', torch.device)
    trainer = open_trainer(device='meta')
    network = trainer.learners['all']
    assert {parameter.device.type for parameter in network.parameters()} == {'meta'}
    trainer.close()
    trainer = open_trainer(device='cpu')
    assert trainer.model().build('meta').device.type == 'meta'
    trainer.close()


@pytest.mark.parametrize('name', ['cpu:0', 'auto'])
def test_evaluations_are_on_the_device(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    asked = []
    build = AlphaZeroModel.build

    def note(model: AlphaZeroModel, device: str = 'cpu') -> Any:
        asked.append(device)
        return build(model, device)

    monkeypatch.setattr(AlphaZeroModel, 'build', note)
    trainer = open_trainer(device=name)
    scores = trainer.evaluate(1, dict.fromkeys(trainer.roles, trainer.model()))
    assert set(asked) == {str(open_device(name))}
    assert all(isinstance(score, Score) for score in scores.values())
    trainer.close()


def test_goals_on_another_scale(rewards: str) -> None:
    trainer = open_trainer(reward=f'{rewards}:POINTS', episodes=1_000)
    other = open_trainer(episodes=1_000)
    while trainer.episodes < 12:
        trainer.tick()
        other.tick()
    # The same games, and the same values; rewards in other units.
    assert np.array_equal(trainer.to_tree()['memory'][3], other.to_tree()['memory'][3])
    assert set(trainer.to_tree()['means'][1]) <= {-1.0, 0.0, 1.0}
    assert trainer.status().reward == pytest.approx(other.status().reward / 10)
    trainer.close()
    other.close()


@pytest.mark.parametrize('name', ['BOLD', 'POLITE', 'WRONG', 'plain'])
def test_rewards_that_search_cannot_follow(rewards: str, name: str) -> None:
    with pytest.raises(ConfigError, match=f'{name} does not apply to alphazero; reward must be'):
        check_goal_scale(f'{rewards}:{name}')


def test_broken_off_games_count_and_teach_nothing() -> None:
    trainer = open_trainer(max_steps=4)
    while not trainer.is_done:
        trainer.tick()
    assert trainer.environment.tallies.unscored == trainer.episodes >= 12
    assert trainer.status().decisions == 0
    assert trainer.environment.tallies.steps == 4 * trainer.episodes
    trainer.close()


def test_states_of_earlier_versions_are_refused() -> None:
    trainer = open_trainer()
    tree = trainer.to_tree()
    del tree['games']['lengths']
    with pytest.raises(RunError, match='an earlier version'):
        trainer.restore(tree)
    trainer.close()


def test_both_names_of_playing_oneself() -> None:
    memories: list[NDArray[np.float32]] = []
    for mode in ('selfplay', 'together'):
        trainer = AlphaZeroTrainer(
            load_game(find_game('tictactoe')), replace(configure(), mode=mode)
        )
        while trainer.episodes < 4:
            trainer.tick()
        memories.append(trainer.to_tree()['memory'][2])
        trainer.close()
    assert np.array_equal(*memories)
