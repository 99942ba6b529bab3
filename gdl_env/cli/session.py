"""A match at the terminal: an environment and agents, in this process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
import os
import sys
from time import monotonic, sleep
from typing import Any

from gdl_agents.errors import LateError, LeaveError, TakeBackError
from gdl_agents.players.draws import derive_seed
from gdl_agents.players.human import HumanAgent, Percepts
from gdl_env.cli.match_log import MatchLog
from gdl_env.cli.seats import SeatedAgent
from gdl_env.cli.terminal_board import TerminalBoard
from gdl_env.engine.board import Board
from gdl_env.engine.dead_ends import DeadEnd
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Illegal
from gdl_env.environment.protocol import Answer, Feedback, MatchInfo, Origin, Question
from gdl_env.errors import DeadEndError
from gdl_env.language.game import Information, Turns
from gdl_env.language.keywords import NOOP


@dataclass(frozen=True)
class Pace:
    """How fast a match is played, in seconds; 0 is without limit and without delay."""

    play_clock: float = 0.0
    # After each step, where no person plays.
    delay: float = 0.0


@dataclass(frozen=True)
class _Choice:
    """Where a person had something to decide, to come back to."""

    held: dict[str, Any]
    steps: int
    percepts: tuple[Percepts, ...]


class Session:
    """Runs one match: asks the agents, steps the environment, reports what may be known."""

    def __init__(
        self,
        environment: Environment,
        info: MatchInfo,
        seats: tuple[SeatedAgent, ...],
        log: MatchLog,
        pace: Pace,
        board: TerminalBoard | None,
    ) -> None:
        self._environment = environment
        self._info = info
        self._seats = seats
        self._seat_of = {role: seat for seat in seats for role in seat.roles}
        self._log = log
        self._pace = pace
        self._board = board
        self._game = environment.game.game
        self._is_open = self._game.information is Information.COMPLETE
        self._people = tuple(role for role in environment.roles if self._seat_of[role].is_human)
        self._humans = [seat.agent for seat in seats if isinstance(seat.agent, HumanAgent)]
        # Who sat at the keyboard last, where people must not see each other's view.
        self._seated = ''
        self._choices: list[_Choice] = []
        # The newest view of each role.
        self._views: dict[str, Question] = {}
        self._reported = 0

    def run(self) -> None:
        """Play until the game is over or a person stops. Raises AgentError, DeadEndError."""
        try:
            for seat in self._seats:
                seed = derive_seed(self._environment.seed, ' '.join(seat.roles))
                seat.call(partial(seat.agent.begin, self._info, seat.roles, seed))
            self._report_steps()
            while not self._environment.is_finished:
                try:
                    answers = self._ask()
                except TakeBackError:
                    self._take_back()
                    continue
                self._step(answers)
            self._finish()
        except LeaveError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise error.__cause__ from None
            print('Stopped before the end.' if self._people else f'Stopped: {error}.')
        finally:
            for seat in self._seats:
                seat.call(seat.agent.end)

    # ---- asking

    def _ask(self) -> dict[str, Answer]:
        """Return the answers of all who decide; who is late has none.

        People are asked first: what they want may be something else than a move.
        """
        questions = self._environment.questions(with_text=True)
        self._views |= {question.role: question for question in questions}
        asked = [question for question in questions if question.is_decision]
        for question in questions:
            if not question.is_decision:
                seat = self._seat_of[question.role]
                seat.call(partial(seat.agent.notice, question))
        people = [question for question in asked if question.role in self._people]
        others = [question for question in asked if question.role not in self._people]
        choice = _Choice(
            self._environment.snapshot() if people else {},
            len(self._log.steps),
            tuple(human.snapshot() for human in self._humans),
        )
        answers: dict[str, Answer] = {}
        for number, question in enumerate(people):
            self._hand_over(question.role, is_shared=len(people) > 1)
            try:
                self._answer(question, answers)
            except TakeBackError:
                if number:
                    # Of this step only: the person before chooses again.
                    self._choices.append(choice)
                raise
        if people:
            self._choices.append(choice)
        for question in others:
            with _Thinking(question.role, is_shown=self._is_open and bool(self._people)):
                self._answer(question, answers)
        return answers

    def _answer(self, question: Question, answers: dict[str, Answer]) -> None:
        """Add the answer of an agent, unless it is late."""
        seat = self._seat_of[question.role]
        clock = self._pace.play_clock
        started = monotonic()
        try:
            answer = seat.call(partial(seat.agent.choose, replace(question, time_left=clock)))
        except LateError:
            return
        if not clock or monotonic() - started <= clock:
            answers[question.role] = answer

    def _hand_over(self, role: str, *, is_shared: bool) -> None:
        """Let people change places where they must not see each other's view or choice."""
        seat = self._seat_of[role]
        is_secret = len(seat.roles) > 1 and (is_shared or not self._is_open)
        if is_secret and role != self._seated and isinstance(seat.agent, HumanAgent):
            self._seated = role
            seat.agent.hand_over(role)

    def _take_back(self) -> None:
        if not self._choices:
            print('  there is nothing to take back')
            return
        choice = self._choices.pop()
        self._environment.go_back(choice.held)
        for human, percepts in zip(self._humans, choice.percepts, strict=True):
            human.go_back(percepts)
        if choice.steps < len(self._log.steps):
            self._log.go_back(choice.steps)
            self._mark_last_moves()
        self._reported = choice.steps
        self._seated = ''
        print('  back before the last choice')

    # ---- playing

    def _step(self, answers: dict[str, Answer]) -> None:
        step = self._environment.step(answers)
        for role in step.concerned:
            seat = self._seat_of[role]
            if seat.agent.wants_feedback:
                seat.call(partial(seat.agent.learn, step.feedback[role]))
        for role, origin in step.offences:
            if role not in self._people:
                what = 'gave no answer in time' if origin is Origin.LATE else 'answered illegally'
                print(f'{role} {what}')
        if not self._is_open and len(self._people) == 1:
            self._report_own(step.feedback[self._people[0]])
        self._report_steps()

    def _report_steps(self) -> None:
        """Print the moves that people at the terminal may know, forced ones and chance too.

        In a joint game `noop` only fills the turn of others; in a serial one it is a turn.
        """
        new, self._reported = self._log.steps[self._reported :], len(self._log.steps)
        if self._people and not self._is_open:
            return
        is_joint = self._game.turns is Turns.JOINT
        for step in new:
            for role, move in step.played.items():
                if not (is_joint and str(move) == NOOP):
                    print(f'{role}: {move}')
        self._mark_last_moves()
        if not self._people and (new or not self._log.steps):
            self._draw_state()
            sleep(self._pace.delay)

    def _report_own(self, feedback: Feedback) -> None:
        """Print the move of the only person, as it was chosen: what was drawn may be hidden."""
        is_chosen = int(feedback.origin[0]) in {Origin.AGENT, Origin.ENVIRONMENT}
        if is_chosen and feedback.move:
            print(f'{feedback.role}: {feedback.move}')

    def _mark_last_moves(self) -> None:
        if self._board is not None and self._is_open:
            last = self._log.steps[-1].played if self._log.steps else {}
            self._board.last_moves = {str(role): str(move) for role, move in last.items()}

    def _draw_state(self) -> None:
        state = self._log.state
        if self._board is not None:
            text = self._board.draw(map(str, state), '')
        else:
            text = Board(self._game).draw(state)
        print(f'\n{text}\n')

    def _finish(self) -> None:
        # What is seen last: nothing is asked any more.
        for question in self._environment.questions(with_text=True):
            self._views[question.role] = question
        for role in self._people:
            agent = self._seat_of[role].agent
            if isinstance(agent, HumanAgent):
                agent.show(self._views[role])
        if self._log.goals is not None:
            print('The game is over.')
            for player, goal in self._log.goals.items():
                print(f'  {player}: {"no goal" if goal is None else goal}')
            return
        options = self._environment.options
        tallies = (self._environment.tallies[role] for role in self._environment.roles)
        if options.max_steps and len(self._log.steps) >= options.max_steps:
            print(f'Stopped after {options.max_steps} steps, before the game was over.')
        elif options.illegal is Illegal.END and any(tally.illegal for tally in tallies):
            print('Ended by an illegal move.')
        else:
            found = DeadEnd(self._log.state, tuple(step.played for step in self._log.steps))
            raise DeadEndError(f'{self._game.name}: {found}')


class _Thinking:
    """Says who is being waited for, while it lasts; only where a line can be erased."""

    def __init__(self, role: str, *, is_shown: bool) -> None:
        is_terminal = sys.stdout.isatty() and os.environ.get('TERM', 'dumb') != 'dumb'
        self._text = f'{role} is thinking ...' if is_shown and is_terminal else ''

    def __enter__(self) -> None:
        if self._text:
            print(self._text, end='', flush=True)

    def __exit__(self, *_: object) -> None:
        if self._text:
            print('\r\x1b[K', end='', flush=True)
