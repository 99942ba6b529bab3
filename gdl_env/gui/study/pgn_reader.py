"""Games of chess from PGN: tags, moves in standard or long notation, comments, variations.

Moves are found among those that the rules allow; so a game is read, or its first wrong move named.
Variations become branches, comments and signs such as `$1` or `!?` are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
import re

from gdl_env.gui.study.branch_tree import BranchTree
from gdl_env.gui.study.chess_moves import ChessMove, read_board, read_move
from gdl_env.gui.study.replays import Replay
from gdl_env.gui.study.trial_board import TrialBoard
from gdl_env.gui.texts import TextError

GAME = 'chess'
ROLES = ('white', 'black')
# Games of one text that are read, moves of all of them, and characters.
MOST_GAMES = 50
MOST_MOVES = 10_000
MOST = 500_000

_TOKEN = re.compile(
    r"""(?P<blank>\s+|^%[^\n]*|\{[^}]*\}|;[^\n]*|\$\d+|[!?]+|e\.p\.)
    |(?P<tag>\[\s*(?P<key>\w+)\s*"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\])
    |(?P<result>(?:1-0|0-1|1/2-1/2|\*)(?![\w/-]))
    |(?P<castling>[O0]-[O0](?:-[O0])?)[+\#]*
    |(?P<count>\d+\s*\.+|\d+(?=\s)|\.+)
    |(?P<open>\()|(?P<close>\))
    |(?P<move>[A-Za-z][\w=+\#-]*)
    |(?P<other>.)""",
    re.VERBOSE | re.MULTILINE,
)
_MOVE = re.compile(
    r'(?P<piece>[KQRBNP])?(?P<file>[a-h])?(?P<rank>[1-8])?[x-]?(?P<target>[a-h][1-8])'
    r'(?:=?(?P<becomes>[QRBN]))?[+#]*'
)
# The beginning, as a tag may spell it out.
_BEGINNING = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -'
_STANDARD = {'', 'standard', 'chess', 'normal'}


@dataclass
class PgnGame:
    """One game: its tags, and the tree of its positions."""

    tags: dict[str, str]
    tree: BranchTree
    # Where moves are added; those of lines that a variation has left stand below.
    lines: list[int] = field(default_factory=lambda: [0])
    # Steps from the beginning to each of them.
    places: list[int] = field(default_factory=lambda: [0])
    is_begun: bool = False

    def to_replay(self) -> Replay:
        """Return the line that was played."""
        steps = tuple(self.tree[number] for number in self.tree.find_line(0))
        return Replay(GAME, ROLES, steps, title=_title(self.tags))


def read_pgn(text: str, board: TrialBoard) -> list[PgnGame]:
    """Return the games of a text. Raises GuiError with the first wrong move."""
    if len(text) > MOST:
        raise TextError('trouble.pgn_long', most=MOST // 1000)
    reader = _PgnReader(board)
    for token in _TOKEN.finditer(text.removeprefix('\ufeff')):
        reader.take(token)
    return reader.finish()


class _PgnReader:
    """Takes one token after the other."""

    def __init__(self, board: TrialBoard) -> None:
        self._board = board
        self._first = board.first
        self.games: list[PgnGame] = []
        self._moves = 0
        self._game = self._begin()

    def _begin(self) -> PgnGame:
        return PgnGame({}, BranchTree([self._first]))

    def take(self, token: re.Match[str]) -> None:
        game = self._game
        if token['blank'] or token['count']:
            return
        if token['tag']:
            if game.is_begun:
                self._end()
            self._take_tag(token['key'], re.sub(r'\\(.)', r'\1', token['value']))
            return
        game.is_begun = True
        if token['result']:
            if len(game.lines) == 1:
                self._end()
        elif token['open']:
            self._open()
        elif token['close']:
            if len(game.lines) == 1:
                raise self._error('trouble.pgn_close')
            game.lines.pop()
            game.places.pop()
        elif token['other']:
            key = 'trouble.pgn_comment' if token['other'] == '{' else 'trouble.pgn_sign'
            raise self._error(key, sign=token['other'])
        else:
            self._play(token['castling'] or token['move'])

    def finish(self) -> list[PgnGame]:
        """Return the games; the last one may have no result."""
        if self._game.is_begun or self._game.tags:
            self._end()
        if not any(len(game.tree.nodes) > 1 for game in self.games):
            raise TextError('trouble.pgn_empty')
        return self.games

    def _end(self) -> None:
        if len(self._game.lines) > 1:
            raise self._error('trouble.pgn_open')
        if len(self.games) == MOST_GAMES:
            raise TextError('trouble.pgn_games', most=MOST_GAMES)
        self.games.append(self._game)
        self._game = self._begin()

    def _take_tag(self, key: str, value: str) -> None:
        self._game.tags[key] = value
        if key.lower() == 'fen' and not value.startswith(_BEGINNING):
            raise self._error('trouble.pgn_position')
        if key.lower() == 'variant' and value.lower() not in _STANDARD:
            raise self._error('trouble.pgn_variant', variant=value)

    def _open(self) -> None:
        """Begin a variation: it replaces the move before it."""
        game = self._game
        before = game.tree.nodes[game.lines[-1]].parent
        if before is None:
            raise self._error('trouble.pgn_variation')
        game.lines.append(before)
        game.places.append(game.places[-1] - 1)

    def _play(self, word: str) -> None:
        game = self._game
        self._moves += 1
        if self._moves > MOST_MOVES:
            raise self._error('trouble.pgn_many', most=f'{MOST_MOVES:,}')
        facts = game.tree[game.lines[-1]].facts
        legal = self._board.list_moves(facts)
        if not legal:
            raise self._error('trouble.pgn_over', move=word)
        ((role, texts),) = legal.items()
        board = read_board(facts)
        found = [text for text in texts if _fits(word, read_move(role, text, board))]
        if len(found) > 1:
            moves = ', '.join(str(read_move(role, text, board)) for text in found)
            raise self._error('trouble.pgn_ambiguous', move=word, moves=moves)
        if not found:
            is_move = '-' in word[:2] or _MOVE.fullmatch(word)
            key = 'trouble.pgn_illegal' if is_move else 'trouble.pgn_unknown'
            raise self._error(key, move=word)
        game.lines[-1] = game.tree.add(game.lines[-1], self._board.play(facts, {role: found[0]}))
        game.places[-1] += 1

    def _error(self, key: str, **values: str) -> TextError:
        """Return an error that names the game, if there are several, and the move."""
        place = self._game.places[-1]
        number = f'{place // 2 + 1}{"..." if place % 2 else "."}'
        return TextError(key, game=len(self.games) + 1, number=number, **values)


def _fits(word: str, move: ChessMove) -> bool:
    """Tell whether a word of a PGN may be a move."""
    if move.castling and word[0] in 'O0':
        return word.replace('0', 'O') == move.castling
    read = _MOVE.fullmatch(word)
    if read is None or move.target != read['target']:
        return False
    piece = (read['piece'] or '').replace('P', '')
    return (
        piece == move.piece
        and read['file'] in (None, move.start[0])
        and read['rank'] in (None, move.start[1])
        and (read['becomes'] == move.becomes if read['becomes'] else True)
    )


def _title(tags: Mapping[str, str]) -> str:
    """Return who played, and when, as far as that is known: 'Anderssen - Kieseritzky, 1851'."""

    def tell(words: Iterator[str]) -> list[str]:
        return [word for word in words if word.strip('?. ')]

    players = ' - '.join(tell(tags.get(key, '') for key in ('White', 'Black')))
    year = tags.get('Date', '').partition('.')[0]
    result = tags.get('Result', '').strip('*')
    return ', '.join(tell(iter((players, year, result))))
