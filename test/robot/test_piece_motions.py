"""Which pieces are moved for a move, in every game that has a board."""

from __future__ import annotations

import pytest
from real_board import RealBoard, open_board, random_steps

from gdl_env.language.library import list_games
from gdl_env.robot.errors import BoardError, TrayError
from gdl_env.robot.piece_motions import FLIP, Motion, Plan, apply_motions, plan_motions
from gdl_env.robot.positions import Place
from gdl_env.robot.robot_setup import Geometry, default_setup
from gdl_env.robot.trays import Slot, Trays

GAMES = sorted(path.stem for path in list_games())
WITH_BOARDS = {
    *('backgammon', 'battleship', 'breakthrough', 'checkers', 'chess', 'connect_four', 'gomoku'),
    *('hex', 'krieg_tictactoe', 'lazerbike', 'monty_hall', 'nim', 'othello', 'sokoban'),
    *('simultaneous_krieg_tictactoe', 'landlord', 'tictactoe'),
}


def plan(board: RealBoard, *moves: str, trays: Trays | None = None) -> Plan:
    """Plan the last one of some moves."""
    before = board.play(*moves[:-1])
    after = board.play(moves[-1], state=before)
    position = board.reader.read(before)
    geometry = Geometry(default_setup(board.reader, position), board.reader)
    (role,) = (r for r in board.engine.roles if board.engine.legal_moves(before)[r])
    return plan_motions(
        position,
        board.reader.read(after),
        trays or geometry.empty_trays(),
        board.reader.path({str(role): moves[-1]}),
        geometry.setup.flips,
    )


def words(board: RealBoard, motions: tuple[Motion, ...]) -> list[str]:
    def name(spot: Place | Slot) -> str:
        return spot.tray if isinstance(spot, Slot) else board.reader.name(spot)

    return [f'{m.purpose} {m.piece} {name(m.origin)} {name(m.target)}' for m in motions]


# Openings of chess up to the special move.
OPEN_KINGSIDE = (
    '(move e 2 e 4)',
    '(move e 7 e 5)',
    '(move g 1 f 3)',
    '(move g 8 f 6)',
    '(move f 1 c 4)',
    '(move f 8 c 5)',
)
TO_THE_LAST_RANK = (
    '(move a 2 a 4)',
    '(move b 7 b 5)',
    '(move a 4 b 5)',
    '(move a 7 a 6)',
    '(move b 5 a 6)',
    '(move h 7 h 6)',
    '(move a 6 a 7)',
    '(move h 6 h 5)',
)
CHESS = {
    'move': (('(move e 2 e 4)',), ['move white pawn e2 e4']),
    'capture': (
        ('(move e 2 e 4)', '(move d 7 d 5)', '(move e 4 d 5)'),
        ['capture black pawn d5 captured', 'move white pawn e4 d5'],
    ),
    'castling': (
        (*OPEN_KINGSIDE, '(move e 1 g 1)'),
        ['move white king e1 g1', 'move white rook h1 f1'],
    ),
    'en passant': (
        (
            *('(move e 2 e 4)', '(move a 7 a 6)', '(move e 4 e 5)', '(move d 7 d 5)'),
            '(move e 5 d 6)',
        ),
        ['capture black pawn d5 captured', 'move white pawn e5 d6'],
    ),
    'promotion and capture': (
        (*TO_THE_LAST_RANK, '(promote a b knight)'),
        [
            'exchange white pawn a7 captured',
            'capture black knight b8 captured',
            'place white knight reserve b8',
        ],
    ),
}


@pytest.mark.parametrize('kind', CHESS)
def test_moves_of_chess(kind: str) -> None:
    moves, expected = CHESS[kind]
    board = open_board('chess')
    assert sorted(words(board, plan(board, *moves).motions)) == sorted(expected)


