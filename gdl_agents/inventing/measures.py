"""Measures of how good a game is to play, in the manner of Browne (2008): 0 to 1 each.

A game is played by players of three strengths. What happens in games between the strongest says
how balanced, how decisive, how long and how dramatic it is; what stronger ones win against weaker
ones says how deep it is. No clock has a part in it: the same game and seed give the same measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.learning.training.evaluation import Arena, Watcher
from gdl_agents.players.draws import derive_seed
from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_agents.search.game.random_games import play_games
from gdl_agents.search.game.turn_kernels import UNKNOWN
from gdl_agents.search.game.turns import ROTATION
from gdl_env.environment.environment import Environment
from gdl_env.environment.step import Step
from gdl_env.language.game import Game
from gdl_env.play.outcome import WON, outcomes

# Playouts for a move of the weaker and of the stronger player.
FEW, MANY = 16, 200
# Games between equals, and games on each seat against a weaker player.
EQUAL_GAMES, RUNG_GAMES = 48, 24
# Random games by which a position is judged.
_JUDGING = 24
_LANES = 24
# Turns, and choices of a turn, that people like: from, best from, best to, to.
_TURNS = (3.0, 10.0, 60.0, 160.0)
_CHOICES = (1.0, 4.0, 30.0, 120.0)
# The mean of the root of how far the winner was behind, of a game that has all the drama.
_MOST_DRAMA = 0.35
# What counts more than the rest.
_WEIGHTS = {'balance': 2.0, 'depth': 2.0}


@dataclass(frozen=True)
class Measures:
    """What games between players showed; everything but `turns` and `choices` is from 0 to 1."""

    # 1: all seats get the same; 0: one always wins.
    balance: float
    # The share of games that have a winner.
    decisiveness: float
    # How far the later winner was behind on the way.
    drama: float
    # What more thinking wins: 0 nothing, 1 every game.
    depth: float
    # Whether games are neither short nor long, and choices neither few nor many.
    length: float
    branching: float
    # Turns of a game, and legal moves of a turn.
    turns: float
    choices: float

    @property
    def score(self) -> float:
        """Return all of it as one number from 0 to 1."""
        names = [field.name for field in fields(self) if field.name not in {'turns', 'choices'}]
        weights = [_WEIGHTS.get(name, 1.0) for name in names]
        values = [getattr(self, name) for name in names]
        return float(np.average(values, weights=weights))


def measure_game(game: Game, seed: int = 0) -> Measures:
    """Play a game, and measure it. Raises GdlError if players cannot play it."""
    arena = Arena(game, _LANES)
    try:
        watch = GameWatcher()
        seats: dict[str, Agent] = {role: _player(MANY)(role) for role in arena.roles}
        arena.play(seats, EQUAL_GAMES, derive_seed(seed, 'equals'), watcher=watch)
        return watch.sum_up(measure_depth(arena, seed))
    finally:
        arena.close()


def measure_depth(arena: Arena, seed: int) -> float:
    """Return what more thinking wins: the mean of two steps up, 0 to 1."""
    fair = 1 / len(arena.roles)
    found = []
    for name, low, high in (('lower', 0, FEW), ('upper', FEW, MANY)):
        scores = arena.seat_in_turn(
            _player(high), RUNG_GAMES, derive_seed(seed, name), make_other=_player(low)
        )
        shares = [(score.win_percentage or 0.0) / 100 for score in scores.values()]
        found.append(max(0.0, (float(np.mean(shares)) - fair) / (1 - fair)))
    return float(np.mean(found))


def _player(playouts: int) -> Callable[[str], Agent]:
    """Return what makes players of a strength, for a role."""

    def make(role: str) -> Agent:
        # Sharp random games are made once a game, which takes longer than these matches.
        detail = f'mcts:playouts={playouts},sharp=false'
        return open_agent(detail) if playouts else RandomAgent()

    return make


class GameWatcher(Watcher):
    """Keeps what is worth knowing of games in lanes."""

    def __init__(self) -> None:
        # By lane, of the game under way: what each player can expect, position by position.
        self._courses: dict[int, list[NDArray[np.float64]]] = {}
        self._goals: list[NDArray[np.float64]] = []
        self._turns: list[int] = []
        self._drama: list[float] = []
        self._decisions = 0
        self._choices = 0

    def see(self, environment: Environment) -> None:
        """Judge the positions in which a player decides."""
        game = environment.game
        deciding = environment.decides
        lanes = np.flatnonzero(deciding.any(axis=0))
        if not len(lanes):
            return
        for player in range(len(game.players)):
            legal = game.legal(player).unpack()
            self._choices += int(legal[deciding[player]].sum())
            self._decisions += int(deciding[player].sum())
        rules = game.batch
        states = np.repeat(game.arrays.states[lanes], _JUDGING, axis=0)
        last = np.full(len(states), UNKNOWN)
        goals = play_games(rules, ROTATION, states, last, environment.tick)[:, rules.players]
        known = np.where(goals < 0, 50, goals).reshape(len(lanes), _JUDGING, -1).mean(axis=1)
        for lane, expected in zip(lanes.tolist(), known / 100, strict=True):
            self._courses.setdefault(lane, []).append(expected)

    def follow(self, step: Step) -> None:
        """Keep games that have ended."""
        if not step.ended.any():
            return
        feedback = list(step.feedback.values())
        for lane in np.flatnonzero(step.ended).tolist():
            course = np.array(self._courses.pop(lane, []))
            goals = np.array([one.goal[lane] for one in feedback], np.int64)
            if feedback[0].truncated[lane] or not len(course):
                continue
            self._goals.append(goals / 100)
            self._turns.append(len(course))
            winners = np.flatnonzero(outcomes(goals[:, None])[:, 0] == WON)
            if len(goals) > 1 and len(winners):
                self._drama.append(find_drama(course, winners))

    def sum_up(self, depth: float) -> Measures:
        """Return the measures of all games that were watched."""
        goals = np.array(self._goals)
        means = goals.mean(axis=0)
        turns = float(np.mean(self._turns))
        choices = self._choices / max(1, self._decisions)
        drama = float(np.mean(self._drama)) if self._drama else 0.0
        return Measures(
            balance=1 - float(means.max() - means.min()),
            decisiveness=float((goals.max(axis=1) > goals.min(axis=1)).mean()),
            drama=min(1.0, drama / _MOST_DRAMA),
            depth=depth,
            length=_suits(turns, _TURNS),
            branching=_suits(choices, _CHOICES),
            turns=turns,
            choices=choices,
        )


def find_drama(course: NDArray[np.float64], winners: NDArray[np.intp]) -> float:
    """Return the mean over positions of the root of how far the winners were behind.

    - course: positions by players, what each can expect [0 to 1]
    """
    others = np.setdiff1d(np.arange(course.shape[1]), winners)
    behind = course[:, others].max(axis=1) - course[:, winners].min(axis=1)
    return float(np.sqrt(np.maximum(behind, 0)).mean())


def _suits(value: float, scale: tuple[float, float, float, float]) -> float:
    """Return how well a number suits people: 0 outside of a scale, 1 in its middle."""
    return float(np.interp(value, scale, (0.0, 1.0, 1.0, 0.0)))
