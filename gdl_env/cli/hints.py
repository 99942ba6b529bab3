"""Hints: what another agent would do."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.players.lane_view import view_lane
from gdl_env.cli.seats import SeatedAgent, open_named
from gdl_env.environment.protocol import MatchInfo, Question
from gdl_env.errors import GdlError


class Hints:
    """Asks an agent, which is opened for the first hint."""

    def __init__(self, text: str, info: MatchInfo, roles: tuple[str, ...]) -> None:
        self._text = text
        self._info = info
        self._roles = roles
        self._seat: SeatedAgent | None = None

    def advise(self, question: Question) -> str:
        """Return what the agent would play, or why there is no hint."""
        try:
            return f'{self._text} would play {self._choose(question)}'
        except GdlError as error:
            return f'no hint: {error}'

    def _choose(self, question: Question) -> str:
        if self._seat is None:
            agent: Agent = open_named(self._text)
            seat = SeatedAgent(self._text, agent, self._roles)
            seat.call(partial(agent.begin, self._info, self._roles, 0))
            self._seat = seat
        choose = self._seat.agent.choose
        answer = self._seat.call(partial(choose, replace(question, time_left=0.0)))
        if answer.action is None:
            return answer.moves[0]
        view = view_lane(self._info, question, 0)
        action = int(answer.action[0])
        if action not in view.actions:
            raise AgentError(f'{self._text} answered illegally')
        return view.moves[view.actions.index(action)]
