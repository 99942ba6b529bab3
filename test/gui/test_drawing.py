"""Pictures of games: what people expect, with no configuration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import Answer
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import BoardPicture, Scene
from gdl_env.gui.drawing.view_file import ViewFile, parse_view
from gdl_env.gui.views import find_view
from gdl_env.language.library import list_games
from gdl_env.language.load import load_game, open_game

CORPUS = Path(__file__).parents[2].parent / 'shared' / 'gdl-corpus' / 'games'
NO_CORPUS = pytest.mark.skipif(not CORPUS.is_dir(), reason='no corpus of public games here')


def paint(name: str, viewer: str, ticks: int, view: ViewFile | None = None) -> Scene:
    """Return a picture after some random ticks, from what the environment tells."""
    environment = Environment.open(open_game(name))
    info = environment.info()
    painter = Painter(info.name, info.roles, open_game(name), info.facts, info.moves, view)
    for _ in range(ticks):
        environment.step({})
    question = environment.question(viewer, with_text=True)
    return painter.paint(question.facts, question.legal_moves, viewer)


def kinds(board: BoardPicture) -> set[str]:
    return {piece.kind for pieces in board.pieces.values() for piece in pieces}


# ---- games that people know


def test_tictactoe_has_crosses_and_rings_where_they_were_marked() -> None:
    scene = paint('tictactoe', 'x', 4)
    (board,) = scene.boards
    assert (board.columns, board.rows) == (('1', '2', '3'), ('1', '2', '3'))
    assert kinds(board) == {'cross', 'ring'} and len(board.pieces) == 4
    assert len(scene.moves) == 5
    for move in scene.moves:
        (square,) = move.path
        row, column = square
        assert move.text == f'(mark {row + 1} {column + 1})'
        assert f'{row},{column}' not in board.pieces


def test_connect_four_stands_upright_and_takes_columns() -> None:
    scene = paint('connect_four', 'red', 1)
    (board,) = scene.boards
    assert board.style == 'holes'
    assert board.rows == ('6', '5', '4', '3', '2', '1')
    # The first disc lies at the bottom.
    (place,) = board.pieces
    assert place.startswith('5,')
    assert kinds(board) == {'disc'}
    scene = paint('connect_four', 'red', 2)
    assert [move.column for move in scene.moves] == list(range(7))


def test_chess_has_its_board_and_pieces() -> None:
    scene = paint('chess', 'white', 0)
    (board,) = scene.boards
    assert board.style == 'checkered'
    assert ''.join(board.columns) == 'abcdefgh' and ''.join(board.rows) == '87654321'
    assert kinds(board) == {'chess'} and len(board.pieces) == 32
    assert [piece.label for piece in board.pieces['7,4']] == ['white king']
    (knight,) = [move for move in scene.moves if move.text == '(move g 1 f 3)']
    assert knight.path == ((7, 6), (5, 5))


def test_a_pawn_is_promoted_on_the_last_rank() -> None:
    view, problem = find_view('chess')
    assert not problem
    game = open_game('chess')
    painter = Painter('chess', ['white', 'black'], game, view=view)
    facts = ['(cell e 7 white pawn)', '(cell a 1 white king)', '(cell h 8 black king)']
    scene = painter.paint(facts, ['(move e 7 e 8)', '(promote e e knight)'], 'white')
    paths = {move.text: move.path for move in scene.moves}
    assert paths['(promote e e knight)'] == paths['(move e 7 e 8)'] == ((1, 4), (0, 4))


def test_othello_is_green_and_men_stand_on_dark_squares() -> None:
    assert paint('othello', 'black', 1).boards[0].style == 'green'
    (board,) = paint('checkers', 'black', 0).boards
    assert board.style == 'checkered'
    corners = {sum(map(int, place.split(','))) % 2 for place in board.pieces}
    assert corners == {0 if board.is_turned else 1}


@pytest.mark.parametrize(
    ('game', 'ticks'),
    [('checkers', 0), ('checkers', 30), ('breakthrough', 0), ('breakthrough', 9)],
)
def test_a_direction_leads_to_the_square_that_the_rules_say(game: str, ticks: int) -> None:
    view, problem = find_view(game)
    assert not problem
    environment = Environment.open(open_game(game))
    for _ in range(ticks):
        environment.step({})
    (role,) = environment.awaited
    info = environment.info()
    painter = Painter(game, info.roles, open_game(game), info.facts, info.moves, view)
    asked = environment.question(role, with_text=True)
    scene = painter.paint(asked.facts, asked.legal_moves, role)
    before = scene.boards[0].pieces
    held = environment.snapshot()
    assert scene.moves
    for move in scene.moves:
        start, target = (f'{row},{column}' for row, column in move.path)
        number = info.moves.index(move.text)
        answer = Answer(environment.tick, role, 'test', np.array([number], np.int32))
        environment.step({role: answer})
        facts = environment.question(role, with_text=True).facts
        after = painter.paint(facts, (), role).boards[0].pieces
        assert start in before and start not in after
        assert target in after and before.get(target) != after[target]
        assert painter.squares_of({role: move.text}) == [f'0:{start}', f'0:{target}']
        environment.restore(held)


def test_hex_is_made_of_hexagons() -> None:
    scene = paint('hex', 'red', 2)
    assert scene.boards[0].style == 'hex'
    assert len(scene.boards[0].columns) == 9


def test_the_sides_of_hex_have_the_colours_of_those_who_connect_them() -> None:
    view, problem = find_view('hex(size=5)')
    assert not problem
    (board,) = paint('hex(size=5)', 'red', 2, view).boards
    fills = {piece.label: piece.fill for (piece,) in board.pieces.values()}
    assert set(fills) == {'red', 'blue'}
    # Red connects the first row with the last, blue the first column with the last.
    assert board.sides['top'] == board.sides['bottom'] == fills['red']
    assert board.sides['left'] == board.sides['right'] == fills['blue']
    assert not paint('tictactoe', 'x', 0).boards[0].sides


def test_what_others_marked_is_fog() -> None:
    scene = paint('krieg_tictactoe', 'x', 6)
    (board,) = scene.boards
    assert board.is_hidden
    assert scene.hidden == ('hidden: cell of o',)


def test_cards_of_others_lie_face_down() -> None:
    scene = paint('leduc_poker', 'alice', 0)
    own, other = scene.cards
    assert own.title == 'your card' and own.cards[0].is_up
    assert own.cards[0].rank in 'JQK' and own.cards[0].suit in '♠♥'
    assert other.title == 'card of bob'
    assert [card.is_up for card in other.cards] == [False]
    assert other.cards[0].rank == other.cards[0].label == ''


def test_a_hand_of_doppelkopf_has_ten_cards_and_plays_them() -> None:
    scene = paint('doppelkopf', 'north', 0)
    hand = next(group for group in scene.cards if group.title == 'your hand')
    assert len(hand.cards) == 10
    assert [group.title for group in scene.cards if not group.cards[0].is_up] == [
        'hand of east',
        'hand of south',
        'hand of west',
    ]


# ---- all games


@pytest.mark.parametrize('path', list_games(), ids=lambda path: path.stem)
def test_every_game_is_drawn_and_shows_every_fact(path: Path) -> None:
    view, problem = find_view(path.stem)
    assert not problem
    game = load_game(path)
    environment = Environment.open(game)
    info = environment.info()
    painter = Painter(info.name, info.roles, game, info.facts, info.moves, view)
    for _ in range(8):
        for role in info.roles:
            question = environment.question(role, with_text=True)
            scene = painter.paint(question.facts, question.legal_moves, role)
            assert tuple(move.text for move in scene.moves) == question.legal_moves
            assert scene.boards or scene.cards or scene.table or scene.tables or scene.notes
            scene.to_json()
        environment.step({})


@NO_CORPUS
@pytest.mark.parametrize(
    ('start', 'columns', 'rows', 'style', 'pieces'),
    [
        ('breakthrough-', 8, 8, 'checkered', {'disc'}),
        ('checkers-', 8, 8, 'checkered', {'disc'}),
        pytest.param('connectFour-', 8, 6, 'holes', {'disc'}, marks=pytest.mark.slow),
        pytest.param('reversi-', 8, 8, 'green', {'disc'}, marks=pytest.mark.slow),
        pytest.param('speedChess-', 8, 8, 'checkered', {'chess'}, marks=pytest.mark.slow),
        ('ticTacToe-', 3, 3, 'lines', {'cross'}),
        pytest.param('skirmish-', 8, 8, 'checkered', {'chess'}, marks=pytest.mark.slow),
    ],
)
def test_public_games_look_as_people_expect(
    start: str, columns: int, rows: int, style: str, pieces: set[str]
) -> None:
    found = sorted(path for path in CORPUS.iterdir() if path.name.startswith(start))
    if not found:
        pytest.skip(f'no game {start}… in this corpus')
    game = load_game(found[0])
    environment = Environment.open(game)
    info = environment.info()
    painter = Painter(start.strip('-'), info.roles, game, info.facts, info.moves)
    environment.step({})
    question = environment.question(info.roles[1], with_text=True)
    scene = painter.paint(question.facts, question.legal_moves, info.roles[1])
    board = scene.boards[0]
    assert all(move.board == 0 for move in scene.moves)
    assert (len(board.columns), len(board.rows)) == (columns, rows)
    assert board.style == style
    assert kinds(board) == pieces


# ---- ways to write a board


@pytest.mark.parametrize(
    ('facts', 'square', 'label'),
    [
        (['(on a1 red)', '(on b2 blue)', '(on a2 blue)', '(on b1 red)'], '1,0', 'red'),
        (['(at red 1 1)', '(at blue 3 3)', '(at blue 2 2)'], '0,0', 'red'),
        ([f'(cell (square {at}) red)' for at in ('a 1', 'b 2', 'c 3', 'd 3')], '2,0', 'red'),
        (['(cell 1 1 red king)', '(cell 2 2 red man)', '(cell 3 3 blue man)'], '0,0', 'red king'),
    ],
)
def test_squares_are_found_among_the_arguments(facts: list[str], square: str, label: str) -> None:
    scene = Painter('x', ['red', 'blue']).paint(facts)
    assert [piece.label for piece in scene.boards[0].pieces[square]] == [label]


def test_a_list_with_numbers_is_no_board() -> None:
    scene = Painter('x', ['red']).paint(['(said 1 1 call)', '(said 1 2 raise)', '(step 3)', 'won'])
    assert not scene.boards
    assert scene.tables[0].title == 'said' and len(scene.tables[0].rows) == 2
    assert scene.notes == ('won', 'step 3')


def test_boards_do_not_shrink() -> None:
    painter = Painter('x', ['red'])
    painter.paint(['(cell 1 1 red)', '(cell 5 5 red)', '(cell 2 2 red)'])
    scene = painter.paint(['(cell 3 3 red)'])
    assert scene.boards[0].columns == ('1', '2', '3', '4', '5')


def test_heat_is_on_the_squares_of_moves() -> None:
    environment = Environment.open(open_game('tictactoe'))
    info = environment.info()
    painter = Painter('tictactoe', info.roles, open_game('tictactoe'), info.facts, info.moves)
    facts = environment.question('x', with_text=True).facts
    scene = painter.paint(
        facts, (), '', {'(mark 1 1)': -1.0, '(mark 2 2)': 3.0, '(mark 3 3)': 1.0}
    )
    assert scene.heat == {'0:0,0': 0.0, '0:1,1': 1.0, '0:2,2': 0.5}


# ---- view files


def test_a_view_file_says_how_pieces_and_axes_look() -> None:
    view = parse_view(
        {
            'style': 'plain',
            'relations': {'at': {'row': 3, 'column': 2, 'upward': True}, 'secret': {'hide': True}},
            'pieces': {'dragon': {'glyph': '🐉', 'label': 'the dragon'}, 'air': {'kind': 'none'}},
            'moves': {'go': {'from': [1, 2], 'to': [3, 4], 'label': 'go to {3}/{4}'}},
        },
        'here',
    )
    painter = Painter('x', ['red'], view=view)
    facts = ['(at dragon 1 4)', '(at air 2 1)', '(at air 4 2)', '(secret 7)']
    scene = painter.paint(facts, ['(go 1 4 2 3)'], 'red')
    (board,) = scene.boards
    assert board.rows == ('4', '3', '2', '1')
    ((place, (piece,)),) = board.pieces.items()
    assert place == '0,0' and (piece.kind, piece.text) == ('glyph', '🐉')
    assert not scene.notes
    assert scene.moves[0].label == 'go to 2/3'
    assert scene.moves[0].path == ((0, 0), (1, 1))


def test_columns_have_letters_where_the_view_file_says_so() -> None:
    painter = Painter(
        'othello', ['black', 'white'], open_game('othello'), view=find_view('othello')[0]
    )
    scene = painter.paint(['(cell 1 1 white)', '(cell 8 8 black)'], ['(place 3 4)'], 'black')
    assert scene.boards[0].columns == tuple('abcdefgh')
    assert scene.moves[0].label == 'd3' and scene.moves[0].path == ((2, 3),)
    painter = Painter(
        'checkers', ['black', 'white'], open_game('checkers'), view=find_view('checkers')[0]
    )
    assert painter.name_move('(move 3 3 northeast)', 'black') == 'c3 → d4'
