"""Players with the same goal: they are found in the rules, and searchers count on each other."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.registry import open_agent
from gdl_agents.search.alphabeta.breadth import BreadthSearch
from gdl_agents.search.alphabeta.search import AlphaBetaSearch
from gdl_agents.search.game.partners import find_partners, find_teams
from gdl_env.cli.scaffold import scaffold
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.language.game import Game
from gdl_env.language.library import find_game
from gdl_env.language.load import game_from_text, load_game

# A stone moves only if both push at once; who pushes alone is hurt, and whoever rests is not.
PUSH = """
(role ann) (role ben)
(init (place 0)) (init (step 1))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (legal ?p push) (role ?p))
(<= (legal ?p rest) (role ?p))
(<= together (does ann push) (does ben push))
(<= (next (place ?b)) together (true (place ?a)) (succ ?a ?b))
(<= (next (place ?a)) (not together) (true (place ?a)))
(<= (next hurt) (true hurt))
(<= (next hurt) (does ann push) (does ben rest))
(<= (next hurt) (does ben push) (does ann rest))
(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
(<= terminal (true (step 4)))
(<= (goal ?p 100) (role ?p) (true (place 3)))
(<= (goal ?p 40) (role ?p) (not (true (place 3))) (not (true hurt)))
(<= (goal ?p 10) (role ?p) (not (true (place 3))) (true hurt))
"""


def teams(rows: int = 4, columns: int = 2) -> Game:
    """Return a game of two teams of two, by turns."""
    text = scaffold('Teams', 'teams', 4)
    return game_from_text(text, 'teams', {'rows': str(rows), 'columns': str(columns)})


def open_rules(game: Game) -> CircuitBatch:
    rules = open_batch(game)
    assert isinstance(rules, CircuitBatch)
    return rules


@pytest.mark.parametrize(
    ('game', 'partners'),
    [
        (game_from_text(PUSH), [(1,), (0,)]),
        (teams(), [(2,), (3,), (0,), (1,)]),
        (game_from_text(scaffold('Found', 'cooperation', 3)), [(1, 2), (0, 2), (0, 1)]),
        (load_game(find_game('tictactoe')), [(), ()]),
        (game_from_text(scaffold('Money', 'economy', 3)), [(), (), ()]),
    ],
    ids=['push', 'teams', 'all', 'rivals', 'all alone'],
)
def test_partners_are_found_in_the_rules(game: Game, partners: list[tuple[int, ...]]) -> None:
    rules = open_rules(game)
    assert [find_partners(rules, role, {}) for role in rules.players] == partners
    groups = {tuple(sorted((role, *found))) for role, found in enumerate(partners) if found}
    assert set(find_teams(rules)) == {tuple(str(rules.roles[k]) for k in g) for g in groups}


@pytest.mark.parametrize(
    'agent', ['lookahead', 'tactical', 'alphabeta:depth=4', 'mcts:playouts=200']
)
def test_partners_agree_on_one_of_equal_plans(agent: str) -> None:
    game = game_from_text(scaffold('Found', 'cooperation', 2), 'found')
    arena = Arena(game, 1)
    scores = arena.play({role: open_agent(agent) for role in arena.roles}, 5, seed=2)
    arena.close()
    assert [score.mean_goal for score in scores.values()] == [100.0, 100.0]


def test_teams_that_are_declared_count() -> None:
    rules = open_rules(load_game(find_game('tictactoe')))
    assert find_partners(rules, 0, {'both': ('x', 'o'), 'none': ()}) == (1,)


@pytest.mark.parametrize(
    'agent', ['lookahead', 'tactical', 'alphabeta:depth=4', 'mcts:playouts=400']
)
def test_both_push_at_once(agent: str) -> None:
    arena = Arena(game_from_text(PUSH), 1)
    players = {role: open_agent(agent) for role in arena.roles}
    scores = arena.play(players, 5, seed=1)
    arena.close()
    assert [score.mean_goal for score in scores.values()] == [100.0, 100.0]


def test_compiled_and_plain_search_agree_for_teams() -> None:
    rules = open_rules(teams(3, 2))
    chance = np.random.default_rng(4)
    states = [rules.initial]
    for _ in range(3):
        look = rules.look(states[-1])
        role = int(np.flatnonzero(look.counts()[0])[0])
        row = int(chance.choice(look.moves(0, role)))
        legal = np.full((1, len(rules.roles)), -1, np.int32)
        legal[0, role] = row
        states.append(rules.step(states[-1], legal))
    for state in states:
        role = int(np.flatnonzero(rules.look(state).counts()[0])[0])
        partners = find_partners(rules, role, {})
        for depth in (2, 3, 4):
            plain = BreadthSearch(rules, role, partners=partners).run(state, depth)
            search = AlphaBetaSearch(rules, partners=partners)
            found = search.run(state[0], role, depth, 1_000_000, 7)
            assert found.value == pytest.approx(plain.value.max())
            best = plain.row[plain.value >= plain.value.max() - 1e-9]
            # Where all is lost, the compiled search takes what holds out longest.
            if found.value > 0:
                assert set(found.best.tolist()) == set(best.tolist())


def test_a_partner_is_not_feared() -> None:
    """With two moves to go for a row, a team that moves every other time wins against random."""
    arena = Arena(teams(), 1)
    team, others = arena.roles[::2], arena.roles[1::2]
    strong = dict.fromkeys(team, open_agent('alphabeta:depth=8,time=0'))
    scores = arena.play({**strong, **dict.fromkeys(others, open_agent('random'))}, 20, seed=3)
    arena.close()
    assert scores[team[0]].mean_goal == scores[team[1]].mean_goal == 100.0
