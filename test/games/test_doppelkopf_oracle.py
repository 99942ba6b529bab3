"""The oracle of Doppelkopf keeps the rules of `doc/doppelkopf.md`: situations made by hand."""

from __future__ import annotations

from typing import Any

from doppelkopf_oracle import Oracle
from doppelkopf_oracle_cards import EYES, PLAYERS, RULE_SETS, SOLOS, different_cards
from doppelkopf_oracle_table import (
    announce,
    announcements,
    play,
    play_on,
    play_out,
    play_trick,
    playable,
    start,
)
import pytest

# Cards


def test_deck_counts_240_eyes() -> None:
    assert [len(different_cards(size)) for size in (40, 48)] == [20, 24]
    assert [2 * sum(EYES[c] for c in different_cards(size)) for size in (40, 48)] == [240, 240]


HIGH = (
    'hearts_ten clubs_queen spades_queen hearts_queen diamonds_queen '
    'clubs_jack spades_jack hearts_jack diamonds_jack '
)
DIAMONDS = HIGH + 'diamonds_ace diamonds_ten diamonds_king diamonds_nine'
CLUBS = HIGH + 'clubs_ace clubs_ten clubs_king clubs_nine'
SPADES = HIGH + 'spades_ace spades_ten spades_king spades_nine'
HEARTS = HIGH + 'hearts_ace hearts_king hearts_nine'
QUEENS = 'clubs_queen spades_queen hearts_queen diamonds_queen'
JACKS = 'clubs_jack spades_jack hearts_jack diamonds_jack'


@pytest.mark.parametrize(
    ('rules', 'trumps', 'hearts'),
    [
        ('normal', DIAMONDS, 'ace king nine'),
        ('wedding', DIAMONDS, 'ace king nine'),
        ('diamonds_solo', DIAMONDS, 'ace king nine'),
        ('clubs_solo', CLUBS, 'ace king nine'),
        ('spades_solo', SPADES, 'ace king nine'),
        ('hearts_solo', HEARTS, ''),
        ('queens_solo', QUEENS, 'ace ten king jack nine'),
        ('jacks_solo', JACKS, 'ace ten king queen nine'),
        ('meatless_solo', '', 'ace ten king queen jack nine'),
    ],
)
def test_order_of_cards(rules: str, trumps: str, hearts: str) -> None:
    rule_set = RULE_SETS[rules]
    of_class = {
        name: sorted((c for c in EYES if rule_set.class_of[c] == name), key=rule_set.height.get)
        for name in ('trump', 'hearts')
    }
    assert of_class['trump'] == trumps.split()[::-1]
    assert of_class['hearts'] == [f'hearts_{rank}' for rank in hearts.split()[::-1]]


@pytest.mark.parametrize(
    ('rules', 'trick', 'second_ten', 'winner'),
    [
        ('normal', 'clubs_ace clubs_ace clubs_ten clubs_king', True, 0),  # the first of two
        ('normal', 'clubs_king spades_ace clubs_ten hearts_ace', True, 2),  # another suit loses
        ('normal', 'clubs_ace diamonds_king clubs_ace clubs_ten', True, 1),  # trump beats suits
        ('normal', 'diamonds_ace diamonds_jack clubs_queen spades_queen', True, 2),
        ('normal', 'clubs_queen clubs_queen diamonds_ace diamonds_ten', True, 0),
        ('normal', 'hearts_ten clubs_queen hearts_ten clubs_queen', True, 2),
        ('normal', 'hearts_ten clubs_queen hearts_ten clubs_queen', False, 0),
        ('hearts_solo', 'hearts_king hearts_ten hearts_ace hearts_ten', True, 3),
        ('meatless_solo', 'hearts_ten hearts_ten clubs_queen hearts_king', True, 0),
        ('meatless_solo', 'hearts_ten hearts_ace clubs_queen hearts_ten', True, 1),
        ('queens_solo', 'hearts_ten clubs_jack diamonds_queen hearts_ace', True, 2),
        ('jacks_solo', 'diamonds_ten diamonds_ace clubs_queen hearts_ten', True, 1),
        ('clubs_solo', 'diamonds_ten diamonds_ace clubs_king hearts_ace', True, 2),
    ],
)
def test_who_wins_a_trick(rules: str, trick: str, second_ten: bool, winner: int) -> None:
    played = list(zip(PLAYERS, trick.split(), strict=True))
    assert RULE_SETS[rules].winner(played, second_ten) == played[winner]


# Dealing and reservations


def test_dealing_goes_round_and_has_a_move_for_each_copy() -> None:
    oracle = Oracle()
    assert oracle.phase == 'deal' and oracle.control == 'north'
    assert len(oracle.legal('random')) == 40 and not oracle.legal('north')
    oracle.play('random', '(deal clubs_ace 2)')
    assert oracle.hands == {'north': {'clubs_ace': 1}, 'east': {}, 'south': {}, 'west': {}}
    assert oracle.control == 'east' and len(oracle.legal('random')) == 39
    assert '(deal clubs_ace 2)' not in oracle.legal('random')
    oracle.play('random', '(deal clubs_ace 1)')
    assert '(deal clubs_ace 1)' not in oracle.legal('random')
    with pytest.raises(ValueError, match='random may not play'):
        oracle.play('random', '(deal clubs_nine 1)')


