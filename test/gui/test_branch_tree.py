"""Moves that are tried, branches, and games from PGN; python-chess is the oracle."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytestmark = pytest.mark.ros

from gdl_env.engine.recordings.reader import read_recordings  # noqa: E402
from gdl_env.engine.recordings.replay import replay  # noqa: E402
from gdl_env.engine.registry import open_engine  # noqa: E402
from gdl_env.errors import GdlError, IllegalMoveError  # noqa: E402
from gdl_env.gui.errors import GuiError  # noqa: E402
from gdl_env.gui.study.branch_tree import BranchTree  # noqa: E402
from gdl_env.gui.study.pgn import write_pgn  # noqa: E402
from gdl_env.gui.study.pgn_reader import PgnGame, read_pgn  # noqa: E402
from gdl_env.gui.study.replays import ReplayStep  # noqa: E402
from gdl_env.gui.study.saved_games import save_replay  # noqa: E402
from gdl_env.gui.study.studied_games import line_of, study_rules  # noqa: E402
from gdl_env.gui.study.trial_board import TrialBoard  # noqa: E402
from gdl_env.language.load import open_game  # noqa: E402


@pytest.fixture(scope='module')
def chess_board() -> TrialBoard:
    return TrialBoard(open_game('chess'))


def step(name: str) -> ReplayStep:
    return ReplayStep((name,), {'x': name}, {})


def test_branches_follow_the_move_that_they_replace() -> None:
    tree = BranchTree(map(step, ('start', 'a', 'b', 'c')))
    other = tree.add(1, step('B'))
    tree.add(other, step('C'))
    third = tree.add(1, step('BB'))
    assert tree.add(1, step('b')) == 2, 'what is there already is found again'
    seen = [(tree[e.number].facts[0], e.place, e.depth) for e in tree.entries()]
    assert seen == [
        *[('start', 0, 0), ('a', 1, 0), ('b', 2, 0)],
        *[('B', 2, 1), ('C', 3, 1), ('BB', 2, 1)],
        ('c', 3, 0),
    ]
    assert [tree[n].facts[0] for n in tree.find_line(other)] == ['start', 'a', 'B', 'C']
    assert [tree[n].facts[0] for n in tree.find_line(third)] == ['start', 'a', 'BB']
    assert [tree[n].facts[0] for n in tree.find_line(1)] == ['start', 'a', 'b', 'c']


def test_moves_are_tried_by_the_rules(tmp_path: Path) -> None:
    (game,) = study_rules('tictactoe')
    board = TrialBoard(open_game('tictactoe'))
    number = 0
    for move in ('(mark 1 1)', '(mark 2 1)', '(mark 1 2)', '(mark 2 2)', '(mark 1 3)'):
        facts = game.tree[number].facts
        (role,) = [r for r, moves in board.list_moves(facts).items() if move in moves]
        noop = {r: m[0] for r, m in board.list_moves(facts).items() if r != role}
        number = game.tree.add(number, board.play(facts, {**noop, role: move}))
    assert game.tree[number].goals == {'x': 100, 'o': 0}
    assert board.list_moves(game.tree[number].facts) == {}
    with pytest.raises(IllegalMoveError):
        board.play(game.tree[1].facts, {'o': '(mark 1 1)'})
    # What was tried can be saved, and the rules agree with it.
    path = save_replay(line_of(game, number), tmp_path)
    (recording,) = read_recordings(path)
    assert len(recording.steps) == 5
    assert replay(open_engine(open_game('tictactoe')), recording) is None


def test_what_is_hidden_is_not_shown_to_those_who_try() -> None:
    with pytest.raises(GdlError, match='hides facts'):
        study_rules('kuhn_poker')


# ---- PGN

PLAIN = '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O *'
# Tags, comments of both kinds, signs, an escaped line, variations in variations, promotion,
# capture in passing, checks, both knights to one square, zeros for castling, no result.
RICH = """[Event "A \\"test\\""]
[White "Anna"] [Black "Ben"]
[Date "2024.??.??"]
[Result "*"]

