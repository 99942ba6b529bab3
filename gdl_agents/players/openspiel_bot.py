"""Bots of OpenSpiel as agents: `openspiel:uniform_random`, `openspiel:mcts,simulations=200`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.players.answering import answer_with_actions
from gdl_agents.players.draws import question_key
from gdl_agents.search.game.match_table import open_table
from gdl_agents.search.players.options import Value, read_options
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question
from gdl_env.language.game import Information

if TYPE_CHECKING:
    from gdl_env.adapters.openspiel import SpielGame

BOTS: Mapping[str, Mapping[str, Value]] = {
    'uniform_random': {},
    'first_action': {},
    'mcts': {'simulations': 100, 'c': 2.0},
}


class OpenSpielAgent(Agent):
    """Asks a bot of OpenSpiel: `uniform_random`, `first_action`, or `mcts` in open games."""

    name = 'openspiel'

    def __init__(self, detail: str) -> None:
        """Read the name of the bot and its options. Raises AgentError."""
        bot, _, options = detail.partition(',')
        if bot not in BOTS:
            raise AgentError(f'openspiel has no bot {bot!r} for us; bots: {", ".join(BOTS)}')
        self._bot = bot
        self._options = read_options(f'openspiel:{bot}', options, BOTS[bot])
        self._seed = 0

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the rules. Raises AgentError if the bot must see a state that is hidden."""
        from gdl_env.adapters.openspiel import load_game

        self._table = open_table(info)
        game = self._table.game
        if self._bot == 'mcts' and game.information is not Information.COMPLETE:
            raise AgentError(
                f'{info.name} hides something, and mcts of openspiel must see the whole state'
            )
        self._game: SpielGame = load_game(game)
        self._seed = seed

    def choose(self, question: Question) -> Answer:
        """Ask the bot in every lane that has a decision. Raises AgentError without vectors."""
        if question.legal is None:
            raise AgentError(f'{self._table.game.name} has no action table, which openspiel needs')
        action = np.full(question.lanes, NO_ACTION, np.int32)
        key = question_key(self._seed, question.role, question.tick)
        for lane in np.flatnonzero(question.to_move).tolist():
            legal = np.flatnonzero(question.legal.row(lane)).tolist()
            action[lane] = self._ask(question, lane, legal, (key + lane) % 2**32)
        return answer_with_actions(question, self.name, action)

    def _ask(self, question: Question, lane: int, legal: list[int], seed: int) -> int:
        if self._bot == 'first_action':
            return legal[0]
        chance = np.random.RandomState(seed)
        if self._bot == 'uniform_random':
            return int(chance.choice(legal))
        from open_spiel.python.algorithms import mcts

        table = self._table
        row = table.read(table.role(question.role), question, np.array([lane]))
        state: Any = self._game.state_at(table.rules.to_state(row[0]))
        bot = mcts.MCTSBot(
            self._game,
            float(self._options['c']),
            int(self._options['simulations']),
            mcts.RandomRolloutEvaluator(1, chance),
            random_state=chance,
        )
        return int(bot.step(state))
