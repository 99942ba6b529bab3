"""Ticks in which agents play, and some lanes repeat what was played before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.bits import Bits
from gdl_env.environment.decision_batch import DecisionBatch, TickArrays
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Mask
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question


class SeatedPlay:
    """Agents on all seats of an environment whose lanes all begin at the same time.

    Use it as a context: agents begin and end with it.
    """

    def __init__(
        self,
        environment: Environment,
        info: MatchInfo,
        seats: Mapping[str, Agent],
        forced: NDArray[np.int32],
        seed: int,
    ) -> None:
        """Seat the agents.

        - forced: (steps, players, lanes) what is played whatever agents say; NO_ACTION for nothing
        """
        self._environment = environment
        self._info = info
        self._seats = seats
        self._forced = forced
        self._seed = seed
        self._tick = 0
        # By identity: agents have no equality of their own, and need none.
        self._agents = {id(agent): agent for agent in seats.values()}
        self._with_text = any(agent.wants_text for agent in self._agents.values())

    def __enter__(self) -> SeatedPlay:
        for key, agent in self._agents.items():
            roles = tuple(role for role, one in self._seats.items() if id(one) == key)
            agent.begin(self._info, roles, derive_seed(self._seed, ' '.join(roles)))
        return self

    def __exit__(self, *error: object) -> None:
        for agent in self._agents.values():
            agent.end()

    def __call__(
        self, batch: DecisionBatch, mask: Mask | None
    ) -> tuple[TickArrays, NDArray[np.int32]]:
        """Play a tick: it is the step of all lanes that play."""
        environment = self._environment
        answers = {}
        for question in environment.questions(with_text=self._with_text):
            agent = self._seats[question.role]
            if question.is_decision:
                answers[question.role] = self._answer(agent, question, mask)
            else:
                agent.notice(question)
        self._tick += 1
        played = environment.step(answers, mask)
        for role, agent in self._seats.items():
            if agent.wants_feedback:
                agent.learn(played.feedback[role])
        tick = played.arrays
        return tick, tick.result.action[batch.player, batch.lane].copy()

    def _answer(self, agent: Agent, question: Question, mask: Mask | None) -> Answer:
        asked = question.to_move if mask is None else question.to_move & mask
        forced = np.full(question.lanes, NO_ACTION, np.int32)
        if self._tick < len(self._forced):
            player = self._environment.roles.index(question.role)
            forced = np.where(asked, self._forced[self._tick, player], NO_ACTION)
        if not self._environment.hides_moves:
            # Players of open games need not be asked about moves that are forced. Others are: what
            # they know depends on all that they were asked and did.
            asked = asked & (forced == NO_ACTION)
        narrow = _narrow(question, asked)
        if not asked.any():
            agent.notice(narrow)
            return Answer(question.tick, question.role, agent.name, action=forced)
        answer = agent.choose(narrow)
        if (forced == NO_ACTION).all():
            return answer
        agent.note_played(narrow, np.where(asked, forced, NO_ACTION).astype(np.int32))
        return _replace_actions(answer, forced)


def _narrow(question: Question, asked: Mask) -> Question:
    """Return a question that asks in some lanes only."""
    if (asked == question.to_move).all():
        return question
    legal = question.legal
    if legal is not None:
        legal = Bits(np.where(asked[:, None], legal.data, np.uint8(0)), legal.size)
    return replace(question, to_move=asked, legal=legal)


def _replace_actions(answer: Answer, forced: NDArray[np.int32]) -> Answer:
    """Return an answer with what is forced in some lanes."""
    if answer.action is None:
        # Text is for a single lane.
        return replace(answer, action=forced, moves=())
    action = np.where(forced != NO_ACTION, forced, answer.action).astype(np.int32)
    return replace(answer, action=action, preference=None)
