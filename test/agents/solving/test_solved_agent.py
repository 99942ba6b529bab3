"""What was solved is played: the strategy in matches is the one on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_agents.errors import AgentError
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.random import RandomAgent
from gdl_agents.solving.errors import SolvingError
from gdl_agents.solving.exploiting.exploitability import measure_exploitability
from gdl_agents.solving.exploiting.reading_agents import read_strategy
from gdl_agents.solving.playing.solution_folder import SolutionFolder
from gdl_agents.solving.playing.solved_agent import SolvedAgent
from gdl_agents.solving.solve import SolvingOrder, solve
from gdl_agents.solving.tree.game_tree import build_tree
from gdl_env.language.load import open_game


def solved(name: str, root: Path, **order: object) -> SolvedAgent:
    game = open_game(name)
    found = solve(game, SolvingOrder(**order))  # type: ignore[arg-type]
    folder = SolutionFolder.create(game, root)
    folder.write(found.summary, found.arrays)
    return SolvedAgent(str(folder.path))


@pytest.mark.parametrize('name', ['kuhn_poker', 'goofspiel(cards=3)', 'rock_paper_scissors'])
def test_read_back_it_is_as_good(tmp_path: Path, name: str) -> None:
    agent = solved(name, tmp_path, target=0.05)
    tree = build_tree(open_game(name))
    read = read_strategy(tree, [agent] * len(tree.own))
    assert read.samples == (0, 0)
    assert measure_exploitability(tree.form, read.strategy).nash_conv <= 0.05
    # What it draws is what it says.
    agent.policy = lambda question: None  # type: ignore[method-assign, assignment]
    drawn = read_strategy(tree, [agent] * len(tree.own), samples=400)
    assert abs(drawn.strategy - read.strategy).max() < 0.12
    assert agent.blind == 0


@pytest.mark.parametrize('name', ['leduc_poker', 'goofspiel', 'liars_dice'])
def test_knows_its_way_in_matches(tmp_path: Path, name: str) -> None:
    agent = solved(name, tmp_path, target=0.5)
    arena = Arena(open_game(name), 16)
    first, second = arena.roles
    scores = arena.play({first: agent, second: RandomAgent()}, 200, 1)
    arena.close()
    assert agent.blind == 0
    assert (scores[first].mean_goal or 0) > 45


def test_never_loses_an_open_game(tmp_path: Path) -> None:
    agent = solved('tictactoe', tmp_path)
    arena = Arena(open_game('tictactoe'), 16)
    for role, other in (('x', 'o'), ('o', 'x')):
        assert arena.play({role: agent, other: RandomAgent()}, 100, 1)[role].losses == 0
    arena.close()


def test_refuses_other_games(tmp_path: Path) -> None:
    agent = solved('kuhn_poker', tmp_path)
    info = Arena(open_game('leduc_poker'), 1).info
    with pytest.raises(AgentError, match='solves kuhn_poker, and the rules of leduc_poker differ'):
        agent.begin(info, ('alice',), 1)
    with pytest.raises(SolvingError, match='is no solution'):
        SolvedAgent(str(tmp_path))
    with pytest.raises(AgentError, match='needs a solution'):
        SolvedAgent('')


def test_damaged_files_are_named(tmp_path: Path) -> None:
    solved('kuhn_poker', tmp_path)
    path = tmp_path / 'kuhn_poker' / 'solved-1'
    (path / 'strategy.npz').write_bytes(b'nothing')
    with pytest.raises(SolvingError, match=r'strategy\.npz cannot be read'):
        SolvedAgent(str(path))
    (path / 'solution.json').write_text('{')
    with pytest.raises(SolvingError, match=r'solution\.json cannot be read'):
        SolvedAgent(str(path))