BRIDE = {'north': 'clubs_ace', 'east': 'clubs_queen*2'}


def test_reservations_are_made_once_in_any_order() -> None:
    oracle = Oracle()
    while oracle.phase == 'deal':
        oracle.play('random', min(oracle.legal('random')))
    bride = [p for p in PLAYERS if oracle.hands[p].get('clubs_queen') == 2]
    choices = {'(reserve healthy)', *(f'(reserve {solo})' for solo in SOLOS)}
    for player in ('west', 'north', 'south', 'east'):
        assert oracle.phase == 'reserve' and oracle.control is None and not oracle.teams
        more = {'(reserve wedding)'} if player in bride else set()
        assert oracle.legal(player) == choices | more
        oracle.play(player, '(reserve healthy)')
        assert not oracle.legal(player) or oracle.phase == 'play'
    assert (oracle.phase, oracle.control, oracle.rules) == ('play', 'north', 'normal')


def test_option_without_solos() -> None:
    oracle = Oracle(solos='no')
    while oracle.phase == 'deal':
        oracle.play('random', min(oracle.legal('random')))
    choices = {choice for player in PLAYERS for choice in oracle.legal(player)}
    assert '(reserve healthy)' in choices <= {'(reserve healthy)', '(reserve wedding)'}
    oracle = start(BRIDE, {'east': 'wedding'}, solos='no')
    assert (oracle.rules, oracle.declarer) == ('wedding', 'east')


@pytest.mark.parametrize(
    ('reserved', 'rules', 'declarer', 're'),
    [
        ({}, 'normal', None, {'east'}),  # a silent solo
        ({'east': 'wedding'}, 'wedding', 'east', {'east'}),
        ({'east': 'wedding', 'west': 'jacks_solo'}, 'jacks_solo', 'west', {'west'}),
        ({'west': 'clubs_solo', 'south': 'meatless_solo'}, 'meatless_solo', 'south', {'south'}),
    ],
)
def test_what_is_played(
    reserved: dict[str, str], rules: str, declarer: str | None, re: set[str]
) -> None:
    oracle = start(BRIDE, reserved)
    assert (oracle.rules, oracle.declarer) == (rules, declarer)
    assert {player for player, team in oracle.teams.items() if team == 're'} == re
    assert len(oracle.teams) == (1 if rules == 'wedding' else 4)
    assert oracle.control == 'north'  # the forehand leads, whoever declared


@pytest.mark.parametrize(
    'wrong', [{'cards': 52}, {'rounds': 0}, {'rounds': 9}, {'tens': 'third'}, {'solos': 'never'}]
)
def test_options_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match='not'):
        Oracle(**wrong)


# Play


HANDS = {
    'north': 'clubs_queen clubs_ace hearts_king diamonds_king clubs_jack spades_ace*2',
    'east': 'clubs_ten clubs_jack clubs_king hearts_ten',
    'south': 'spades_king*2 spades_ten*2 hearts_ace*2 hearts_king',  # no clubs
    'west': 'clubs_queen clubs_king diamonds_ace*2',
}


def test_following_suit() -> None:
    oracle = start(HANDS)
    assert playable(oracle) == set(oracle.hands['north'])
    play(oracle, 'clubs_ace')
    assert playable(oracle) == {'clubs_ten', 'clubs_king'}  # its jack of clubs is a trump
    play(oracle, 'clubs_ten')
    assert playable(oracle) == set(oracle.hands['south'])
    assert oracle.trick == [('north', 'clubs_ace'), ('east', 'clubs_ten')]
    assert not any('play' in move for move in oracle.legal('north') | oracle.legal('west'))


def test_following_suit_where_jacks_are_trumps_alone() -> None:
    oracle = start(HANDS, {'north': 'jacks_solo'})
    play(oracle, 'hearts_king')
    assert playable(oracle) & {'hearts_ten'} and not playable(oracle) & {'clubs_ten', 'clubs_jack'}


@pytest.mark.parametrize(('tens', 'winner'), [('second', 'east'), ('first', 'north')])
def test_second_ten_of_hearts(tens: str, winner: str) -> None:
    oracle = start({'north': 'hearts_ten', 'east': 'hearts_ten'}, tens=tens)
    play_trick(oracle, 'hearts_ten*2')
    assert oracle.trick_winners == [winner] and oracle.control == winner
    assert oracle.eyes[winner] >= 20


