"""Chess models in GDL, read as FEN and as the moves of UCI.

Authors write chess in many ways. This reads the usual ones: squares as one symbol (`e2`) or as
file and rank (`e 2`, `5 2`), pieces as words (`white pawn`, `white_pawn`, `wp`, `wpa`), castling
as a move of the king or by name (`castle_kingside`), promotions with squares or with files only
(`promote e d knight`). For others, derive from `ChessNotation`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
import re

from gdl_agents.errors import AgentError
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term, args_of, name_of

_KINDS = {
    'pawn': 'p', 'knight': 'n', 'bishop': 'b', 'rook': 'r', 'queen': 'q', 'king': 'k',
}  # fmt: skip
_COLOURS = {'white': True, 'black': False, 'w': True, 'b': False}
_SQUARE = re.compile(r'[a-h][1-8]')
_FILE = re.compile(r'[a-h1-8]')
_RANK = re.compile(r'[1-8]')
# Colour and kind, and perhaps a letter that tells one from another: wp, bn, wpa, br1.
_SHORT = re.compile(r'([wb])([pnbrqk])[a-h1-8]?')
# Names of facts: who may still castle (not: who has castled), and moves since the last capture or
# move of a pawn.
_MAY_CASTLE = re.compile(r'(may|can|could)_?castle|castl\w*_?(rights?|allowed|available)')
_CLOCK = re.compile(r'(half_?move_?)?clock|half_?moves?|fifty\w*')

# Squares such as 'e4' to letters of FEN.
Position = Mapping[str, str]


class ChessNotation:
    """Translates between one chess model and UCI."""

    def read_position(self, facts: Iterable[str]) -> Position:
        """Return which piece stands where. Raises AgentError if that cannot be seen."""
        found: list[tuple[str, str, str]] = []
        for text in facts:
            fact = read_term(text)
            squares, words = _squares_and_words(fact)
            piece = _piece(words)
            if len(squares) == 1 and piece:
                found.append((f'{name_of(fact)}/{len(args_of(fact))}', squares[0], piece))
        # Others, such as those of pieces that have moved, tell of pieces and squares, too.
        board = Counter(name for name, _, _ in found).most_common(1)
        position = {square: piece for name, square, piece in found if name == board[0][0]}
        if not {'K', 'k'} <= set(position.values()):
            raise AgentError('the facts show no chess position with two kings')
        return position

    def write_move(self, move: str, position: Position, *, is_white: bool) -> str:
        """Return a legal move of the model as UCI writes it, '' if it is no chess move."""
        term = read_term(move)
        squares, words = _squares_and_words(term)
        if not squares:
            return _promotion(words, is_white) or _castling(move, is_white)
        if len(squares) != 2:
            return ''
        start, end = squares
        is_pawn = position.get(start, '').lower() == 'p'
        if not is_pawn or end[1] not in '18':
            return start + end
        kinds = [kind for kind in map(_kind, words) if kind not in {'', 'p', 'k'}]
        return start + end + (kinds[-1] if kinds else 'q')

    def write_fen(
        self,
        position: Position,
        moves: Sequence[str],
        *,
        is_white: bool,
        facts: Iterable[str] = (),
    ) -> str:
        """Return a position as FEN; `moves` are those the model allows, as UCI writes them.

        Who may castle, and the clock of the fifty moves, are taken from the facts, where they tell
        (`(may_castle white kingside)`, `(clock 7)`). Else a side may castle if it can do so now,
        and nothing is known of the other side. En passant is what can be taken now.
        """
        rows = []
        for rank in '87654321':
            row = ''.join(position.get(f'{file}{rank}', '1') for file in 'abcdefgh')
            rows.append(re.sub('1+', lambda blanks: str(len(blanks.group())), row))
        told = [read_term(text) for text in facts]
        rights = _told_rights(told)
        rank = '1' if is_white else '8'
        for file, side in (('g', 'k'), ('c', 'q')):
            if f'e{rank}{file}{rank}' in moves:
                rights.add(side.upper() if is_white else side)
        castling = ''.join(side for side in 'KQkq' if side in rights and _is_home(position, side))
        passing = next((m[2:4] for m in moves if _is_en_passant(m, position)), '-')
        colour = 'w' if is_white else 'b'
        return f'{"/".join(rows)} {colour} {castling or "-"} {passing} {_told_clock(told)} 1'


def _told_rights(facts: Iterable[Term]) -> set[str]:
    """Return who may still castle, in letters of FEN."""
    rights = set()
    for fact in facts:
        if not _MAY_CASTLE.fullmatch(name_of(fact)):
            continue
        words = [part for atom in _atoms(fact) for part in re.split(r'[_\-]', atom)]
        colours = [_COLOURS[word] for word in words if word in _COLOURS]
        wings = [wing for word in words if (wing := _wing(word))]
        if len(colours) == len(wings) == 1:
            rights.add(wings[0].upper() if colours[0] else wings[0])
    return rights


def _wing(word: str) -> str:
    if re.fullmatch(r'king(side)?|short|k', word):
        return 'k'
    return 'q' if re.fullmatch(r'queen(side)?|long|q', word) else ''


def _is_home(position: Position, side: str) -> bool:
    """Tell whether king and rook stand where they must: engines refuse other rights."""
    rank, king, rook = ('1', 'K', 'R') if side.isupper() else ('8', 'k', 'r')
    file = 'h' if side.lower() == 'k' else 'a'
    return position.get(f'e{rank}') == king and position.get(f'{file}{rank}') == rook


def _told_clock(facts: Iterable[Term]) -> int:
    for fact in facts:
        args = args_of(fact)
        if _CLOCK.fullmatch(name_of(fact)) and len(args) == 1 and str(args[0]).isdigit():
            return int(str(args[0]))
    return 0


def _squares_and_words(term: Term) -> tuple[list[str], list[str]]:
    """Return the squares in a term, and its other words, from left to right."""
    squares: list[str] = []
    words: list[str] = []
    atoms = list(_atoms(term))
    while atoms:
        atom = atoms.pop(0)
        if _SQUARE.fullmatch(atom):
            squares.append(atom)
        elif _FILE.fullmatch(atom) and atoms and _RANK.fullmatch(atoms[0]):
            file = chr(ord('a') + int(atom) - 1) if atom.isdigit() else atom
            squares.append(file + atoms.pop(0))
        else:
            words.append(atom)
    return squares, words


def _atoms(term: Term) -> Iterator[str]:
    """Yield the constants in a term, without the names of its functions."""
    args = args_of(term)
    if not args:
        yield str(term)
    for arg in args:
        yield from _atoms(arg)


def _piece(words: Iterable[str]) -> str:
    """Return the letter of FEN for words such as `white`, `rook`; '' if they are no piece."""
    colour: bool | None = None
    kind = ''
    for word in words:
        short = _SHORT.fullmatch(word)
        if short:
            colour, kind = _COLOURS[short[1]], short[2]
            continue
        for part in re.split(r'[_\-]', word):
            if colour is None and part in _COLOURS:
                colour = _COLOURS[part]
            else:
                kind = kind or _kind(part)
    if colour is None or not kind:
        return ''
    return kind.upper() if colour else kind


def _kind(word: str) -> str:
    """Return the letter of a kind of piece: `queen`, `white_queen`, `wq` and `q` are all q."""
    short = _SHORT.fullmatch(word)
    if short:
        return short[2]
    for part in re.split(r'[_\-]', word.rstrip('0123456789')):
        if part in _KINDS:
            return _KINDS[part]
    return word if word in _KINDS.values() else ''


def _promotion(words: Sequence[str], is_white: bool) -> str:
    """Read two files and a piece: the ranks of a pawn that is promoted are known."""
    if len(words) != 3 or not all(re.fullmatch('[a-h]', file) for file in words[:2]):
        return ''
    start, end = ('7', '8') if is_white else ('2', '1')
    return f'{words[0]}{start}{words[1]}{end}{_kind(words[2])}'


def _castling(move: str, is_white: bool) -> str:
    rank = '1' if is_white else '8'
    if not re.search(r'castl|o-o', move):
        return ''
    is_long = re.search(r'queen|long|o-o-o', move) is not None
    return f'e{rank}{"c" if is_long else "g"}{rank}'


def _is_en_passant(move: str, position: Position) -> bool:
    """Tell whether a pawn leaves its file for an empty square."""
    is_pawn = position.get(move[:2], '').lower() == 'p'
    return is_pawn and move[0] != move[2] and move[2:4] not in position
