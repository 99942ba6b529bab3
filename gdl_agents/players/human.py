"""A person plays, at the terminal: over ROS 2 and in `gdl play` alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from gdl_agents.errors import AgentError, LateError, LeaveError, TakeBackError
from gdl_agents.players.lane_view import LaneView, view_lane
from gdl_agents.players.move_input import MoveInput
from gdl_agents.players.move_list import explain_ambiguity, explain_refusal, list_moves
from gdl_agents.players.terminal import Terminal
from gdl_agents.players.text_agent import TextAgent
from gdl_env.engine.board import Board
from gdl_env.environment.protocol import NO_GOAL, Feedback, MatchInfo, Origin, Question
from gdl_env.language.game import Information
from gdl_env.language.load import read_game
from gdl_env.language.reader import read_term
from gdl_env.language.source import Source
from gdl_env.language.terms import Term, args_of, name_of

# Returns what a role sees, given as facts, as text for the terminal.
Draw: TypeAlias = Callable[[Iterable[str], str], str]
# Returns advice on a question, in words.
Advise: TypeAlias = Callable[[Question], str]
# What each role has perceived before each of its decisions.
Percepts: TypeAlias = dict[str, dict[int, tuple[str, ...]]]

_HELP = """\
  e2e4, 1 1, d 3   a move by its arguments or words, joined or apart, or by beginnings of words
  (mark 1 1)       a move as the rules write it; the outer parentheses may be left out
  3                the move with number 3 in the list
  moves [TEXT]     list the moves, or those that contain TEXT
  state            show what you see again, or all you have perceived
"""
_HELP_UNDO = '  undo             take back your last move and everything after it\n'
_HELP_HINT = '  hint             ask a computer player what it would do\n'
_HELP_END = """\
  quit             leave the match (ctrl-D does the same)
  help             this list
