"""Exported players, read by other programs: safetensors, and ONNX Runtime."""

from __future__ import annotations

from dataclasses import replace
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from gdl_agents.learning.alphazero.model import AlphaZeroModel, build_policy_value
from gdl_agents.learning.dqn.model import About, Model
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.export.exported_network import ExportedPlayer, find_player
from gdl_agents.learning.export.model_folder import write_folder
from gdl_agents.learning.export.onnx_file import write_onnx
from gdl_agents.learning.game_properties.game_traits import find_traits
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.mmd.seen import SeenViews
from gdl_agents.learning.networks import (
    Attention,
    Gru,
    Head,
    Linear,
    Lstm,
    NetworkSpec,
    Shape,
    build_network,
    generate,
)
from gdl_agents.learning.networks.layers import Layer
from gdl_agents.learning.sequence.model import SequenceModel
from gdl_agents.learning.trained_models import make_player as play
from gdl_env.cli.main import main
from gdl_env.engine.mapping import open_encoding
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Question
from gdl_env.language.load import load_game

_GAMES = Path(__file__).parents[2] / 'games'


def make_player(name: str, head: Head) -> ExportedPlayer:
    """Return a player of a game with two roles, with random weights."""
    game = load_game(_GAMES / f'{name}.gdl')
    shape = Shape.of(game, open_encoding(game))
    spec = generate(shape, 'small')
    weights = build_network(spec, shape, head, seed=3).state_dict()
    roles = tuple(map(str, game.roles))
    about = About(name, roles, 'rainbow', 10, 1.5)
    return find_player(Model(spec, shape, head, -10, 10, weights, about, find_traits(game).views))


def test_a_folder_holds_weights_configuration_and_card(tmp_path: Path) -> None:
    player = make_player('tictactoe', Head(True, 3, True))
    write_folder(player, tmp_path / 'player', 'mine', '# A card\n![curve](curve.png)\n')
    found = load_file(tmp_path / 'player' / 'model.safetensors')
    assert found.keys() == player.model.weights.keys()
    for name, weights in player.model.weights.items():
        assert np.array_equal(found[name], weights.numpy())
    told = json.loads((tmp_path / 'player' / 'config.json').read_text())
    assert (told['game'], told['roles'], told['algorithm']) == ('tictactoe', ['x', 'o'], 'rainbow')
    assert (told['observation_size'], told['action_size']) == (29, 9)
    card = (tmp_path / 'player' / 'README.md').read_text()
    assert card.startswith('---\nlibrary_name: gdl_env\n')
    assert '# A card' in card and 'curve.png' not in card


def test_a_folder_in_use_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'kept').write_text('mine')
    assert main(['export', 'runs/none', str(tmp_path)]) == 2
    assert 'is not an empty folder' in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ['kept']


@pytest.mark.slow
@pytest.mark.parametrize('head', [Head(False, 1, False), Head(True, 5, True)])
@pytest.mark.parametrize('name', ['tictactoe', 'connect_four'])
def test_onnx_runtime_plays_the_same_moves(tmp_path: Path, name: str, head: Head) -> None:
    from onnxruntime import InferenceSession

    player = make_player(name, head)
    assert isinstance(player.model, Model)
    write_onnx(player, tmp_path / 'model.onnx')
    session = InferenceSession(tmp_path / 'model.onnx', providers=['CPUExecutionProvider'])
    environment = Environment.open(load_game(_GAMES / f'{name}.gdl'), Options(lanes=50, seed=1))
    agent = NetworkAgent(player.model, epsilon=0.0)
    agent.begin(environment.info(), player.roles, 1)
    compared = 0
    for tick in range(60):
        answers = {}
        for question in environment.questions(only_decisions=True):
            assert question.observation is not None and question.legal is not None
            lanes = np.flatnonzero(question.to_move)
            answers[question.role] = answer = agent.choose(question)
            inputs = {
                'observation': question.observation.unpack()[lanes].astype(np.float32),
                'legal': question.legal.unpack()[lanes],
                'role': np.full(len(lanes), player.roles.index(question.role)),
            }
            action = session.run(['action'], inputs)[0]
            assert answer.action is not None
            assert (action == answer.action[lanes]).all()
            compared += len(lanes)
        # Half of the ticks are played at random, so that games differ.
        environment.step(answers) if tick % 2 else environment.play(environment.draw())
    assert compared > 1_000


