"""Looks two moves ahead: wins at once if it can, does not let others win at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from gdl_agents.search.consequences import Moves, Replies, any_of, judge_parts
from gdl_agents.search.options import Value
from gdl_agents.search.player import Choices, SearchAgent, Task


class LookaheadAgent(SearchAgent):
    """Picks a move that wins at once, if there is one; else any that allows nobody to win next.

    If all moves allow that, any legal move. Where others move at the same time, or chance does, a
    move wins only if it does so whatever they do. With `depth=1` it does not look at what others
    can do.
    """

    name = 'lookahead'
    defaults: ClassVar[Mapping[str, Value]] = {'depth': 2}

    def judge(self, task: Task) -> Choices:
        """Sort out moves by what they lead to at once, and by what others can do next."""
        return judge_parts(task, self._judge)

    def _judge(self, task: Task) -> Choices:
        moves = Moves(task)
        wins = moves.share(moves.won[:, task.role]) >= 1 - 1e-9
        if self.options['depth'] == 1:
            return moves.choose(wins)
        others = [player for player in task.rules.players if player != task.role]
        lost = any_of(moves.won, others)
        replies = Replies(moves)
        loses = moves.any(lost | replies.any(any_of(replies.won, others)))
        return moves.choose(wins, ~loses)