def test_first_ten_of_hearts_is_higher_in_the_last_trick() -> None:
    trumps = 'clubs_queen spades_queen hearts_queen diamonds_queen clubs_jack spades_jack'
    hand = f'hearts_ten {trumps} hearts_jack diamonds_jack diamonds_ace'
    oracle = start({'north': hand, 'east': hand})
    *_, last = play_out(oracle, lambda options: min(options, key='hearts_ten'.__eq__))
    tens = [player for player, card in last if card == 'hearts_ten']
    assert len(tens) == 2 and oracle.trick_winners[-1] == tens[0]
    assert oracle.phase == 'over' and oracle.control is None and oracle.trick == []


# Weddings: north leads trumps until a partner is wanted, then a spade, which east trumps.

WEDDING = {
    'north': 'spades_ace*2 spades_king spades_ten clubs_queen*2 hearts_ten*2',
    'east': 'diamonds_ace diamonds_king*2 diamonds_ten*2 clubs_jack*2 spades_jack*2 hearts_jack',
    'south': 'spades_ten hearts_ace*2 hearts_king*2 clubs_ace*2 clubs_ten*2 clubs_king',
    'west': 'spades_king diamonds_ace',
}
ALONE = ['hearts_ten diamonds_king hearts_king diamonds_ace', 'hearts_ten diamonds_king']
FOUND = 'spades_ace diamonds_ten spades_ten spades_king'


@pytest.mark.parametrize(
    ('tricks', 'partner', 'delay'),
    [
        ([FOUND], 'east', 0),
        ([*ALONE[:1], FOUND], 'east', 1),
        ([*ALONE, FOUND], 'east', 2),
        ([*ALONE, 'clubs_queen diamonds_ace hearts_ace'], None, 2),
    ],
)
def test_wedding(tricks: list[str], partner: str | None, delay: int) -> None:
    oracle = start(WEDDING, {'north': 'wedding'})
    for trick in tricks:
        assert oracle.teams == {'north': 're'} == oracle.known('west')
        assert not any(announcements(oracle, player) for player in PLAYERS)
        play_trick(oracle, trick)
    re = {player for player, team in oracle.teams.items() if team == 're'}
    assert re == {'north', partner} - {None} and len(oracle.teams) == 4
    assert oracle.delay == delay
    assert all(oracle.known(player) == oracle.teams for player in PLAYERS)
    assert all(announcements(oracle, p) == {oracle.teams[p]} for p in PLAYERS)
    # West's fox is lost to nobody in trick 1; east's is, in trick 3, to re alone.
    assert oracle.special == (1 if partner is None else 0)
    play(oracle, min(playable(oracle)))
    assert not announcements(oracle, oracle.trick[0][0])  # too few cards now


# Announcements

TWO_AND_TWO = {'north': 'clubs_queen', 'south': 'clubs_queen'}
DEADLINES = {40: {0: 9, 1: 8, 2: 7, 3: 6, 4: 5}, 48: {0: 11, 1: 10, 2: 9, 3: 8, 4: 7}}
LADDER = ('re', '90', '60', '30', '0')


@pytest.mark.parametrize('size', [40, 48])
@pytest.mark.parametrize('level', range(5))
def test_deadlines(size: int, level: int) -> None:
    oracle = start(TWO_AND_TWO, cards=size)
    for step, name in enumerate(LADDER[:level]):
        announce(oracle, ('north', 'south')[step % 2], name)
    assert oracle.levels == {'re': level, 'kontra': 0}

    def check() -> bool:
        for player in ('north', 'south'):
            in_time = sum(oracle.hands[player].values()) >= DEADLINES[size][level]
            assert announcements(oracle, player) == ({LADDER[level]} if in_time else set())
            if player != oracle.control:
                assert ('noop' in oracle.legal(player)) == in_time
        assert 'noop' not in oracle.legal(oracle.control)
        return False

    play_on(oracle, check)
    assert oracle.is_over


def test_nothing_is_left_to_announce_after_no_trick() -> None:
    oracle = start(TWO_AND_TWO)
    announce(oracle, 'north', *LADDER)
    assert oracle.levels['re'] == 5 and not oracle.legal('south')
    assert announcements(oracle, 'north') == set() and announcements(oracle, 'east') == {'kontra'}
    with pytest.raises(ValueError, match='east may not play'):
        oracle.play('east', '(announce re)')


@pytest.mark.parametrize(('level', 'fewest'), [(1, 8), (2, 7), (3, 6), (4, 5), (5, 4)])
def test_reply(level: int, fewest: int) -> None:
    oracle = start(TWO_AND_TWO)
    announce(oracle, 'south', *LADDER[:level])

    def check() -> bool:
        in_time = sum(oracle.hands['west'].values()) >= fewest
        assert announcements(oracle, 'west') == ({'kontra'} if in_time else set())
        return sum(oracle.hands['east'].values()) == fewest

    play_on(oracle, check)
    announce(oracle, 'east', 'kontra')  # 90 now only in its own time
    assert announcements(oracle, 'east') == ({'90'} if fewest >= 8 else set())
    assert oracle.levels == {'re': level, 'kontra': 1}