"""

_REPLACED = {
    Origin.ILLEGAL: 'it was played in your place, because yours was illegal',
    Origin.LATE: 'it was played in your place, because you did not move in time',
}


class HumanAgent(TextAgent):
    """Lets a person play at the terminal.

    It shows what its role sees, and reads a move as people type it.
    """

    name = 'human'
    wants_feedback = True

    # Set by whatever runs the agent, where it can do more than show text and wait for moves.
    draw: Draw | None = None
    advise: Advise | None = None
    # Whether TakeBackError is understood.
    can_take_back = False
    # Whether the agent itself says that the game is over.
    announces_end = True

    def __init__(self, place: str = '') -> None:
        """Take `stdin`, or a device such as /dev/tty; '' takes the terminal, if there is one."""
        self._place = place
        self._terminal: Terminal | None = None
        self._board = Board(read_game(Source('', '<none>'))[0])
        self._is_percepts = False
        self._percepts: Percepts = {}
        self._is_new = True

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Greet. Raises AgentError if there is more than one lane, or no terminal."""
        super().begin(info, roles, seed)
        if info.lanes != 1:
            raise AgentError(f'a person plays one lane; this match has {info.lanes}')
        # Rules may be kept back; boards are then guessed from facts alone.
        game = read_game(Source(info.rules, f'<{info.name}>'))[0]
        self._board = Board(game)
        self._is_percepts = game.information is Information.PERCEPTS
        self._percepts = {role: {} for role in roles}
        self._is_new = True
        self._open().write(f'{info.name}: you play {" and ".join(roles)}.\n')

    def choose_move(self, view: LaneView, question: Question, deadline: float | None) -> str:
        """Ask until there is a move.

        Raises LeaveError at the end of the input, by `quit` or by ctrl-C (then its cause), and
        TakeBackError by `undo` where it is understood.
        """
        terminal = self._open()
        moves = MoveInput(view.moves)
        self._percepts.setdefault(question.role, {})[question.tick] = view.facts
        terminal.write(f'\n{self._show(view.facts, question)}\n\n{list_moves(moves)}\n')
        if self._is_new:
            self._is_new = False
            terminal.write(f'Type a move, such as {moves.example()}, its number, or help.\n')
        while True:
            try:
                text = terminal.read_line(f'{question.role}> ', deadline)
            except LateError:
                terminal.write('\nThe time is up; another move is played for you.\n')
                raise
            except EOFError:
                raise LeaveError(_LEFT.format(question.role)) from None
            except KeyboardInterrupt as interrupt:
                terminal.write('\n')
                raise LeaveError(_LEFT.format(question.role)) from interrupt
            found = moves.find(text)
            if not found and (not text or self._obey(text, moves, view, question)):
                continue
            found = found or moves.complete(text)
            if len(found) == 1:
                return found[0]
            explain = explain_ambiguity(text, found) if found else explain_refusal(text, moves)
            terminal.write(f'{explain}\n')

    def show(self, question: Question) -> None:
        """Show what a role sees, where nothing is asked."""
        view = view_lane(self._info, question, 0)
        self._open().write(f'\n{self._show(view.facts, question)}\n\n')

    def hand_over(self, role: str) -> None:
        """Let another person sit down, who must not see what was shown before.

        Raises LeaveError at the end of the input.
        """
        terminal = self._open()
        terminal.clear()
        try:
            terminal.read_line(
                f'{role}, it is your turn: press Enter when no one else is looking. '
            )
        except EOFError:
            raise LeaveError(_LEFT.format(role)) from None

    def learn(self, feedback: Feedback) -> None:
        """Report moves that were not the person's own, and the end of the game."""
        terminal = self._open()
        origin = int(feedback.origin[0])
        if origin in _REPLACED and feedback.move:
            terminal.write(f'{feedback.role}: {feedback.move}; {_REPLACED[Origin(origin)]}\n')
        if feedback.is_over[0] and self.announces_end:
            goal = int(feedback.goal[0])
            value = 'no goal' if goal == NO_GOAL else goal
            terminal.write(f'\nThe game is over. {feedback.role}: {value}\n')

    def snapshot(self) -> Percepts:
        """Return what has been perceived so far."""
        return {role: dict(seen) for role, seen in self._percepts.items()}

    def go_back(self, held: Percepts) -> None:
        """Forget what was perceived since `snapshot`: moves were taken back."""
        self._percepts = {role: dict(seen) for role, seen in held.items()}

    def end(self) -> None:
        """Let go of the terminal."""
        if self._terminal is not None:
            self._terminal.close()
            self._terminal = None

    def _obey(self, text: str, moves: MoveInput, view: LaneView, question: Question) -> bool:
        """Carry out a command; tell whether it was one."""
        terminal = self._open()
        word, _, rest = text.lower().partition(' ')
        if word == 'moves':
            terminal.write(f'{list_moves(moves, rest.strip())}\n')
            return True
        if rest:
            return False
        if word in {'help', '?'}:
            undo = _HELP_UNDO if self.can_take_back else ''
            hint = _HELP_HINT if self.advise else ''
            terminal.write(f'{_HELP}{undo}{hint}{_HELP_END}')
        elif word == 'state':
            terminal.write(f'\n{self._show_all(view.facts, question)}\n\n')
        elif word == 'hint':
            advice = self.advise(question) if self.advise else 'there are no hints in this match'
            terminal.write(f'  {advice}\n')
        elif word == 'undo' and self.can_take_back:
            raise TakeBackError(f'{question.role} takes its last move back')
        elif word == 'undo':
            terminal.write('  moves cannot be taken back in this match\n')
        elif word in {'quit', 'exit'}:
            raise LeaveError(_LEFT.format(question.role))
        else:
            return False
        return True

    def _show(self, facts: Iterable[str], question: Question) -> str:
        role = question.role
        if self._is_percepts:
            is_first = not set(self._percepts.get(role, ())) - {question.tick}
            when = 'before the first choice' if is_first else 'since the last choice'
            return f'{role} perceives {when}:\n{self._list(facts, role)}'
        if self.draw is not None:
            return self.draw(facts, role)
        return self._board.draw(_own(facts, role))

    def _show_all(self, facts: Iterable[str], question: Question) -> str:
        role = question.role
        if not self._is_percepts:
            return self._show(facts, question)
        return '\n'.join(
            f'{role} perceived before choice {number}:\n{self._list(seen, role)}'
            for number, seen in enumerate(self._percepts[role].values(), 1)
        )

    def _list(self, percepts: Iterable[str], role: str) -> str:
        return self._board.draw(_own(percepts, role), with_empty=False)

    def _open(self) -> Terminal:
        if self._terminal is None:
            self._terminal = Terminal(self._place)
        return self._terminal


_LEFT = 'the person who played {} left the match'


def _own(facts: Iterable[str], role: str) -> list[Term]:
    """Return facts as terms, and `(sees x (cell 1 1 b))` to x as the fact itself."""
    return [_unwrap(read_term(fact), role) for fact in facts]


def _unwrap(fact: Term, role: str) -> Term:
    args = args_of(fact)
    is_own = name_of(fact) == 'sees' and len(args) == 2 and str(args[0]) == role
    return args[1] if is_own else fact
