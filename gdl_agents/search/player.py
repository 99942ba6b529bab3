"""The base of players that think ahead: from a question to states, from judgement to an answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.answering import answer_with_actions
from gdl_agents.draws import draw_below, question_key
from gdl_agents.errors import AgentError
from gdl_agents.picking import pick_random
from gdl_agents.search.options import Value, read_options
from gdl_agents.search.rules import Rows, Rules, States
from gdl_agents.search.table import MatchTable, open_table
from gdl_env.environment.bits import Bits
from gdl_env.environment.exchange import Answer, MatchInfo, Question
from gdl_env.language.reader import read_term

# The share of the time left that is used: answers take a moment to arrive.
_SHARE = 0.8


@dataclass(frozen=True)
class Task:
    """What is to be decided: a move of one role in each of some lanes.

    What the role knows of lane i is a set of states: those of which `owner` is i, in rising order.
    In an open game there is one for each lane.
    """

    rules: Rules
    role: int
    # The numbers of the lanes, and their episodes.
    lanes: NDArray[np.intp]
    episode: NDArray[np.uint64]
    states: States
    owner: NDArray[np.int64]
    # How likely each state is; the weights of a lane add up to 1.
    weight: NDArray[np.float64]
    # Decides all chance.
    key: int
    # By `time.monotonic`; infinite if there is none.
    deadline: float

    @property
    def is_exact(self) -> bool:
        """Tell whether the state of every lane is known."""
        return len(self.states) == len(self.lanes)

    def legal(self) -> tuple[NDArray[np.int64], Rows]:
        """Return all legal moves: the index of the lane, and the row of the move."""
        first = np.searchsorted(self.owner, np.arange(len(self.lanes)))
        look = self.rules.look(self.states[first])
        counts = look.counts()[:, self.role]
        lane = np.repeat(np.arange(len(self.lanes)), counts)
        rows = [look.moves(i, self.role) for i in range(len(first))]
        return lane, np.concatenate([*rows, np.zeros(0, np.int32)])


class Choices:
    """Moves to choose from at random: for each index of a lane one row or more."""

    def __init__(self, lane: NDArray[np.int64], row: Rows) -> None:
        self.lane = lane
        self.row = row


class SearchAgent(Agent):
    """A player who rebuilds the state of the match and judges moves by trying them out."""

    # Options with their defaults, which say what kind of value they have.
    defaults: ClassVar[Mapping[str, Value]] = {}

    def __init__(self, detail: str = '') -> None:
        """Read the options. Raises AgentError if they make no sense."""
        self.options = read_options(self.name, detail, self.defaults)
        self._seed = 0
        # The last question of each role, and its answer: asked again, it is answered alike.
        self._answered: dict[str, tuple[int, Answer]] = {}

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the rules. Raises AgentError, GameError or EngineError if that is not possible."""
        self.table: MatchTable = open_table(info)
        self._seed = seed
        self._clock = info.play_clock
        self._answered = {}

    @abstractmethod
    def judge(self, task: Task) -> Choices:
        """Return the moves that are best, in every lane; one of them is drawn."""

    def choose(self, question: Question) -> Answer:
        """Answer in every lane that has a decision."""
        tick, known = self._answered.get(question.role, (0, None))
        if known is None or tick != question.tick:
            known = self._choose(question)
            self._answered[question.role] = question.tick, known
        return known

    def _choose(self, question: Question) -> Answer:
        started = monotonic()
        lanes = np.flatnonzero(question.to_move)
        key = question_key(self._seed, question.role, question.tick)
        task = self._task(question, lanes, key, started)
        choices = self.judge(task)
        if question.legal is None:
            return self._answer_by_text(question, choices, key)
        actions = self.table.actions_of(choices.row)
        mask = np.zeros((question.lanes, question.legal.size), np.bool_)
        mask[lanes[choices.lane], actions] = True
        best = Bits.pack(mask)
        best.data[:] &= question.legal.data
        # Where nothing legal was found, the rules and the match disagree: any legal move then.
        lost = question.to_move & ~best.data.any(axis=1)
        best.data[lost] = question.legal.data[lost]
        action = pick_random(replace(question, legal=best), key)
        return answer_with_actions(question, self.name, action)

    def _task(self, question: Question, lanes: NDArray[np.intp], key: int, started: float) -> Task:
        role = self.table.role(question.role)
        if not self.table.is_open(role, question):
            raise AgentError(
                f'{self.table.game.name} hides something from {question.role}; {self.name} needs'
                ' to see the whole state: let ismcts play'
            )
        time = question.time_left or self._clock
        return Task(
            self.table.rules,
            role,
            lanes,
            question.episode[lanes],
            self.table.read(role, question, lanes),
            np.arange(len(lanes)),
            np.ones(len(lanes)),
            key,
            started + _SHARE * time if time else float('inf'),
        )

    def _answer_by_text(self, question: Question, choices: Choices, key: int) -> Answer:
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
