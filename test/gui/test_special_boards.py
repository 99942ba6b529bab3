"""Boards without rows and columns, dice and arrows: what view files make of facts and moves."""

from __future__ import annotations

from typing import Any

import pytest

from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.view_file import parse_view
from gdl_env.gui.views import find_view
from gdl_env.language.load import open_game

BACKGAMMON = ['(on white 24 2)', '(on white 6 5)', '(on black 24 2)', '(on black 25 1)']


def painter(game: str, *roles: str) -> Painter:
    view, problem = find_view(game)
    assert not problem
    return Painter(game, roles, view=view)


def stacks(board: Any) -> dict[str, str]:
    """Return what is where, by the names that people read."""
    return {
        board.names[place]: f'{len(pieces)} {pieces[0].label}'
        for place, pieces in board.pieces.items()
    }


def test_backgammon_has_points_stacks_bar_and_dice() -> None:
    scene = painter('backgammon', 'white', 'black').paint([*BACKGAMMON, '(die 3 2)'], (), 'white')
    (board,) = scene.boards
    assert (board.style, len(board.columns), len(board.rows)) == ('points', 14, 2)
    # My point 24 is your point 1.
    assert stacks(board) == {'24': '2 white', '6': '5 white', '1': '2 black', 'bar': '1 black'}
    assert scene.dice == (3, 3)


def test_each_player_counts_from_the_lower_right() -> None:
    paint = painter('backgammon', 'white', 'black').paint
    for role, six in (('white', '5 white'), ('black', '5 black')):
        (board,) = paint([f'(on {role} 6 5)'], (), role).boards
        assert stacks(board) == {'6': six}
        (place,) = board.pieces
        assert place == '1,7'


@pytest.mark.parametrize(
    ('move', 'names'),
    [
        ('(move 24 3)', ('24', '21')),
        ('(move 25 4)', ('bar', '21')),
        ('(move 2 5)', ('2', 'off')),
        ('pass', ()),
    ],
)
@pytest.mark.parametrize('role', ['white', 'black'])
def test_moves_of_backgammon_lead_from_point_to_point(
    role: str, move: str, names: tuple[str, ...]
) -> None:
    drawer = painter('backgammon', 'white', 'black')
    scene = drawer.paint(BACKGAMMON, [move], role)
    (picture,) = scene.moves
    (board,) = scene.boards
    assert tuple(board.names[f'{row},{column}'] for row, column in picture.path) == names
    expected = [f'0:{row},{column}' for row, column in picture.path]
    assert drawer.squares_of({role: move}, role) == expected


def test_heaps_are_stacks_that_are_clicked_as_a_whole() -> None:
    scene = painter('nim', 'first', 'second').paint(
        ['(heap 1 0)', '(heap 2 3)'], ['(take 2 2)', '(take 3 2)'], 'first'
    )
    (board,) = scene.boards
    assert (board.style, board.columns, board.depth) == ('stacks', ('1', '2'), 3)
    assert {place: len(pieces) for place, pieces in board.pieces.items()} == {'0,0': 0, '0,1': 3}
    assert [(move.column, move.label) for move in scene.moves] == [
        (1, 'take 2 from heap 2'),
        (1, 'take 3 from heap 2'),
    ]


def test_a_graph_has_places_and_lines() -> None:
    view = parse_view(
        {
            'relations': {'at': {'show': 'graph', 'place': 2, 'owner': 1}},
            'graph': {
                'nodes': {'a': [0, 0], 'b': [50, 100], 'c': [100, 0]},
                'edges': [['a', 'b']],
            },
            'moves': {'go': {'from': 1, 'to': 2}},
        },
        'here',
    )
    scene = Painter('x', ['red', 'blue'], view=view).paint(['(at red a)'], ['(go a b)'], 'red')
    (board,) = scene.boards
    assert (board.style, board.columns) == ('graph', ('a', 'b', 'c'))
    assert board.nodes[1] == (50.0, 100.0) and board.edges == ((0, 1),)
    assert [piece.label for piece in board.pieces['0,0']] == ['red']
    assert scene.moves[0].path == ((0, 0), (0, 1))


def test_a_die_that_no_fact_tells_of_shows_what_was_rolled() -> None:
    paint = painter('pig', 'alice', 'bob').paint
    assert paint(['(pot 4)'], (), 'alice', None, {'bob': '(roll 4)'}).dice == (4,)
    assert paint(['(pot 4)'], (), 'alice', None, {'bob': 'hold'}).dice == ()


