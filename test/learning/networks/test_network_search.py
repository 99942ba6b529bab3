"""The search of a run: heirs, several seeds, what networks cost, time, and a way back."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('torch', reason="pip install '.[learn]'")

import torch

from gdl_agents.learning.dqn.value_trainer import ALL, ValueTrainer
from gdl_agents.learning.networks import Linear, NetworkSpec, load_network, network_search, search
from gdl_agents.learning.networks.growth import grow_or_join, join
from gdl_agents.learning.networks.network_search import (
    Candidate,
    Duel,
    hand_down,
    search_network,
)
from gdl_agents.learning.networks.search import Objective, SearchOverError
from gdl_agents.learning.training.config_file import make_config, read_settings
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_env.language.game import Game
from gdl_env.language.load import open_game

pytestmark = pytest.mark.torch

START = NetworkSpec((Linear(8),))
OPTIONS = {
    'game': 'tictactoe',
    'lanes': 4,
    'evaluation_games': 4,
    'network': 'search',
    'search_episodes': 8,
    'search_rounds': 2,
    'search_gain': 0.0,
    'search_penalty': 0.0,
}


def width(spec: NetworkSpec) -> int:
    return max(layer.width for layer in spec.layers)


def make_folder(path: Path, **changes: Any) -> RunFolder:
    return RunFolder.create(make_config({**OPTIONS, 'name': 'run', **changes}), path)


@pytest.fixture(scope='module')
def game() -> Game:
    return open_game('tictactoe')


@dataclass
class FakeClock:
    now: float = 0.0


# ---- the search itself


def test_weights_cost() -> None:
    cost = Objective(complexity=lambda spec: width(spec) / 8, penalty=0.3)
    result = search(
        START, lambda spec, budget: {8: 0.0, 16: 0.5, 32: 1.0}.get(width(spec), 1.5), 1,
        objective=cost, rounds=5,
    )  # fmt: skip
    # 0.5 less 0.6 is more than 0 less 0.3; 1.0 less 1.2 is not more than that.
    assert width(result.best.spec) == 16
    assert result.best.penalty == pytest.approx(0.6)
    assert result.best.objective == pytest.approx(-0.1)


def test_a_gain_within_noise_does_not_count() -> None:
    def evaluate(spec: NetworkSpec, budget: int) -> list[float]:
        better = 0.1 * (width(spec) > 8)
        return [better - 0.5, better + 0.5]

    noisy = search(START, evaluate, 1, objective=Objective(noise=1.0))
    assert noisy.best.spec == START
    assert noisy.best.error == pytest.approx(0.5)
    assert noisy.best.interval == pytest.approx(0.98)
    assert width(search(START, evaluate, 1, rounds=1).best.spec) == 16


def test_it_grows_the_best_of_several() -> None:
    other = NetworkSpec((Linear(30),))
    result = search([START, other, START], lambda spec, budget: -abs(width(spec) - 30), 1)
    assert [c.round for c in result.candidates] == [0, 0, 1, 1]
    assert result.best.spec == other


def test_it_ends_when_time_is_up() -> None:
    left = iter(range(3))

    def evaluate(spec: NetworkSpec, budget: int) -> float:
        if next(left, None) is None:
            raise SearchOverError('no time')
        return width(spec)

    result = search(START, evaluate, 1)
    assert len(result.candidates) == 3
    assert width(result.best.spec) == 16
    with pytest.raises(SearchOverError):
        search(START, evaluate, 1)


def test_an_ensemble_is_one_of_the_candidates() -> None:
    result = search(
        START, lambda spec, budget: len(spec.all_parts), 1, rounds=9, grow=grow_or_join
    )
    assert len(result.best.spec.all_parts) == 8
    assert join(result.best.spec) == result.best.spec


# ---- candidates that are trained


def test_heirs_begin_where_parents_ended(game: Game) -> None:
    config = make_config(
        {key: value for key, value in OPTIONS.items() if not key.startswith('search')}
        | {'network': 'small', 'episodes': 8}
    )
    trainers = [ValueTrainer(game, config, spec) for spec in (START, NetworkSpec((Linear(16),)))]
    small, large = (trainer.learners[ALL] for trainer in trainers)
    assert hand_down(small.model(), large, seed=1)
    seen = torch.eye(small.model().shape.observation_size)
    networks = [learner.model().build().eval() for learner in (small, large)]
    assert torch.allclose(networks[0](seen), networks[1](seen), atol=1e-5)
    other = ValueTrainer(game, config, NetworkSpec((Linear(12),)))
    before = other.learners[ALL].model().weights
    assert not hand_down(small.model(), other.learners[ALL], seed=1)
    after = other.learners[ALL].model().weights
    assert all(torch.equal(before[name], after[name]) for name in before)
    for trainer in (*trainers, other):
        trainer.close()


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Let candidates score by their width, and note how each was trained."""
    told: dict[str, Any] = {'trained': [], 'score': lambda spec, seed: width(spec)}
    train = network_search._Trials._train

    def scored(self: Any, spec: NetworkSpec, episodes: int, number: int, inherited: Any) -> Any:
        told['trained'].append((spec, episodes, number, bool(inherited)))
        models, _ = train(self, spec, episodes, number, inherited)
        return models, told['score'](spec, number)

    monkeypatch.setattr(network_search._Trials, '_train', scored)
    return told


