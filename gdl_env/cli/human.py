"""A person at the terminal: shows what its role may see, reads a move."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
import sys
import textwrap

from gdl_env.cli.board import Board
from gdl_env.engine.contract import Move, Role
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.game import Information
from gdl_env.language.parser import parse_term
from gdl_env.language.terms import Number, Term, args_of, name_of

# Moves that are listed at most; more are found with `moves FILTER`.
_LISTED = 60

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
        list_moves(legal)
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
        if word in {'undo', 'quit'} and not rest and not _find(text, legal):
            return Wish.UNDO if word == 'undo' else Wish.QUIT
        move = _find(text, legal)
        if move is not None:
            return move
        if word == 'help':
            print(HELP)
        elif word == 'moves':
            list_moves(legal, rest.strip())
        elif word == 'state':
            self.show(match, role, is_all=True)
        else:
            print(_refuse(text, legal))
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


def list_moves(legal: Sequence[Move], text: str = '') -> None:
    """Print moves with their numbers, those that contain a text only."""
    rows = [
        str(move) if _are_numbers(legal) else f'{number:3}  {move}'
        for number, move in enumerate(legal, start=1)
        if text.lower() in str(move)
    ]
    if not rows:
        print(f'  no move contains {text!r}')
        return
    shown = rows if text else rows[:_LISTED]
    width = max(map(len, shown)) + 3
    per_line = max(1, 96 // width)
    # Down the columns first, as people read a list.
    height = -(-len(shown) // per_line)
    for line in range(height):
        print(f'  {"".join(f"{row:{width}}" for row in shown[line::height])}'.rstrip())
    if len(shown) < len(rows):
        print(f"  … {len(rows) - len(shown)} more; 'moves TEXT' lists those that contain TEXT")


def _find(text: str, legal: Sequence[Move]) -> Move | None:
    """Return the legal move a text stands for: its number in the list, or its own text."""
    if text.isascii() and text.isdigit() and not _are_numbers(legal):
        index = int(text) - 1
        return legal[index] if 0 <= index < len(legal) else None
    for attempt in (text, f'({text})'):
        try:
            move = parse_term(attempt)
        except ValueError:
            continue
        if move in legal:
            return move
    return None


def _are_numbers(legal: Sequence[Move]) -> bool:
    """Tell whether moves are numbers themselves, so that their place in a list would mislead."""
    return any(isinstance(move, Number) for move in legal)


def _refuse(text: str, legal: Sequence[Move]) -> str:
    if text.isascii() and text.isdigit():
        return f'  there is no move {text}: type a number from 1 to {len(legal)}, or help'
    return textwrap.shorten(f'{text!r} is not a legal move', 90) + '; try moves or help'


def _unwrap(fact: Term, role: Role) -> Term:
    """Show `(sees x (cell 1 1 b))` to x as the fact itself."""
    args = args_of(fact)
    return args[1] if name_of(fact) == 'sees' and len(args) == 2 and args[0] == role else fact
