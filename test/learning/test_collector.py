"""Steps over n decisions, put together for all lanes at once, against a plain loop."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from made_up_exchange import ask, rows_of, tell

from gdl_agents.learning.dqn.collector import Collector
from gdl_env.environment.protocol import NO_ACTION, Origin

pytestmark = pytest.mark.torch

GAMMA = 0.9


@dataclass
class Lane:
    """One lane, the plain way: everything since the last end."""

    n: int
    # Observation, action, reward.
    steps: list[list[float]] = field(default_factory=list)
    found: list[tuple[float, ...]] = field(default_factory=list)

    def decide(self, observation: int, action: int) -> None:
        if len(self.steps) >= self.n:
            self._emit(len(self.steps) - self.n, len(self.steps), observation, self.n)
        self.steps.append([observation, action, 0.0])

    def pay(self, reward: float) -> None:
        if self.steps:
            self.steps[-1][2] += reward

    def end(self, *, is_terminated: bool) -> None:
        first = max(0, len(self.steps) - self.n)
        last = len(self.steps) - 1
        for start in range(first, len(self.steps)):
            if is_terminated:
                self._emit(start, len(self.steps), -1, None)
            elif start < last:
                self._emit(start, last, int(self.steps[last][0]), last - start)
        self.steps = []

    def _emit(self, start: int, stop: int, after: int, power: int | None) -> None:
        observation, action, _ = self.steps[start]
        total = sum(GAMMA**i * step[2] for i, step in enumerate(self.steps[start:stop]))
        discount = 0.0 if power is None else GAMMA**power
        self.found.append((observation, action, round(total, 3), after, round(discount, 5)))


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_steps_equal_a_plain_loop(n: int, lanes: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    collector = Collector(lanes, 1, 1, n, GAMMA)
    plain = [Lane(n) for _ in range(lanes)]
    episode = np.ones(lanes, np.uint64)
    found: list[tuple[float, ...]] = []
    for tick in range(1, 30):
        question = ask(tick, chance.random(lanes) < 0.6, episode)
        action = np.where(question.to_move, chance.integers(0, 8, lanes), NO_ACTION)
        found += rows_of(collector.decide(question, action.astype(np.int32)))
        reward = chance.integers(-3, 4, lanes)
        over = chance.random(lanes) < 0.15
        cut = ~over & (chance.random(lanes) < 0.1)
        found += rows_of(collector.add_feedback(tell(tick, episode, reward, over, cut)))
        for lane in range(lanes):
            if question.to_move[lane]:
                assert question.observation is not None
                plain[lane].decide(int(question.observation.data[lane, 0]), int(action[lane]))
            plain[lane].pay(float(reward[lane]))
            if over[lane] or cut[lane]:
                plain[lane].end(is_terminated=bool(over[lane]))
        episode += (over | cut).astype(np.uint64)
        if tick == 15:
            again = Collector(lanes, 1, 1, n, GAMMA)
            again.restore(collector.to_tree())
            collector = again
    assert sorted(found) == sorted(row for lane in plain for row in lane.found)


def test_an_end_that_went_unheard_teaches_nothing() -> None:
    collector = Collector(1, 1, 1, 1, GAMMA)
    action = np.array([3], np.int32)
    everywhere = np.array([True])
    collector.decide(ask(1, everywhere, np.array([1], np.uint64)), action)
    assert len(collector.decide(ask(9, everywhere, np.array([2], np.uint64)), action)) == 0
    none = np.array([False])
    late = tell(9, np.array([3], np.uint64), np.array([5.0]), ~none, none)
    assert len(collector.add_feedback(late)) == 0


def test_late_answers_are_replaced_and_illegal_ones_stay() -> None:
    collector = Collector(2, 1, 1, 1, GAMMA)
    both = np.array([True, True])
    episode = np.ones(2, np.uint64)
    collector.decide(ask(1, both, episode), np.array([3, 4], np.int32))
    feedback = tell(1, episode, np.zeros(2), both, ~both)
    feedback.origin[:] = Origin.LATE, Origin.ILLEGAL
    feedback.action[:] = 6, 7
    assert collector.add_feedback(feedback).action.tolist() == [6, 4]
