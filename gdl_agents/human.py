"""A person plays, at the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from gdl_agents.errors import AgentError, LateError, LeaveError
from gdl_agents.lane_view import LaneView
from gdl_agents.terminal import Terminal
from gdl_agents.text_agent import TextAgent
from gdl_env.engine.board import Board
from gdl_env.engine.move_list import explain_refusal, find_move, list_moves
from gdl_env.environment.exchange import NO_GOAL, Feedback, MatchInfo, Origin, Question
from gdl_env.language.load import read_game
from gdl_env.language.reader import read_term
from gdl_env.language.source import Source
from gdl_env.language.terms import Term, args_of, name_of

HELP = """\
  3                the move with number 3
  (mark 1 1)       a move as it is written; the outer parentheses may be left out
  moves [TEXT]     list the moves, or those that contain TEXT
  state            show what you see again
  quit             leave the match (ctrl-D and ctrl-C do the same)
  help             this list
"""

_REPLACED = {
    Origin.ILLEGAL: 'it was played in your place, because yours was illegal',
    Origin.LATE: 'it was played in your place, because you did not move in time',
}


class HumanAgent(TextAgent):
    """Shows what its role sees, and reads a move: by number, or as text."""

    name = 'human'
    wants_feedback = True

    def __init__(self, place: str = '') -> None:
        """Take `stdin`, or a device such as /dev/tty; '' takes the terminal, if there is one."""
        self._place = place
        self._terminal: Terminal | None = None
        self._board = Board(read_game(Source('', '<none>'))[0])

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Greet. Raises AgentError if there is more than one lane, or no terminal."""
        super().begin(info, roles, seed)
        if info.lanes != 1:
            raise AgentError(f'a person plays one lane; this match has {info.lanes}')
        # Rules may be kept back; boards are then guessed from facts alone.
        self._board = Board(read_game(Source(info.rules, f'<{info.name}>'))[0])
        self._open().write(
            f'{info.name}: you play {" and ".join(roles)}. Type the number of a move, or help.\n'
        )

    def choose_move(self, view: LaneView, question: Question, deadline: float | None) -> str:
        """Ask until there is a move. Raises LeaveError at the end of the input or by `quit`."""
        terminal = self._open()
        legal = [read_term(move) for move in view.moves]
        self._show(view.facts, question.role)
        terminal.write(f'{list_moves(legal)}\n')
        while True:
            try:
                text = terminal.read_line(f'{question.role}> ', deadline)
            except LateError:
                terminal.write('\nThe time is up; another move is played for you.\n')
                raise
            except (EOFError, KeyboardInterrupt):
                raise self._leave(question.role) from None
            move = find_move(text, legal)
            if move is not None:
                return str(move)
            if text == 'quit':
                raise self._leave(question.role)
            self._obey(text, legal, view, question)

    def learn(self, feedback: Feedback) -> None:
        """Tell of moves that were not the person's own, and of the end."""
        terminal = self._open()
        origin = int(feedback.origin[0])
        if origin in _REPLACED and feedback.move:
            terminal.write(f'{feedback.role}: {feedback.move}; {_REPLACED[Origin(origin)]}\n')
        if feedback.is_over[0]:
            goal = int(feedback.goal[0])
            value = 'no goal' if goal == NO_GOAL else goal
            terminal.write(f'\nThe game is over. {feedback.role}: {value}\n')

    def end(self) -> None:
        """Let go of the terminal."""
        if self._terminal is not None:
            self._terminal.close()
            self._terminal = None

    def _obey(self, text: str, legal: list[Term], view: LaneView, question: Question) -> None:
        terminal = self._open()
        word, _, rest = text.partition(' ')
        if word == 'help':
            terminal.write(HELP)
        elif word == 'moves':
            terminal.write(f'{list_moves(legal, rest.strip())}\n')
        elif word == 'state':
            self._show(view.facts, question.role)
        elif word:
            terminal.write(f'{explain_refusal(text, legal)}\n')

    def _show(self, facts: Iterable[str], role: str) -> None:
        seen = [_unwrap(read_term(fact), role) for fact in facts]
        self._open().write(f'\n{self._board.draw(seen)}\n\n')

    def _open(self) -> Terminal:
        if self._terminal is None:
            self._terminal = Terminal(self._place)
        return self._terminal

    def _leave(self, role: str) -> LeaveError:
        self._open().write('\n')
        return LeaveError(f'the person who played {role} left the match')


def _unwrap(fact: Term, role: str) -> Term:
    """Show `(sees x (cell 1 1 b))` to x as the fact itself."""
    args = args_of(fact)
    is_own = name_of(fact) == 'sees' and len(args) == 2 and str(args[0]) == role
    return args[1] if is_own else fact
