"""Tables of cards: who holds what, what lies in the middle, and how the end is described."""

from __future__ import annotations

import pytest

from gdl_env.environment.environment import Environment
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import Scene, SeatPicture
from gdl_env.gui.drawing.view_file import ViewFile
from gdl_env.gui.study.results import describe_end
from gdl_env.gui.views import find_view
from gdl_env.language.load import open_game


def paint(name: str, viewer: str, facts: list[str], moves: tuple[str, ...] = ()) -> Scene:
    view, problem = find_view(name)
    assert not problem
    game = open_game(name)
    roles = [str(role) for role in game.roles if str(role) != 'random']
    return Painter(name, roles, game, view=view).paint(facts, moves, viewer)


def seats(scene: Scene) -> dict[str, SeatPicture]:
    assert scene.table is not None
    return {seat.role: seat for seat in scene.table.seats}


DOPPELKOPF = [
    *('(sees east (hand clubs_ace 1))', '(sees east (hand hearts_ten 2))'),
    *('(sees east (hand diamonds_nine 1))', '(cards east 4)', '(cards south 4)'),
    *('(cards west 4)', '(cards north 3)', '(table north spades_ace)', '(eyes north 0)'),
    *('(eyes west 21)', '(announced west re)', '(announced west 90)', '(rules normal)'),
]


def test_the_viewer_sits_below_and_the_others_follow_clockwise() -> None:
    scene = paint('doppelkopf', 'east', DOPPELKOPF, ('(play hearts_ten)', 'noop'))
    assert scene.table is not None
    assert [seat.role for seat in scene.table.seats] == ['east', 'south', 'west', 'north']
    assert [seat.is_own for seat in scene.table.seats] == [True, False, False, False]


def test_own_cards_are_sorted_with_trumps_first_and_others_are_backs() -> None:
    found = seats(paint('doppelkopf', 'east', DOPPELKOPF))
    assert [card.label for card in found['east'].cards] == [
        *('ten of hearts', 'ten of hearts', 'nine of diamonds', 'ace of clubs'),
    ]
    assert [len(found[role].cards) for role in ('south', 'west', 'north')] == [4, 4, 3]
    assert not any(card.is_up for card in found['west'].cards)


def test_the_trick_says_who_played_what_and_seats_what_was_won_and_said() -> None:
    scene = paint('doppelkopf', 'east', DOPPELKOPF)
    found = seats(scene)
    assert [card.label for card in found['north'].played] == ['ace of spades']
    assert found['west'].notes == ('21 card points',) and found['north'].notes == ()
    assert found['west'].said == ('no 90', 'Re')
    assert scene.table is not None and scene.table.notes == ('played: normal game',)
    assert not scene.tables and not scene.notes


def test_moves_play_cards_or_answer_a_question() -> None:
    scene = paint('doppelkopf', 'east', DOPPELKOPF, ('(play hearts_ten)', '(announce kontra)'))
    play, announce = scene.moves
    keys = [card.keys for card in seats(scene)['east'].cards if play.card in card.keys]
    assert len(keys) == 2
    assert (announce.label, announce.ask) == ('announce Kontra', 'Do you announce anything?')


def test_where_no_fact_counts_them_others_hold_as_many_cards_as_the_viewer() -> None:
    facts = [
        *('(sees forehand (hand diamonds jack))', '(sees forehand (hand spades queen))'),
        *('(table middlehand hearts ten)', '(declarer middlehand)'),
    ]
    found = seats(paint('skat', 'forehand', facts))
    assert len(found['middlehand'].cards) == 1 and len(found['rearhand'].cards) == 2


def test_cards_that_are_numbers_are_read_with_the_ranks_of_the_view_file() -> None:
    facts = ['(sees alice (hand 14 hearts))', '(sees alice (laid back 11 spades))']
    own = seats(paint('chinese_poker', 'alice', facts))['alice']
    assert [(card.rank, card.suit) for card in own.cards] == [('A', '♥')]
    assert [(pile.title, pile.cards[0].rank) for pile in own.piles] == [('back', 'J')]


def test_money_is_at_the_seats_and_in_the_pot() -> None:
    scene = paint('leduc_poker', 'bob', ['(paid alice 7)', '(paid bob 3)', '(board jack hearts)'])
    assert scene.table is not None
    assert [seat.money for seat in scene.table.seats] == [3, 7] and scene.table.money == 10
    (pile,) = scene.table.piles
    assert (pile.title, pile.cards[0].rank) == ('on the table', 'J')


@pytest.mark.parametrize('game', ['doppelkopf', 'skat', 'leduc_poker', 'kuhn_poker'])
def test_no_card_of_another_is_in_the_picture(game: str) -> None:
    environment = Environment.open(open_game(game))
    info = environment.info()
    view, _ = find_view(game)
    drawer = Painter(info.name, info.roles, open_game(game), info.facts, info.moves, view)
    for role in info.roles:
        found = seats(drawer.paint(environment.question(role, with_text=True).facts, (), role))
        assert all(card.is_up for card in found[role].cards) and found[role].cards
        for other in set(info.roles) - {role}:
            assert not any(card.is_up for card in found[other].cards)


def test_who_sees_everything_sees_whose_cards_they_are() -> None:
    facts = ['(sees north (hand clubs_ten 2))', '(sees east (hand clubs_ten 1))']
    found = seats(paint('doppelkopf', '', [*facts, '(sees east (hand clubs_ten 1))']))
    assert [card.label for card in found['north'].cards] == ['ten of clubs'] * 2
    assert [card.label for card in found['east'].cards] == ['ten of clubs']


# ---- the end


@pytest.mark.parametrize(
    ('game', 'goals', 'facts', 'role', 'expected'),
    [
        (
            'doppelkopf',
            {'north': 54, 'east': 46, 'south': 54, 'west': 46},
            [
                *(
                    '(side north re)',
                    '(side south re)',
                    '(side east kontra)',
                    '(side west kontra)',
                ),
                *('(eyes north 80)', '(eyes south 51)', '(eyes east 100)', '(eyes west 9)'),
            ],
            '',
            'Re wins with 131, 2 points each (goals: ',
        ),
        (
            'kuhn_poker',
            {'alice': 75, 'bob': 25},
            [],
            'bob',
            'you lost: alice wins, 1 chip (goals:',
        ),
        ('leduc_poker', {'alice': 35}, [], 'alice', 'you lost 5 chips (goals: alice 35)'),
        ('leduc_poker', {'alice': 50}, [], 'alice', 'a draw (goals: alice 50)'),
        ('backgammon', {'white': 82, 'black': 18}, [], '', 'white wins, 2 points (goals: '),
        ('chess', {'white': 50, 'black': 50}, [], 'white', 'a draw (goals: white 50, black 50)'),
        ('chess', {}, [], 'white', ''),
    ],
)
def test_the_end_is_told_in_words(
    game: str, goals: dict[str, int], facts: list[str], role: str, expected: str
) -> None:
    view, problem = find_view(game)
    assert not problem
    told = describe_end(goals, facts, view, role)
    assert told.startswith(expected) if expected else told == ''


def test_without_a_view_file_the_end_is_told_by_goals() -> None:
    assert describe_end({'x': 100, 'o': 0}, [], ViewFile()) == 'x won (goals: x 100, o 0)'
