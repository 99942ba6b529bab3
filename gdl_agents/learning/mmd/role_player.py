"""Plays one role by a policy that remembers, in all lanes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
import torch

from gdl_agents.errors import AgentError
from gdl_agents.learning.mmd.networks import PolicyNetwork, log_policy
from gdl_agents.learning.mmd.seen import SeenViews
from gdl_agents.players.draws import LaneDraws, question_key
from gdl_env.environment.protocol import NO_ACTION, Question

# A question that was not asked.
_NONE = -1


class RolePlayer:
    """Follows what a role sees and does, and says how likely its moves are."""

    def __init__(self, network: PolicyNetwork, player: int) -> None:
        """Begin a match; `player` is the place of the role among all."""
        self._network = network
        self._player = player
        self._seen: SeenViews | None = None
        self._episode = np.zeros(0, np.uint64)
        # Of the question that was followed last.
        self._tick = _NONE
        self._likely = np.zeros((0, 0))

    def follow(self, question: Question) -> None:
        """Take in what is shown in every lane. Raises AgentError without vectors."""
        if question.observation is None or question.legal is None:
            raise AgentError(f'role {question.role}: without vectors there is nothing to go by')
        data = question.observation.data
        if self._seen is None:
            self._seen = SeenViews(len(data), data.shape[1])
            self._memory = torch.zeros(len(data), self._network.state_size)
            self._episode = question.episode.copy()
        if question.is_decision and question.tick == self._tick:
            # Asked again.
            return
        if self._network.only_decisions and not question.is_decision:
            return
        began = question.episode != self._episode
        self._seen.begin(began)
        self._memory[torch.from_numpy(began)] = 0
        self._episode = question.episode.copy()
        lanes = self._seen.find_news(
            data, question.to_move, only_decisions=self._network.only_decisions
        )
        legal = question.legal.unpack()
        self._likely = np.zeros(legal.shape)
        if question.is_decision:
            self._tick = question.tick
        if not len(lanes):
            return
        where = torch.from_numpy(lanes)
        with torch.no_grad():
            observation = torch.from_numpy(question.observation.unpack()[lanes]).float()
            last = torch.from_numpy(self._seen.take_last(lanes))
            player = torch.full((len(lanes),), self._player)
            inputs = self._network.make_inputs(observation, last, player)
            logits, memory = self._network.advance(inputs, self._memory[where])
            likely = log_policy(logits.double(), torch.from_numpy(legal[lanes])).exp()
        self._memory[where] = memory
        self._likely[lanes] = likely.numpy()
        self._likely[~question.to_move] = 0

    def policy(self, question: Question) -> NDArray[np.float64]:
        """Return how likely each action is, in the lanes that decide."""
        self.follow(question)
        return self._likely

    def draw(self, question: Question, seed: int) -> NDArray[np.int32]:
        """Draw an action in every lane that decides, by (seed, role, tick, lane)."""
        likely = self.policy(question)
        key = question_key(seed, question.role, question.tick, question.first_lane)
        marks = LaneDraws(key, np.arange(question.lanes)).random(question.lanes)
        sums = likely.cumsum(axis=1)
        # The first action whose sum is above the mark; never one that is not legal.
        place = (sums <= (marks * sums[:, -1])[:, None]).sum(axis=1)
        action = np.where(question.to_move, place, NO_ACTION).astype(np.int32)
        self.note_played(action)
        return action

    def note_played(self, action: NDArray[np.int32]) -> None:
        """Remember what the role did."""
        if self._seen is not None:
            self._seen.last[action >= 0] = action[action >= 0]
