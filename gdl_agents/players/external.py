"""Any program plays, over JSON lines on its standard input and output; see doc/agents.md."""

from __future__ import annotations

from contextlib import suppress
import json
from time import monotonic
from typing import Any

import numpy as np

from gdl_agents.errors import AgentError
from gdl_agents.players.lane_view import LaneView
from gdl_agents.players.program import PlayerProgram
from gdl_agents.players.text_agent import TextAgent
from gdl_env.environment.protocol import NO_ACTION, NO_GOAL, Feedback, MatchInfo, Question

PROTOCOL = 1


class ExternalAgent(TextAgent):
    """Asks a program for every move, over JSON lines; starts it again if it died.

    A question whose time is up stays unanswered; what the program says to it later is dropped.
    """

    name = 'external'
    wants_feedback = True

    def __init__(self, command: str) -> None:
        """Take the command line. Raises AgentError if there is none."""
        self._program = PlayerProgram(command)
        self._start: dict[str, Any] = {}
        # The numbers of the last question and of the last one that was answered.
        self._asked = 0
        self._settled = 0

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Start the program and describe the match. Raises AgentError if it cannot be started."""
        super().begin(info, roles, seed)
        self._start = {
            'type': 'start',
            'protocol': PROTOCOL,
            'game': info.name,
            'rules': info.rules,
            'roles': info.roles,
            'you': roles,
            'lanes': info.lanes,
            'seed': seed,
            'start_clock': info.start_clock,
            'play_clock': info.play_clock,
        }
        self._run()

    def choose_move(self, view: LaneView, question: Question, deadline: float | None) -> str:
        """Ask the program. Raises AgentError, with what it wrote, if that is no answer."""
        if not self._program.is_running:
            self._run()
        self._asked += 1
        self._send(
            type='ask',
            id=self._asked,
            tick=question.tick,
            role=question.role,
            lane=view.lane,
            episode=view.episode,
            time_left=0 if deadline is None else max(0.0, deadline - monotonic()),
            facts=view.facts,
            moves=view.moves,
            actions=view.actions,
        )
        while True:
            line = self._program.read_line(deadline)
            if line:
                answer = self._read(line)
                if self._settled == self._asked:
                    return self._move(answer, view, line)

    def learn(self, feedback: Feedback) -> None:
        """Send the program its feedback, lane by lane."""
        has_action = len(feedback.action) > 0
        concerned = feedback.is_over | (feedback.origin > 0)
        for lane in map(int, np.flatnonzero(concerned)):
            action = int(feedback.action[lane]) if has_action else NO_ACTION
            move = feedback.move if lane == 0 else ''
            if not move and action != NO_ACTION and self._info.moves:
                move = self._info.moves[action]
            goal = int(feedback.goal[lane])
            # A dead program receives nothing: the next question starts it again.
            with suppress(AgentError):
                self._send(
                    type='tell',
                    tick=feedback.tick,
                    role=feedback.role,
                    lane=lane,
                    episode=int(feedback.episode[lane]),
                    move=move,
                    origin=int(feedback.origin[lane]),
                    reward=float(feedback.reward[lane]),
                    goal=None if goal == NO_GOAL else goal,
                    over=bool(feedback.is_over[lane]),
                )

    def end(self) -> None:
        """Tell the program that the match is over, and see that it ends."""
        if self._program.is_running:
            with suppress(AgentError):
                self._send(type='end')
        self._program.close()

    def _run(self) -> None:
        self._program.start()
        self._asked = self._settled = 0
        self._send(**self._start)

    def _send(self, **message: Any) -> None:
        self._program.send(json.dumps(message))

    def _read(self, line: str) -> object:
        """Read a line, and note which question it settles: by its id, else the oldest open one."""
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        number = answer.get('id') if isinstance(answer, dict) else None
        self._settled = number if isinstance(number, int) else self._settled + 1
        return answer

    def _move(self, answer: object, view: LaneView, line: str) -> str:
        if not isinstance(answer, dict):
            raise self._refuse(line, 'that is no answer')
        move, action = answer.get('move'), answer.get('action')
        if isinstance(move, str) and move:
            return move
        if isinstance(action, int) and action in view.actions:
            return view.moves[view.actions.index(action)]
        if isinstance(action, int) and 0 <= action < len(self._info.moves):
            return self._info.moves[action]
        raise self._refuse(line, 'that names no move')

    def _refuse(self, line: str, reason: str) -> AgentError:
        shown = line if len(line) <= 200 else f'{line[:200]}…'
        return AgentError(
            f'program {self._program.command!r} wrote {shown!r}: {reason}; '
            'expected a line such as {"move": "(mark 1 1)"} or {"action": 3}'
        )
