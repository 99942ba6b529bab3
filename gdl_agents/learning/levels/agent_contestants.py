"""Players of any algorithm in a round robin, each of them an agent of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.players.draws import derive_seed, question_key
from gdl_agents.players.picking import pick_random
from gdl_agents.players.weakening import weaken
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question


class AgentContestants:
    """Asks the agent of each lane; a share of the moves is random."""

    def __init__(
        self, agents: Sequence[Agent | None], epsilon: Sequence[float], *, remembers: bool
    ) -> None:
        """Take agents, None for random play, and the share of random moves of each."""
        self._agents = agents
        self._epsilon = np.array(epsilon)
        self.remembers = remembers
        self._seed = 0

    def begin(self, info: MatchInfo, seed: int) -> None:
        """Begin the match for all agents."""
        self._seed = seed
        for number, agent in enumerate(self._agents):
            if agent is not None:
                agent.begin(info, info.roles, derive_seed(seed, f'player {number}'))

    def answer(self, question: Question, player: NDArray[np.int64]) -> Answer:
        """Answer for the player of each lane."""
        key = question_key(self._seed, question.role, question.tick)
        action = pick_random(question, key)
        for number, agent in enumerate(self._agents):
            mine = question.to_move & (player == number)
            if agent is None:
                continue
            asked = replace(question, to_move=mine)
            if not mine.any():
                if self.remembers:
                    agent.notice(asked)
                continue
            chosen = agent.choose(asked).action
            assert chosen is not None
            action[mine] = chosen[mine]
        action = weaken(question, action, self._epsilon[player], self._seed)
        if self.remembers:
            for number, agent in enumerate(self._agents):
                if agent is not None:
                    own = np.where(player == number, action, NO_ACTION).astype(np.int32)
                    agent.note_played(question, own)
        return Answer(question.tick, question.role, 'round robin', action)