% not for reading
1.e4 {the best} d5?! 2.e5! $14 f5 ; a line (of comment
3. exf6 e.p. (3. d4 e6 (3... c5 4. dxc5 Nc6 ) 4. Nf3) (3. f4) 3... Kf7 4.fxg7 Ke6
5. gxh8=N c6 6. Nf3 Nd7 7. Nd4+ Kd6 8. Be2 b6 9. 0-0 a5 10. Nb3 a4 11. d3 b5 12. N1d2
"""
TWO = '[White "A"]\n1. f3 e5 2. g4 Qh4# 0-1\n\n[White "B"]\n1. d4 d5 1/2-1/2\n'


def to_uci(game: PgnGame, number: int) -> str:
    """Return the move that led to a position, as other programs write it."""
    ((role, move),) = [(r, m) for r, m in game.tree[number].moves.items() if m != 'noop']
    words = move.strip('()').split()
    if words[0] == 'promote':
        ranks = '78' if role == 'white' else '21'
        letter = {'knight': 'n'}.get(words[3], words[3][0])
        return f'{words[1]}{ranks[0]}{words[2]}{ranks[1]}{letter}'
    return ''.join(words[1:])


def to_lines(game: PgnGame) -> set[tuple[str, ...]]:
    """Return all lines of a game, from the beginning to their ends."""
    ends = [node.number for node in game.tree.nodes if not node.children]
    return {tuple(to_uci(game, n) for n in game.tree.find_line(end)[1:]) for end in ends}


def read_lines(text: str) -> list[set[tuple[str, ...]]]:
    """Return the same of each game, as python-chess reads it."""
    pgn = pytest.importorskip('chess.pgn', reason='python-chess is not installed')
    stream, found = io.StringIO(text), []
    while (game := pgn.read_game(stream)) is not None:
        assert not game.errors, game.errors
        lines, waiting = set(), [(game, ())]
        while waiting:
            node, before = waiting.pop()
            moves = (*before, node.move.uci()) if node.parent is not None else ()
            waiting += [(child, moves) for child in node.variations]
            if not node.variations:
                lines.add(moves)
        found.append(lines)
    return found


@pytest.mark.parametrize('text', [PLAIN, RICH, TWO], ids=['plain', 'rich', 'two'])
def test_pgn_is_read_as_others_read_it(text: str, chess_board: TrialBoard) -> None:
    games = read_pgn(text, chess_board)
    assert [to_lines(game) for game in games] == read_lines(text)
    # And what we write again is read by others as the same, with all branches.
    for game, lines in zip(games, read_lines(text), strict=True):
        assert read_lines(write_pgn(game.tree)) == [lines]


def test_pgn_tells_who_played(chess_board: TrialBoard) -> None:
    (rich,) = read_pgn(RICH, chess_board)
    assert rich.to_replay().title == 'Anna - Ben, 2024'
    assert rich.tags['Event'] == 'A "test"'
    mate, draw = read_pgn(TWO, chess_board)
    assert mate.to_replay().steps[-1].goals == {'white': 0, 'black': 100}
    assert len(draw.to_replay().steps) == 3


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('1. e4 e5 2. Ke3', r'game 1, move 2\. Ke3: this is not a legal move'),
        ('1. e4 e5 2. Nf3 Nf3', r'move 2\.\.\. Nf3: this is not a legal move'),
        ('1. e4 d5 2. e5 d4 3. Nf3 Nc6 4. Nd2', r'move 4\. Nd2: this is not a legal move'),
        ('1. d4 d5 2. Nf3 e6 3. Nd2', r'move 3\. Nd2: this may be each of'),
        ('1. e4 hello', r'move 1\.\.\. hello: this is not how moves are written'),
        ('1. f3 e5 2. g4 Qh4# 3. a3', r'move 3\. a3: the game is over'),
        ('1. e4 {open', r'move 1\.\.\.: the comment is not closed'),
        ('1. e4 (1. d4', r'move 1\.\.\.: a variation is not closed'),
        ('1. e4 )', r'move 1\.\.\.: a bracket closes no variation'),
        ('(1. d4) 1. e4', r'move 1\.: a variation needs a move'),
        ('1. e4 e5 2. --', r'move 2\.: "-" is not understood'),
        ('1. e4 e5 1-0 1. d4 Ke7', r'game 2, move 1\.\.\. Ke7'),
        ('[FEN "8/8/8/8/8/8/8/K1k5 w - - 0 1"]', 'begins at a position of its own'),
        ('[Variant "Atomic"] 1. e4', 'Atomic is not read'),
        ('1. e4 * ' * 51, 'at most 50 games'),
        ('', 'no moves were found'),
        ('[White "A"] *', 'no moves were found'),
        ('hello world, this is no game', r'move 1\. hello'),
        ('1. e4 ' * 100_000, 'at most 500 kB'),
    ],
)
def test_bad_pgn_is_refused_at_its_move(text: str, message: str, chess_board: TrialBoard) -> None:
    with pytest.raises(GuiError, match=message):
        read_pgn(text, chess_board)
