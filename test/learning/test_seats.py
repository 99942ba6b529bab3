"""Who sits where in training."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.training.seats import Seats

pytestmark = pytest.mark.torch


def test_seats_go_round() -> None:
    seats = Seats(('x', 'o'), together=False)
    counts = np.zeros((2, 3))
    for episode in range(1, 5):
        held = [seats.is_learner(role, np.full(3, episode, np.uint64)) for role in ('x', 'o')]
        assert (held[0] ^ held[1]).all()
        counts += held
    assert (counts == 2).all()
    assert Seats(('x',), together=False).is_learner('x', np.ones(3, np.uint64)).all()
    assert not Seats(('x',), together=False).is_learner('o', np.ones(3, np.uint64)).any()
