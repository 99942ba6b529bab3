"""The sum tree, the ring of transitions, and files of trees, against plain implementations."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

import torch

from gdl_agents.learning.dqn.replay import ReplayBuffer, Transitions
from gdl_agents.learning.dqn.sum_tree import SumTree
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.training.state_file import (
    from_bytes,
    load_tree,
    peek,
    save_tree,
    to_bytes,
)

pytestmark = pytest.mark.torch


def transitions(first: int, count: int) -> Transitions:
    number = np.arange(first, first + count)
    rows = np.stack([number % 256, number // 256], axis=1).astype(np.uint8)
    return Transitions(
        rows,
        number.astype(np.int32),
        number.astype(np.float32),
        rows + 1,
        rows[:, :1],
        np.full(count, 0.5, np.float32),
    )


@given(
    st.integers(1, 70),
    st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 1e3)), min_size=1, max_size=100),
    st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_sum_tree_is_a_table_of_weights(
    size: int, changes: list[tuple[int, float]], seed: int
) -> None:
    tree = SumTree(size)
    plain = np.zeros(size)
    for place, weight in changes:
        plain[place % size] = weight
        tree.set(np.array([place % size]), weight)
    assert tree.weights.tolist() == plain.tolist()
    assert tree.total == pytest.approx(plain.sum())
    again = SumTree(size)
    again.set_all(plain)
    assert again.total == tree.total
    if plain.sum() > 0:
        mass = np.random.default_rng(seed).random(50) * tree.total
        found = tree.find(mass)
        assert (plain[found] > 0).all()
        ends = np.cumsum(plain)
        wanted = np.searchsorted(ends, mass, side='right').clip(max=size - 1)
        # Rounding may decide otherwise at the very border of two leaves.
        near = np.abs(ends[wanted] - mass) + np.abs(ends[found] - mass) < 1e-6 * tree.total
        assert ((found == wanted) | near | (np.abs(found - wanted) <= 1)).all()


def test_draws_follow_priorities() -> None:
    replay = ReplayBuffer(64, 2, 1, exponent=1.0)
    replay.add(transitions(0, 8))
    replay.set_priority(np.arange(8), np.arange(8, dtype=np.float64))
    chance = np.random.default_rng(0)
    counts = np.bincount(replay.draw(28_000, 1.0, chance).index, minlength=8)
    assert np.abs(counts / 1000 - np.arange(8)).max() < 0.3
    batch = replay.draw(1000, 1.0, chance)
    # Weights undo the priorities: rare rows count more.
    assert batch.weight.max() == 1
    product = batch.weight * replay._tree.weights[batch.index]  # type: ignore[union-attr]
    assert np.allclose(product, product[0])


@given(st.integers(1, 40), st.lists(st.integers(0, 60), max_size=8), st.booleans())
@settings(max_examples=60, deadline=None)
def test_ring_keeps_the_latest(capacity: int, counts: list[int], prioritised: bool) -> None:
    replay = ReplayBuffer(capacity, 2, 1, exponent=0.5 if prioritised else 0.0)
    added = 0
    for count in counts:
        replay.add(transitions(added, count))
        added += count
    assert len(replay) == min(added, capacity)
    if not added:
        return
    other = ReplayBuffer(capacity, 2, 1, exponent=0.5 if prioritised else 0.0)
    other.restore(from_bytes(to_bytes(replay.to_tree())))
    for held in (replay, other):
        batch = held.draw(200, 0.5, np.random.default_rng(1))
        rows = batch.transitions
        assert rows.action.min() >= added - len(replay)
        assert rows.action.max() < added
        assert (rows.observation[:, 0] == rows.action % 256).all()
        assert (rows.reward == rows.action).all()
    assert (replay.draw(50, 1, np.random.default_rng(2)).index == batch_index(other)).all()


def batch_index(replay: ReplayBuffer) -> np.ndarray:
    return replay.draw(50, 1, np.random.default_rng(2)).index


def test_trees_survive_files(tmp_path: Path) -> None:
    tree = {
        'numbers': [1, 2.5, True, None, 'text', float('inf')],
        'array': np.arange(6, dtype=np.uint64).reshape(2, 3),
        'tensor': torch.arange(3.0),
        'keys': {0: {'step': torch.tensor(1.0)}, 1: {}},
        'about': {'game': 'x'},
    }
    path = tmp_path / 'deep' / 'tree.npz'
    save_tree(path, tree)
    found = load_tree(path)
    assert found['numbers'] == tree['numbers']
    assert found['array'].dtype == np.uint64
    assert (found['array'] == tree['array']).all()
    assert torch.equal(found['tensor'], tree['tensor'])  # type: ignore[arg-type]
    assert found['keys'][0]['step'] == 1
    assert peek(path, 'about') == {'game': 'x'}
    assert [p.name for p in path.parent.iterdir()] == ['tree.npz']
    with pytest.raises(TypeError, match='set has no place'):
        to_bytes({'a': set()})


@pytest.mark.parametrize('data', [b'', b'nonsense', b'PK\x03\x04 half a file'])
def test_damaged_files(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / 'tree.npz'
    path.write_bytes(data)
    for read in (load_tree, lambda p: peek(p, 'about')):
        with pytest.raises(RunError, match=r'tree\.npz is damaged'):
            read(path)
    with pytest.raises(RunError, match='cannot be read'):
        load_tree(tmp_path / 'missing.npz')