def test_a_man_of_checkers_that_arrives_is_exchanged_for_a_king() -> None:
    board = open_board('checkers')
    plans = [
        plan_motions(
            board.reader.read(before),
            board.reader.read(after),
            Trays(24, board.reader.pieces),
            board.reader.path(moves),
        )
        for seed in range(3)
        for before, moves, after in random_steps(board, seed, 80)
    ]
    exchanges = [p.motions for p in plans if any(m.purpose == 'exchange' for m in p.motions)]
    assert exchanges, 'no man has arrived'
    for motions in exchanges:
        (man,) = (motion for motion in motions if motion.purpose == 'exchange')
        (king,) = (motion for motion in motions if motion.purpose == 'place')
        assert (man.piece.endswith('man'), king.piece.endswith('king')) == (True, True)


def test_discs_of_othello_are_turned_over_where_they_lie() -> None:
    board = open_board('othello')
    state = board.engine.initial_state
    (role,) = (r for r in board.engine.roles if board.engine.legal_moves(state)[r])
    move = str(board.engine.legal_moves(state)[role][0])
    motions = plan(board, move).motions
    assert [motion.purpose for motion in motions] == ['place', FLIP]
    assert motions[1].origin == motions[1].target
    assert (motions[1].piece, motions[1].becomes) == ('white', 'black')


def test_two_pieces_that_change_places_need_a_third_place() -> None:
    one, other = Place('b', 0, 0), Place('b', 0, 1)
    motions = plan_motions(
        {one: ('x',), other: ('o',)}, {one: ('o',), other: ('x',)}, Trays(2, ('o', 'x'))
    ).motions
    assert [motion.purpose for motion in motions] == ['park', 'move', 'move']


def test_of_pieces_that_are_alike_the_one_on_the_path_moves() -> None:
    a, b, c = (Place('b', 0, column) for column in range(3))
    before, after = {a: ('x',), b: ('x',)}, {b: ('x',), c: ('x',)}
    (direct,) = plan_motions(before, after, Trays(1, ('x',)), [(a, c)]).motions
    assert (direct.origin, direct.target) == (a, c)


def test_what_lies_below_is_put_down_first() -> None:
    a, b = Place('b', 0, 0), Place('b', 0, 1)
    motions = plan_motions(
        {a: ('top',)}, {b: ('under', 'top')}, Trays(1, ('top', 'under'))
    ).motions
    assert [motion.piece for motion in motions] == ['under', 'top']


def test_an_empty_magazine_is_reported() -> None:
    board = open_board('tictactoe')
    with pytest.raises(TrayError, match="no tray holds a x; add one to the tray 'reserve'"):
        plan(board, '(mark 1 1)', trays=Trays(1, ('o', 'x'), {'x': 0}))


def test_trays_count_what_they_hold() -> None:
    trays = Trays(1, ('o', 'x'), {'x': 1})
    piece, trays = trays.pick(trays.find_piece('x'))
    assert piece == 'x'
    with pytest.raises(TrayError):
        trays.find_piece('x')
    trays = trays.put('x', trays.find_room('x'))
    assert trays.find_piece('x') == Slot('captured', 0)
    # No slot is left, so that a piece goes back to where such pieces come from.
    assert trays.find_room('o') == Slot('reserve', 0)
    with pytest.raises(TrayError, match='no room for a king'):
        trays.find_room('king')


@pytest.mark.each_game
@pytest.mark.parametrize('name', GAMES)
def test_motions_lead_from_each_position_to_the_next(name: str) -> None:
    try:
        board = open_board(name)
        start = board.reader.read(board.engine.initial_state)
    except BoardError:
        assert name not in WITH_BOARDS
        return
    assert name in WITH_BOARDS
    geometry = Geometry(default_setup(board.reader, start), board.reader)
    count = 0
    for seed in range(2):
        trays = geometry.empty_trays()
        for before, moves, after in random_steps(board, seed, 40):
            position, wanted = board.reader.read(before), board.reader.read(after)
            paths = board.reader.path(moves)
            found = plan_motions(position, wanted, trays, paths, geometry.setup.flips)
            # Each motion takes what is on top or in its slot, or this would raise an error.
            reached, left = apply_motions(position, trays, found.motions)
            assert reached == wanted
            assert left == found.trays
            trays = found.trays
            count += len(found.motions)
    assert count
