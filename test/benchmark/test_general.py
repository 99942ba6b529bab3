"""The benchmark of defaults: its positions, its rows and its tables."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')
pytest.importorskip('bitbully', reason='bitbully is not installed')
pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / 'benchmark'))


def test_rows_become_tables(tmp_path: Path) -> None:
    from general_table import BEGIN, END, write_doc

    page = tmp_path / 'page.md'
    page.write_text(f'before\n\n{BEGIN}\nold\n{END}\n\nafter\n')
    seconds = {'seconds': 10.5, 'learning': 2.25, 'full_seconds': 30.0, 'full_learning': 5.0}
    judged = {'positions': 200, 'kept': 150, 'cpu_ms': 18.1}
    trained = {'game': 'connect_four', 'episodes': 1_000, 'cpu_seconds': 33.0}
    matches = {'mcts': {'red': [3, 1, 2], 'yellow': [1, 0, 5]}, 'move_ms': 50.0}
    write_doc(
        [
            {'part': 'selfplay', 'seed': 1, **seconds},
            {'part': 'connect_four', 'seed': 2, 'alphazero_0.018': judged, **trained, **matches},
        ],
        page,
    )
    text = page.read_text()
    assert text.startswith('before') and text.endswith('after\n') and 'old' not in text
    assert '| 1 | 10.5 | 2.2 | 30.0 | 5.0 |' in text
    assert '| 2 | 1,000 | 33.0 | alphazero | 18.1 | 200 | 75.0% |' in text
    assert '| connect_four | 2 | 1,000 | 33.0 | 50 | red | 3 | 1 | 2 |' in text


@pytest.mark.slow
def test_time_of_learning_is_part_of_all() -> None:
    from general import TimedTrainer

    from gdl_agents.learning.training.config_file import make_config
    from gdl_env.language.load import open_game

    learner = {'playouts': 8, 'batch': 16}
    told = {'game': 'tictactoe', 'algorithm': 'alphazero', 'lanes': 16, 'seed': 1}
    trainer = TimedTrainer(
        open_game('tictactoe'), make_config({**told, 'episodes': 100, 'learner': learner})
    )
    started = process_time()
    while trainer.status().updates == 0:
        trainer.tick()
    assert 0 < trainer.learning < process_time() - started
    trainer.close()


@pytest.mark.slow
def test_positions_are_hard_and_players_are_judged(tmp_path: Path) -> None:
    from general import main
    from hard_positions import find_hard_positions

    found = find_hard_positions(3, 4)
    for scores in found.scores:
        assert len({int(np.sign(score)) for score in scores.values()}) > 1
    again = find_hard_positions(3, 4)
    assert np.array_equal(found.states, again.states) and found.scores == again.scores

    results = tmp_path / 'rows.json'
    few = ['--episodes', '8', '--games', '1', '--positions', '2', '--results', str(results)]
    main(['connect_four', *few])
    row = json.loads(results.read_text())[0]
    assert row['alphazero_0.018']['positions'] == 2 and set(row['mcts']) == {'red', 'yellow'}
