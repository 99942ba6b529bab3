"""Solves the game from where it is, move after move, and draws from what it finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_agents.players.answering import answer_with_actions, answer_with_text
from gdl_agents.players.draws import draw_place, question_key
from gdl_agents.search.belief.known import draw_by_weight
from gdl_agents.search.players.options import Value
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_agents.solving.methods.regret_minimisation import AUTO, minimise_regret
from gdl_agents.solving.playing.path_follower import PathFollower
from gdl_agents.solving.playing.strategy_player import StrategyPlayer
from gdl_agents.solving.playing.whole_game import Solution, solve_in_time
from gdl_agents.solving.subgames.resolver import Resolver
from gdl_agents.solving.subgames.roots import Roots
from gdl_agents.solving.subgames.search import SearchLimits, search_subgame
from gdl_agents.solving.tree.game_tree import TreeBudget
from gdl_agents.solving.tree.sight import TableSight, read_legal
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question
from gdl_env.language.game import Information
from gdl_env.language.reader import read_term
from gdl_env.play.plain_chance import draw_below

# The share of the nodes of a search that its first states are expected to take: where only states
# are known, not histories.
_STATES_SHARE = 0.1
# Moves after a state that are expected.
_BRANCHES = 8


class SubgameAgent(SearchAgent):
    """Plays its part of an approximate equilibrium of the game that is left.

    A small game is solved whole when a match begins. In others each decision is searched: from
    the histories that the players may think of, where these can be followed; else from the states
    that it may be in itself.
    """

    name = 'subgame'
    defaults: ClassVar[Mapping[str, Value]] = {
        'time': 1.0,
        'iterations': 0,
        'states': 500,
        'nodes': 20_000,
        'depth': 0,
        'rollouts': 4,
        'whole': 200_000,
        'prepare': 2.0,
    }

    def __init__(self, detail: str = '') -> None:
        """Read the options. Raises AgentError if they make no sense."""
        super().__init__(detail)
        # Solutions of small games, by rules and turn rule; None for one that is too large.
        self._solutions: dict[tuple[str, str], Solution | None] = {}

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the rules; solve a small game."""
        super().begin(info, roles, seed)
        self._sight = TableSight(self.table)
        self._paths: defaultdict[str, PathFollower] = defaultdict(PathFollower)
        self._limits = SearchLimits(
            max(1, int(self.options['nodes'])),
            int(self.options['depth']),
            int(self.options['rollouts']),
            int(self.options['iterations']),
            self.clock,
        )
        self._compile()
        self._players: dict[str, StrategyPlayer] = {}
        self._resolver: Resolver | None = None
        # Lanes whose decisions were searched from histories at the question that is answered now.
        self._searched: dict[int, tuple[list[int], NDArray[np.float64]]] = {}
        arrays = self._find_solution(info)
        if arrays is not None:
            players = self.table.rules.players
            self._players = {
                str(self.table.rules.roles[role]): StrategyPlayer(arrays, number)
                for number, role in enumerate(players)
            }
        elif self.table.game.information is not Information.COMPLETE:
            states = max(1, int(self.options['states']))
            self._resolver = Resolver(self._sight, self._limits, states, seed)
            if self.options['prepare']:
                self._resolver.prepare(self.clock() + float(self.options['prepare']))

    @property
    def seconds_a_move(self) -> float:
        """Return the option `time`, unless iterations are counted."""
        return 0.0 if self.options['iterations'] else float(self.options['time'])

    def report_status(self) -> dict[str, int]:
        """Return how many decisions were taken where something is hidden, and how many blindly."""
        made = self.hidden + sum(player.decisions for player in self._players.values())
        blind = self.blind + sum(player.blind for player in self._players.values())
        return {'hidden_decisions': made, 'blind_decisions': blind} if made else {}

    def notice(self, question: Question) -> None:
        """Keep track of what is shown while others decide."""
        if question.role in self._players:
            self._players[question.role].follow(question)
            return
        self._follow(question)

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember what was played."""
        if question.role in self._players:
            self._players[question.role].note_played(question, action)
            return
        super().note_played(question, action)
        if self._resolver is not None:
            self._paths[question.role].note_played(question, action)

    def policy(self, question: Question) -> NDArray[np.float64] | None:
        """Return the probabilities it draws by; None where it goes by text and by states."""
        if question.role in self._players:
            return self._players[question.role].policy(question)
        self._follow(question)
        self._search_histories(question)
        size = len(question.legal_moves) if question.legal is None else question.legal.size
        found = np.zeros((question.lanes, size))
        for lane, (legal, likely) in self._searched.items():
            found[lane, legal] = likely
        lanes = np.flatnonzero(question.to_move)
        if len(lanes) == len(self._searched):
            return found
        if question.legal is None:
            return None
        key = question_key(self._seed, question.role, question.tick)
        task = self._task(question, lanes, key, self.clock())
        for lane, moves, likely in self._search_states(task):
            found[task.lanes[lane], moves] = likely
        # Nothing is known of the others.
        lost = np.flatnonzero(question.to_move & ~found.any(axis=1))
        legal_ones = question.legal.unpack()[lost]
        found[lost] = legal_ones / legal_ones.sum(axis=1, keepdims=True)
        return found

    def evaluate_moves(self, task: SearchTask) -> BestMoves:
        """Search from states in every lane, and draw a move."""
        lanes, rows = [], []
        for lane, moves, likely in self._search_states(task):
            number = moves[draw_place(likely, task.key, int(task.lanes[lane]))]
            lanes.append(lane)
            rows.append(self._sight.rows_of(task.role, np.array([number], np.int32))[0])
        return BestMoves(np.array(lanes, np.int64), np.array(rows, np.int32))

    # ---- inside

    def _find_solution(self, info: MatchInfo) -> Solution | None:
        """Solve a small game before it begins; None if it is too large."""
        nodes, seconds = int(self.options['whole']), float(self.options['prepare'])
        if not nodes or not seconds:
            return None
        key = self.table.game.hash, info.turn
        if key not in self._solutions:
            most = self._limits.iterations
            budget = TreeBudget(nodes, float('inf') if most else seconds, self.clock)
            self._solutions[key] = solve_in_time(self.table.game, info.turn, budget, most)
        return self._solutions[key]

    def _compile(self) -> None:
        """Solve a few histories: what is compiled takes seconds, and would cut a search short."""
        limits = SearchLimits(nodes=1, games=1, iterations=1)
        roots = Roots.of_states(self.table.rules, self.table.rules.initial, np.ones(1))
        found = search_subgame(self._sight, roots, limits, 1, 0.0)
        minimise_regret(found.form, AUTO, target=-1.0, seconds=float('inf'), most=1)

    def _find_end(self, deadline: float, lanes: int) -> float:
        """Return when the search of a lane must end, of so many that are left.

        Raises AgentError if it would never end.
        """
        now = self.clock()
        time = float(self.options['time']) or float('inf')
        end = min(now + time, now + (deadline - now) / lanes)
        if end == float('inf') and not self._limits.iterations:
            raise AgentError(
                f'{self.name} would think for ever: the match has no play clock, so give it'
                ' iterations or a time above 0'
            )
        return end

    def _follow(self, question: Question) -> None:
        """Take in what is shown."""
        is_open = self.table.is_open(self.table.role(question.role), question)
        if not is_open and question.observation is not None:
            self._track(question)
        if self._resolver is not None:
            self._paths[question.role].follow(question)

    def _search_histories(self, question: Question) -> None:
        """Search in every lane whose histories can be followed."""
        self._searched = {}
        resolver, paths = self._resolver, self._paths[question.role]
        if resolver is None or not resolver.is_possible:
            return
        deadline = self.find_deadline(question.time_left or self._clock, self.clock())
        place = self.table.rules.players.index(self.table.role(question.role))
        lanes = np.flatnonzero(question.to_move).tolist()
        for number, lane in enumerate(lanes):
            end = self._find_end(deadline, len(lanes) - number)
            likely = resolver.find_policy(place, paths.trail(lane), paths.questions(lane), end)
            if likely is not None:
                self._searched[lane] = self._sort_legal(question, lane), likely

    def _sort_legal(self, question: Question, lane: int) -> list[int]:
        """Return legal moves in the order of their numbers: see `read_legal`."""
        legal, _ = read_legal(question, lane)
        if question.legal is not None:
            return legal
        role = self.table.role(question.role)
        rows = [self.table.rules.legal_row(role, read_term(text)) for text in question.legal_moves]
        order = np.argsort(self._sight.number_moves(np.array(rows, np.int32)))
        return [legal[place] for place in order.tolist()]

    def _choose(self, question: Question) -> Answer:
        if question.role in self._players:
            action = self._players[question.role].draw(question, self._seed)
            return self._answer(question, action)
        self._follow(question)
        self._search_histories(question)
        key = question_key(self._seed, question.role, question.tick)
        action = np.full(question.lanes, NO_ACTION, np.int32)
        others = np.flatnonzero(question.to_move)
        if self._searched:
            for lane, (legal, likely) in self._searched.items():
                action[lane] = legal[draw_place(likely, key, lane)]
            others = others[~np.isin(others, list(self._searched))]
            self.hidden += len(self._searched)
        if len(others) and question.observation is None and self._resolver is not None:
            # Shown as text, there is nothing else to go by.
            self.hidden += 1
            self._count_blind(question, 1)
            action[0] = draw_below(key, 0, len(question.legal_moves))
        elif len(others):
            answer = super()._choose(question)
            if answer.action is None or not self._searched:
                return answer
            action[others] = answer.action[others]
        self.note_played(question, action)
        return self._answer(question, action)

    def _task(
        self, question: Question, lanes: NDArray[np.intp], key: int, started: float
    ) -> SearchTask:
        """Leave out the lanes that have been searched."""
        left = lanes[~np.isin(lanes, list(self._searched))]
        return super()._task(question, left, key, started)

    def _answer(self, question: Question, action: NDArray[np.int32]) -> Answer:
        if question.legal is None:
            return answer_with_text(question, self.name, int(action[0]))
        return answer_with_actions(question, self.name, action)

    def _search_states(
        self, task: SearchTask
    ) -> Iterator[tuple[int, list[int], NDArray[np.float64]]]:
        """Yield each lane of a task, its moves by their numbers, and how likely each is."""
        place = self.table.rules.players.index(task.role)
        for lane in range(len(task.lanes)):
            end = self._find_end(task.deadline, len(task.lanes) - lane)
            roots = self._list_states(task, lane)
            found = search_subgame(self._sight, roots, self._limits, task.key + lane, end)
            moves, likely = found.root_policy(place)
            if moves:
                yield lane, moves, likely

    def _list_states(self, task: SearchTask, lane: int) -> Roots:
        """Return the states that the player may be in, or the likelier ones of them."""
        own = np.flatnonzero(task.owner == lane)
        most = int(_STATES_SHARE * self._limits.nodes / _BRANCHES)
        most = max(1, min(most, int(self.options['states'])))
        weight = task.weight[own]
        if len(own) > most:
            chance = np.random.Generator(np.random.Philox(key=task.key + lane))
            drawn, times = np.unique(draw_by_weight(weight, most, chance), return_counts=True)
            own, weight = own[drawn], times.astype(np.float64)
        return Roots.of_states(task.rules, task.states[own], weight / weight.sum())
