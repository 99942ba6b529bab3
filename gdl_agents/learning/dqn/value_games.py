"""Games of learners of values against their opponents, in the lanes of an environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gdl_agents.learning.dqn.value_decider import ValueDecider
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.training.config import WATCHED, TrainingConfig
from gdl_agents.learning.training.opponents import Opponents, merge
from gdl_agents.learning.training.seats import Seats
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Illegal, Options
from gdl_env.environment.protocol import NO_ACTION, Answer, Question
from gdl_env.environment.step import Step


def make_value_options(config: TrainingConfig, lanes: int, seed: int) -> Options:
    """Return the options of a match that learners of values play."""
    return Options(
        lanes,
        seed,
        max_steps=config.max_steps,
        illegal=Illegal(config.illegal),
        reward=config.reward,
        turn=config.turn,
    )


class ValueGames:
    """Lets learners and opponents answer, each for its lanes."""

    def __init__(
        self,
        environment: Environment,
        config: TrainingConfig,
        learned: tuple[str, ...],
        players: Mapping[str, ValueDecider],
        opponents: Opponents,
    ) -> None:
        """Take seats; `players` are those of the learned roles.

        Raises ConfigError where opponents read text, in more than one lane.
        """
        self.environment = environment
        self.opponents = opponents
        self.seats = Seats(learned, together=config.mode == 'together')
        self._players = players
        is_zero_sum = any(player.is_zero_sum for player in players.values())
        self._watches = config.watch and (config.mode in WATCHED or is_zero_sum)
        self._with_text = opponents.wants_text
        if self._with_text and config.lanes > 1:
            raise ConfigError(f'{config.mode} plays by text: set lanes to 1')

    def tick(self) -> Step:
        """Play a tick."""
        environment = self.environment
        answers = {}
        for question in environment.questions(only_decisions=True, with_text=self._with_text):
            answers[question.role] = self._answer(question)
        return environment.step(answers)

    def sum_rewards(self, step: Step) -> float:
        """Return what learners got in a tick."""
        total = 0.0
        for role in self._players:
            feedback = step.feedback[role]
            mine = self.seats.is_learner(role, feedback.episode)
            total += float(feedback.reward[mine].sum())
        return total

    def _answer(self, question: Question) -> Answer:
        mine = self.seats.mine(question)
        others = question.to_move & ~mine
        player = self._players.get(question.role)
        if player is not None and not others.any():
            return player.observe(question)
        asked = replace(question, to_move=others)
        answer = self.opponents.answer(asked)
        if self._watches and answer.action is not None and player is not None:
            player.watch(asked, answer.action)
        if player is None or not mine.any():
            return answer
        own = player.observe(replace(question, to_move=mine))
        nothing = np.full(question.lanes, NO_ACTION, np.int32)
        return replace(own, action=merge(mine, own, merge(others, answer, nothing)))
