"""What players get as re and as kontra is put down to the right account."""

from __future__ import annotations

from pathlib import Path
import sys

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'benchmark'))

from learning_teams import KONTRA, RE, Account, TeamAgent, play_alone, play_together

from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.random import RandomAgent
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.language.load import open_game

pytestmark = [pytest.mark.slow, pytest.mark.torch]


class Probe(RandomAgent):
    """Plays at random, and notes what its seats see of themselves."""

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        super().begin(info, roles, seed)
        self._facts = info.facts
        self.teams: set[str] = set()

    def choose(self, question: Question) -> Answer:
        assert question.observation is not None
        for row in question.observation.unpack()[question.to_move]:
            seen = {self._facts[place] for place in np.flatnonzero(row)}
            self.teams |= {t for t in (RE, KONTRA) if f'(sees (team {question.role} {t}))' in seen}
        return super().choose(question)


def test_points_and_intervals() -> None:
    row = Account([50, 60, 40, 70]).to_row()
    assert (row['games'], row['won'], row['drawn']) == (4, 2, 1)
    assert row['goal'] == 55 and row['points'] == 2.5
    low, high = row['points_interval']
    assert low < 2.5 < high and row['goal_interval'] == [50 + 2 * low, 50 + 2 * high]


def test_teams_are_told_apart() -> None:
    arena = Arena(open_game('doppelkopf(solos=no)'), 20)
    alone = play_alone(arena, RandomAgent, 20, 1)
    assert alone[RE]['games'] + alone[KONTRA]['games'] == 80
    # There are two of each, or one against three.
    assert 15 < alone[RE]['games'] < 50
    for team in (RE, KONTRA):
        probes = {role: Probe() for role in arena.roles}
        arena.play({role: TeamAgent(probe, team) for role, probe in probes.items()}, 20, 2)
        assert set.union(*(probe.teams for probe in probes.values())) == {team}
    together = play_together(arena, RandomAgent, 20, 1)
    assert all(15 < together[team]['games'] < 65 for team in (RE, KONTRA))
    arena.close()
