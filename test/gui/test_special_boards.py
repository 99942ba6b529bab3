"""Boards without rows and columns, dice and arrows: what view files make of facts and moves."""

from __future__ import annotations

from typing import Any

import pytest

from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.view_file import parse_view
from gdl_env.gui.views import find_view

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
