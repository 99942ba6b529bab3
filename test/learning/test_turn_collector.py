"""Steps from decision to decision of two roles, for all lanes at once, against a plain loop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from made_up_exchange import ask, rows_of, tell

from gdl_agents.learning.dqn.turn_collector import TurnCollector
from gdl_env.environment.protocol import NO_ACTION, Origin

pytestmark = pytest.mark.torch

GAMMA = 0.9
ROLES = ('x', 'o')


@dataclass
class Lane:
    """One lane, the plain way: who decided what since the last end, and what each was paid."""

    n: int
    # Role, observation, action, and what the role was paid after each decision from this one on.
    steps: list[tuple[str, int, int, list[float]]] = field(default_factory=list)
    found: list[tuple[float, ...]] = field(default_factory=list)

    def decide(self, role: str, observation: int, action: int) -> None:
        if len(self.steps) >= self.n:
            first = self.steps[-self.n]
            sign = 1 if first[0] == role else -1
            self._emit(first, observation, sign * GAMMA**self.n)
        for step in self.steps:
            step[3].append(0.0)
        self.steps.append((role, observation, action, [0.0]))

    def pay(self, role: str, reward: float) -> None:
        for step in self.steps:
            if step[0] == role:
                step[3][-1] += reward

    def end(self, *, is_terminated: bool) -> None:
        held = self.steps[-self.n :]
        for place, step in enumerate(held):
            if is_terminated:
                self._emit(step, -1, 0.0)
            elif place < len(held) - 1:
                sign = 1 if step[0] == held[-1][0] else -1
                power = GAMMA ** (len(held) - 1 - place)
                self._emit(step, held[-1][1], sign * power)
        self.steps = []

    def _emit(self, step: tuple[str, int, int, list[float]], after: int, discount: float) -> None:
        _, observation, action, paid = step
        total = sum(GAMMA**power * reward for power, reward in enumerate(paid))
        self.found.append((observation, action, round(total, 3), after, round(discount, 5)))


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_steps_equal_a_plain_loop(n: int, lanes: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    collector = TurnCollector(lanes, 1, 1, n, GAMMA)
    plain = [Lane(n) for _ in range(lanes)]
    episode = np.ones(lanes, np.uint64)
    found: list[tuple[float, ...]] = []
    for tick in range(1, 30):
        # Anyone may be next, also the same role again; or nobody.
        mover = chance.integers(0, 3, lanes)
        for number, role in enumerate(ROLES):
            question = ask(tick, mover == number, episode, role)
            action = np.where(question.to_move, chance.integers(0, 8, lanes), NO_ACTION)
            found += rows_of(collector.decide(question, action.astype(np.int32)))
            for lane in np.flatnonzero(question.to_move):
                assert question.observation is not None
                seen = int(question.observation.data[lane, 0])
                plain[lane].decide(role, seen, int(action[lane]))
        over = chance.random(lanes) < 0.15
        # Nothing is paid where a game is broken off.
        cut = ~over & (chance.random(lanes) < 0.1)
        reward = np.where(cut, 0, chance.integers(-3, 4, lanes))
        for sign, role in zip((1, -1), ROLES, strict=True):
            feedback = tell(tick, episode, sign * reward, over, cut, role)
            found += rows_of(collector.add_feedback(feedback))
            for lane in range(lanes):
                plain[lane].pay(role, sign * float(reward[lane]))
        for lane in np.flatnonzero(over | cut):
            plain[lane].end(is_terminated=bool(over[lane]))
        episode += (over | cut).astype(np.uint64)
        if tick == 15:
            again = TurnCollector(lanes, 1, 1, n, GAMMA)
            again.restore(collector.to_tree())
            collector = again
    assert sorted(found) == sorted(row for lane in plain for row in lane.found)


ONE = np.ones(1, np.uint64)
YES = np.array([True])
NO = np.array([False])


def test_what_comes_late_is_not_taken_for_something_else() -> None:
    collector = TurnCollector(1, 1, 1, 2, GAMMA)
    action = np.array([3], np.int32)
    collector.decide(ask(1, YES, ONE), action)
    collector.decide(ask(3, YES, ONE), action)
    # Of a tick before a decision: only what was decided before is paid for.
    collector.add_feedback(tell(2, ONE, np.array([5.0]), NO, NO))
    # A decision that is heard of after a later one is passed over.
    assert len(collector.decide(ask(2, YES, ONE, 'o'), action)) == 0
    found = collector.add_feedback(tell(3, ONE, np.array([1.0]), YES, NO))
    assert found.reward.tolist() == pytest.approx([5 * GAMMA + GAMMA, 1.0])
    # All is settled: the other hears of the end, too, and twice.
    assert len(collector.add_feedback(tell(3, ONE, np.array([-1.0]), YES, NO, 'o'))) == 0
    assert len(collector.add_feedback(tell(3, ONE, np.array([1.0]), YES, NO))) == 0
    # An end that went unheard teaches nothing.
    collector.decide(ask(5, YES, 2 * ONE), action)
    assert len(collector.decide(ask(9, YES, 3 * ONE, 'o'), action)) == 0
    assert len(collector.add_feedback(tell(9, 2 * ONE, np.array([1.0]), YES, NO))) == 0


def test_late_answers_are_replaced() -> None:
    collector = TurnCollector(1, 1, 1, 1, GAMMA)
    collector.decide(ask(1, YES, ONE), np.array([3], np.int32))
    feedback = tell(1, ONE, np.array([1.0]), YES, NO)
    late = replace(feedback, origin=np.array([Origin.LATE], np.uint8), action=np.array([6]))
    assert collector.add_feedback(late).action.tolist() == [6]
