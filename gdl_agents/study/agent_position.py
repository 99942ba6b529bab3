"""A position as an agent rates it that says what it thinks of its moves: what was learned."""

from __future__ import annotations

import numpy as np

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.players.asking import make_question
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.players.task import SearchTask
from gdl_agents.study.ratings import PositionRating, RatedMove


class AgentPosition:
    """Asks an agent once, and reads the preferences in its answer."""

    def __init__(self, agent: Agent, table: MatchTable, task: SearchTask) -> None:
        self._agent = agent
        self._table = table
        self._task = task

    def grow(self, seconds: float) -> bool:
        """Do nothing: such an agent knows all it knows."""
        return False

    def rate(self) -> PositionRating:
        """Return the moves by the values the agent gives them. Raises AgentError."""
        rules, table = self._task.rules, self._table
        role = rules.roles[self._task.role]
        _, rows = self._task.legal()
        moves = [rules.legal_move(row)[1] for row in rows.tolist()]
        seen = rules.to_state(self._task.states[0])
        question = make_question(table.mapping, role, seen, moves, is_asked=True)
        answer = self._agent.choose(question)
        scale = self._agent.preference_range(str(role))
        if answer.preference is None or scale is None:
            raise AgentError(
                f'{self._agent.name} does not say how good its moves are: choose mcts, alphabeta'
                ' or a trained run'
            )
        low, high = scale
        values = answer.preference[0][table.actions_of(rows)]
        shares = np.clip((values - low) / (high - low), 0.0, 1.0)
        rated = [
            RatedMove(str(move), float(share)) for move, share in zip(moves, shares, strict=True)
        ]
        rated.sort(key=lambda one: -one.value)
        return PositionRating(str(role), rated[0].value, False, tuple(rated))
