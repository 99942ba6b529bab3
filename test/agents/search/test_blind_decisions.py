"""Players that think ahead know states they may be in, in every game that hides something."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.registry import open_agent
from gdl_agents.search.belief.known import Known
from gdl_agents.search.belief.tracker import Tracker
from gdl_agents.search.players.player import SearchAgent
from gdl_env.language.load import open_game

GAMES = Path(__file__).parents[3] / 'games'
# A game that hides something says so by `sees`.
HIDDEN = [file.stem for file in sorted(GAMES.glob('*.gdl')) if '(sees ' in file.read_text('utf-8')]
# In these a whole match takes a second or two.
QUICK = {'krieg_tictactoe', 'kuhn_poker', 'monty_hall', 'rock_paper_scissors'}


def play_all_roles(name: str, agent: str) -> SearchAgent:
    """Let an agent play all roles of one game."""
    player = open_agent(agent)
    assert isinstance(player, SearchAgent)
    arena = Arena(open_game(name), 1)
    arena.play(dict.fromkeys(arena.roles, player), 1, seed=5)
    arena.close()
    return player


@pytest.mark.parametrize(
    'name',
    [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in HIDDEN],
)
def test_no_decision_is_blind(name: str, caplog: pytest.LogCaptureFixture) -> None:
    player = play_all_roles(name, 'ismcts:playouts=4')
    assert player.hidden
    assert player.report_status() == {'hidden_decisions': player.hidden, 'blind_decisions': 0}
    assert not caplog.records


def test_a_blind_decision_is_counted_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    known = Tracker.known

    def lose(self: Tracker, lane: int) -> Known:
        return known(self, lane).pick(np.zeros(0, np.intp))

    monkeypatch.setattr(Tracker, 'known', lose)
    with caplog.at_level(logging.WARNING):
        player = play_all_roles('kuhn_poker', 'ismcts:playouts=4')
    status = player.report_status()
    assert status['blind_decisions'] == status['hidden_decisions'] > 0
    assert len(caplog.records) == player.blind
    assert 'nothing was found that agrees' in caplog.text
