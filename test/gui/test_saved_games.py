"""Games as they are saved: PGN that other programs read, and recordings that the rules accept."""

from __future__ import annotations

from dataclasses import dataclass, field
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytestmark = pytest.mark.ros

from gdl_env.engine.interpreter import Interpreter  # noqa: E402
from gdl_env.engine.recordings.replay import replay  # noqa: E402
from gdl_env.engine.registry import open_engine  # noqa: E402
from gdl_env.gui.drawing.painter import Painter  # noqa: E402
from gdl_env.gui.errors import GuiError  # noqa: E402
from gdl_env.gui.frames import Frame  # noqa: E402
from gdl_env.gui.study.drawn_moves import DrawnMoves  # noqa: E402
from gdl_env.gui.study.history import GameHistory  # noqa: E402
from gdl_env.gui.study.pgn import to_pgn  # noqa: E402
from gdl_env.gui.study.played_games import PLAYED, PlayedGames  # noqa: E402
from gdl_env.gui.study.replays import load_replays  # noqa: E402
from gdl_env.gui.study.saved_games import has_gaps, make_recording, to_text  # noqa: E402
from gdl_env.gui.study.studied_games import study_match  # noqa: E402
from gdl_env.gui.views import find_view  # noqa: E402
from gdl_env.language.load import open_game  # noqa: E402
from gdl_env.language.reader import read_term  # noqa: E402


@dataclass
class Shown:
    """Frames as a page has them."""

    frames: list[Frame] = field(default_factory=list)
    version = 0

    @property
    def span(self) -> tuple[int, int]:
        return 0, len(self.frames) - 1

    def get(self, number: int, info: Any) -> Frame | None:
        return self.frames[number] if 0 <= number < len(self.frames) else None


def watch(name: str, moves: list[str]) -> Any:
    """Play moves, and return a match as a spectator has seen it."""
    game = open_game(name)
    match = Interpreter(open_engine(game), seed=1)
    roles = [str(role) for role in match.roles]
    shown = Shown([Frame(0, 1, tuple(map(str, match.state)), is_all=True)])
    for tick, text in enumerate(moves, start=1):
        role = match.actors()[0]
        match.step({role: read_term(text)})
        goals = {str(r): g for r, g in match.goals().items() if g is not None}
        shown.frames.append(
            Frame(
                tick,
                1,
                tuple(map(str, match.state)),
                moves={str(role): text},
                goals=goals if match.is_terminal else {},
                is_all=True,
            )
        )
    painter = Painter(name, roles, game, view=find_view(name)[0])
    painter.paint(shown.frames[0].facts)
    return SimpleNamespace(
        info=SimpleNamespace(name=name, roles=roles),
        frames=shown,
        painter=painter,
        game=game,
        is_open=True,
        lives=1,
        seats={},
        status=None,
        drawn_moves=DrawnMoves(),
    )


MATE = ['(move f 2 f 3)', '(move e 7 e 5)', '(move g 2 g 4)', '(move d 8 h 4)']
CASTLE = [
    *('(move e 2 e 4)', '(move e 7 e 5)', '(move g 1 f 3)', '(move b 8 c 6)'),
    *('(move f 1 b 5)', '(move a 7 a 6)', '(move b 5 c 6)', '(move d 7 c 6)', '(move e 1 g 1)'),
]


@pytest.mark.parametrize(('moves', 'result'), [(MATE, '0-1'), (CASTLE, '*')])
def test_pgn_is_read_by_others(moves: list[str], result: str) -> None:
    pgn = pytest.importorskip('chess.pgn', reason='python-chess is not installed')
    link = watch('chess', moves)
    text = to_pgn(link, GameHistory(link).entries())
    game = pgn.read_game(io.StringIO(text))
    assert not game.errors, text
    assert game.headers['Result'] == result
    played = [move.uci() for move in game.mainline_moves()]
    assert played == [''.join(move.strip('()').split()[1:]) for move in moves]


def test_a_recording_agrees_with_the_rules() -> None:
    link = watch('tictactoe', ['(mark 1 1)', '(mark 2 2)', '(mark 1 2)'])
    recording = make_recording(link, GameHistory(link).entries())
    assert len(recording.steps) == 3
    assert replay(open_engine(link.game), recording) is None


def test_moves_are_named_in_the_words_of_the_game() -> None:
    link = watch('chess', MATE[:2])
    assert to_text(GameHistory(link).entries()) == '1. white f2 → f3\n2. black e7 → e5'


def test_a_game_with_gaps_is_not_saved() -> None:
    link = watch('tictactoe', ['(mark 1 1)', '(mark 2 2)', '(mark 1 2)'])
    del link.frames.frames[2]
    entries = GameHistory(link).entries()
    assert has_gaps(entries)
    with pytest.raises(GuiError, match='not all of its positions'):
        make_recording(link, entries)


def test_what_is_taken_back_is_a_branch() -> None:
    link = watch('tictactoe', ['(mark 1 1)', '(mark 2 2)'])
    frames = link.frames.frames
    frames.append(Frame(3, 1, frames[0].facts, is_all=True))
    frames.append(Frame(4, 1, frames[1].facts, moves={'x': '(mark 1 1)'}, is_all=True))
    entries = GameHistory(link).entries()
    assert [entry.is_undone for entry in entries] == [False, True, True, False]
    assert [entry.number for entry in entries] == [0, 1, 2, 4]


def test_what_was_taken_back_can_be_tried_again() -> None:
    link = watch('tictactoe', ['(mark 1 1)', '(mark 2 2)'])
    frames = link.frames.frames
    other = watch('tictactoe', ['(mark 3 3)']).frames.frames[1]
    frames.append(Frame(3, 1, frames[0].facts, is_all=True))
    frames.append(Frame(4, 1, other.facts, moves=other.moves, is_all=True))
    (game,) = study_match(link, GameHistory(link).entries(), 2)
    # The game as it is, and beside its only move what was played at first.
    seen = [(e.place, e.depth, game.tree[e.number].moves) for e in game.tree.entries()]
    assert [(place, depth) for place, depth, _ in seen] == [(0, 0), (1, 0), (1, 1), (2, 1)]
    assert [moves.get('x') or moves.get('o') for _, _, moves in seen[1:]] == [
        *('(mark 3 3)', '(mark 1 1)', '(mark 2 2)')
    ]
    # It is shown where the page was: after the second of the moves that were taken back.
    assert game.tree[game.number].moves == {'o': '(mark 2 2)'}


def test_a_game_that_was_played_is_kept_once_and_found_again(tmp_path: Path) -> None:
    link = watch('tictactoe', ['(mark 1 1)', '(mark 2 2)', '(mark 1 2)'])
    link.namespace = '/table_1'
    played, entries = PlayedGames(tmp_path), GameHistory(link).entries()
    assert played.list_newest(9) == [] and played.find(link, 1) == ''
    for _ in range(2):
        played.keep(link, 1, entries)
    # A foreign file that is no recording.
    (tmp_path / PLAYED / 'other.jsonl').write_text('[]')
    (found,) = played.list_newest(9)
    assert (found.title, found.file) == ('Tic-tac-toe', played.find(link, 1))
    (loaded,) = load_replays(tmp_path / found.file)
    assert len(loaded.steps) == 4
    # One that was not seen as a whole is no reason to fail.
    played.keep(link, 2, entries[:1])
    assert played.find(link, 2) == ''
