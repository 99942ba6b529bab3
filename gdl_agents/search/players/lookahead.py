"""Looks two moves ahead: wins at once if it can, does not let others win at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from gdl_agents.search.belief.consequences import (
    Moves,
    Replies,
    any_of,
    draw_replies,
    evaluate_in_parts,
)
from gdl_agents.search.belief.sampling import sample_states
from gdl_agents.search.players.options import Value
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.players.task import BestMoves, SearchTask

# The number of possible states that are examined in a game that hides something.
_STATES = 64


class LookaheadAgent(SearchAgent):
    """Picks a move that wins at once, if any; else one after which no other player can win next.

    If there is no such move, any legal move. Where others move at the same time, or chance does, a
    move wins only if it does so whatever they do; partners, who have the same goal, do their best.
    With `depth=1` it does not look at what others can do.
    """

    name = 'lookahead'
    defaults: ClassVar[Mapping[str, Value]] = {'depth': 2}

    def evaluate_moves(self, task: SearchTask) -> BestMoves:
        """Sort out moves by what they lead to at once, and by what others can do next."""
        if not task.is_exact:
            return self._evaluate_likely(sample_states(task, _STATES))
        return evaluate_in_parts(task, self._evaluate)

    def _evaluate_likely(self, task: SearchTask) -> BestMoves:
        """Take the moves with the best chance to win at once, less that to lose by then or next.

        What others do next is drawn.
        """
        chance = np.random.Generator(np.random.Philox(key=task.key))
        others = task.opponents

        def evaluate(part: SearchTask) -> BestMoves:
            moves = Moves(part)
            value = moves.share(moves.won[:, task.role]) - moves.share(any_of(moves.won, others))
            if self.options['depth'] != 1:
                won = draw_replies(moves, chance)
                value += 0.5 * moves.share(won[:, task.role])
                value -= moves.share(any_of(won, others))
            best = np.full(len(part.lanes), -np.inf)
            np.maximum.at(best, moves.lane, value)
            return moves.choose(value >= best[moves.lane] - 1e-9)

        return evaluate_in_parts(task, evaluate)

    def _evaluate(self, task: SearchTask) -> BestMoves:
        moves = Moves(task)
        wins = moves.are_certain(moves.won[:, task.role])
        if self.options['depth'] == 1:
            return moves.choose(wins)
        others = task.opponents
        lost = any_of(moves.won, others)
        replies = Replies(moves)
        loses = moves.any(lost | replies.any(any_of(replies.won, others)))
        return moves.choose(wins, ~loses)
