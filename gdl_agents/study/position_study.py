"""Rates positions of one open game by an agent of one's choice."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

import numpy as np

from gdl_agents.errors import AgentError
from gdl_agents.registry import open_agent
from gdl_agents.search.game.match_table import open_table
from gdl_agents.search.players.alphabeta import AlphaBetaAgent
from gdl_agents.search.players.mcts import MctsAgent
from gdl_agents.search.players.task import SearchTask
from gdl_agents.study.agent_position import AgentPosition
from gdl_agents.study.alphabeta_position import AlphaBetaPosition
from gdl_agents.study.ratings import StudiedPosition
from gdl_agents.study.tree_position import TreePosition
from gdl_env.engine.batch.contract import States
from gdl_env.engine.contract import NATURE, State
from gdl_env.engine.mapping import Encoding, EncodingError, open_encoding
from gdl_env.environment.match_info import describe_game
from gdl_env.language.game import Game, Information

# Decides all chance: a position is rated alike each time.
_SEED = 1


class PositionStudy:
    """Opens positions of a game; whose turn it is is asked as searchers ask it."""

    def __init__(
        self,
        game: Game,
        agent: str = 'mcts',
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Raise AgentError if the game hides something, or the agent cannot play it."""
        if game.information is not Information.COMPLETE:
            raise AgentError(f'{game.name} hides facts: its positions cannot be rated alone')
        encoding: Encoding | None
        try:
            encoding = open_encoding(game)
        except EncodingError:
            encoding = None
        players = tuple(role for role in game.roles if role != NATURE)
        info = describe_game(game, encoding, players)
        self._clock = clock
        self._table = open_table(info)
        self._agent = open_agent(agent)
        self._agent.begin(info, info.roles, _SEED)
        # What is compiled on first use is not counted as thinking.
        rules = self._table.rules
        first = self.open(rules.to_state(rules.initial))
        if isinstance(first, TreePosition):
            first.warm_up()

    def open(self, state: State) -> StudiedPosition | None:
        """Begin with a state; None where no role has a choice."""
        rules = self._table.rules
        row = rules.from_state(state)
        mover = self._find_mover(row)
        if mover < 0:
            return None
        task = SearchTask(
            rules,
            mover,
            lanes=np.zeros(1, np.intp),
            episode=np.ones(1, np.uint64),
            states=row,
            owner=np.zeros(1, np.int64),
            weight=np.ones(1),
            key=_SEED,
            deadline=float('inf'),
            clock=self._clock,
            turns=self._table.turns,
        )
        if isinstance(self._agent, MctsAgent):
            return TreePosition(self._agent, task)
        if isinstance(self._agent, AlphaBetaAgent):
            return AlphaBetaPosition(self._agent, task)
        return AgentPosition(self._agent, self._table, task)

    def close(self) -> None:
        """End the agent."""
        self._agent.end()

    def _find_mover(self, row: States) -> int:
        """Return the role whose choice is rated; -1 where the game is over or chance decides."""
        rules = self._table.rules
        look = rules.look(row)
        chances = self._table.turns.find_chances(rules, look)[0]
        players = np.array(rules.players)
        # Where all move together, those who can only pass have nothing to choose.
        weight = chances[players] * np.where(look.counts()[0, players] > 1, 2, 1)
        return int(players[weight.argmax()]) if weight.max(initial=0.0) > 0 else -1
