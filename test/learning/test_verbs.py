"""`gdl train`, `eval`, `levels` and `curve`, and learning through the agent contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.dqn.learning_agent import LearningAgent
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_env.cli.main import main
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game

pytestmark = pytest.mark.torch

SETTINGS = ('lanes=4', 'snapshots=2', 'evaluation_games=6', 'final_games=10', 'network=small')


def train(runs: Path, *arguments: str) -> int:
    settings = [word for setting in SETTINGS for word in ('--set', setting)]
    return main(
        ['train', 'tictactoe', '--runs', str(runs), '--episodes', '30', *settings, *arguments]
    )


def test_a_network_is_searched_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ('network=search', 'search_episodes=10', 'search_rounds=1', 'snapshots=1')
    words = [word for option in options for word in ('--set', option)]
    assert train(tmp_path, '--name', 's', *words) == 0
    out = capsys.readouterr().out
    assert 'round 0: linear 32' in out and 'round 1: linear' in out
    assert out.count('round 0:') == 2 and ' ± ' in out
    run = tmp_path / 'tictactoe' / 's'
    assert 'continues with linear' in out and (run / 'network.yaml').exists()
    # Four candidates, and what was trained then.
    assert main(['levels', str(run), '--by', 'reward']) == 0
    assert capsys.readouterr().out.count('.npz') == 5
    assert 'against random players' in (run / 'README.md').read_text()


def test_from_training_to_a_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path, '--name', 'a', '--mode', 'random', '--algorithm', 'dqn') == 0
    out = capsys.readouterr().out
    run = tmp_path / 'tictactoe' / 'a'
    assert f'{run}: 30 episodes' in out
    assert 'seat  games' in out
    card = (run / 'README.md').read_text()
    assert 'trained by `gdl train` with dqn, mode `random`' in card
    assert train(tmp_path, '--name', 'a') == 1
    assert 'exists already: resume it with --resume' in capsys.readouterr().err
    assert main(['train', '--resume', str(run)]) == 0
    assert main(['levels', str(run)]) == 0
    assert 'Elo' in capsys.readouterr().out
    assert main(['levels', str(run), '--by', 'reward']) == 0
    assert capsys.readouterr().out.count('.npz') == 2
    assert main(['levels', str(run), '--by', 'reward', '-n', '3', '--role', 'o']) == 0
    assert capsys.readouterr().out.count('.npz') == 3
    (run / 'learning_curve.png').unlink()
    assert main(['curve', str(run)]) == 0
    assert (run / 'learning_curve.png').read_bytes().startswith(b'\x89PNG')
    assert main(['curve', str(run), str(run), '-o', str(tmp_path / 'both.png')]) == 0
    assert (tmp_path / 'both.png').exists()
    capsys.readouterr()
    agents = [f'dqn:{run}', f'dqn:{run}@1', 'random']
    assert main(['eval', 'tictactoe', *agents, '-n', '10', '--seed', '1', '--json']) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 3 * 2 * 3
    assert {row['games'] for row in rows} == {10, 20}
    assert main(['eval', 'tictactoe', 'legal', '-n', '10', '--seed', '1']) == 0
    assert 'legal  random   all      20' in capsys.readouterr().out


def test_a_run_ends_after_its_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = [word for setting in SETTINGS for word in ('--set', setting)]
    words = ['--seconds', '1.5', '--set', 'levels=0', '--mode', 'random', '--name', 'timed']
    assert main(['train', 'nim', '--runs', str(tmp_path), *settings, *words]) == 0
    run = tmp_path / 'nim' / 'timed'
    assert f'{run}: ' in capsys.readouterr().out
    rows = RunFolder(run).read_metrics()
    assert 1.5 <= rows[-1]['seconds'] < 60
    # The first snapshot after half of the time, the other at the end.
    assert len(list((run / 'snapshots').glob('*.npz'))) == 2
    # Nothing is left to be trained.
    before = rows[-1]['episodes']
    assert main(['train', '--resume', str(run)]) == 0
    assert RunFolder(run).read_metrics()[-1]['episodes'] == before


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['train'], 'name a GAME to train'),
        (['train', 'tictactoe', '--resume', 'x'], 'name a GAME to train'),
        (['train', '--resume', 'nowhere'], 'nowhere is no folder of a run'),
        (['train', 'tictacto'], "no game named 'tictacto'"),
        (['train', 'tictactoe', '--mode', 'x'], "no mode 'x'; modes: random"),
        (['train', 'tictactoe', '--role', 'z'], "no role 'z'"),
        (['train', 'tictactoe', '--set', 'n_stp=1'], 'did you mean n_step'),
        (['train', 'tictactoe', '--set', 'device=gpu9'], "no device 'gpu9'; available: cpu"),
        (['train', 'tictactoe', '--set', 'judge=nobody'], "no agent named 'nobody'"),
        (['train', 'tictactoe', '--config', 'no.yaml'], 'no.yaml cannot be read'),
        (['train', 'tictactoe', '--mode', 'fixed:human'], 'a person plays one lane'),
        (['train', 'tictactoe', '--mode', 'fixed:dqn:nowhere'], 'nowhere is no folder'),
        (['levels', 'nowhere'], 'nowhere is no folder of a run'),
        (['curve', 'nowhere'], 'nowhere is no folder of a run'),
        (['eval', 'tictactoe', 'rainbo'], 'did you mean rainbow'),
        (['eval', 'tictactoe', 'rainbow'], 'needs a run or a checkpoint'),
    ],
)
def test_what_goes_wrong(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) in {1, 2}
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('setting', ['device=gpu9', 'judge=nobody', 'n_step=x'])
def test_what_cannot_be_obeyed_is_said_before_the_game_is_probed(
    setting: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['train', 'tictactoe', '--set', setting]) == 1
    assert not capsys.readouterr().out


def test_any_match_can_be_learned_from(tmp_path: Path) -> None:
    path = tmp_path / 'learned.npz'
    options = f'algorithm=dqn,warm_up=20,batch=8,network=small,save={path}'
    agent = open_agent(f'gdl_agents.learning.dqn.learning_agent:LearningAgent:{options}')
    assert isinstance(agent, LearningAgent)
    arena = Arena(load_game(find_game('tictactoe')), lanes=5)
    arena.play({'x': agent, 'o': RandomAgent()}, 40, 1)
    assert agent.learner is not None
    assert agent.learner.version > 10
    model = Model.load(path)
    assert model.about.roles == ('x',)
    again = LearningAgent(f'algorithm=dqn,network=small,load={path}')
    again.begin(arena.info, ('x',), 1)
    assert again.learner is not None
    assert again.learner.model().weights.keys() == model.weights.keys()
    other = open_agent(f'dqn:{path}')
    assert arena.play({'x': other, 'o': RandomAgent()}, 10, 1)['x'].games == 10


def test_networks_of_files_learn_in_any_match(tmp_path: Path) -> None:
    file = tmp_path / 'narrow.yaml'
    file.write_text('layers:\n  - linear: 12\n')
    agent = LearningAgent(f'algorithm=dqn,network={file}')
    agent.begin(Arena(load_game(find_game('tictactoe')), 1).info, ('x',), 1)
    assert agent.learner is not None
    assert [str(layer) for layer in agent.learner.model().spec.layers] == ['linear 12']
