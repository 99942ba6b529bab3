"""Players that mix and remember: how they learn, resume, draw by a seed and play from runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from remembering_game import REMEMBERING
import torch

from gdl_agents.learning.errors import ConfigError, LearningError, RunError
from gdl_agents.learning.levels.reward_levels import list_snapshots, strongest
from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.collector import find_shares
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.mmd.networks import log_policy
from gdl_agents.learning.mmd.trainer import MmdTrainer
from gdl_agents.learning.networks import Gru, Shape
from gdl_agents.learning.networks.generators import generate
from gdl_agents.learning.networks.layers import Conv
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import to_bytes
from gdl_agents.learning.training.trainer import TrainingStatus
from gdl_agents.learning.training_runs import begin_run, resume_run
from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_env.cli.game_options import load
from gdl_env.cli.main import main
from gdl_env.engine.mapping import open_encoding
from gdl_env.environment.bits import Bits
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import NO_ACTION
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text

pytestmark = pytest.mark.torch

SMALL = {
    'game': 'kuhn_poker',
    'algorithm': 'mmd',
    'name': 'test',
    'episodes': 1_000,
    'lanes': 32,
    'snapshots': 2,
    'evaluation_games': 32,
    'final_games': 32,
    'levels': 0,
    'log_every': 200,
    'checkpoint_every': 300,
    'network': 'small',
    'learner': {'batch': 256},
}


def configure(**changes: Any) -> Any:
    return make_config(SMALL, changes)


def train(game: Game, **changes: Any) -> tuple[MmdTrainer, MmdModel]:
    told = {'game': game.name, 'algorithm': 'mmd', 'snapshots': 1, 'evaluation_games': 1}
    trainer = MmdTrainer(game, make_config(told, changes))
    model = None
    while not trainer.is_done:
        taken = trainer.tick()
        model = taken['all'] if taken else model
    assert model is not None
    return trainer, model


# ---- learning


@pytest.mark.slow
def test_kuhn_poker_comes_close_to_an_equilibrium() -> None:
    trainer, model = train(load('kuhn_poker'), episodes=400_000)
    # A chip is 25 goals. Random play has 0.92 chips, any play without mixing far more than 0.1.
    assert trainer.distance.nash_conv(model) / 25 < 0.1
    trainer.close()


@pytest.mark.slow
def test_rock_paper_scissors_stays_mixed() -> None:
    trainer, model = train(load('rock_paper_scissors'), episodes=40_000)
    # Two players who always choose the same hand have 2.
    assert trainer.distance.nash_conv(model) / 50 < 0.2
    trainer.close()


@pytest.mark.slow
@pytest.mark.parametrize('memory', ['gru', 'lstm'])
def test_what_was_shown_once_is_remembered(memory: str, tmp_path: Path) -> None:
    network = tmp_path / 'network.yaml'
    network.write_text(f'layers:\n  - linear: 64\n  - {memory}: 64\n')
    game = game_from_text(REMEMBERING, 'remembering')
    trainer, model = train(game, episodes=100_000, network=str(network))
    games = 1_000
    found = Arena(game).play({'player': MmdAgent.of(model), 'host': RandomAgent()}, games, seed=1)
    assert found['player'].wins >= 0.97 * games
    trainer.close()


@pytest.mark.slow
def test_without_a_memory_it_is_lost(tmp_path: Path) -> None:
    network = tmp_path / 'network.yaml'
    network.write_text('layers:\n  - linear: 64\n')
    game = game_from_text(REMEMBERING, 'remembering')
    trainer, model = train(game, episodes=20_000, network=str(network))
    found = Arena(game).play({'player': MmdAgent.of(model), 'host': RandomAgent()}, 1_000, seed=1)
    assert found['player'].wins < 400
    trainer.close()


# ---- runs


def test_a_run_resumes_where_it_was_and_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load('kuhn_poker')
    whole = begin_run(game, configure(), tmp_path / 'whole')
    assert whole.run()
    run = begin_run(game, configure(), tmp_path / 'parts')
    stop_at = iter([300])

    def watch(status: TrainingStatus) -> None:
        if status.episodes >= 300 and next(stop_at, None):
            run.stop()

    assert not run.run(watch)
    again = resume_run(game, RunFolder.open(tmp_path / 'parts' / 'kuhn_poker' / 'test'))
    assert again.run()
    # The same as without the interruption, to the last bit.
    assert to_bytes(again.trainer.to_tree()) == to_bytes(whole.trainer.to_tree())
    folder = again.folder
    rows = folder.read_metrics()
    assert rows[-1]['exploitability'] > 0 and rows[-1]['updates'] > 0
    # The snapshot against which best responses gain least is the strongest.
    snapshots = list_snapshots(folder)
    assert len(snapshots) >= 2
    best = min(snapshot.about.exploitability for snapshot in snapshots)
    assert strongest(snapshots).about.exploitability == best
    assert f'NashConv, the sum of all gains: {best:.2f} goals' in folder.card_file.read_text()
    assert any('NashConv' in finding for finding in again.findings.sentences)
    agent = open_agent(f'gdl_agents.learning.mmd.agent:MmdAgent:{folder.path}')
    assert isinstance(agent, MmdAgent)
    assert len(agent.levels()) >= 2
    with pytest.raises(LearningError, match='trained on kuhn_poker'):
        agent.begin(Environment.open(load('tictactoe')).info(), ('x',), 1)
    monkeypatch.chdir(tmp_path)
    assert main(['export', str(folder.path), 'out']) == 0
    assert json.loads((tmp_path / 'out' / 'config.json').read_text())['algorithm'] == 'mmd'


def test_moves_are_drawn_by_the_seed() -> None:
    trainer = MmdTrainer(load('rock_paper_scissors'), configure(game='rock_paper_scissors'))
    model = trainer.model()

    def choose(seed: int) -> list[int]:
        agent = MmdAgent.of(model)
        environment = Environment.open(load('rock_paper_scissors'), Options(lanes=64, seed=3))
        agent.begin(environment.info(), environment.roles, seed)
        (question,) = environment.questions(only_decisions=True)
        first = agent.choose(question).action
        # Asked again, it answers alike.
        assert first is not None and (first == agent.choose(question).action).all()
        likely = agent.policy(question)
        assert np.allclose(likely.sum(axis=1), 1)
        return [int(action) for action in first]

    assert choose(1) == choose(1)
    assert choose(1) != choose(2)
    assert set(choose(1)) == {0, 1, 2}
    trainer.close()


def test_the_agent_needs_a_run() -> None:
    with pytest.raises(RunError, match='needs a run or a snapshot'):
        MmdAgent('')


# ---- what a role sees is what it learned from


@pytest.mark.parametrize(
    'name', ['kuhn_poker', 'krieg_tictactoe', 'simultaneous_krieg_tictactoe', 'remembering']
)
def test_players_remember_what_training_remembers(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = game_from_text(REMEMBERING, name) if name == 'remembering' else load(name)
    trainer = MmdTrainer(game, configure(game=name, lanes=8, network='recurrent', seed=5))
    collector, network = trainer._collector, trainer._policy
    # Play begins with any legal move: make it depend on what is remembered.
    network.policy.weight.data.mul_(300)
    weights = dict(network.state_dict())
    agent = MmdAgent.of(MmdModel(trainer.spec, trainer.shape, trainer.roles, weights))
    drawn, played = [], []
    draw, play = collector._draw, trainer.environment.play

    def note_draw(logits: Any, legal: Any) -> Any:
        mask = torch.from_numpy(Bits(legal, trainer.shape.action_size).unpack())
        drawn.append(log_policy(logits, mask).exp().numpy())
        return draw(logits, legal)

    monkeypatch.setattr(collector, '_draw', note_draw)
    monkeypatch.setattr(
        trainer.environment, 'play', lambda action: played.append(action) or play(action)
    )
    twin = Environment.open(game, Options(lanes=8, seed=5, max_steps=1_000))
    agent.begin(twin.info(), twin.roles, 1)
    for _ in range(40):
        asked, likely = {}, {}
        for question in twin.questions():
            if question.is_decision:
                asked[question.role] = question
                likely[question.role] = agent.policy(question)[question.to_move]
            else:
                agent.notice(question)
        decides = twin.decides.copy()
        collector.tick(network)
        expected = np.concatenate([likely[role] for role in twin.roles if role in likely])
        assert np.allclose(drawn[-1], expected, atol=1e-4)
        action = np.full(decides.shape, NO_ACTION, np.int32)
        action[decides] = played[-1]
        for role, question in asked.items():
            agent.note_played(question, action[twin.roles.index(role)])
        twin.play(played[-1])
    assert twin.tallies.finished > 8
    # What they remember makes a difference.
    assert np.ptp(np.concatenate(drawn), axis=0).max() > 0.05
    trainer.close()


# ---- options

REFUSED = [
    ('playouts=3', 'playouts=3 does not apply to mmd'),
    ('temprature=1', "no option 'temprature'; did you mean temperature?"),
    ('mode=league', 'mode=league does not apply to mmd; mode must be selfplay or together'),
    ('network=search', 'network must be a generator or a file'),
    ('device=cuda', 'device must be cpu or auto, since its networks are small'),
    ('batch=0', 'batch must be 1 or more, not 0'),
    ('spread=2', 'spread must be from 0 to 1, not 2'),
    ('teams=alice+carol', "teams=alice+carol: 'carol' is no role"),
    ('n_step=3', 'n_step=3 does not apply to mmd'),
]


@pytest.mark.parametrize(('setting', 'words'), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused_by_name(
    setting: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ['train', 'kuhn_poker', '--algorithm', 'mmd', '--set', setting]
    assert main([*arguments, '--runs', str(tmp_path / 'runs')]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / 'runs').exists()


def test_other_algorithms_refuse_its_options() -> None:
    with pytest.raises(ConfigError, match=r'^spread=0.1 does not apply to rainbow'):
        make_config({'learner': {'spread': 0.1}})


def test_team_mates_share_their_rewards() -> None:
    shares = find_shares(('a', 'b', 'c'), 'a+c')
    assert (shares @ np.array([10, 20, -10], np.float32)).tolist() == [0, 20, 0]
    with pytest.raises(ConfigError, match='in two teams'):
        find_shares(('a', 'b'), 'a+b b+a')


def test_boards_are_seen_by_narrow_convolutions() -> None:
    """Each decision is learned from once: many of them count more than a wide network."""
    game = load('breakthrough(size=6)')
    spec = generate(Shape.of(game, open_encoding(game)), 'recurrent')
    assert spec.has_board and isinstance(spec.layers[-1], Gru)
    assert max(layer.channels for layer in spec.layers if isinstance(layer, Conv)) <= 32
