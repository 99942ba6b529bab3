"""A person at the terminal: shows what its role may see, reads a move."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
import sys

from gdl_env.engine.board import Board
from gdl_env.engine.contract import Move, Role
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.move_list import explain_refusal, find_move, list_moves
from gdl_env.language.game import Information
from gdl_env.language.terms import Term, args_of, name_of

HELP = """\
  3                the move with number 3
  (mark 1 1)       a move as it is written; the outer parentheses may be left out
  moves [TEXT]     list the moves, or those that contain TEXT
  state            show what you see again (or perceived so far)
  undo             take back your last move and what followed
  quit             stop (ctrl-D does the same)
  help             this list"""


class Wish(Enum):
    """What a person may want instead of a move."""

    UNDO = auto()
    QUIT = auto()


class Human:
    """Plays one role by what a person types."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._is_first = True
        # The lengths of the history at which the person was asked.
        self._asked: set[int] = set()

    def choose(self, match: Interpreter, role: Role) -> Move | Wish:
        """Return the move a person chooses, or the wish to do something else.

        A role with one legal move plays it without asking.
        """
        legal = match.legal_moves(role)
        if len(legal) == 1:
            return legal[0]
        self.show(match, role)
        self._asked.add(len(match.history))
        print(list_moves(legal))
        if self._is_first:
            print('Type the number of a move, or help.')
            self._is_first = False
        while True:
            try:
                text = read_line(f'{role}> ')
            except EOFError:
                return Wish.QUIT
            answer = self._answer(text, match, role, legal)
            if answer is not None:
                return answer

    def forget(self, length: int) -> None:
        """Take back what was asked since the history had this length: it will be shown again."""
        self._asked = {n for n in self._asked if n < length}

    def show(self, match: Interpreter, role: Role, *, is_all: bool = False) -> None:
        """Print what the role sees; of percepts, all or those since it was asked before."""
        print()
        if match.engine.game.information is Information.PERCEPTS:
            before = {0} if is_all else {n for n in self._asked if n < len(match.history)}
            self._show_percepts(match, role, max(before, default=0))
        else:
            print(self._board.draw(_unwrap(fact, role) for fact in match.view(role).facts))
        print()

    def _show_percepts(self, match: Interpreter, role: Role, start: int) -> None:
        """Print what was perceived in the steps after `start`."""
        if not match.history:
            print(f'{role} perceives nothing before the first move.')
        for number, step in enumerate(match.history[start:], start=start + 1):
            print(f'{role} perceives in step {number}:')
            print(self._board.draw(step.percepts.get(role, frozenset()), with_empty=False))

    def _answer(
        self, text: str, match: Interpreter, role: Role, legal: Sequence[Move]
    ) -> Move | Wish | None:
        word, _, rest = text.partition(' ')
        if not word:
            return None
        if word in {'undo', 'quit'} and not rest and not find_move(text, legal):
            return Wish.UNDO if word == 'undo' else Wish.QUIT
        move = find_move(text, legal)
        if move is not None:
            return move
        if word == 'help':
            print(HELP)
        elif word == 'moves':
            print(list_moves(legal, rest.strip()))
        elif word == 'state':
            self.show(match, role, is_all=True)
        else:
            print(explain_refusal(text, legal))
        return None


def read_line(prompt: str) -> str:
    """Read a line; raises EOFError at the end of the input."""
    try:
        text = input(prompt).strip()
    except EOFError:
        print()
        raise
    if not sys.stdin.isatty():
        # Without a keyboard nothing else shows what was read.
        print(text)
    return text


def _unwrap(fact: Term, role: Role) -> Term:
    """Show `(sees x (cell 1 1 b))` to x as the fact itself."""
    args = args_of(fact)
    return args[1] if name_of(fact) == 'sees' and len(args) == 2 and args[0] == role else fact
