"""Plays what `gdl solve` has found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.players.answering import answer_with_actions, answer_with_text
from gdl_agents.solving.playing.solution_folder import STRATEGY, SolutionFolder
from gdl_agents.solving.playing.strategy_player import StrategyPlayer
from gdl_agents.solving.playing.value_player import ValuePlayer
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.language.load import game_from_text


class SolvedAgent(Agent):
    """Plays from the folder of a solution: `solved:runs/kuhn_poker/solved-1`.

    In a game with a strategy it draws from it, by (seed, role, tick, lane); in an open game it
    takes any of the moves that keep the value of the state.
    """

    name = 'solved'

    def __init__(self, detail: str) -> None:
        """Open the folder. Raises AgentError or SolvingError."""
        if not detail:
            raise AgentError('agent solved needs a solution: solved:runs/GAME/solved-1')
        self._folder = SolutionFolder.open(detail)
        self._summary = self._folder.read_summary()
        self._arrays = self._folder.read_arrays(self._summary.kind)
        self._players: dict[str, StrategyPlayer | ValuePlayer] = {}
        self._seed = 0

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Look whether this is the game. Raises AgentError if it is another."""
        summary = self._summary
        if not info.rules:
            raise AgentError(
                f'the match of {info.name} keeps its rules back: {self.name} cannot'
                ' tell whether they are those that were solved'
            )
        if game_from_text(info.rules, info.name).hash != summary.rules_hash:
            raise AgentError(
                f'{self._folder.path} solves {summary.game}, and the rules of {info.name} differ'
            )
        if summary.kind == STRATEGY and info.turn != summary.turn:
            raise AgentError(
                f'{self._folder.path} was solved with turn rule {summary.turn!r}, and the match'
                f' goes by {info.turn!r}'
            )
        self._seed = seed
        self._players = {role: self._open_player(info, role) for role in roles}

    def _open_player(self, info: MatchInfo, role: str) -> StrategyPlayer | ValuePlayer:
        if self._summary.kind == STRATEGY:
            return StrategyPlayer(self._arrays, self._summary.roles.index(role))
        return ValuePlayer(self._arrays, info, role)

    def choose(self, question: Question) -> Answer:
        """Draw a move in every lane that has a decision."""
        action = self._players[question.role].draw(question, self._seed)
        if question.legal is None:
            return answer_with_text(question, self.name, int(action[0]))
        return answer_with_actions(question, self.name, action)

    def policy(self, question: Question) -> NDArray[np.float64]:
        """Return the probabilities it draws by."""
        return self._players[question.role].policy(question)

    def notice(self, question: Question) -> None:
        """Keep track of what is shown while others decide."""
        self._players[question.role].follow(question)

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember what was played."""
        self._players[question.role].note_played(question, action)

    @property
    def blind(self) -> int:
        """Return the decisions so far at which the solution had nothing to say."""
        return sum(player.blind for player in self._players.values())

    def report_status(self) -> dict[str, int]:
        """Return the decisions so far, and those of them that were drawn at random."""
        if self._summary.kind != STRATEGY:
            return {}
        made = sum(player.decisions for player in self._players.values())
        return {'hidden_decisions': made, 'blind_decisions': self.blind}