@pytest.mark.slow
def test_onnx_of_alphazero_answers_like_its_network(tmp_path: Path) -> None:
    from onnxruntime import InferenceSession
    import torch

    game = load_game(_GAMES / 'connect_four.gdl')
    shape = Shape.of(game, open_encoding(game))
    spec = generate(shape, 'small')
    network = build_policy_value(spec, shape, 2, seed=1).eval()
    about = About('connect_four', ('red', 'yellow'), 'alphazero')
    model = AlphaZeroModel(spec, shape, 2, network.state_dict(), about)
    write_onnx(find_player(model), tmp_path / 'model.onnx')
    session = InferenceSession(tmp_path / 'model.onnx', providers=['CPUExecutionProvider'])
    rows = (np.random.default_rng(2).random((7, shape.observation_size)) < 0.3).astype('f4')
    legal = np.ones((7, shape.action_size), np.bool_)
    role = np.array([0, 1, 1, 0, 1, 0, 1])
    action, policy, outcome = session.run(
        None, {'observation': rows, 'legal': legal, 'role': role}
    )
    with torch.no_grad():
        logits, values = network(torch.from_numpy(rows))
    own = logits.numpy()[np.arange(7), role]
    assert np.allclose(policy, own, atol=1e-4)
    assert np.allclose(outcome, values.numpy()[np.arange(7), role], atol=1e-4)
    assert (action == own.argmax(axis=1)).all()


@pytest.mark.slow
def test_a_run_is_exported_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / 'doc' / 'learning.md').read_text('utf-8')
    section = page.partition('## Export')[2]
    command = section.partition('```bash\n')[2].partition('\n')[0].split()
    code = section.partition('```python\n')[2].partition('```')[0]
    monkeypatch.chdir(tmp_path)
    assert main(['train', 'tictactoe', '--episodes', '60', '--seed', '1']) == 0
    assert main(command[1:]) == 0
    names = {'observation': np.zeros((2, 29), 'f4'), 'legal': np.ones((2, 9), np.bool_)}
    exec(code, names)
    assert names['action'].shape == (2,)


@pytest.mark.slow
@pytest.mark.parametrize('algorithm', ['mmd', 'sequence'])
@pytest.mark.parametrize('memory', [Gru(32), Lstm(32), Attention(32, window=5)])
def test_onnx_of_players_that_remember(tmp_path: Path, algorithm: str, memory: Layer) -> None:
    """A whole match by the file is what the agent plays."""
    from onnxruntime import InferenceSession

    game = load_game(_GAMES / 'kuhn_poker.gdl')
    shape, roles = Shape.of(game, open_encoding(game)), ('alice', 'bob')
    spec = NetworkSpec((Linear(32), memory))
    kind = {'mmd': MmdModel, 'sequence': SequenceModel}[algorithm]
    model = kind(spec, shape, roles, {}, About('kuhn_poker', roles, algorithm))
    network = model.make_network()
    # At first every move is equally good: make it depend on what was seen.
    network.policy.weight.data.mul_(300)
    model = replace(model, weights=network.state_dict())
    player = find_player(model)
    write_onnx(player, tmp_path / 'model.onnx')
    session = InferenceSession(tmp_path / 'model.onnx', providers=['CPUExecutionProvider'])
    environment = Environment.open(game, Options(lanes=16, seed=1))
    agent = play(model)
    agent.begin(environment.info(), roles, 1)
    follower = {role: Follower(session, number, 16) for number, role in enumerate(roles)}
    compared = 0
    for _ in range(20):
        answers = {}
        for question in environment.questions():
            likely = follower[question.role].ask(question, only_decisions=algorithm != 'mmd')
            if not question.is_decision:
                agent.notice(question)
                continue
            wanted = agent.policy(question)
            assert wanted is not None
            assert np.allclose(likely[question.to_move], wanted[question.to_move], atol=1e-4)
            compared += int(question.to_move.sum())
            answers[question.role] = answer = agent.choose(question)
            assert answer.action is not None
            follower[question.role].seen.last[question.to_move] = answer.action[question.to_move]
        environment.step(answers)
    assert compared > 100


class Follower:
    """Plays a role by a file, as the page of the documentation says."""

    def __init__(self, session: Any, role: int, lanes: int) -> None:
        self._session, self._role = session, role
        size = next(given for given in session.get_inputs() if given.name == 'state').shape[1]
        self._state = np.zeros((lanes, size), np.float32)
        self._episode = np.zeros(lanes, np.uint64)
        self.seen: SeenViews | None = None

    def ask(self, question: Question, *, only_decisions: bool) -> np.ndarray:
        assert question.observation is not None and question.legal is not None
        if self.seen is None:
            self.seen = SeenViews(len(question.to_move), question.observation.data.shape[1])
        began = question.episode != self._episode
        self.seen.begin(began)
        self._state[began], self._episode = 0, question.episode.copy()
        lanes = self.seen.find_news(
            question.observation.data, question.to_move, only_decisions=only_decisions
        )
        likely = np.zeros((question.lanes, question.legal.size))
        if len(lanes):
            inputs = {
                'observation': question.observation.unpack()[lanes].astype(np.float32),
                'legal': question.legal.unpack()[lanes],
                'role': np.full(len(lanes), self._role),
                'last': self.seen.take_last(lanes),
                'state': self._state[lanes],
            }
            _, likely[lanes], self._state[lanes] = self._session.run(None, inputs)
        return likely
