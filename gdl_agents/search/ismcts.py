"""Information-set Monte-Carlo tree search: one tree for all states that look the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from gdl_agents.search.information_tree import judge_by_information
from gdl_agents.search.options import Value
from gdl_agents.search.player import SearchAgent
from gdl_agents.search.task import Choices, Task


class IsmctsAgent(SearchAgent):
    """Each descent starts from a state that the player may be in, drawn anew.

    Nodes are what the player would know: its own moves, and what it is shown. Everybody chooses by
    statistics of their own moves there, among those that are legal in the state of the descent
    (single-observer ISMCTS). In an open game this is plain UCT.
    """

    name = 'ismcts'
    defaults: ClassVar[Mapping[str, Value]] = {'time': 1.0, 'playouts': 0, 'c': 0.7}

    def judge(self, task: Task) -> Choices:
        """Grow a tree for each lane, and choose what was tried most."""
        end = self.find_end(task, task.clock())
        wanted, exploration = int(self.options['playouts']), float(self.options['c'])
        return judge_by_information(self.table, task, exploration, wanted, end)
