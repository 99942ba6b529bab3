"""The base of players that think ahead: from a question to states, and from moves to an answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
import logging
from time import monotonic
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.players.answering import answer_with_actions
from gdl_agents.players.draws import derive_seed, question_key
from gdl_agents.players.picking import pick_random
from gdl_agents.search.belief.tracker import Tracker
from gdl_agents.search.game.match_table import MatchTable, open_table
from gdl_agents.search.players.options import Value, read_options
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_env.environment.bits import Bits
from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.language.reader import read_term
from gdl_env.play.plain_chance import draw_below

# The share of the time left that is used: answers take a moment to arrive.
_SHARE = 0.8
# Ticks that are played before a match; the time to think in them [s]; and the time below which a
# tick has compiled nothing [s].
_LEAST_PRACTICE, _MOST_PRACTICE = 2, 10
_PRACTICE_CLOCK = 0.05
_COMPILED_IN = 0.5

_log = logging.getLogger(__name__)


class SearchAgent(Agent):
    """A player who rebuilds the state of the match and judges moves by trying them out."""

    # In games that hide something: states that are all kept, and a sample of more.
    most_states: ClassVar[int] = 20_000
    particles: ClassVar[int] = 2_000
    # Measures time. With processor time, matches do not depend on what else runs.
    clock: Callable[[], float] = monotonic
    # Options with their defaults, which say what kind of value they have.
    defaults: ClassVar[Mapping[str, Value]] = {}

    def __init__(self, detail: str = '') -> None:
        """Read the options. Raises AgentError if they make no sense."""
        self.options = read_options(self.name, detail, self.defaults)
        self._seed = 0
        # The last question of each role, and its answer: asked again, it is answered alike.
        self._answered: dict[str, tuple[int, Answer]] = {}
        # Decisions where something is hidden, and those of them in which no state was known.
        self.hidden = 0
        self.blind = 0

    def warm_up(self, info: MatchInfo, roles: tuple[str, ...]) -> None:
        """Play against itself, until all that a search takes is compiled."""
        self.begin(replace(info, play_clock=_PRACTICE_CLOCK), roles, 0)
        with closing(Environment.open(self.table.game)) as match:
            own = match.info(with_rules=False)
            # Otherwise the match has no vectors, or others, and this would be another match.
            if info.action_size and (own.moves, own.facts) == (info.moves, info.facts):
                self._practise(match)
        self.end()

    def _practise(self, match: Environment) -> None:
        for tick in range(_MOST_PRACTICE):
            started = monotonic()
            answers = {}
            for question in match.questions():
                if question.is_decision:
                    answers[question.role] = self.choose(question)
                else:
                    self.notice(question)
            match.step(answers)
            # What is compiled takes seconds, and cuts a search short.
            if tick >= _LEAST_PRACTICE and monotonic() - started < _COMPILED_IN:
                break

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the rules. Raises AgentError, GameError or EngineError if that is not possible."""
        self.table: MatchTable = open_table(info)
        self._seed = seed
        self._clock = info.play_clock
        self._answered = {}
        self._trackers: dict[str, Tracker] = {}

    def report_status(self) -> dict[str, int]:
        """Return how many decisions were taken where something is hidden, and how many blindly."""
        if not self.hidden:
            return {}
        return {'hidden_decisions': self.hidden, 'blind_decisions': self.blind}

    @property
    def seconds_a_move(self) -> float:
        """Return the option `time` of players that use all of it: those that could count games."""
        is_timed = 'playouts' in self.options and not self.options['playouts']
        return float(self.options['time']) if is_timed else 0.0

    @abstractmethod
    def evaluate_moves(self, task: SearchTask) -> BestMoves:
        """Return the moves that are best, in every lane; one of them is drawn."""

    def find_deadline(self, time: float, started: float) -> float:
        """Return when to answer, by the seconds that a match gives; infinite for 0: any number."""
        return started + _SHARE * time if time else float('inf')

    def find_end(self, task: SearchTask, started: float) -> float:
        """Return when thinking must end: by the options `time` and `playouts`, and by the match.

        Raises AgentError if it would never end.
        """
        if int(self.options['playouts']):
            return task.deadline
        time = float(self.options['time']) or float('inf')
        end = min(task.deadline, started + time * len(task.lanes))
        if end == float('inf'):
            raise AgentError(
                f'{self.name} would think for ever: the match has no play clock, so give it'
                ' playouts or a time above 0'
            )
        return end

    def notice(self, question: Question) -> None:
        """Keep track of what is shown while others decide, if the game hides something."""
        if not self.table.is_open(self.table.role(question.role), question):
            self._track(question)

    def choose(self, question: Question) -> Answer:
        """Answer in every lane that has a decision."""
        tick, known = self._answered.get(question.role, (0, None))
        if known is None or tick != question.tick:
            known = self._choose(question)
            self._answered[question.role] = question.tick, known
        return known

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember the moves that were played, for what the player knows of hidden states."""
        tracker = self._trackers.get(question.role)
        if tracker is not None:
            role = self.table.role(question.role)
            for lane in np.flatnonzero(action >= 0).tolist():
                tracker.note_move(lane, self.table.row_of(role, int(action[lane])))

    def find_best(self, question: Question) -> Bits:
        """Return the actions that `choose` would draw from, in every lane that has a decision.

        Raises AgentError without an action table.
        """
        if question.legal is None:
            raise AgentError(f'{self.table.game.name} has no table of actions')
        return self._to_best(question, question.legal, *self._evaluate_lanes(question))

    def _choose(self, question: Question) -> Answer:
        lanes, choices = self._evaluate_lanes(question)
        key = self._find_key(question)
        if question.legal is None:
            return self._answer_by_text(question, choices, key)
        best = self._to_best(question, question.legal, lanes, choices)
        action = pick_random(replace(question, legal=best), key)
        self.note_played(question, action)
        return answer_with_actions(question, self.name, action)

    def _evaluate_lanes(self, question: Question) -> tuple[NDArray[np.intp], BestMoves]:
        """Return the lanes in which something is known, and the best moves there."""
        started = self.clock()
        # Between decisions few rows of states are held, and those can be made again.
        self.table.trim()
        lanes = np.flatnonzero(question.to_move)
        task = self._task(question, lanes, self._find_key(question), started)
        nothing = np.zeros(0, np.int64)
        choices = BestMoves(nothing, nothing.astype(np.int32))
        if len(task.lanes):
            choices = self.evaluate_moves(task)
            if task.partners and not task.rules.is_serial:
                # They decide at the same time: whoever counts in the same way chooses alike.
                choices = choices.firsts()
        return task.lanes, choices

    def _to_best(
        self, question: Question, legal: Bits, lanes: NDArray[np.intp], choices: BestMoves
    ) -> Bits:
        """Return the best moves as a mask of actions."""
        actions = self.table.actions_of(choices.row)
        mask = np.zeros((question.lanes, legal.size), np.bool_)
        mask[lanes[choices.lane], actions] = True
        best = Bits.pack(mask)
        best.data[:] &= legal.data
        # Where nothing legal was found, the rules and the match disagree: any legal move then.
        lost = question.to_move & ~best.data.any(axis=1)
        best.data[lost] = legal.data[lost]
        return best

    def _find_key(self, question: Question) -> int:
        """Return what decides all chance of an answer.

        Partners who decide at the same time draw alike, whatever their seeds: who thinks in the
        same way finds the same plan then, where several are equally good.
        """
        role = self.table.role(question.role)
        team = sorted((role, *self.table.partners(role)))
        if len(team) > 1 and not self.table.rules.is_serial:
            return question_key(0, ' '.join(map(str, team)), question.tick, question.first_lane)
        return question_key(self._seed, question.role, question.tick, question.first_lane)

    def _task(
        self, question: Question, lanes: NDArray[np.intp], key: int, started: float
    ) -> SearchTask:
        role = self.table.role(question.role)
        deadline = self.find_deadline(question.time_left or self._clock, started)
        if self.table.is_open(role, question):
            states, owner = self.table.read(role, question, lanes), np.arange(len(lanes))
            weight = np.ones(len(lanes))
        else:
            tracker = self._track(question)
            known = [tracker.known(lane) for lane in lanes.tolist()]
            has_states = np.array([len(found) > 0 for found in known], np.bool_)
            self.hidden += len(lanes)
            if not has_states.all():
                self._count_blind(question, len(lanes) - int(has_states.sum()))
            lanes, known = lanes[has_states], [found for found in known if len(found)]
            owner = np.repeat(np.arange(len(known)), [len(found) for found in known])
            states = np.concatenate([self.table.rules.initial[:0], *(k.states for k in known)])
            weight = np.concatenate([np.zeros(0), *(found.weight for found in known)])
        episode = question.episode[lanes]
        return SearchTask(
            self.table.rules,
            role,
            lanes,
            episode,
            states,
            owner,
            weight,
            key,
            deadline,
            self.clock,
            self.table.turns,
            self.table.partners(role),
        )

    def _count_blind(self, question: Question, lanes: int) -> None:
        """Count decisions that are drawn at random, and say so."""
        self.blind += lanes
        _log.warning(
            '%s: nothing was found that agrees with what %s was shown of %s (tick %d): a random'
            ' legal move; so were %d of %d decisions',
            self.name,
            question.role,
            self.table.game.name,
            question.tick,
            self.blind,
            self.hidden,
        )

    def _track(self, question: Question) -> Tracker:
        """Take in what a question shows, in a game that hides something."""
        if question.observation is None:
            raise AgentError(
                f'{self.table.game.name} hides something from {question.role}, and is shown as'
                ' text only: no player can keep track of that'
            )
        tracker = self._trackers.get(question.role)
        if tracker is None:
            role = self.table.role(question.role)
            seed = derive_seed(self._seed, question.role)
            tracker = Tracker(self.table, role, seed, self.most_states, self.particles)
            self._trackers[question.role] = tracker
        tracker.follow_question(question)
        return tracker

    def _answer_by_text(self, question: Question, choices: BestMoves, key: int) -> Answer:
        """Answer lane 0 by the text of a move, in a game without a table of actions."""
        rows = choices.row[choices.lane == 0]
        moves = [str(self.table.rules.legal_move(int(row))[1]) for row in rows]
        listed = {str(read_term(move)): move for move in question.legal_moves}
        best = [listed[move] for move in moves if move in listed] or list(question.legal_moves)
        if not best:
            raise AgentError(
                f'the question to role {question.role} at tick {question.tick} lists no legal'
                ' moves; start the environment with text, or with one lane'
            )
        chosen = [''] * question.lanes
        chosen[0] = best[draw_below(key, 0, len(best))]
        return Answer(question.tick, question.role, self.name, moves=tuple(chosen))