def test_candidates_seeds_and_levels(tmp_path: Path, game: Game, scores: dict[str, Any]) -> None:
    scores['score'] = lambda spec, seed: 1.0 if width(spec) == 64 else 0.0
    folder = make_folder(tmp_path, search_rounds=1)
    tried: list[Candidate] = []
    found = search_network(game, folder, tried.append)
    first = [(spec, number) for spec, _, number, _ in scores['trained']][:2]
    # What comes without a search is the first candidate, from two seeds.
    assert str(first[0][0]) == 'linear 128, linear 128'
    assert [number for _, number in first] == [0, 1]
    assert [candidate.round for candidate in tried] == [0, 0, 1, 1]
    assert found.duel is None
    assert 'no candidate was better' in found.reason
    snapshots = sorted(path.name for path in folder.snapshots.glob('candidate_*'))
    assert len(snapshots) == len(tried)


def test_what_is_found_is_compared_once_more(
    tmp_path: Path, game: Game, scores: dict[str, Any]
) -> None:
    # The small network is the best, and so is what grows from it.
    scores['score'] = lambda spec, seed: (
        {32: 1.0, 64: 2.0}.get(width(spec), 0.0) - len(spec.layers)
    )
    folder = make_folder(tmp_path, search_rounds=1)
    found = search_network(game, folder)
    assert str(found.spec) == 'linear 64'
    assert found.duel is not None
    assert found.duel.is_kept
    grown = [t for t in scores['trained'] if str(t[0]) == 'linear 64']
    # From the weights of its parent in the search; from the beginning, with fresh seeds and as
    # many episodes as both took, in the comparison.
    assert grown == [
        (found.spec, 8, 0, True),
        (found.spec, 8, 1, True),
        (found.spec, 16, 1000, False),
        (found.spec, 16, 1001, False),
    ]
    assert str(load_network(folder.network_file)) == 'linear 64'


def test_luck_in_the_search_is_found_out(
    tmp_path: Path, game: Game, scores: dict[str, Any]
) -> None:
    scores['score'] = lambda spec, seed: (1.0 if seed < 1000 else -1.0) * (width(spec) == 32)
    folder = make_folder(tmp_path, search_rounds=1)
    found = search_network(game, folder)
    assert str(found.search.best.spec) == 'linear 32'
    assert str(found.spec) == 'linear 128, linear 128'
    assert found.duel is not None
    assert not found.duel.is_kept
    assert 'from fresh seeds -1.00' in found.reason
    assert str(load_network(folder.network_file)) == 'linear 128, linear 128'


@pytest.mark.parametrize(
    ('seconds', 'slow', 'tried', 'reason'),
    [
        (1, 1, 1, 'no candidate was better'),
        # Two seeds of four candidates, and of two networks at the end.
        (16, 1, 4, 'from fresh seeds'),
        # The last candidate took longer than was to be expected.
        (16, 5, 4, 'no time to compare'),
        (0, 1, 6, 'from fresh seeds'),
    ],
)
def test_time_for_the_comparison_is_kept(
    seconds: int,
    slow: int,
    tried: int,
    reason: str,
    tmp_path: Path,
    game: Game,
    scores: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FakeClock()

    class TimedTrainer(ValueTrainer):
        def close(self) -> None:
            super().close()
            clock.now += slow if len(scores['trained']) > 6 else 1

    monkeypatch.setattr(network_search, 'ValueTrainer', TimedTrainer)
    candidates: list[Candidate] = []
    folder = make_folder(tmp_path, search_seconds=float(seconds))
    found = search_network(game, folder, candidates.append, clock=lambda: clock.now)
    assert len(candidates) == tried
    assert reason in found.reason
    assert not seconds or slow > 1 or clock.now <= max(seconds, 2)
    if 'no time' in reason:
        assert found.search.best.spec != found.spec
        assert str(found.spec) == 'linear 128, linear 128'


def test_a_duel_allows_a_smaller_one_to_be_a_little_worse() -> None:
    def duel(score: float, penalty: float) -> bool:
        found = Candidate(START, score, 1, error=0.1, penalty=penalty)
        return Duel(found, Candidate(START, 0.5, 0, error=0.1, penalty=0.2)).is_kept

    assert duel(0.5, 0.3)
    assert not duel(0.45, 0.3)
    assert duel(0.45, 0.1)
    assert not duel(0.3, 0.1)
    assert not duel(-inf, 0.1)


@pytest.mark.parametrize(
    ('option', 'words'),
    [
        ({'search_seeds': 0}, 'search_seeds must be 1 or more'),
        ({'search_penalty': -0.1}, 'search_penalty must be 0 or more'),
        ({'search_seconds': -1.0}, 'search_seconds must be 0 or more'),
    ],
)
def test_options_that_make_no_sense(option: dict[str, Any], words: str) -> None:
    with pytest.raises(Exception, match=words):
        make_config({**OPTIONS, **option})


@pytest.mark.parametrize('option', ['search_seeds=3', 'search_ensemble=true', 'search_seconds=5'])
def test_options_of_searches_alone(option: str) -> None:
    name, _, value = option.partition('=')
    with pytest.raises(Exception, match='network=search'):
        make_config({'game': 'tictactoe'}, read_settings([f'{name}={value}']))
