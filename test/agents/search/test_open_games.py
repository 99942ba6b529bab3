"""Games that searchers open are kept for a while, trimmed, and closed."""

from __future__ import annotations

from collections.abc import Iterator
import gc
from pathlib import Path

import pytest
from search_games import game_of

from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_agents.search.game import open_games
from gdl_agents.search.game.match_table import open_table
from gdl_agents.search.players.player import SearchAgent
from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.prolog.process import is_prolog_installed
from gdl_env.engine.registry import open_engine
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer, MatchInfo


@pytest.fixture(autouse=True)
def _own_games(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each test begin without open games, and close those that it has opened."""
    monkeypatch.setattr(open_games, '_opened', type(open_games._opened)())
    yield
    gc.collect()
    for opened in open_games._opened.values():
        opened.drop()


def count_workers() -> int:
    """Return how many Prolog processes this process has."""
    found = 0
    for children in Path('/proc/self/task').glob('*/children'):
        for child in children.read_text().split():
            command = Path('/proc', child, 'cmdline')
            found += b'worker.py' in command.read_bytes() if command.exists() else 0
    return found


def info_of(number: int) -> MatchInfo:
    """Return the match of a game of its own."""
    text = f'(role x) (init {number}) (legal x stay) (legal x go) (next {number}) (goal x 50)'
    text += ' (<= terminal (true over))'
    return MatchInfo(f'game_{number}', text, ('x',), 1, 0, 0)


@pytest.mark.prolog
@pytest.mark.skipif(not is_prolog_installed(), reason='SWI-Prolog is not installed')
def test_games_that_fall_out_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_games, 'open_batch', lambda game: open_batch(game, 'prolog'))
    before = count_workers()
    used = open_table(info_of(0))
    for number in range(1, 7):
        open_table(info_of(number)).rules.look(used.rules.initial[:0])
    gc.collect()
    # Four are kept, and one more is in use.
    assert count_workers() - before == 5
    # Matches of a kept game share it.
    assert open_table(info_of(6)).rules is open_table(info_of(6)).rules
    assert count_workers() - before == 5
    assert str(used.rules.game.name) == 'game_0'
    assert not used.rules.look(used.rules.initial).terminal[0]
    del used
    gc.collect()
    assert count_workers() - before == 4


@pytest.mark.parametrize(
    ('game', 'agent'),
    [
        ('krieg_tictactoe', 'lookahead'),
        ('krieg_tictactoe', 'ismcts:playouts=20'),
        ('tictactoe', 'mcts:playouts=40'),
    ],
)
def test_states_are_forgotten_between_decisions(
    monkeypatch: pytest.MonkeyPatch, game: str, agent: str
) -> None:
    monkeypatch.setattr('gdl_env.engine.batch.engine_batch._MOST_KEPT', 60)
    monkeypatch.setattr(open_games, 'open_batch', lambda game: EngineBatch(open_engine(game)))
    environment = Environment.open(game_of(game), Options(seed=2, episodes=2))
    player, other = open_agent(agent), RandomAgent()
    assert isinstance(player, SearchAgent)
    player.begin(environment.info(), ('x',), 1)
    other.begin(environment.info(), ('o',), 1)
    generations = set()
    while not environment.is_finished:
        answers: dict[str, Answer] = {}
        for question in environment.questions():
            agent_ = player if question.role == 'x' else other
            if not question.is_decision:
                agent_.notice(question)
                continue
            answers[question.role] = agent_.choose(question)
            if question.role == 'x':
                generations.add(player.table.generation)
        environment.step(answers)
    assert len(generations) > 2
    # Nothing is lost by it: the player knows what it was shown.
    assert player.blind == 0
