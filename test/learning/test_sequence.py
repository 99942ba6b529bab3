"""Sequence players: what they see, learning from data sets and by self-play, runs and options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

import torch

from gdl_agents.data.data_folder import DataFolder
from gdl_agents.data.job import DataJob
from gdl_agents.data.make import make_data
from gdl_agents.data.reader import read_data, read_shard
from gdl_agents.errors import AgentError
from gdl_agents.learning.errors import ConfigError, LearningError, RunError
from gdl_agents.learning.sequence.agent import SequenceAgent
from gdl_agents.learning.sequence.data_games import DataGames, to_shard
from gdl_agents.learning.sequence.model import SequenceModel
from gdl_agents.learning.sequence.networks import SequenceNetwork
from gdl_agents.learning.sequence.trainer import SequenceTrainer
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import to_bytes
from gdl_agents.learning.training.trainer import TrainingStatus
from gdl_agents.learning.training_runs import begin_run, resume_run
from gdl_agents.players.random import RandomAgent
from gdl_env.cli.game_options import load
from gdl_env.cli.main import main
from gdl_env.environment.bits import Bits
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import NO_ACTION

pytestmark = pytest.mark.torch

SMALL = {
    'algorithm': 'sequence',
    'name': 'test',
    'lanes': 16,
    'snapshots': 1,
    'evaluation_games': 8,
    'final_games': 8,
    'levels': 0,
}


def make_set(folder: Path, name: str, how: str = 'randomised', **more: Any) -> Path:
    game = load(name)
    make_data(game, DataJob(name, game.hash, how, seed=1, **more), DataFolder(folder))
    return folder


def configure(name: str, **learner: Any) -> Any:
    return make_config({**SMALL, 'game': name, 'learner': learner})


# ---- what it sees


@pytest.mark.parametrize('network', ['lstm', 'transformer'])
@pytest.mark.parametrize('name', ['tictactoe', 'lazerbike(size=5)', 'kuhn_poker', 'goofspiel'])
def test_play_sees_what_a_data_set_shows(name: str, network: str, tmp_path: Path) -> None:
    """Whole games that are learned from give the same as decisions that are asked one by one."""
    folder = make_set(tmp_path / 'data', name, 'imitation', number=8, agents=('random',))
    told = {**SMALL, 'game': name, 'network': network, 'learner': {'sharpness': 1}}
    trainer = SequenceTrainer(load(name), make_config(told))
    live = trainer._network
    # At first every move is equally good: make it depend on what was seen.
    live.policy.weight.data.mul_(300)
    games = to_shard(read_shard(folder, 0, is_packed=True).positions).games.sequences
    rows, sizes = games.select(np.arange(len(games.lengths)))
    player = np.repeat(games.player, games.lengths)[rows]
    inputs = live.make_inputs(
        torch.from_numpy(Bits(games.observation[rows], live.entries).unpack()).float(),
        torch.from_numpy(games.last[rows]),
        torch.from_numpy(player),
    )
    state = torch.zeros(len(games.lengths), live.state_size)
    with torch.no_grad():
        whole, after = live(inputs, torch.from_numpy(sizes), state)
        found = torch.empty_like(whole)
        start = 0
        for count in sizes.tolist():
            part = inputs[start : start + count]
            found[start : start + count], state[:count] = live.advance(part, state[:count])
            start += count
    assert torch.allclose(found, whole, atol=1e-4)
    assert torch.allclose(state, after, atol=1e-4)
    assert float(whole.std()) > 0.01
    trainer.close()


def test_the_view_itself_is_no_input() -> None:
    """Of a long sequence, the body sees what came and went: nothing where nothing has changed."""
    trainer = SequenceTrainer(load('tictactoe'), configure('tictactoe'))
    network: SequenceNetwork = trainer._network
    seen: list[torch.Tensor] = []
    hook = network.body.register_forward_hook(lambda module, given, out: seen.append(given[0]))
    view = torch.zeros(3, network.entries)
    view[0, [1, 4]] = view[1, [1, 4]] = view[2, [4, 7]] = 1
    inputs = network.make_inputs(view, torch.tensor([-1, 2, 3]), torch.tensor([0, 0, 0]))
    network(inputs, torch.tensor([1, 1, 1]), torch.zeros(1, network.state_size))
    hook.remove()
    changes = seen[0][:, : network.entries]
    assert changes[0].nonzero().flatten().tolist() == [1, 4]
    assert not changes[1].any()
    assert changes[2, 1] == -1 and changes[2, 7] == 1 and changes[2].abs().sum() == 2
    trainer.close()


# ---- data sets as sequences


def test_sequences_of_a_data_set(tmp_path: Path) -> None:
    folder = make_set(tmp_path / 'data', 'tictactoe', number=50, endings=2)
    data = read_data(folder)
    shard = to_shard(read_shard(folder, 0, is_packed=True).positions)
    games = shard.games.sequences
    assert games.lengths.sum() == len(data.positions['action'])
    # Each own move is what was decided at the decision before.
    start = np.cumsum(games.lengths) - games.lengths
    assert (games.last[start] == NO_ACTION).all()
    inner = np.setdiff1d(np.arange(len(games.last)), start)
    assert (games.last[inner] == games.action[inner - 1]).all()
    # Rewards come at the end, and those of both roles add up to 0.
    total = np.add.reduceat(games.reward, start)
    assert np.count_nonzero(games.reward) <= len(start)
    both = np.add.reduceat(total, shard.first[:-1])
    whole = np.diff(shard.first) == 2
    assert (both[whole] == 0).all() and whole.sum() > 20


def test_each_pass_takes_every_game_once(tmp_path: Path) -> None:
    folder = make_set(tmp_path / 'data', 'tictactoe', number=600, shard=256, lanes=64)
    game = load('tictactoe')
    info = Environment.open(game).info(longest=1 << 30)
    data = DataGames(str(folder), game, info, seed=1)
    taken: list[int] = []
    while data.taken < 600:
        taken.append(data.take(100).sequences.decisions)
    assert data.taken == 600 and sum(taken) == len(read_data(folder).positions['action'])
    half = DataGames(str(folder), game, info, seed=1)
    half.take(100)
    again = DataGames(str(folder), game, info, seed=1)
    again.restore(half.to_tree())
    one, two = half.take(100), again.take(100)
    assert (one.sequences.action == two.sequences.action).all()
    other = DataGames(str(folder), game, info, seed=2).take(100)
    first = DataGames(str(folder), game, info, seed=1).take(100)
    assert other.sequences.observation.tobytes() != first.sequences.observation.tobytes()


def test_moves_that_were_tried_beside_are_not_imitated(tmp_path: Path) -> None:
    folder = make_set(
        tmp_path / 'data',
        'tictactoe',
        'imitation',
        number=20,
        endings=4,
        extra=0.5,
        agents=('legal',),
    )
    positions = read_shard(folder, 0, is_packed=True).positions
    shard = to_shard(positions)
    assert positions['is_extra'].any()
    assert (~shard.games.is_model).sum() == positions['is_extra'].sum()


# ---- learning


@pytest.mark.parametrize('network', ['lstm', 'transformer'])
def test_it_learns_from_random_games(network: str, tmp_path: Path) -> None:
    folder = make_set(tmp_path / 'data', 'tictactoe', number=4_000)
    told = {**SMALL, 'game': 'tictactoe', 'episodes': 12_000, 'network': network}
    learner = {'data': str(folder), 'batch': 1_024}
    trainer = SequenceTrainer(load('tictactoe'), make_config(told, {'learner': learner}))
    models = None
    while not trainer.is_done:
        models = trainer.tick() or models
    assert models is not None
    found = trainer.evaluate(400, dict.fromkeys(trainer.roles, models['all']))
    # Random play wins 58 % as x and 29 % as o.
    assert found['x'].wins > 300 and found['o'].wins > 180
    trainer.close()


def test_it_learns_to_imitate(tmp_path: Path) -> None:
    folder = make_set(
        tmp_path / 'data', 'tictactoe', 'imitation', number=1_500, agents=('legal', 'random')
    )
    learner = {'data': str(folder), 'batch': 512, 'sharpness': 0, 'value_weight': 0}
    told = {**SMALL, 'game': 'tictactoe', 'episodes': 6_000, 'role': 'all'}
    trainer = SequenceTrainer(load('tictactoe'), make_config(told, {'learner': learner}))
    while not trainer.is_done:
        trainer.tick()
    agent = SequenceAgent.of(trainer.model())
    environment = Environment.open(load('tictactoe'), Options(lanes=8, seed=3))
    agent.begin(environment.info(), ('x',), 1)
    (question,) = environment.questions(only_decisions=True)
    # `legal` takes the first legal move, and half of the first moves are its own.
    assert agent.policy(question)[:, 0].min() > 0.4
    trainer.close()


ANY_GAMES = [
    pytest.param('pig', marks=pytest.mark.slow),
    'monty_hall',
    'sokoban',
    'lazerbike(size=5,players=4)',
    'goofspiel',
    'krieg_tictactoe',
]


@pytest.mark.parametrize('name', ANY_GAMES)
def test_any_game_is_learned_and_played(name: str) -> None:
    """Chance, secrets, simultaneous moves, one role or four: changes are changes."""
    told = {**SMALL, 'game': name, 'lanes': 8, 'episodes': 24, 'max_steps': 60}
    trainer = SequenceTrainer(load(name), make_config(told, {'learner': {'batch': 32}}))
    models = None
    while not trainer.is_done:
        models = trainer.tick() or models
    assert models is not None and trainer.updates
    assert all(np.isfinite(trainer._losses))
    environment = Environment.open(load(name), Options(lanes=4, seed=2))
    agent = SequenceAgent.of(models['all'])
    agent.begin(environment.info(), trainer.roles, 1)
    for _ in range(20):
        answers = {}
        for question in environment.questions():
            if not question.is_decision:
                agent.notice(question)
                continue
            answer = agent.choose(question)
            assert answer.action is not None and question.legal is not None
            asked = np.flatnonzero(question.to_move)
            assert question.legal.unpack()[asked, answer.action[asked]].all()
            assert np.allclose(agent.policy(question)[asked].sum(axis=1), 1)
            answers[question.role] = answer
        environment.step(answers)
    trainer.close()


# ---- runs


@pytest.mark.parametrize('has_data', [True, False])
def test_a_run_resumes_where_it_was_and_plays(has_data: bool, tmp_path: Path) -> None:
    game = load('kuhn_poker')
    learner: dict[str, Any] = {'batch': 128}
    if has_data:
        learner['data'] = str(make_set(tmp_path / 'data', 'kuhn_poker', number=200))
    told = {**SMALL, 'game': 'kuhn_poker', 'episodes': 600, 'checkpoint_every': 100}
    config = make_config(told, {'learner': learner})
    whole = begin_run(game, config, tmp_path / 'whole')
    assert whole.run()
    run = begin_run(game, config, tmp_path / 'parts')
    stop_at = iter([200])

    def watch(status: TrainingStatus) -> None:
        if status.episodes >= 200 and next(stop_at, None):
            run.stop()

    assert not run.run(watch)
    again = resume_run(game, RunFolder.open(tmp_path / 'parts' / 'kuhn_poker' / 'test'))
    assert again.run()
    assert to_bytes(again.trainer.to_tree()) == to_bytes(whole.trainer.to_tree())
    folder = again.folder
    assert folder.read_metrics()[-1]['exploitability'] > 0
    assert 'NashConv' in folder.card_file.read_text()
    agent = SequenceAgent(str(folder.path))
    assert agent.levels()
    with pytest.raises(LearningError, match='trained on kuhn_poker'):
        agent.begin(Environment.open(load('tictactoe')).info(), ('x',), 1)
    assert main(['export', str(folder.path), str(tmp_path / 'out')]) == 0
    told = json.loads((tmp_path / 'out' / 'config.json').read_text())
    assert told['inputs'][3:] == ['last', 'state'] and told['state_size'] > 0


def test_a_guard_takes_the_move_that_wins() -> None:
    trainer = SequenceTrainer(load('tictactoe'), configure('tictactoe'))
    model = trainer.model()
    arena, games = Arena(load('tictactoe')), 200
    alone = arena.play({'x': SequenceAgent.of(model), 'o': RandomAgent()}, games, seed=1)['x']
    guarded = SequenceAgent.of(model, guard='tactical')
    watched = arena.play({'x': guarded, 'o': RandomAgent()}, games, seed=1)['x']
    # Nothing was learned yet: the guard alone makes the difference.
    assert alone.wins < 0.75 * games < 0.85 * games < watched.wins
    trainer.close()


# ---- options

REFUSED = [
    ('playouts=3', 'playouts=3 does not apply to sequence'),
    ('explore=2', 'explore must be from 0 to 1, not 2'),
    ('batch=0', 'batch must be 1 or more, not 0'),
    ('mode=league', 'mode=league does not apply to sequence'),
    ('data=nowhere', 'data=nowhere: nowhere is no data set'),
    ('spread=0.1', 'spread=0.1 does not apply to sequence'),
]


@pytest.mark.parametrize(('setting', 'words'), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused_by_name(
    setting: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ['train', 'tictactoe', '--algorithm', 'sequence', '--set', setting]
    assert main([*arguments, '--runs', str(tmp_path / 'runs')]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / 'runs').exists()


def test_foreign_data_is_refused(tmp_path: Path) -> None:
    folder = make_set(tmp_path / 'data', 'nim', number=10)
    with pytest.raises(ConfigError, match=r'is of nim, or of other rules'):
        SequenceTrainer(load('tictactoe'), configure('tictactoe', data=str(folder)))
    states = make_set(tmp_path / 'states', 'nim', 'thorough')
    with pytest.raises(ConfigError, match='lists states, not games'):
        SequenceTrainer(load('nim'), configure('nim', data=str(states)))
    with pytest.raises(ConfigError, match='explore does nothing here'):
        configure('nim', data=str(folder), explore=0.2)


def test_the_agent_says_what_it_needs() -> None:
    with pytest.raises(RunError, match='agent sequence needs a run or a snapshot'):
        SequenceAgent('')
    with pytest.raises(RunError, match='needs a run or a snapshot'):
        SequenceAgent('guard=tactical')
    trainer = SequenceTrainer(load('nim'), configure('nim'))
    with pytest.raises(AgentError, match='a guard must look ahead'):
        SequenceAgent.of(trainer.model(), guard='random')
    assert isinstance(trainer.model(), SequenceModel)
    trainer.close()
