"""Games of chess as PGN, in the import format: every move names its piece and both squares."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

from gdl_env.gui.frames import Frame
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.study.history import HistoryEntry
from gdl_env.gui.study.saved_games import list_frames
from gdl_env.gui.texts import TextError
from gdl_env.language.reader import read_term
from gdl_env.language.terms import args_of, name_of

_LETTERS = {'knight': 'N', 'bishop': 'B', 'rook': 'R', 'queen': 'Q', 'king': 'K', 'pawn': ''}
_CASTLES = {('e', 'g'): 'O-O', ('e', 'c'): 'O-O-O'}
_LAST_RANKS = {'1', '8'}


def to_pgn(link: MatchLink, entries: list[HistoryEntry]) -> str:
    """Return a game of chess as PGN. Raises GuiError if not all of it was seen."""
    frames = list_frames(link, entries)
    goals = frames[-1].goals
    result = {100: '1-0', 50: '1/2-1/2', 0: '0-1'}.get(goals.get('white', -1), '*')
    names = {r.role: r.agent.rpartition('/')[2] for r in link.status.roles} if link.status else {}
    tags = {
        'Event': 'gdl_env',
        'Site': '?',
        'Date': f'{date.today():%Y.%m.%d}',
        'Round': '?',
        'White': names.get('white') or '?',
        'Black': names.get('black') or '?',
        'Result': result,
    }
    head = ''.join(f'[{key} "{value}"]\n' for key, value in tags.items())
    words = []
    for number, (before, after) in enumerate(pairwise(frames)):
        turn = f'{number // 2 + 1}. ' if number % 2 == 0 else ''
        words.append(turn + _move(before, after))
    return f'{head}\n{" ".join((*words, result))}\n'


def _move(before: Frame, after: Frame) -> str:
    """Return the move between two positions."""
    role, text = next(((r, m) for r, m in after.moves.items() if m != 'noop'), ('', ''))
    move = read_term(text) if text else None
    if move is None:
        raise TextError('trouble.no_pgn')
    args = [str(arg) for arg in args_of(move)]
    board = _board(before)
    if name_of(move) == 'promote':
        ranks = ('7', '8') if role == 'white' else ('2', '1')
        start, target, kind = (args[0], ranks[0]), (args[1], ranks[1]), args[2]
    else:
        start, target, kind = (args[0], args[1]), (args[2], args[3]), ''
    piece = board.get(start, 'pawn')
    if piece == 'king' and (start[0], target[0]) in _CASTLES:
        return _CASTLES[start[0], target[0]]
    is_capture = target in board or (piece == 'pawn' and start[0] != target[0])
    becomes = ''
    if piece == 'pawn' and target[1] in _LAST_RANKS:
        becomes = f'={_LETTERS[kind or "queen"]}'
    cross = 'x' if is_capture else ''
    return f'{_LETTERS[piece]}{"".join(start)}{cross}{"".join(target)}{becomes}'


def _board(frame: Frame) -> dict[tuple[str, str], str]:
    """Return the kind of piece on each square that has one."""
    found = {}
    for fact in frame.facts:
        term = read_term(fact)
        args = [str(arg) for arg in args_of(term)]
        if name_of(term) == 'cell' and len(args) == 4:
            found[args[0], args[1]] = args[3]
    return found
