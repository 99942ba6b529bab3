"""Many players of one run against each other at the same time: each lane plays another pairing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer, Feedback, MatchInfo, Question


class Contestants(Protocol):
    """Players with numbers, who are asked together."""

    # Whether they want to see questions in which they have nothing to decide.
    remembers: bool

    def begin(self, info: MatchInfo, seed: int) -> None:
        """Get ready for matches in lanes; draws depend on the seed."""

    def answer(self, question: Question, player: NDArray[np.int64]) -> Answer:
        """Answer for the player of each lane."""


@dataclass(frozen=True)
class LanePairing:
    """A contestant on one seat, and another on all others: by their numbers."""

    one: int
    two: int
    role: str


@dataclass(frozen=True)
class PairingGoals:
    """Mean goals of both over all games of a pairing; games that were broken off count 50."""

    own: float
    others: float
    # Games that were played: fewer than wanted, or none, if time was short.
    games: int


class RoundRobin:
    """Plays pairings in lanes."""

    def __init__(self, lanes: Lanes, contestants: Contestants, max_steps: int, turn: str) -> None:
        self._lanes = lanes
        self._contestants = contestants
        self._max_steps = max_steps
        self._turn = turn
        self._roles = tuple(map(str, lanes.players))

    def play(
        self, pairings: Sequence[LanePairing], games: int, seed: int, seconds: float = inf
    ) -> list[PairingGoals]:
        """Play so many games of each pairing; the same seed gives the same games.

        After some seconds no more games begin; after twice that, games are dropped. Pairings take
        turns, so all of them have as many games then, but for one.
        """
        begun = monotonic()
        lanes = self._lanes.lanes
        # Lanes play several games one after the other; those beyond the last do not count.
        wanted = len(pairings) * games
        episodes = -(-wanted // lanes)
        options = Options(lanes, seed, max_steps=self._max_steps, turn=self._turn, episodes=0)
        environment = Environment(self._lanes, options)
        self._contestants.begin(environment.info(), seed)
        only_decisions = not self._contestants.remembers
        goals = np.zeros((len(pairings), 2))
        counts = np.zeros(len(pairings))
        done = np.zeros(lanes, np.int64)
        one, two = (np.array([getattr(p, name) for p in pairings]) for name in ('one', 'two'))
        seat = np.array([self._roles.index(p.role) for p in pairings])
        while (active := done < episodes).any():
            spent = monotonic() - begun
            if spent > 2 * seconds:
                break
            pairing = _pairing_of(environment.episode, lanes, len(pairings))
            answers = {}
            for question in environment.questions(only_decisions=only_decisions):
                mine = seat[pairing] == self._roles.index(question.role)
                player = np.where(mine, one[pairing], two[pairing])
                asked = replace(question, to_move=question.to_move & active)
                answer = self._contestants.answer(asked, player)
                if question.is_decision:
                    answers[question.role] = answer
            feedback = environment.step(answers, None if active.all() else active).feedback
            over = feedback[self._roles[0]].is_over & active
            game = (np.arange(lanes) + done * lanes)[over]
            counted = np.flatnonzero(over)[game < wanted]
            self._add(feedback, pairing, seat, counted, goals)
            np.add.at(counts, pairing[counted], 1)
            done[over] = episodes if spent > seconds else done[over] + 1
        means = goals / np.maximum(counts, 1)[:, None]
        return [
            PairingGoals(float(own), float(others), int(count))
            for (own, others), count in zip(means, counts, strict=True)
        ]

    def _add(
        self,
        feedback: Mapping[str, Feedback],
        pairing: NDArray[np.int64],
        seat: NDArray[np.int64],
        lanes: NDArray[np.int64],
        goals: NDArray[np.float64],
    ) -> None:
        """Add the goals of games that ended in some lanes."""
        if not len(lanes):
            return
        paid = np.array([feedback[role].goal[lanes] for role in self._roles], np.float64)
        truncated = np.array([feedback[role].truncated[lanes] for role in self._roles])
        paid = np.where(truncated | (paid < 0), 50.0, paid)
        place = seat[pairing[lanes]]
        own = paid[place, np.arange(len(lanes))]
        others = (paid.sum(axis=0) - own) / max(1, len(self._roles) - 1)
        np.add.at(goals[:, 0], pairing[lanes], own)
        np.add.at(goals[:, 1], pairing[lanes], others)


def _pairing_of(episode: NDArray[np.uint64], lanes: int, count: int) -> NDArray[np.int64]:
    """Return which pairing each lane plays now: they come round from game to game."""
    first = (episode.astype(np.int64) - 1) * lanes + np.arange(lanes)
    return np.asarray(first % count, np.int64)
