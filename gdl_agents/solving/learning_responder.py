"""An agent that learns, game by game, how to beat others: a table of what moves have earned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.players.answering import answer_with_actions, answer_with_text
from gdl_agents.players.draws import derive_seed
from gdl_agents.solving.frontier import NO_RESULT
from gdl_agents.solving.path_follower import PathFollower
from gdl_agents.solving.sight import read_legal
from gdl_env.environment.protocol import (
    NO_ACTION,
    NO_GOAL,
    Answer,
    Feedback,
    MatchInfo,
    Question,
)

# How much moves are tried that have earned less so far [goals].
_EXPLORATION = 40.0


@dataclass
class _Node:
    """What moves of an information set have earned."""

    visits: NDArray[np.float64]
    sums: NDArray[np.float64]


class LearningResponder(Agent):
    """Chooses by upper confidence bounds while it learns, then what has earned most.

    It remembers all it saw and did. Where it has never been, it plays any move.
    """

    name = 'responder'
    wants_feedback = True

    def __init__(self) -> None:
        self._nodes: dict[bytes, _Node] = {}
        self.is_learning = True

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Forget the lanes of the match before, not what was learned."""
        self._paths = {role: PathFollower() for role in roles}
        self._chance = np.random.Generator(np.random.Philox(key=derive_seed(seed, self.name)))
        # What was chosen in the episode of each role and lane.
        self._chosen: dict[tuple[str, int], list[tuple[_Node, int]]] = {}

    def notice(self, question: Question) -> None:
        """Keep track of what is shown while others decide."""
        self._paths[question.role].follow(question)

    def choose(self, question: Question) -> Answer:
        """Choose in every lane that has a decision."""
        paths = self._paths[question.role]
        paths.follow(question)
        action = np.full(question.lanes, NO_ACTION, np.int32)
        for lane in np.flatnonzero(question.to_move).tolist():
            legal, _ = read_legal(question, lane)
            node = self._nodes.get(paths.information_set(lane))
            if node is None:
                node = _Node(np.zeros(len(legal)), np.zeros(len(legal)))
                if self.is_learning:
                    self._nodes[paths.information_set(lane)] = node
            place = self._pick(node)
            self._chosen.setdefault((question.role, lane), []).append((node, place))
            action[lane] = legal[place]
        paths.note_played(question, action)
        if question.legal is None:
            return answer_with_text(question, self.name, int(action[0]))
        return answer_with_actions(question, self.name, action)

    def learn(self, feedback: Feedback) -> None:
        """Add up what was earned in games that ended."""
        for lane in np.flatnonzero(feedback.is_over).tolist():
            goal = read_goal(feedback, lane)
            for node, place in self._chosen.pop((feedback.role, lane), ()):
                if self.is_learning:
                    node.visits[place] += 1
                    node.sums[place] += goal

    def _pick(self, node: _Node) -> int:
        tried = node.visits > 0
        if self.is_learning and not tried.all():
            return int(self._chance.choice(np.flatnonzero(~tried)))
        if not tried.any():
            return int(self._chance.integers(len(tried)))
        score = np.where(tried, node.sums / np.maximum(node.visits, 1), -np.inf)
        if self.is_learning:
            score += _EXPLORATION * np.sqrt(np.log(node.visits.sum()) / node.visits)
        return int(score.argmax())


def read_goal(feedback: Feedback, lane: int) -> float:
    """Return the goal of a game that ended; that of a draw where there is none."""
    goal = int(feedback.goal[lane])
    return float(NO_RESULT if goal == NO_GOAL else goal)
