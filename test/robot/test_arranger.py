"""An arm that looks at what it did, and puts right what went wrong."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from real_board import RealBoard, open_board, random_steps

from gdl_env.robot.arranger import Arranged, Arranger, MotionStage, confirm
from gdl_env.robot.executor import STAGES
from gdl_env.robot.perception import Recogniser, SeenSquares
from gdl_env.robot.positions import Position
from gdl_env.robot.robot_setup import Geometry, default_setup
from gdl_env.robot.simulated_camera import CameraNoise
from gdl_env.robot.simulated_person import SimulatedPerson
from gdl_env.robot.simulated_table import SimulatedTable


class Bench:
    """A table with an arm and a camera."""

    def __init__(self, game: str, slips: float = 0.0, *, has_camera: bool = True) -> None:
        self.board = open_board(game)
        start = self.read(self.board)
        geometry = Geometry(default_setup(self.board.reader, start), self.board.reader)
        trays = geometry.empty_trays()
        self.table = SimulatedTable(self.board.reader, trays, slips=slips, seed=4)
        self.table.set_up(start)
        flips = geometry.setup.flips
        recogniser = Recogniser(self.board.engine, self.board.reader, flips)
        look: Callable[[], SeenSquares | None] = lambda: self.table.look(CameraNoise())  # noqa: E731
        self.arranger = Arranger(
            geometry, recogniser, self.table, look if has_camera else lambda: None
        )
        self.reports: list[MotionStage] = []

    @staticmethod
    def read(board: RealBoard) -> Position:
        return board.reader.read(board.engine.initial_state)

    def arrange(self, believed: Position, wanted: Position) -> Arranged:
        return self.arranger.arrange(believed, wanted, (), self.reports.append, lambda: False)


@pytest.mark.parametrize('name', ['tictactoe', 'checkers', 'chess', 'othello'])
@pytest.mark.parametrize('slips', [0.0, 0.1])
def test_games_are_played_although_pieces_slip(name: str, slips: float) -> None:
    bench = Bench(name, slips)
    count = 0
    for before, _, after in random_steps(bench.board, 5, 30):
        wanted = bench.board.reader.read(after)
        done = bench.arrange(bench.board.reader.read(before), wanted)
        assert done.message == ''
        assert bench.table.position == wanted
        count += done.motions
    assert count >= 5


def test_every_stage_is_reported() -> None:
    bench = Bench('tictactoe')
    wanted = bench.board.reader.read(bench.board.play('(mark 1 1)'))
    bench.arrange({}, wanted)
    assert tuple(report.stage for report in bench.reports) == STAGES
    assert {(report.motion, report.motions) for report in bench.reports} == {(1, 1)}


def test_without_a_camera_a_piece_that_is_gone_is_reported() -> None:
    bench = Bench('chess', has_camera=False)
    start = bench.read(bench.board)
    rest = {place: pieces for place, pieces in start.items() if pieces != ('white king',)}
    bench.table.set_up(rest)
    moves = ('(move e 2 e 4)', '(move e 7 e 5)', '(move e 1 e 2)')
    state = bench.board.play(*moves[:2])
    bench.table.set_up(rest)
    done = bench.arrange(start, bench.board.reader.read(bench.board.play(moves[2], state=state)))
    assert 'the gripper closed on nothing: no white king at e1' in done.message


def test_a_camera_finds_what_a_person_moved() -> None:
    bench = Bench('chess')
    start = bench.read(bench.board)
    moved = dict(start)
    moved[bench.board.reader.place('e5')] = moved.pop(bench.board.reader.place('e1'))
    bench.table.set_up(moved)
    wanted = bench.board.reader.read(bench.board.play('(move e 2 e 4)'))
    assert bench.arrange(start, wanted) == Arranged(2)
    assert bench.table.position == wanted


def test_an_arm_that_is_cancelled_stops_between_two_pieces() -> None:
    bench = Bench('chess')
    done = bench.arranger.arrange(
        bench.read(bench.board), {}, (), bench.reports.append, lambda: bool(bench.reports)
    )
    assert done == Arranged(1, 'cancelled')


def test_a_piece_that_keeps_falling_is_told_with_what_to_do() -> None:
    bench = Bench('tictactoe', slips=1.0)
    wanted = bench.board.reader.read(bench.board.play('(mark 2 2)'))
    done = bench.arrange({}, wanted)
    assert done.message.startswith('3 attempts have failed. Put the x from row')
    assert done.message.endswith('on row 2, column 2.')


def test_squares_that_were_touched_have_to_be_seen() -> None:
    bench = Bench('tictactoe', slips=1.0)
    reader = bench.board.reader
    wanted = reader.read(bench.board.play('(mark 2 2)'))
    (middle,) = wanted
    pictures: list[SeenSquares] = []

    def look_beside() -> SeenSquares:
        # A pole stands before the middle, and for a while before all other squares.
        is_blocked = len(pictures) < 5
        places = [] if is_blocked else [place for place in reader.places if place != middle]
        pictures.append({place: {(): 1.0} for place in places})
        return pictures[-1]

    recogniser = Recogniser(bench.board.engine, reader)
    check = confirm(recogniser, wanted, [middle], look_beside)
    assert check is not None
    assert check.advice == 'The camera does not show row 2, column 2.'
    # A square that nobody has touched need not be seen.
    check = confirm(recogniser, wanted, [], look_beside)
    assert check is not None and not check.advice


def test_a_person_moves_when_it_is_their_turn_and_corrects_mistakes() -> None:
    bench = Bench('tictactoe')
    engine, reader = bench.board.engine, bench.board.reader
    person = SimulatedPerson(engine, reader, bench.table, ('o',), blunders=1.0, seed=2, patience=2)
    assert not person.act(engine.initial_state, 1)
    state = bench.board.play('(mark 1 1)')
    # The arm has not put its piece yet.
    assert not person.act(state, 2)
    bench.table.set_up(reader.read(state))
    assert person.act(state, 2)
    recogniser = Recogniser(engine, reader)
    seen = bench.table.look(CameraNoise(confidence=1.0))
    found = recogniser.recognise(state, seen)
    assert found.moves == {} and found.advice
    for _ in range(2):
        person.act(state, 2)
    seen = bench.table.look(CameraNoise(confidence=1.0))
    assert list(recogniser.recognise(state, seen).moves) == ['o']
    # One move a turn.
    position = bench.table.position
    assert not person.act(state, 2)
    assert bench.table.position == position


def test_a_bad_camera_recognises_nothing_wrongly() -> None:
    board = open_board('tictactoe')
    recogniser = Recogniser(board.engine, board.reader)
    random, known, told = Random(3), 0, 0
    noise = CameraNoise(blind=0.05, wrong=0.05, confidence=0.95)
    table = SimulatedTable(board.reader, Bench('tictactoe').arranger._trays, seed=6)
    for seed in range(20):
        for before, moves, after in random_steps(board, seed, 9):
            table.set_up(board.reader.read(after))
            found = recogniser.recognise(before, table.look(noise))
            assert found.moves in ({}, moves)
            known += found.moves == moves
            told += not found.moves
    assert known > told > 0
    assert random
