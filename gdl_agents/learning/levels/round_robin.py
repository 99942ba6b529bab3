"""Many players of one run against each other at the same time: each lane plays another pairing.

Players that are the same network, weakened differently, are asked in one pass: what differs are
the share of random moves and the temperature of each lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.model import Model, values_of
from gdl_agents.learning.dqn.policy import choose_actions
from gdl_agents.learning.networks import ValueNetwork
from gdl_agents.players.draws import question_key
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import NO_ACTION, Answer, Feedback, Question


@dataclass(frozen=True)
class Contestant:
    """A player: a model for each role it learned, and how it is weakened."""

    models: Mapping[str, Model]
    epsilon: float = 0.0
    # In units of reward.
    temperature: float = 0.0


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


class RoundRobin:
    """Plays pairings in lanes."""

    def __init__(self, lanes: Lanes, contestants: Sequence[Contestant], max_steps: int, turn: str):
        self._lanes = lanes
        self._contestants = contestants
        self._max_steps = max_steps
        self._turn = turn
        self._roles = tuple(map(str, lanes.players))
        self._epsilon = np.array([c.epsilon for c in contestants])
        self._temperature = np.array([c.temperature for c in contestants])
        self._networks: dict[int, ValueNetwork] = {}

    def play(self, pairings: Sequence[LanePairing], games: int, seed: int) -> list[PairingGoals]:
        """Play so many games of each pairing; the same seed gives the same games."""
        lanes = self._lanes.lanes
        # Lanes play several games one after the other; those beyond the last do not count.
        wanted = len(pairings) * games
        episodes = -(-wanted // lanes)
        options = Options(lanes, seed, max_steps=self._max_steps, turn=self._turn, episodes=0)
        environment = Environment(self._lanes, options)
        goals = np.zeros((len(pairings), 2))
        counts = np.zeros(len(pairings))
        done = np.zeros(lanes, np.int64)
        one, two = (np.array([getattr(p, name) for p in pairings]) for name in ('one', 'two'))
        seat = np.array([self._roles.index(p.role) for p in pairings])
        while (done < episodes).any():
            pairing = _pairing_of(environment.episode, lanes, len(pairings))
            answers = {}
            for question in environment.questions(only_decisions=True):
                mine = seat[pairing] == self._roles.index(question.role)
                player = np.where(mine, one[pairing], two[pairing])
                answers[question.role] = self._answer(question, player, seed)
            feedback = environment.step(answers).feedback
            over = feedback[self._roles[0]].is_over
            game = (np.arange(lanes) + done * lanes)[over]
            counted = np.flatnonzero(over)[game < wanted]
            self._add(feedback, pairing, seat, counted, goals)
            np.add.at(counts, pairing[counted], 1)
            done[over] += 1
        means = goals / np.maximum(counts, 1)[:, None]
        return [PairingGoals(float(own), float(others)) for own, others in means]

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

    def _answer(self, question: Question, player: NDArray[np.int64], seed: int) -> Answer:
        assert question.observation is not None and question.legal is not None
        key = question_key(seed, question.role, question.tick)
        chance = np.random.Generator(np.random.Philox(key=key))
        asked = np.flatnonzero(question.to_move)
        values = np.zeros((question.lanes, self._lanes.action_size), np.float32)
        unit = np.ones(question.lanes)
        models: dict[int, tuple[Model, list[int]]] = {}
        for number in np.unique(player[asked]):
            model = self._contestants[number].models.get(question.role)
            if model is not None and self._epsilon[number] < 1:
                models.setdefault(id(model), (model, []))[1].append(int(number))
        for model, numbers in models.values():
            rows = asked[np.isin(player[asked], numbers)]
            seen = model.seen(question).observation
            assert seen is not None
            values[rows] = values_of(self._network(model), seen.unpack()[rows], model.support)
            unit[rows] = model.value_unit
        # Without a model, moves are random.
        is_random = np.array([question.role not in c.models for c in self._contestants])
        epsilon = np.where(is_random, 1.0, self._epsilon)[player[asked]]
        temperature = (self._temperature[player] / unit)[asked]
        action = np.full(question.lanes, NO_ACTION, np.int32)
        legal = question.legal.unpack()[asked]
        action[asked] = choose_actions(values[asked], legal, epsilon, chance, temperature)
        return Answer(question.tick, question.role, 'round robin', action)

    def _network(self, model: Model) -> ValueNetwork:
        if id(model) not in self._networks:
            self._networks[id(model)] = model.build().eval()
        return self._networks[id(model)]


def _pairing_of(episode: NDArray[np.uint64], lanes: int, count: int) -> NDArray[np.int64]:
    """Return which pairing each lane plays now: they come round from game to game."""
    first = (episode.astype(np.int64) - 1) * lanes + np.arange(lanes)
    return np.asarray(first % count, np.int64)
