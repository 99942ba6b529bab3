"""Moves of the rules of chess as players write them: a piece, its squares, what it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gdl_env.gui.texts import TextError
from gdl_env.language.reader import read_term
from gdl_env.language.terms import args_of, name_of

LETTERS = {'knight': 'N', 'bishop': 'B', 'rook': 'R', 'queen': 'Q', 'king': 'K', 'pawn': ''}
CASTLES = {('e', 'g'): 'O-O', ('e', 'c'): 'O-O-O'}
_LAST_RANKS = {'1', '8'}


@dataclass(frozen=True)
class ChessMove:
    """One move; pieces by their letters, a pawn has none."""

    piece: str
    # 'e2', 'e4'.
    start: str
    target: str
    is_capture: bool
    # What a pawn becomes on the last rank.
    becomes: str = ''

    @property
    def castling(self) -> str:
        """Return how castling is written; '' for other moves."""
        return CASTLES.get((self.start[0], self.target[0]), '') if self.piece == 'K' else ''

    def __str__(self) -> str:
        cross = 'x' if self.is_capture else ''
        becomes = f'={self.becomes}' if self.becomes else ''
        return self.castling or f'{self.piece}{self.start}{cross}{self.target}{becomes}'


def read_board(facts: Iterable[str]) -> dict[str, str]:
    """Return the letter of the piece on each square that has one."""
    found = {}
    for fact in facts:
        term = read_term(fact)
        args = [str(arg) for arg in args_of(term)]
        if name_of(term) == 'cell' and len(args) == 4 and args[3] in LETTERS:
            found[f'{args[0]}{args[1]}'] = LETTERS[args[3]]
    return found


def read_move(role: str, text: str, board: Mapping[str, str]) -> ChessMove:
    """Return a move of the rules, at a position. Raises GuiError for what is none."""
    move = read_term(text)
    args = [str(arg) for arg in args_of(move)]
    kind = ''
    if name_of(move) == 'promote' and len(args) == 3 and args[2] in LETTERS:
        ranks = ('7', '8') if role == 'white' else ('2', '1')
        start, target, kind = f'{args[0]}{ranks[0]}', f'{args[1]}{ranks[1]}', LETTERS[args[2]]
    elif name_of(move) == 'move' and len(args) == 4:
        start, target = f'{args[0]}{args[1]}', f'{args[2]}{args[3]}'
    else:
        raise TextError('trouble.no_pgn')
    piece = board.get(start, '')
    is_pawn = piece == ''
    is_capture = target in board or (is_pawn and start[0] != target[0])
    if is_pawn and target[1] in _LAST_RANKS:
        kind = kind or 'Q'
    return ChessMove(piece, start, target, is_capture, kind)