def test_steps_of_sokoban_are_arrows_and_the_squares_beside() -> None:
    facts = ['(cell 1 1 wall)', '(cell 2 2 first)', '(cell 3 3 store)', '(cell 3 2 floor)']
    drawer = painter('sokoban', 'first')
    scene = drawer.paint(facts, ['south', 'east'], 'first')
    assert [(m.arrow, m.path) for m in scene.moves] == [('down', ((2, 1),)), ('right', ((1, 2),))]
    # What a box is pushed onto is still seen.
    after = drawer.paint(['(cell 3 3 box)', '(cell 2 2 first)'], (), 'first')
    assert [piece.kind for piece in after.boards[0].pieces['2,2']] == ['box', 'target']


@pytest.mark.parametrize(
    ('heading', 'expected'),
    [('north', ['left', 'up', 'right']), ('west', ['down', 'left', 'up'])],
)
def test_turns_of_a_bike_are_arrows_on_the_screen(heading: str, expected: list[str]) -> None:
    facts = [
        *('(bike red 3 2)', '(trail 3 2 red)', '(trail 3 1 red)', '(trail 5 5 blue)'),
        *('(bike blue 5 5)', f'(heading red {heading})'),
    ]
    scene = painter('lazerbike', 'red', 'blue').paint(facts, ['left', 'straight', 'right'], 'red')
    assert [move.arrow for move in scene.moves] == expected
    turns = {p.label: p.turn for found in scene.boards[0].pieces.values() for p in found}
    assert turns['red bike'] == {'north': 0, 'west': 270}[heading]


def test_words_on_pieces_are_not_cut() -> None:
    facts = [f'(cell {n} {n} storehouse)' for n in range(1, 5)]
    (board,) = Painter('x', ['red']).paint(facts).boards
    assert {p.text for found in board.pieces.values() for p in found} == {'storehouse'}


def test_each_player_has_a_sea() -> None:
    view, _ = find_view('battleship')
    sea = Painter('battleship', ['alice', 'bob'], open_game('battleship'), view=view)
    facts = ['(ship 2 3)', '(ship 7 7)', '(hit alice 2 3)', '(miss bob 1 5)']
    scene = sea.paint(facts, ['(fire 2 6)', '(put 4 1 7 down)'], 'alice')
    assert [board.name for board in scene.boards] == ['sea of alice', 'sea of bob']
    own, other = ({k: [p.label for p in v] for k, v in b.pieces.items()} for b in scene.boards)
    assert own == {'1,2': ['hit', 'ship'], '6,6': ['ship']}
    assert other == {'0,4': ['miss']}
    # One fires at the other's sea, and puts ships into one's own.
    assert [(move.board, move.path) for move in scene.moves] == [(1, ((1, 5),)), (0, ((0, 6),))]
    # Bob sees his own first; what both see is in its place.
    theirs = sea.paint(facts[2:], ['(fire 2 6)'], 'bob')
    assert [board.name for board in theirs.boards] == ['sea of bob', 'sea of alice']
    assert theirs.moves[0].board == 1
    # A recording says whose ships they are.
    watched = sea.paint(['(sees bob (ship 1 1))'])
    assert [list(board.pieces) for board in watched.boards] == [[], ['0,0']]


def test_dominoes_and_numbers_are_cards_that_can_be_played() -> None:
    facts = ['(holds 2 5)', '(laid 1 1)', '(tiles bob 4)', '(tiles alice 1)']
    view, _ = find_view('dominoes')
    table = Painter('dominoes', ['alice', 'bob'], open_game('dominoes'), view=view)
    scene = table.paint(facts, ['(lay 2 5 left)'], 'alice')
    assert scene.table is not None
    alice, bob = scene.table.seats
    assert [card.ends for card in alice.cards] == [(2, 5)]
    assert scene.moves[0].card in alice.cards[0].keys
    assert [card.is_up for card in bob.cards] == [False] * 4
    scene = painter('goofspiel', 'alice', 'bob').paint(['(hand alice 1)'], ['(bid 1)'], 'alice')
    assert scene.table is not None
    assert [card.rank for card in scene.table.seats[0].cards] == ['1']
    assert scene.moves[0].card == '1'
