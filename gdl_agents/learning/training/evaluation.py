"""Matches in lanes between agents, and what they say about strength."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gdl_agents.agent import Agent
from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.players.draws import derive_seed
from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer, MatchInfo
from gdl_env.environment.score import Score
from gdl_env.environment.step import Step
from gdl_env.language.game import Game
from gdl_env.play.turn_names import ROTATE

# A broken-off game counts for nobody; this many steps are more than any sensible game has.
LONGEST = 1_000


class Watcher:
    """Watches matches of an arena; this one ignores what it sees."""

    def see(self, environment: Environment) -> None:
        """See the positions of all lanes before players are asked."""

    def follow(self, step: Step) -> None:
        """See how a tick went."""


@dataclass(frozen=True)
class SeatScore:
    """How an agent fared on a seat, and figures about its play (`Agent.report_status`)."""

    score: Score
    status: dict[str, int]


def seat_random(role: str) -> Agent:
    """Return a random player."""
    return RandomAgent()


def seat_agent(name: str, role: str) -> Agent:
    """Return the agent of this name."""
    return open_agent(name)


def _ignore(more: int) -> None:
    """Take how many more games are over, and do nothing."""


class Arena:
    """Lanes of a game that are kept open for matches."""

    def __init__(
        self,
        game: Game,
        lanes: int = 128,
        engine: str = 'auto',
        max_steps: int = LONGEST,
        turn: str = ROTATE,
        mapping: str = 'auto',
    ) -> None:
        self._opening = game, lanes, engine, max_steps, turn, mapping
        self._lanes = open_lanes(game, lanes, engine, mapping)
        self._max_steps = max_steps or LONGEST
        self._turn = turn
        self.info: MatchInfo = self._open(1, 0).info()

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles that are played by agents."""
        return self.info.roles

    def play(
        self,
        seats: Mapping[str, Agent],
        games: int,
        seed: int,
        advance: Callable[[int], None] = _ignore,
        watcher: Watcher | None = None,
    ) -> dict[str, Score]:
        """Play games with an agent on every seat; an agent may have several seats.

        The same agents, number and seed give the same games. `advance` is called with how many
        more games are over.
        """
        watcher = watcher or Watcher()
        environment = self._open(games, seed)
        # By identity: agents have no equality of their own, and need none.
        players = {id(agent): agent for agent in seats.values()}
        for key, agent in players.items():
            roles = tuple(role for role in self.roles if id(seats[role]) == key)
            agent.begin(environment.info(), roles, derive_seed(seed, ' '.join(roles)))
        # Without vectors, questions are text.
        is_text = self._lanes.mapping is None
        with_text = is_text or any(agent.wants_text for agent in players.values())
        done = 0
        while not environment.is_finished:
            watcher.see(environment)
            answers: dict[str, Answer] = {}
            for question in environment.questions(with_text=with_text):
                agent = seats[question.role]
                if question.is_decision:
                    answers[question.role] = agent.choose(question)
                else:
                    agent.notice(question)
            step = environment.step(answers)
            watcher.follow(step)
            for role, agent in seats.items():
                if agent.wants_feedback:
                    agent.learn(step.feedback[role])
            if environment.tallies.finished != done:
                advance(environment.tallies.finished - done)
                done = environment.tallies.finished
        for agent in players.values():
            agent.end()
        return {role: Score.of(environment.tallies[role]) for role in self.roles}

    def seat_in_turn(
        self,
        make: Callable[[str], Agent],
        games: int,
        seed: int,
        roles: tuple[str, ...] = (),
        make_other: Callable[[str], Agent] = seat_random,
        advance: Callable[[int], None] = _ignore,
        pool: JobPool | None = None,
        teams: Sequence[tuple[str, ...]] = (),
    ) -> dict[str, Score]:
        """Play on every seat in turn, against others (random players) on all other seats.

        Team-mates sit together: an agent takes all seats of its team. With a pool, workers play
        the seats at the same time, with the same result; what makes agents must then be a function
        of a module.
        """
        if pool is not None:
            found = self.seat_on_workers(
                pool, make, make_other, games, seed, roles, advance, teams
            )
            return {role: one.score for role, one in found.items()}
        return {
            role: self.play_seat(
                role, make, make_other, games, seed, advance, find_team(role, teams)
            )
            for role in roles or self.roles
        }

    def seat_on_workers(
        self,
        pool: JobPool,
        make: Callable[[str], Agent],
        make_other: Callable[[str], Agent],
        games: int,
        seed: int,
        roles: tuple[str, ...] = (),
        advance: Callable[[int], None] = _ignore,
        teams: Sequence[tuple[str, ...]] = (),
    ) -> dict[str, SeatScore]:
        """Play every seat on a worker."""
        matches = {role: find_team(role, teams) for role in roles or self.roles}
        waiting = {
            role: pool.submit(_play_seat, self._opening, role, team, make, make_other, games, seed)
            for role, team in matches.items()
        }
        found = {}
        for role, one in waiting.items():
            found[role] = one.result()
            advance(games)
        return found

    def play_seat(
        self,
        role: str,
        make: Callable[[str], Agent],
        make_other: Callable[[str], Agent],
        games: int,
        seed: int,
        advance: Callable[[int], None] = _ignore,
        team: tuple[str, ...] = (),
    ) -> Score:
        """Play on one seat, and those of its team, against others on all other seats."""
        own = team or (role,)
        seats = {seat: make(seat) if seat in own else make_other(seat) for seat in self.roles}
        return self.play(seats, games, derive_seed(seed, role), advance)[role]

    def close(self) -> None:
        """Release what is held."""
        self._lanes.close()

    def _open(self, games: int, seed: int) -> Environment:
        # A new one for each match, since ticks are counted on from match to match.
        options = Options(
            self._lanes.lanes, seed, games, max_steps=self._max_steps, turn=self._turn
        )
        return Environment(self._lanes, options)


def find_team(role: str, teams: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the team of a role; it alone, if it is in none."""
    return next((team for team in teams if role in team), (role,))


def count_games(scores: Mapping[str, Score]) -> int:
    """Return how many games were played on all seats."""
    return sum(score.games for score in scores.values())


def mean_reward(scores: Mapping[str, Score]) -> float:
    """Return the mean over seats."""
    return float(np.mean([score.reward for score in scores.values()]))


def _play_seat(
    opening: tuple[Game, int, str, int, str, str],
    role: str,
    team: tuple[str, ...],
    make: Callable[[str], Agent],
    make_other: Callable[[str], Agent],
    games: int,
    seed: int,
) -> SeatScore:
    """Play on one seat, on a worker."""
    arena = Arena(*opening)
    try:
        agent = make(role)
        before = agent.report_status()
        score = arena.play_seat(role, lambda seat: agent, make_other, games, seed, team=team)
    finally:
        arena.close()
    status = agent.report_status()
    return SeatScore(score, {name: n - before.get(name, 0) for name, n in status.items()})
