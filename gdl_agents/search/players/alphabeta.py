"""Alpha-beta: looks ahead as far as depth and time allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from gdl_agents.errors import AgentError
from gdl_agents.search.alphabeta.breadth import BreadthSearch, Evaluation, evaluate_neutrally
from gdl_agents.search.alphabeta.families import FamilySearch, UnfitError, is_large
from gdl_agents.search.alphabeta.linear import LinearEvaluation
from gdl_agents.search.alphabeta.result import AlphaBetaResult
from gdl_agents.search.alphabeta.search import DEEPEST, AlphaBetaSearch
from gdl_agents.search.belief.sampling import keep_likeliest
from gdl_agents.search.players.options import Value
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import Rows
from gdl_env.environment.protocol import MatchInfo
from gdl_env.importing import load_hook
from gdl_env.language.game import Information
from gdl_env.play.chance import STEP

# Positions a second, until it is known better; and for a first try.
_RATE = 300_000.0
_FIRST = 20_000
# Where nothing limits them.
_ENDLESS = 1 << 60


class AlphaBetaAgent(SearchAgent):
    """Searches by alpha-beta with iterative deepening.

    It looks `depth` moves ahead at most, and takes `time` seconds a move at most. `nodes` limits
    the positions of a search. `eval=module:name` names what estimates positions that are not
    final: a function of (rules, states, role), or a LinearEvaluation; without it they are worth
    as much as a draw. Among moves of the same value one is drawn.
    """

    name = 'alphabeta'
    defaults: ClassVar[Mapping[str, Value]] = {'depth': 4, 'time': 0.5, 'nodes': 0, 'eval': ''}

    def __init__(self, detail: str = '') -> None:
        """Read the options, and load the evaluation. Raises AgentError, HookError."""
        super().__init__(detail)
        self._rate = _RATE
        hook = str(self.options.get('eval', ''))
        self.evaluation: Evaluation = load_hook(hook) if hook else evaluate_neutrally
        if not callable(self.evaluation):
            raise AgentError(f'alphabeta: {hook} cannot be called')
        self._searches: dict[int, AlphaBetaSearch] = {}

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the rules. Raises AgentError if the game hides something."""
        super().begin(info, roles, seed)
        if self.table.game.information is not Information.COMPLETE:
            raise AgentError(
                f'{info.name} hides something, and {self.name} needs to see the whole state:'
                ' let ismcts play'
            )
        self._searches.clear()
        self._has_families = is_large(self.table.rules)

    def evaluate_moves(self, task: SearchTask) -> BestMoves:
        """Search lane by lane."""
        task = keep_likeliest(task)
        depth = max(1, int(self.options['depth']))
        search = self.find_search(task.role)
        lanes, rows = [], []
        for lane in range(len(task.lanes)):
            now = task.clock()
            share = (task.deadline - now) / (len(task.lanes) - lane)
            end = now + min(float(self.options['time']) or float('inf'), share)
            found = self._search_families(task, lane, depth, end)
            if found is not None:
                best = found
            elif search is not None:
                best = self._run(search, task, lane, depth, end).best
            else:
                best = self._search_breadth(task, lane, depth, end)
            lanes.append(np.full(len(best), lane))
            rows.append(best)
        return BestMoves(np.concatenate(lanes), np.concatenate(rows))

    def find_search(self, role: int) -> AlphaBetaSearch | None:
        """Return the compiled search for a role; None where there is none."""
        rules, evaluation = self.table.rules, self.evaluation
        if not isinstance(rules, CircuitBatch) or rules.has_experiments:
            return None
        if role not in self._searches:
            weights = None
            if isinstance(evaluation, LinearEvaluation):
                weights = evaluation.weights_of(rules, role)
            elif evaluation is not evaluate_neutrally:
                return None
            self._searches[role] = AlphaBetaSearch(
                rules, weights, self.table.turns, self.table.partners(role)
            )
        return self._searches[role]

    def _run(
        self, search: AlphaBetaSearch, task: SearchTask, lane: int, depth: int, end: float
    ) -> AlphaBetaResult:
        """Search until the depth is reached, or time or positions are used up."""
        fixed = int(self.options['nodes'])
        limit = fixed or _FIRST
        key = task.key + int(task.lanes[lane]) * int(STEP) + task.role
        while True:
            started = task.clock()
            found = search.run(task.states[lane], task.role, depth, limit, key)
            now = task.clock()
            if not found.is_cut or fixed:
                return found
            self._rate = max(1000.0, found.nodes / max(now - started, 1e-6))
            limit = int(min(self._rate * (end - now), _ENDLESS))
            # Positions that are remembered make up for starting again.
            if limit < found.nodes // 4:
                return found
            limit += found.nodes // 4

    def _search_families(self, task: SearchTask, lane: int, depth: int, end: float) -> Rows | None:
        """Search all children of a position at once, where that is quicker; None elsewhere."""
        if not self._has_families:
            return None
        search = FamilySearch(task.rules, task.role, self.evaluation, task.partners, task.clock)
        limit = int(self.options['nodes']) or _ENDLESS
        try:
            return search.run(task.states[lane], min(depth, DEEPEST), limit, end).best
        except UnfitError:
            # Here several decide, or chance does; so they will again.
            self._has_families = False
            return None

    def _search_breadth(self, task: SearchTask, lane: int, depth: int, end: float) -> Rows:
        """Search level by level; deeper as long as there is time."""
        state = task.states[lane : lane + 1]
        search = BreadthSearch(
            task.rules, task.role, task.turns, task.partners, self.evaluation, end, task.clock
        )
        best = np.zeros(0, np.int32)
        for wanted in range(1, depth + 1):
            started = task.clock()
            found = search.run(state, wanted)
            rows, values = found.row, found.value
            if found.depth < wanted and len(best):
                break
            # If all is lost, what was best before the loss was seen holds out longest.
            if not len(best) or values.max() > 0:
                best = rows[values >= values.max() - 1e-9]
            now = task.clock()
            # The next level takes several times as long.
            if values.max() in (0.0, 100.0) or now + 4 * (now - started) > end:
                break
        return best
