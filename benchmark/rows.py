"""The games of the benchmark: our rules, and the same game in other programs.

To add one, add a row. A row whose rules are not there is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OWN = 'games'
CORPUS = 'corpus'


@dataclass(frozen=True)
class Row:
    """One game."""

    name: str
    # Where the rules come from (our own, or a public corpus), and the file there.
    source: str
    file: str
    # The game in open_spiel and in pgx ('' if it is not there).
    spiel: str = ''
    pgx: str = ''
    # How the rules of each differ from ours; '' says that they are the same.
    spiel_differs: str = ''
    pgx_differs: str = ''
    # Of our game: names and values.
    options: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> Path:
        """Return the rule file."""
        if self.source == OWN:
            return ROOT / 'games' / self.file
        return corpus() / 'games' / self.file


_CHESS = 'a third occurrence of a position is no draw here'
_CHECKERS = 'captures are not forced here, and games end at step 102'
_SPEED_CHESS = 'check is ignored, a king is captured, and games end at step 200'

ROWS = (
    Row('tic-tac-toe', OWN, 'tictactoe.gdl', 'tic_tac_toe', 'tic_tac_toe'),
    Row('connect four', OWN, 'connect_four.gdl', 'connect_four', 'connect_four'),
    Row('breakthrough 8x8', OWN, 'breakthrough.gdl', 'breakthrough(rows=8,columns=8)'),
    Row(
        'breakthrough 8x8, public file',
        CORPUS,
        'breakthrough-afbe05.kif',
        'breakthrough(rows=8,columns=8)',
    ),
    Row('othello', OWN, 'othello.gdl', 'othello', 'othello'),
    Row('othello, public file', CORPUS, 'reversi-6156af.kif', 'othello', 'othello'),
    # pgx plays hex on 11x11 only.
    Row('hex 9x9', OWN, 'hex.gdl', 'hex(board_size=9)'),
    Row('hex 9x9, public file', CORPUS, 'hex-be52b3.kif', 'hex(board_size=9)'),
    Row('checkers', OWN, 'checkers.gdl', 'checkers'),
    Row(
        'checkers, public file',
        CORPUS,
        'checkers-b89d77.kif',
        'checkers',
        spiel_differs=_CHECKERS,
    ),
    Row('gomoku 15x15', OWN, 'gomoku.gdl'),
    Row('gomoku 15x15, public file', CORPUS, 'gomoku_15x15-62af79.kif'),
    Row('chess', OWN, 'chess.gdl', 'chess', 'chess', _CHESS, _CHESS),
    Row(
        'chess, threefold repetition',
        OWN,
        'chess.gdl',
        'chess',
        'chess',
        options=(('repetition', 'threefold'),),
    ),
    Row(
        'speed chess',
        CORPUS,
        'speedChess-3b4bef.kif',
        'chess',
        'chess',
        _SPEED_CHESS,
        _SPEED_CHESS,
    ),
)

# Measured by itself: see `doppelkopf.py`.
DOPPELKOPF = Row('doppelkopf', OWN, 'doppelkopf.gdl')
# Measured as environments: see `environment.py`. Games with chance or hidden facts, and open games
# whose circuits are of about the same size.
_LARGE = Row('othello 10x10', OWN, 'othello.gdl', options=(('size', '10'),))
HIDDEN = (
    (Row('leduc poker', OWN, 'leduc_poker.gdl'), Row('nim', OWN, 'nim.gdl')),
    (Row('backgammon', OWN, 'backgammon.gdl'), _LARGE),
    (DOPPELKOPF, next(row for row in ROWS if row.name == 'checkers, public file')),
)


def corpus() -> Path:
    """Return the folder of the public corpus: $GDL_CORPUS, or beside this project."""
    chosen = os.environ.get('GDL_CORPUS')
    return Path(chosen) if chosen else ROOT.parent / 'shared' / 'gdl-corpus'


def row_named(name: str) -> Row:
    """Return a row by its name. Raises KeyError."""
    return {row.name: row for row in (*ROWS, *(row for pair in HIDDEN for row in pair))}[name]
