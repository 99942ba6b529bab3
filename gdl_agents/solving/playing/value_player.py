"""Plays an open game by the exact values of its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.players.draws import question_key
from gdl_agents.search.game.expansion import expand
from gdl_agents.search.game.match_table import open_table
from gdl_agents.search.game.turns import let_move
from gdl_agents.solving.tree.frontier import NO_RESULT
from gdl_agents.solving.tree.row_index import RowIndex
from gdl_env.engine.batch.contract import States
from gdl_env.environment.protocol import NO_ACTION, MatchInfo, Question
from gdl_env.play.plain_chance import draw_below

_SAME = 1e-9


class ValuePlayer:
    """Plays one role: any of the moves after which the state is worth most to it."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], info: MatchInfo, role: str) -> None:
        """Open the game. Raises AgentError if the match keeps its rules back."""
        self._table = open_table(info)
        self._role = self._table.role(role)
        rules = self._table.rules
        self._index = RowIndex(rules.initial.shape[1])
        self._index.add(rules.import_states(arrays['states']))
        # For the player that is first in the rules; the other gets the rest of 100.
        self._value = arrays['value']
        self._is_first = self._role == rules.players[0]
        self.decisions = 0
        self.blind = 0

    def follow(self, question: Question) -> None:
        """Do nothing: all that matters is in the state."""

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Do nothing: all that matters is in the state."""

    def policy(self, question: Question) -> NDArray[np.float64]:
        """Return how likely each action is, in the lanes that decide."""
        size = len(question.legal_moves) if question.legal is None else question.legal.size
        found = np.zeros((question.lanes, size))
        lanes = np.flatnonzero(question.to_move)
        for lane, best in zip(lanes.tolist(), self._find_best(question, lanes), strict=True):
            found[lane, best] = 1.0 / len(best)
        return found

    def draw(self, question: Question, seed: int) -> NDArray[np.int32]:
        """Draw one of the best moves in every lane that decides."""
        key = question_key(seed, question.role, question.tick, question.first_lane)
        action = np.full(question.lanes, NO_ACTION, np.int32)
        lanes = np.flatnonzero(question.to_move)
        for lane, best in zip(lanes.tolist(), self._find_best(question, lanes), strict=True):
            self.decisions += 1
            action[lane] = best[draw_below(key, lane, len(best))]
        return action

    def _find_best(self, question: Question, lanes: NDArray[np.intp]) -> list[list[int]]:
        """Return the best moves of lanes, as actions, or places in the list of moves."""
        table, rules = self._table, self._table.rules
        states = table.read(self._role, question, lanes)
        look = rules.look(states)
        children = expand(rules, states, look, let_move(rules, look, self._role))
        worth = self._evaluate(children.states) * children.chance
        row = children.legal[:, self._role].astype(np.int64)
        keys, which = np.unique(children.parent << 32 | row, return_inverse=True)
        mean = np.bincount(which, worth) / np.bincount(which, children.chance)
        parent, rows = keys >> 32, (keys & 0xFFFFFFFF).astype(np.int32)
        found = []
        for lane in range(len(lanes)):
            own = parent == lane
            best = rows[own][mean[own] >= mean[own].max() - _SAME]
            if question.legal is not None:
                found.append(table.actions_of(best).tolist())
            else:
                texts = [str(rules.legal_move(int(one))[1]) for one in best]
                found.append([question.legal_moves.index(text) for text in texts])
        return found

    def _evaluate(self, states: States) -> NDArray[np.float64]:
        """Return what states are worth to the role; final ones are not in the table."""
        numbers = self._index.find(states)
        value = self._value[np.maximum(numbers, 0)].astype(np.float64)
        worth = value if self._is_first else 100.0 - value
        lost = numbers < 0
        if lost.any():
            goals = self._table.rules.goals(states[lost])[:, self._role].astype(np.float64)
            worth[lost] = np.where(goals < 0, NO_RESULT, goals)
        return worth
