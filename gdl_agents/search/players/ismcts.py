"""Information-set Monte-Carlo tree search: one tree for all states that look the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from gdl_agents.search.players.options import Value
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_agents.search.tree.information_tree import search_information_sets


class IsmctsAgent(SearchAgent):
    """Searches what a player of a game with hidden information knows.

    Each descent starts from a state that the player may be in, drawn again each time.
    Nodes are what the player would know: its own moves, and what it is shown. Each role chooses by
    statistics of its own moves there, among those that are legal in the state of the descent
    (single-observer ISMCTS). In an open game this is plain UCT.
    """

    name = 'ismcts'
    defaults: ClassVar[Mapping[str, Value]] = {'time': 1.0, 'playouts': 0, 'c': 0.7}

    def evaluate_moves(self, task: SearchTask) -> BestMoves:
        """Grow a tree for each lane, and choose what was tried most."""
        end = self.find_end(task, task.clock())
        wanted, exploration = int(self.options['playouts']), float(self.options['c'])
        return search_information_sets(self.table, task, exploration, wanted, end)
