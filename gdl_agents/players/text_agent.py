"""The base of agents that read and write text, one lane after the other."""

from __future__ import annotations

from abc import abstractmethod
from time import monotonic

import numpy as np

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.players.lane_view import LaneView, view_lane
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question
from gdl_env.language.reader import read_term


class TextAgent(Agent):
    """Answers by `choose_move`, for every lane in which something is to be decided."""

    wants_text = True
    _info: MatchInfo

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Remember the match: its tables give the text of all lanes."""
        self._info = info

    @abstractmethod
    def choose_move(self, view: LaneView, question: Question, deadline: float | None) -> str:
        """Return the move to play, as GDL text.

        `deadline` is by `time.monotonic`; None is as long as it takes. Raises LateError once it
        has passed.
        """

    def choose(self, question: Question) -> Answer:
        """Answer by index where every chosen move has one, else by text.

        So what is not legal reaches the match as it is, which has rules for that.
        """
        deadline = monotonic() + question.time_left if question.time_left else None
        moves = [''] * question.lanes
        actions = np.full(question.lanes, NO_ACTION, np.int32)
        has_actions = question.legal is not None
        for lane in map(int, np.flatnonzero(question.to_move)):
            view = view_lane(self._info, question, lane)
            if not view.moves:
                if lane == 0:
                    raise AgentError(_NOT_TEXT.format(question.role, question.tick))
                # Only lane 0 is sent as text where there is no table; the match plays the others.
                has_actions = False
                continue
            moves[lane] = normalise(self.choose_move(view, question, deadline))
            if moves[lane] in view.moves and view.actions:
                actions[lane] = view.actions[view.moves.index(moves[lane])]
            else:
                has_actions = False
        if has_actions:
            return Answer(question.tick, question.role, self.name, action=actions)
        return Answer(question.tick, question.role, self.name, moves=tuple(moves))


_NOT_TEXT = (
    'the question to role {} at tick {} has no legal moves as text; '
    'start the environment with text, or with one lane'
)


def normalise(text: str) -> str:
    """Return a move as the rules write it: one blank, lower case. Other text stays as it is."""
    try:
        return str(read_term(text))
    except ValueError:
        return text.strip()
