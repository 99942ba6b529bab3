"""Players that benchmark/learning.py measures beside plain networks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gdl_agents.learning.dqn.model import Model, values_of
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.players.random import RandomAgent
from gdl_agents.search.players.tactical import TacticalAgent
from gdl_env.environment.bits import Bits
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Illegal, Options
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question
from gdl_env.language.game import Game


class RuledAgent(TacticalAgent):
    """A network with two rules: takes a win, blocks a loss; among what they allow, the network."""

    name = 'ruled'

    def __init__(self, model: Model) -> None:
        super().__init__('')
        self._network = NetworkAgent(model)

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Get both ready."""
        super().begin(info, roles, seed)
        self._network.begin(info, roles, seed)

    def choose(self, question: Question) -> Answer:
        """Ask the network about the moves that the rules leave."""
        assert question.legal is not None
        lanes = np.flatnonzero(question.to_move)
        task = self._task(question, lanes, 0, 0.0)
        choices = self.evaluate_moves(task)
        mask = np.zeros((question.lanes, question.legal.size), np.bool_)
        mask[task.lanes[choices.lane], self.table.actions_of(choices.row)] = True
        return self._network.choose(replace(question, legal=Bits.pack(mask)))


def measure_legality(game: Game, model: Model, games: int, seed: int) -> dict[str, Any]:
    """Let a network choose among all actions, legal or not; an illegal one ends the game.

    Returns wins, draws, losses and games ended by an illegal move, and the share of legal choices.
    """
    network = model.build().eval()
    found: dict[str, Any] = {'scores': {}}
    decisions = legal = 0
    lane_game = open_lanes(game, 100)
    for role in map(str, lane_game.players):
        environment = Environment(lane_game, Options(100, seed, games, illegal=Illegal.END))
        other = RandomAgent()
        other.begin(environment.info(), environment.roles, seed)
        while not environment.is_finished:
            answers = {}
            for question in environment.questions(only_decisions=True):
                if question.role != role:
                    answers[question.role] = other.choose(question)
                    continue
                lanes = np.flatnonzero(question.to_move)
                seen = model.seen(question).observation
                assert seen is not None and question.legal is not None
                values = values_of(network, seen.unpack()[lanes], model.support)
                action = np.full(question.lanes, NO_ACTION, np.int32)
                action[lanes] = values.argmax(axis=1)
                decisions += len(lanes)
                legal += int(question.legal.unpack()[lanes, action[lanes]].sum())
                answers[role] = Answer(question.tick, role, 'network', action=action)
            environment.step(answers)
        tally = environment.tallies[role]
        ended = environment.tallies.unscored
        counts = {'wins': tally.wins, 'draws': tally.draws, 'losses': tally.losses}
        found['scores'][role] = {'games': tally.scored + ended, **counts, 'illegal': ended}
    lane_game.close()
    return {**found, 'legal_share': legal / decisions}
