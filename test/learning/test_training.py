"""Trainers: opponents of every mode, runs that go on where they were, players that improve."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')


from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.dqn.value_trainer import ALL, ValueTrainer
from gdl_agents.learning.errors import ConfigError, LearningError, RunError
from gdl_agents.learning.levels.reward_levels import list_levels, list_snapshots, strongest
from gdl_agents.learning.networks import load_network
from gdl_agents.learning.networks.network_search import search_network
from gdl_agents.learning.networks.search import Candidate
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.evaluation import Arena, mean_reward
from gdl_agents.learning.training.opponents import Gate, _find_strangers
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.sharing import tells_roles_apart
from gdl_agents.learning.training.state_file import from_bytes, to_bytes
from gdl_agents.learning.training.training_run import TrainingRun
from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.protocol import MatchInfo
from gdl_env.errors import GdlError
from gdl_env.language.library import find_game
from gdl_env.language.load import game_from_text, load_game

pytestmark = pytest.mark.torch

# Whoever says 3 wins; both choose at the same time, once.
SAY_THREE = """
(role a) (role b) (init start)
(number 1) (number 2) (number 3) (number 4)
(<= (legal ?r (say ?n)) (role ?r) (number ?n))
(<= (next (said ?r ?n)) (does ?r (say ?n)))
(<= terminal (not (true start)))
(<= (three ?r) (true (said ?r 3)))
(<= (goal ?r 100) (role ?r) (three ?r))
(<= (goal ?r 0) (role ?r) (not (three ?r)))
"""

_GATE = ('gate_every', 'gate_games')
SMALL: dict[str, Any] = {
    'game': 'tictactoe',
    'episodes': 60,
    'lanes': 4,
    'snapshots': 3,
    'evaluation_games': 8,
    'final_games': 20,
    'log_every': 10,
    'checkpoint_every': 20,
    'copy_every': 15,
    'gate_every': 15,
    'gate_games': 4,
    'network': 'small',
    'learner': {
        'warm_up': 30,
        'batch': 16,
        'atoms': 11,
        'capacity': 300,
        'target_every': 20,
        'updates': 0.2,
    },
}


def configure(**changes: Any) -> TrainingConfig:
    mode = changes.get('mode', 'selfplay')
    others = {'gate': ('copy_every',), 'selfplay': _GATE, 'league': _GATE}
    idle = others.get(mode, ('copy_every', *_GATE))
    return make_config({k: v for k, v in SMALL.items() if k not in idle}, changes)


def open_trainer(**changes: Any) -> ValueTrainer:
    config = configure(**changes)
    return ValueTrainer(load_game(find_game(config.game)), config)


def play(trainer: ValueTrainer) -> ValueTrainer:
    while not trainer.is_done:
        trainer.tick()
    return trainer


def weights(trainer: ValueTrainer) -> list[bytes]:
    return [learner.weights() for learner in trainer.learners.values()]


MODES = [
    *((mode, 'yes') for mode in ('random', 'selfplay', 'gate', 'league', 'fixed:legal')),
    ('together', 'no'),
    ('selfplay', 'no'),
]


@pytest.mark.parametrize(('mode', 'shared'), MODES)
def test_restored_goes_on_alike(mode: str, shared: str) -> None:
    whole = open_trainer(mode=mode, shared=shared)
    parts = open_trainer(mode=mode, shared=shared)
    ticks = 0
    while not whole.is_done:
        assert (whole.tick() is None) == (parts.tick() is None)
        ticks += 1
        if ticks in (9, 40):
            held = to_bytes(parts.to_tree())
            parts = open_trainer(mode=mode, shared=shared)
            parts.restore(from_bytes(held))
    assert ticks > 40
    assert weights(parts) == weights(whole)
    assert to_bytes(parts.to_tree()) == to_bytes(whole.to_tree())


def test_resumed_run_equals_uninterrupted(tmp_path: Path) -> None:
    changes = {'mode': 'league', 'shared': 'no', 'name': 'run'}
    config = configure(**changes)
    whole = TrainingRun(RunFolder.create(config, tmp_path / 'whole'), open_trainer(**changes))
    assert whole.run()
    folder = RunFolder.create(config, tmp_path / 'parts')
    for stops in (7, 31, None):
        run = TrainingRun(folder, open_trainer(**changes))
        run.resume()
        ticks = 0

        def watch(_: object, run: TrainingRun = run, stops: int | None = stops) -> None:
            nonlocal ticks
            ticks += 1
            if ticks == stops:
                run.stop()

        assert run.run(watch) is (stops is None)
    assert weights(run.trainer) == weights(whole.trainer)
    assert run.results == whole.results
    rows = [f.folder.read_metrics() for f in (run, whole)]
    for one, two in zip(*rows, strict=True):
        assert {k: v for k, v in one.items() if k != 'seconds'} == pytest.approx(
            {k: v for k, v in two.items() if k != 'seconds'}, nan_ok=True, rel=0, abs=0
        )
    names = [sorted(p.name for p in f.folder.snapshots.iterdir()) for f in (run, whole)]
    assert names[0] == names[1]
    assert len(names[0]) == 3 * 2
    for name in ('README.md', 'learning_curve.png', 'metrics.csv', 'config.yaml', 'tensorboard'):
        assert (folder.path / name).exists()


def test_a_killed_run_goes_on_from_its_last_state(tmp_path: Path) -> None:
    config = configure(name='run')
    run = TrainingRun(RunFolder.create(config, tmp_path), open_trainer())

    def kill(_: object) -> None:
        if run.trainer.episodes > 45:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.run(kill)
    again = TrainingRun(run.folder, open_trainer())
    again.resume()
    assert 20 <= again.trainer.episodes < 45
    assert again.run()
    assert weights(again.trainer) == weights(play(open_trainer()))


def test_seeds_repeat_and_differ() -> None:
    one, two, other = (weights(play(open_trainer(seed=seed))) for seed in (1, 1, 2))
    assert one == two
    assert one != other


def test_gate_lets_better_players_through() -> None:
    scores = iter([-1.0, 0.0, 2.0, 1.0, 3.0])
    trainer = open_trainer(mode='gate')
    gate = trainer.opponents
    assert isinstance(gate, Gate)
    gate._evaluate = lambda games: next(scores)
    seen = []
    for episodes in range(0, 80):
        gate.after(episodes)
        seen.append((gate.best, gate._models[0] is not None))
    assert seen[14] == seen[15] == seen[30] == (0.0, False)
    assert seen[45] == seen[60] == (2.0, True)
    assert seen[75] == (3.0, True)


def test_league_draws_from_the_past() -> None:
    trainer = play(open_trainer(mode='league', league_size=3))
    assert len(trainer.opponents._models) == 3
    assert len(trainer.opponents._pool) == 3  # type: ignore[attr-defined]


def test_one_network_only_where_roles_can_be_told_apart() -> None:
    assert tells_roles_apart(open_lanes(load_game(find_game('tictactoe')), 8))
    same = game_from_text(SAY_THREE, 'say_three')
    assert not tells_roles_apart(open_lanes(same, 8))
    assert list(open_trainer().learners) == [ALL]
    assert list(ValueTrainer(same, configure()).learners) == ['a', 'b']
    assert list(open_trainer(role='o').learners) == ['o']


@pytest.mark.parametrize('algorithm', ['dqn', 'rainbow'])
def test_a_simple_game_is_learned(algorithm: str) -> None:
    game = game_from_text(SAY_THREE, 'say_three')
    learner = {'epsilon_decisions': 300, 'target_every': 10, 'updates': 0.5}
    learner = {**SMALL['learner'], **learner}
    config = configure(mode='together', episodes=400, algorithm=algorithm, learner=learner)
    trainer = ValueTrainer(game, config)
    before = mean_reward(trainer.evaluate(40))
    play(trainer)
    assert before < 5
    assert mean_reward(trainer.evaluate(40)) == 10


@pytest.mark.parametrize('lanes', [1, 7])
def test_agent_from_a_run(lanes: int, tmp_path: Path) -> None:
    config = configure(name='run')
    run = TrainingRun(RunFolder.create(config, tmp_path), open_trainer())
    assert run.run()
    levels = list_levels(list_snapshots(run.folder, 'x'))
    assert [level.number for level in levels] == [1, 2, 3]
    arena = Arena(load_game(find_game('tictactoe')), lanes)
    names = [
        f'rainbow:{run.folder.path}{at}' for at in ('', '@reward:3', '@reward:1', '@reward:1/2')
    ]
    found = []
    for name in (*names, f'dqn:{levels[2].snapshot.path}'):
        agent = open_agent(name)
        found.append(arena.play({'x': agent, 'o': RandomAgent()}, 14, 1)['x'])
    assert found[0] == found[1] == found[4]
    agent = open_agent(names[0])
    agent.set_level('reward:1')  # type: ignore[attr-defined]
    assert arena.play({'x': agent, 'o': RandomAgent()}, 14, 1)['x'] == found[2]
    model = Model.load(levels[0].snapshot.path)
    assert model.about.game == 'tictactoe'
    assert arena.play({'x': NetworkAgent(model), 'o': RandomAgent()}, 14, 1)['x'] == found[2]
    for name, words in (
        (f'rainbow:{run.folder.path}@reward:9', 'no level 9; levels: 1 to 3'),
        (f'rainbow:{run.folder.path}@99', 'no level 99; levels: 1 to'),
        (f'rainbow:{run.folder.path}@x', 'a level is written'),
        (f'rainbow:{levels[0].snapshot.path}@1', 'one checkpoint'),
        (f'rainbow:{tmp_path}', 'no folder of a run'),
        ('rainbow', 'needs a run'),
    ):
        with pytest.raises(RunError, match=words):
            open_agent(name).begin(arena.info, ('x',), 1)
    with pytest.raises(LearningError, match='trained on tictactoe, with 29 entries'):
        open_agent(names[0]).begin(MatchInfo('other', '', ('x',), 1, 5, 5), ('x',), 1)


def test_must_learn_legality() -> None:
    path = Path(__file__).parents[2] / 'benchmark' / 'experiments_2022' / 'punished.yaml'
    from gdl_agents.learning.training.config_file import read_config

    told = read_config(path)
    inner = {**told.pop('learner'), **SMALL['learner'], 'atoms': 1}
    trainer = open_trainer(**{**told, 'episodes': 200, 'snapshots': 1, 'learner': inner})
    play(trainer)
    # Some answers are illegal at first, and end their games.
    assert trainer.environment.tallies.unscored > 20


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'mode': 'selfpaly'}, 'no mode .selfpaly.; modes: random, fixed:<agent>'),
        ({'mode': 'fixed'}, 'no mode'),
        ({'mode': 'fixed:randm'}, 'did you mean random'),
        ({'role': 'z'}, "tictactoe has no role 'z'; its roles: x, o, or all"),
        ({'reward': 'gold'}, "no reward 'gold'"),
        ({'network': 'huge'}, "no generator named 'huge'"),
    ],
)
def test_what_cannot_be_trained(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(GdlError, match=words):
        open_trainer(**changes)


def test_runs_have_folders_of_their_own(tmp_path: Path) -> None:
    config = configure()
    assert RunFolder.create(config, tmp_path).path.name == 'rainbow-selfplay-1'
    assert RunFolder.create(config, tmp_path).path.name == 'rainbow-selfplay-2'
    named = configure(name='a')
    run = RunFolder.create(named, tmp_path)
    assert run.config == named
    with pytest.raises(RunError, match='exists already'):
        RunFolder.create(named, tmp_path)
    with pytest.raises(RunError, match='cannot be the name'):
        RunFolder.create(configure(name='../a'), tmp_path)
    with pytest.raises(RunError, match='no snapshots'):
        list_snapshots(run)
    with pytest.raises(ConfigError, match='no option'):
        make_config({'lanse': 3})


# Large networks take a while.
LONG = {'chess', 'gomoku'}
GAMES = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in LONG else [])
    for path in sorted((Path(__file__).parents[2] / 'games').glob('*.gdl'))
]


@pytest.mark.parametrize('path', GAMES)
@pytest.mark.each_game
def test_every_game_can_be_trained(path: Path) -> None:
    learner = {**SMALL['learner'], 'warm_up': 8, 'batch': 8}
    trainer = open_trainer(
        game=str(path), episodes=4, lanes=2, snapshots=1, evaluation_games=1, learner=learner
    )
    taken = None
    while not trainer.is_done:
        taken = trainer.tick() or taken
    assert taken
    assert trainer.status().decisions > 0


def test_networks_are_searched_for(tmp_path: Path) -> None:
    changes = {
        'network': 'search',
        'search_episodes': 20,
        'search_rounds': 1,
        'search_seeds': 1,
        'name': 'run',
        # A seed by which what is grown turns out better than what it grew from.
        'seed': 3,
    }
    game = load_game(find_game('tictactoe'))
    folder = RunFolder.create(configure(**changes, search_gain=-20.0), tmp_path)
    tried: list[Candidate] = []
    found = search_network(game, folder, tried.append)
    # What comes without a search, the small one, and two that are grown from the best of them.
    assert [candidate.round for candidate in tried] == [0, 0, 1, 1]
    assert found.search.best in tried[2:]
    assert found.duel is not None
    # What was found is the network of the run, and what candidates learned are its first levels.
    assert load_network(folder.network_file).layers == found.spec.layers
    run = TrainingRun(folder, ValueTrainer(game, folder.config))
    assert run.trainer.spec.layers == found.spec.layers
    assert run.run()
    names = [snapshot.path.name for snapshot in list_snapshots(folder, 'o')]
    candidates = [name[:15] for name in names if name.startswith('candidate')]
    assert candidates == [f'candidate_{number}_all' for number in (1, 2, 3, 4)]
    assert len(names) == 4 + 3
    levels = list_levels(list_snapshots(folder, 'x'))
    assert len(levels) == 7 and levels[-1].snapshot == strongest(list_snapshots(folder, 'x'))


def test_strangers_take_their_share() -> None:
    changes = {'mode': 'selfplay', 'strangers': 'random legal', 'random_share': 0.5}
    trainer = open_trainer(**changes, judge='legal')
    lanes = np.ones(4, np.bool_)
    counts = np.zeros(3)
    for episode in range(1, 501):
        question = replace(
            trainer.environment.question('x'),
            episode=np.full(4, episode, np.uint64),
            to_move=lanes,
        )
        found = _find_strangers(question, 0.5, 2)
        counts += np.bincount(found + 1, minlength=3)
    assert counts / 2_000 == pytest.approx([0.5, 0.25, 0.25], abs=0.02)
    play(trainer)
    assert not np.isnan(mean_reward(trainer.evaluate(4)))


@pytest.mark.slow
@pytest.mark.parametrize('mode', ['random', 'selfplay'])
def test_tictactoe_is_learned(mode: str) -> None:
    config = make_config({'game': 'tictactoe', 'mode': mode, 'seed': 1, 'episodes': 3_000})
    trainer = ValueTrainer(load_game(find_game('tictactoe')), config)
    best = None
    while not trainer.is_done:
        taken = trainer.tick()
        if taken and (best is None or taken[ALL].about.reward >= best.about.reward):
            best = taken[ALL]
    assert best is not None
    models = dict.fromkeys(('x', 'o'), best)
    scores = trainer.evaluate(1_000, models)
    lost = sum(score.losses for score in scores.values())
    assert lost / 2_000 < 0.01
    assert sum(score.wins for score in scores.values()) / 2_000 > 0.92
    proofs = trainer.prove(models)
    assert len(proofs) == 2
    assert best.about.proved == all(proof.never_loses for proof in proofs)
