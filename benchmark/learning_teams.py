"""Games with teams that are found while they are played: who earns what, as re and as kontra."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.random import RandomAgent
from gdl_env.environment.protocol import NO_ACTION, NO_GOAL, Answer, Feedback, MatchInfo, Question
from gdl_env.environment.score import interval

RE, KONTRA = 're', 'kontra'
TEAMS = (RE, KONTRA)
# Where there are no teams.
ALL = 'all'

Row = dict[str, Any]


@dataclass
class Account:
    """What a seat got in the games in which it belonged to a team."""

    goals: list[int] = field(default_factory=list)

    def to_row(self) -> Row:
        """Return games, games won, points and their 95 % intervals; a goal is 50 + 2 points."""
        points = (np.array(self.goals) - 50) / 2
        half = 1.96 * points.std(ddof=1) / sqrt(len(points))
        won = int((points > 0).sum())
        return {
            'games': len(points),
            'won': won,
            'won_interval': interval(won, len(points)),
            'drawn': int((points == 0).sum()),
            'goal': float(np.mean(self.goals)),
            'goal_interval': [float(np.mean(self.goals) + 2 * sign * half) for sign in (-1, 1)],
            'points': float(points.mean()),
            'points_interval': [float(points.mean() + sign * half) for sign in (-1, 1)],
        }


class Witness(Agent):
    """Plays by another agent, and notes what its seat gets, in games of teams by its team."""

    wants_feedback = True
    name = 'witness'

    def __init__(self, player: Agent, accounts: dict[str, Account]) -> None:
        self._player = player
        self._accounts = accounts
        self._is_re = -1

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Find the place where the last state tells the team."""
        (role,) = roles
        sign = f'(side {role} {RE})'
        self._is_re = info.facts.index(sign) if sign in info.facts else -1
        self._player.begin(info, roles, seed)

    def choose(self, question: Question) -> Answer:
        """Let the player answer."""
        return self._player.choose(question)

    def notice(self, question: Question) -> None:
        """Let the player see it, too."""
        self._player.notice(question)

    def learn(self, feedback: Feedback) -> None:
        """Note the goals of games that ended."""
        lanes = np.flatnonzero(feedback.is_over)
        if not len(lanes):
            return
        assert feedback.final_observation is not None
        team = np.full(len(lanes), ALL)
        if self._is_re >= 0:
            is_re = feedback.final_observation.unpack()[:, self._is_re]
            team = np.where(is_re, RE, KONTRA)
        for goal, name in zip(feedback.goal[lanes], team, strict=True):
            if goal != NO_GOAL:
                self._accounts.setdefault(str(name), Account()).goals.append(int(goal))

    def end(self) -> None:
        """Let the player go."""
        self._player.end()


class TeamAgent(Agent):
    """Plays by an agent where its seat is of a team, and at random elsewhere.

    A seat goes by what it sees itself: its team or, before teams are shown, its queens of clubs.
    Who has no team yet, in a wedding, counts as kontra.
    """

    name = 'team'

    def __init__(self, player: Agent, team: str) -> None:
        self._player, self._other = player, RandomAgent()
        self._team = team
        self._signs: NDArray[np.int64] = np.empty(0, np.int64)

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Get both ready."""
        (role,) = roles
        hand = [f'(sees (hand clubs_queen {count}))' for count in (1, 2)]
        told = [f'(sees (team {role} {team}))' for team in TEAMS]
        self._signs = np.array([info.facts.index(fact) for fact in (*hand, *told)])
        self._player.begin(info, roles, seed)
        self._other.begin(info, roles, seed)

    def choose(self, question: Question) -> Answer:
        """Let each answer in its lanes."""
        assert question.observation is not None
        one, both, re, kontra = question.observation.unpack()[:, self._signs].T
        mine = np.where(re | kontra, re, one | both) == (self._team == RE)
        action = np.full(question.lanes, NO_ACTION, np.int32)
        for agent, lanes in ((self._player, mine), (self._other, ~mine)):
            asked = question.to_move & lanes
            if asked.any():
                answer = agent.choose(replace(question, to_move=asked))
                assert answer.action is not None
                action[asked] = answer.action[asked]
        return Answer(question.tick, question.role, self.name, action=action)


def play_alone(arena: Arena, make: Callable[[], Agent], games: int, seed: int) -> Row:
    """Return what a player gets among random ones: so many games on each seat."""
    accounts = seat_in_turn(arena, make, games, seed)
    return {team: account.to_row() for team, account in accounts.items()}


def seat_in_turn(
    arena: Arena, make: Callable[[], Agent], games: int, seed: int
) -> dict[str, Account]:
    """Let a player play on each seat among random ones; return its accounts by team."""
    accounts: dict[str, Account] = {}
    for number, role in enumerate(arena.roles):
        seats: dict[str, Agent] = {seat: RandomAgent() for seat in arena.roles}
        seats[role] = Witness(make(), accounts)
        arena.play(seats, games, seed + number)
    return accounts


def play_together(arena: Arena, make: Callable[[], Agent], games: int, seed: int) -> Row:
    """Return what players get who are a whole team, against random ones.

    A game is noted once, for the seat that is looked at: players of a team get the same.
    """
    found = {}
    for team in TEAMS:
        accounts = {each: Account() for each in TEAMS}
        for number, role in enumerate(arena.roles):
            seats: dict[str, Agent] = {seat: TeamAgent(make(), team) for seat in arena.roles}
            seats[role] = Witness(seats[role], accounts)
            arena.play(seats, games, seed + number)
        found[team] = accounts[team].to_row()
    return found
