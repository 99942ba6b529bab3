"""Who has won, by goals."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_env.environment.tallies import Tallies
from gdl_env.play.outcome import DRAWN, LOST, WON, outcome_of, outcomes

CASES = {
    'two, one is better': ((100, 0), (WON, LOST)),
    'two, one is hardly better': ((49, 50), (LOST, WON)),
    'two, both the same': ((50, 50), (DRAWN, DRAWN)),
    'two, both nothing': ((0, 0), (DRAWN, DRAWN)),
    'one against three': ((74, 42, 42, 42), (WON, LOST, LOST, LOST)),
    'three against one': ((26, 58, 58, 58), (LOST, WON, WON, WON)),
    'two against two': ((46, 54, 46, 54), (LOST, WON, LOST, WON)),
    'all the same': ((50, 50, 50, 50), (DRAWN,) * 4),
    'everybody for themselves': ((100, 60, 40, 0), (WON, LOST, LOST, LOST)),
    'the second place is shared': ((100, 50, 50), (WON, LOST, LOST)),
    'alone, all there is': ((100,), (WON,)),
    'alone, not all': ((99,), (LOST,)),
}


@pytest.mark.parametrize(('goals', 'expected'), CASES.values(), ids=CASES)
def test_outcomes(goals: tuple[int, ...], expected: tuple[int, ...]) -> None:
    others = [goals[:i] + goals[i + 1 :] for i in range(len(goals))]
    assert tuple(map(outcome_of, goals, others)) == expected
    assert outcomes(np.array(goals, np.int16)[:, None])[:, 0].tolist() == list(expected)


def test_of_two_players_nothing_depends_on_teams() -> None:
    goals = np.random.default_rng(1).integers(0, 4, (2, 500)) * 25
    assert (outcomes(goals)[0] == np.sign(goals[0] - goals[1])).all()
    assert (outcomes(goals)[1] == np.sign(goals[1] - goals[0])).all()


def test_tallies_count_teams() -> None:
    """Two episodes: re alone loses against three; all the same. A third one was broken off."""
    tallies = Tallies.of(('north', 'east', 'south', 'west'))
    # The fourth lane continues: what stands there does not count.
    rows = [[26, 50, -1, 100], [58, 50, -1, 0], [58, 50, -1, 0], [58, 50, -1, 0]]
    tallies.add_ends(np.array(rows, np.int16), np.array([True, True, True, False]))
    counted = [(account.wins, account.draws, account.losses) for account in tallies.roles]
    assert counted == [(0, 1, 1), (1, 1, 0), (1, 1, 0), (1, 1, 0)]
    assert tallies.finished == 3 and tallies.unscored == 1 and tallies['east'].mean_goal == 54
