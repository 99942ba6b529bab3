"""Attention over what came before: whole sequences and single rows give the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.networks import (  # noqa: E402
    Attention,
    Linear,
    MemoryBody,
    NetworkError,
    NetworkSpec,
    Shape,
)
from gdl_agents.learning.networks.attention import find_places  # noqa: E402

pytestmark = pytest.mark.torch

WINDOW = 4
# Sequences of 9, 6 and 2 rows, as they are packed.
LENGTHS = (9, 6, 2)
SIZES = torch.tensor([sum(length > place for length in LENGTHS) for place in range(9)])


def make_body(blocks: int = 2) -> MemoryBody:
    torch.manual_seed(1)
    layers = (Attention(16, heads=2, window=WINDOW),) * blocks
    body = MemoryBody(NetworkSpec((Linear(12), *layers, Linear(8))), Shape(10, 3))
    for name, values in body.named_parameters():
        if name.endswith('distance'):
            torch.nn.init.normal_(values)
    return body


def run_parts(body: MemoryBody, rows: torch.Tensor, step: int) -> torch.Tensor:
    """Return the features of rows that are shown a few places at a time."""
    state, found, start = torch.zeros(3, body.state_size), [], 0
    for place in range(0, len(SIZES), step):
        sizes = SIZES[place : place + step]
        end, count = start + int(sizes.sum()), int(sizes[0])
        features, after = body(rows[start:end], sizes, state[:count])
        state = torch.cat((after, state[count:]))
        found.append(features)
        start = end
    return torch.cat(found)


@pytest.mark.parametrize('step', [1, 2, 4])
def test_rows_one_after_the_other_give_the_same(step: int) -> None:
    body, rows = make_body(), torch.randn(sum(LENGTHS), 10)
    with torch.no_grad():
        whole, _ = body(rows, SIZES, torch.zeros(3, body.state_size))
        assert torch.allclose(run_parts(body, rows, step), whole, atol=1e-5)


def test_it_sees_its_window_and_no_other_sequence() -> None:
    body, rows = make_body(blocks=1), torch.randn(sum(LENGTHS), 10)
    place, sequence = find_places(SIZES)
    assert torch.bincount(sequence).tolist() == list(LENGTHS)
    start = torch.zeros(3, body.state_size)
    with torch.no_grad():
        before, _ = body(rows, SIZES, start)
        changed = rows.clone()
        changed[(sequence == 0) & (place == 2)] += 1
        after, _ = body(changed, SIZES, start)
    differs = (before - after).abs().max(dim=1).values > 1e-6
    assert set(sequence[differs].tolist()) == {0}
    assert sorted(place[differs].tolist()) == list(range(2, 2 + WINDOW))


def test_what_comes_later_is_not_seen() -> None:
    body, rows = make_body(), torch.randn(sum(LENGTHS), 10)
    place, _ = find_places(SIZES)
    start = torch.zeros(3, body.state_size)
    with torch.no_grad():
        before, _ = body(rows, SIZES, start)
        after, _ = body(torch.where(place[:, None] > 3, rows + 1, rows), SIZES, start)
    assert torch.equal(before[place <= 3], after[place <= 3])


def test_networks_of_files() -> None:
    spec = NetworkSpec.from_dict({'layers': [{'attention': 32}, {'linear': 8}]})
    assert spec.has_memory and spec.layers[0] == Attention(32, heads=4, window=64)
    assert NetworkSpec.from_dict(spec.to_dict()) == spec
    with pytest.raises(NetworkError, match='width must be a multiple of heads, 4: 30'):
        NetworkSpec.from_dict({'layers': [{'attention': 30}]})
