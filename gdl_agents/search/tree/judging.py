"""Which nodes a judge is asked about, where random games evaluate the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.tree.judging_kernels import heed_judge, list_ripe, soften_priors
from gdl_agents.search.tree.tree_records import Paths, RipeNodes, Tree, TreeSettings

# Visits of nodes that a judge is asked about: they change between these.
_LEAST_VISITS, _MOST_VISITS = 2, 1024


class Judging:
    """Finds the nodes of a batch that were visited often, and shares time with random games."""

    def __init__(self, leaves: int, clock: Callable[[], float] | None) -> None:
        """Make room for so many leaves; without a clock, time does not matter."""
        self._ripe = RipeNodes(*(np.zeros(leaves, np.int64) for _ in RipeNodes._fields))
        self._clock = clock
        # By the clock: when growing began; growing, and asking the judge as part of it.
        self._started = self._spent = self._asked = 0.0

    def list_ripe(
        self, count: int, paths: Paths, tree: Tree, settings: TreeSettings
    ) -> NDArray[np.int64]:
        """Return the nodes on the first paths that a judge must be asked about now."""
        found = int(list_ripe(count, paths, tree, settings.judge_visits, self._ripe))
        return self._ripe.nodes[:found]

    def heed(
        self, values: NDArray[np.float64], paths: Paths, tree: Tree, settings: TreeSettings
    ) -> None:
        """Take in what a judge says of these nodes; it has set the priors of their arms."""
        soften_priors(self._ripe.nodes[: len(values)], tree)
        heed_judge(len(values), values, settings.judge_weight, paths, tree, self._ripe)

    # ---- time

    def begin_growing(self) -> None:
        """Measure the time from now on."""
        self._started = self._clock() if self._clock else 0.0

    @contextmanager
    def measure_asking(self) -> Iterator[None]:
        """Measure the time that a judge takes."""
        started = self._clock() if self._clock else 0.0
        yield
        self._asked += self._clock() - started if self._clock else 0.0

    def share_time(self, settings: TreeSettings) -> TreeSettings:
        """Let a judge be asked about more nodes, or fewer, so that it takes half of the time."""
        if not self._clock:
            return settings
        self._spent += self._clock() - self._started
        visits = settings.judge_visits
        if 2 * self._asked > self._spent:
            visits = min(_MOST_VISITS, visits + 1 + visits // 4)
        else:
            visits = max(_LEAST_VISITS, visits - visits // 5)
        return settings._replace(judge_visits=visits)
