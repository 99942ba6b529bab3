"""Self-play of AlphaZero: by the environment's decisions, turn rules and chance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from made_up_games import TALK, TOSS

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.alphazero.games_in_progress import EndedGame
from gdl_agents.learning.alphazero.inference import Inference
from gdl_agents.learning.alphazero.memory import SearchedPosition
from gdl_agents.learning.alphazero.model import build_policy_value
from gdl_agents.learning.alphazero.network_evaluator import NetworkEvaluator
from gdl_agents.learning.alphazero.self_play import SearchedSelfPlay
from gdl_agents.learning.networks import Shape, open_network
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.open_games import OpenGame
from gdl_agents.search.tree.forest import Forest
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.language.game import Game
from gdl_env.language.library import find_game
from gdl_env.language.load import game_from_text, load_game

pytestmark = pytest.mark.torch


# Every move is searched and kept.
PLAIN = AlphaZeroConfig(quick_share=0.0, opening_share=0.0, playouts=48)


def open_self_play(
    game: Game,
    lanes: int,
    turn: str = 'rotate',
    *,
    has_network: bool = False,
    config: AlphaZeroConfig = PLAIN,
    engine: str = 'auto',
) -> SearchedSelfPlay:
    environment = Environment(open_lanes(game, lanes, engine), Options(lanes, seed=3, turn=turn))
    table = MatchTable(environment.info(), OpenGame(environment.game.batch))
    if not has_network:
        return SearchedSelfPlay(environment, table, judge_alike, 5, config)
    assert table.mapping is not None
    shape = Shape.of(game, table.mapping)
    network = build_policy_value(
        open_network('small', shape), shape, len(environment.roles), seed=1
    )
    evaluator = NetworkEvaluator(Inference(network.eval()), table)
    return SearchedSelfPlay(environment, table, evaluator, 5, config)


def judge_alike(forest: Forest, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Find all states as good."""
    forest.arrays.arms['prior'] = 0.5
    return np.full((len(nodes), len(forest.rules.roles)), 0.5)


def always_second(
    able: NDArray[np.bool_], last: NDArray[np.int64], random: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Let b speak."""
    return np.ones(len(last), np.int64)


TURNS = [
    ('rotate', [0, 1, 0, 1], [0, 1]),
    ('priority', [0, 0, 0, 0], [1, 0]),
    (f'{Path(__file__)}:always_second', [1, 1, 1, 1], [0, 1]),
]


@pytest.mark.parametrize(('turn', 'speakers', 'value'), TURNS, ids=['rotate', 'priority', 'hook'])
def test_the_turn_rule_says_who_decides(
    turn: str, speakers: list[int], value: list[float]
) -> None:
    play = open_self_play(game_from_text(TALK, 'talk'), 3, turn)
    ended = [game for _ in range(4) for game in play.tick()]
    assert len(ended) == 3
    for game in ended:
        assert [position.player for position in game.positions] == speakers
        assert game.value.tolist() == value


def test_any_role_may_be_drawn() -> None:
    play = open_self_play(game_from_text(TALK, 'talk'), 16, 'random')
    ended = [game for _ in range(4) for game in play.tick()]
    orders = {tuple(position.player for position in game.positions) for game in ended}
    assert len(ended) == 16 and len(orders) > 4


def test_chance_is_played_by_the_environment() -> None:
    play = open_self_play(game_from_text(TOSS, 'toss'), 64, has_network=True)
    ended = play.tick()
    # The tosses are no decisions; two players decide at once in every lane.
    assert [[position.player for position in game.positions] for game in ended] == [[0, 1]] * 64
    # Who sees the coin calls it right.
    assert np.mean([game.value for game in ended]) > 0.7
    coins = {bytes(game.positions[0].seen) for game in ended}
    assert len(coins) == 2


# One after the other; chance between decisions of both.
GAMES = [load_game(find_game('tictactoe')), game_from_text(TOSS, 'toss')]


@pytest.mark.parametrize('game', GAMES, ids=lambda game: game.name)
def test_search_sees_what_is_learned_from(game: Game) -> None:
    play = open_self_play(game, 8, has_network=True)
    evaluator = play._search.judge
    assert isinstance(evaluator, NetworkEvaluator)
    environment = play.environment
    for _ in range(6):
        turn = environment.decisions()
        environment.game.update_rows()
        seen = evaluator.observe(environment.game.arrays.states)
        assert np.array_equal(turn.observation.unpack(), seen[turn.lane])
        waiting = [len(game.positions) for game in play.games]
        before = environment.tallies.finished
        ended = play.tick()
        assert len(ended) == environment.tallies.finished - before
        # Every decision became a position of its lane's game.
        gained = sum(len(game.positions) for game in [*play.games, *ended]) - sum(waiting)
        assert gained == len(turn)


def test_policies_are_shares_of_legal_actions() -> None:
    play = open_self_play(load_game(find_game('tictactoe')), 4, has_network=True)
    legal = play.environment.decisions().legal.unpack()
    play.tick()
    for lane, game in enumerate(play.games):
        policy = game.positions[0].policy
        assert policy.sum() == pytest.approx(1)
        assert not policy[~legal[lane]].any()


def test_games_that_do_not_compile_are_searched_alike() -> None:
    game = load_game(find_game('tictactoe'))
    found = []
    for engine in ('circuit', 'prolog'):
        few = replace(PLAIN, playouts=6, noise=0.0)
        play = open_self_play(game, 2, has_network=True, config=few, engine=engine)
        for _ in range(2):
            play.tick()
        found.append([position for game in play.games for position in game.positions])
        play.environment.close()
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one.seen, two.seen)
        assert one.policy == pytest.approx(two.policy, abs=1e-3)


def test_quick_and_random_moves_are_not_learned_from() -> None:
    game = load_game(find_game('tictactoe'))
    quick = open_self_play(game, 64, has_network=True, config=replace(PLAIN, quick_share=0.5))
    quick.tick()
    assert 16 < sum(len(game.positions) for game in quick.games) < 48
    blind = replace(PLAIN, opening_share=1.0, opening_part=1.0)
    play = open_self_play(game, 64, config=blind)
    while not any(game.random_moves for game in play.games):
        play.tick()
    lane = next(lane for lane, game in enumerate(play.games) if game.random_moves)
    play.tick()
    assert (play.games[lane].moves, play.games[lane].positions) == (1, [])


def test_what_is_proved_is_learned_as_it_is() -> None:
    # The second player has won, and whoever judged the position was wrong.
    position = SearchedPosition(
        np.zeros(1, np.uint8), 0, np.ones(1, np.float32), np.float32([1, 0]), is_proved=True
    )
    game = EndedGame([position], np.float32([0, 1]))
    assert game.mix_values(position, 0.5).tolist() == [1, 0]
    open_one = replace(position, is_proved=False)
    assert game.mix_values(open_one, 0.25).tolist() == [0.25, 0.75]
