"""Players of the GGP protocol as agents: in lanes, against other agents, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
import re
import subprocess
import sys

import pytest

from gdl_agents.errors import AgentError
from gdl_agents.ggp.agent import GgpAgent
from gdl_agents.ggp.move_finder import MoveFinder
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import open_game
from gdl_env.language.reader import read_role, read_term

GDL = str(Path(sys.executable).with_name('gdl'))


@contextmanager
def serving(agent: str) -> Iterator[str]:
    """Run a GGP player of ours as a program of its own; give its address."""
    command = [GDL, 'ggp', 'serve', '--agent', agent, '--port', '0', '--matches', '8']
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as player:
        try:
            assert player.stdout is not None
            found = re.search(r'http://\S+:\d+', player.stdout.readline())
            assert found is not None
            yield found[0].rstrip('/')
        finally:
            player.terminate()


@pytest.mark.parametrize('game', ['tictactoe', 'connect_four'])
def test_a_player_of_others_plays_in_lanes(game: str) -> None:
    with serving('lookahead') as url:
        arena = Arena(open_game(game), lanes=2)
        first, second = arena.roles
        scores = arena.play({first: open_agent(f'ggp:{url}'), second: RandomAgent()}, 6, seed=2)
        arena.close()
    assert scores[first].games == 6
    # It takes every win, and sees every loss.
    assert scores[first].wins >= 4


def test_moves_are_found_from_states() -> None:
    with open_engine(open_game('tictactoe')) as engine:
        finder = MoveFinder(engine)
        state = engine.initial_state
        assert finder.find(state, state) == []
        moves = {}
        for role, text in (('x', '(mark 2 2)'), ('o', '(mark 1 3)')):
            joint = {
                r: read_term(text) if str(r) == role else options[0]
                for r, options in engine.legal_moves(state).items()
                if options
            }
            moves[role] = joint
            state = engine.next_state(state, joint)
        # With what x has answered, without it, and where something else was played instead.
        answers = [None, *((read_role('x'), read_term(f'(mark {n} {n})')) for n in (2, 3))]
        for own in answers:
            found = finder.find(engine.initial_state, state, own)
            assert [dict(joint) for joint in found] == [moves['x'], moves['o']]
        wrong = frozenset(read_term(text) for text in ('(cell 1 1 x)', '(control o)'))
        with pytest.raises(AgentError, match='no moves are found'):
            finder.find(engine.initial_state, wrong)


@pytest.mark.parametrize(('game', 'reason'), [('kuhn_poker', 'hides something'), ('pig', 'draws')])
def test_games_that_cannot_be_announced_are_refused(game: str, reason: str) -> None:
    agent = GgpAgent('http://localhost:1')
    arena = Arena(open_game(game), lanes=1)
    with pytest.raises(AgentError, match=reason):
        agent.begin(arena.info, arena.roles[:1], 1)
    arena.close()


@pytest.mark.parametrize('url', ['', 'localhost:9147', 'ftp://localhost'])
def test_an_address_is_needed(url: str) -> None:
    with pytest.raises(AgentError, match='no address of a player'):
        GgpAgent(url)
