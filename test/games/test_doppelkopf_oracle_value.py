"""What rounds are worth to the oracle of Doppelkopf: values counted by hand."""

from __future__ import annotations

from doppelkopf_oracle_cards import EYES
from doppelkopf_oracle_table import Tricks, announce, play_out, start
from doppelkopf_oracle_value import (
    Result,
    add_points,
    goal,
    points_of_players,
    special_points,
    value_of_round,
    winning_team,
)
import pytest

LADDERS = {team: (team, '90', '60', '30', '0') for team in ('re', 'kontra')}


def result(eyes: int, re: int, kontra: int, tricks: int) -> Result:
    """Make a result from the eyes of re, both levels and the tricks of kontra."""
    return Result(
        {'re': eyes, 'kontra': 240 - eyes},
        {'re': 10 - tricks, 'kontra': tricks},
        {'re': re, 'kontra': kontra},
    )


@pytest.mark.parametrize(
    ('eyes', 're', 'kontra', 'tricks', 'winner', 'value'),
    [
        # Nobody bids.
        (121, 0, 0, 5, 're', 1),
        (120, 0, 0, 5, 'kontra', -1),
        (120, 1, 0, 5, 'kontra', -3),
        (120, 0, 1, 5, 're', 3),
        (119, 0, 1, 5, 'kontra', -3),
        (120, 1, 1, 5, 'kontra', -5),
        (121, 1, 1, 5, 're', 5),
        (150, 0, 0, 5, 're', 1),
        (151, 0, 0, 5, 're', 2),
        (181, 0, 0, 5, 're', 3),
        (211, 0, 0, 5, 're', 4),
        (240, 0, 0, 1, 're', 4),  # one trick without eyes
        (240, 0, 0, 0, 're', 5),
        (80, 0, 1, 5, 'kontra', -4),
        (0, 0, 0, 10, 'kontra', -5),
        # Re bids.
        (151, 2, 0, 5, 're', 1 + 1 + 2 + 1),
        (150, 2, 0, 5, 'kontra', -(1 + 2 + 1)),
        (120, 2, 0, 5, 'kontra', -(1 + 2 + 1) - 1),
        (180, 3, 1, 5, 'kontra', -(1 + 4 + 2)),
        (130, 3, 0, 5, 'kontra', -(1 + 2 + 2) - 1),  # 110 against 60, not against 90
        (240, 5, 0, 0, 're', 1 + 4 + 2 + 4),
        (240, 5, 0, 1, 'kontra', -(1 + 2 + 4)),
        (210, 5, 0, 5, 'kontra', -(1 + 2 + 4) - 1),
        (70, 5, 0, 5, 'kontra', -(1 + 1 + 2 + 4) - 4),
        # Kontra bids.
        (89, 0, 2, 5, 'kontra', -(1 + 1 + 2 + 1)),
        (90, 0, 2, 5, 're', 1 + 2 + 1),
        (95, 1, 2, 5, 're', 1 + 4 + 1),
        (120, 0, 2, 5, 're', 1 + 2 + 1 + 1),
        (29, 0, 4, 5, 'kontra', -(1 + 3 + 2 + 3)),
        # Both bid.
        (151, 2, 2, 5, 're', (1 + 1 + 4 + 2) + 1),
        (120, 2, 2, 5, None, 1 - 1),
        (130, 2, 2, 5, None, 1),
        (75, 2, 5, 5, None, 2 - 1),
        (240, 5, 5, 0, 're', (1 + 4 + 4 + 8) + 4),
    ],
)
def test_value(eyes: int, re: int, kontra: int, tricks: int, winner: str, value: int) -> None:
    made = result(eyes, re, kontra, tricks)
    assert winning_team(made) == winner
    assert value_of_round(made, 0, has_special_points=False) == value
    # Special points, and one against the old.
    old = 1 if winner == 'kontra' else 0
    assert value_of_round(made, 3, has_special_points=True) == value + 3 - old
    assert value_of_round(made, -2, has_special_points=True) == value - 2 - old


TEAMS = {'north': 're', 'east': 'kontra', 'south': 're', 'west': 'kontra'}


@pytest.mark.parametrize(
    ('trick', 'winner', 'teams', 'is_last', 'special'),
    [
        ('clubs_ace clubs_ten clubs_ten clubs_king', 'north', TEAMS, False, 0),  # 35
        ('clubs_ace clubs_ace clubs_ten clubs_ten', 'north', TEAMS, False, 1),  # 42
        ('hearts_ten diamonds_ten clubs_ten spades_ten', 'north', TEAMS, False, 1),  # 40
        ('clubs_ace diamonds_ten clubs_ten clubs_ten', 'east', TEAMS, False, -1),  # 41
        ('clubs_jack diamonds_ace diamonds_jack diamonds_ten', 'north', TEAMS, False, 1),
        ('clubs_jack diamonds_jack diamonds_ace diamonds_ten', 'north', TEAMS, False, 0),
        ('diamonds_ace clubs_jack diamonds_ace diamonds_ten', 'east', TEAMS, False, -2),
        ('diamonds_ace clubs_ace clubs_ten clubs_king', 'north', TEAMS, False, 0),  # its own
        ('clubs_jack diamonds_ace diamonds_jack diamonds_ten', 'north', TEAMS, True, 2),
        ('diamonds_ten clubs_jack diamonds_jack diamonds_ten', 'east', TEAMS, True, -1),
        ('clubs_jack clubs_queen diamonds_jack diamonds_ten', 'east', TEAMS, True, 0),
        ('clubs_jack diamonds_ace diamonds_ace diamonds_ten', 'north', {'north': 're'}, False, 0),
    ],
)
def test_special_points(
    trick: str, winner: str, teams: dict[str, str], is_last: bool, special: int
) -> None:
    played = list(zip(TEAMS, trick.split(), strict=True))
    assert special_points(played, winner, dict(played)[winner], teams, is_last) == special


def test_points_and_goals() -> None:
    assert points_of_players(-4, TEAMS) == {'north': -4, 'east': 4, 'south': -4, 'west': 4}
    alone = {**TEAMS, 'south': 'kontra'}
    assert points_of_players(5, alone) == {'north': 15, 'east': -5, 'south': -5, 'west': -5}
    assert [goal(points) for points in (-150, -26, -25, -1, 0, 25, 26)] == [
        0,
        0,
        0,
        48,
        50,
        100,
        100,
    ]
    assert [add_points(149, 3), add_points(-149, -3), add_points(150, -3)] == [150, -150, 147]


# Whole rounds

JACKS = 'clubs_jack*2 spades_jack*2 hearts_jack*2 diamonds_jack*2 clubs_ace*2'


@pytest.mark.parametrize(
    ('re', 'kontra', 'value'), [(0, 0, 5), (1, 0, 7), (5, 0, 11), (0, 1, 7), (5, 5, 21)]
)
def test_solo_that_wins_all_tricks(re: int, kontra: int, value: int) -> None:
    oracle = start({'north': JACKS}, {'north': 'jacks_solo'})
    announce(oracle, 'north', *LADDERS['re'][:re])
    announce(oracle, 'west', *LADDERS['kontra'][:kontra])
    play_out(oracle, lambda options: max(options, key=lambda card: 'jack' in card))
    assert oracle.is_over and oracle.trick_winners == ['north'] * 10
    assert oracle.eyes == {'north': 240, 'east': 0, 'south': 0, 'west': 0}
    assert oracle.special == 0  # foxes and doppelkopf do not count in a solo
    assert oracle.scores == {'north': 3 * value, 'east': -value, 'south': -value, 'west': -value}
    assert oracle.goals['east'] == 50 - 2 * value and oracle.goals['north'] <= 100
    assert not any(oracle.legal(role) for role in ('random', *TEAMS))


def fat_tricks(tricks: Tricks) -> int:
    return sum(sum(EYES[card] for _, card in trick) >= 40 for trick in tricks)


TOP = 'hearts_ten*2 clubs_queen spades_queen*2 hearts_queen*2 diamonds_queen*2'
ORDER = (*TOP.replace('*2', '').split(), 'clubs_jack')


def highest(options: list[str]) -> str:
    return min(options, key=lambda card: ORDER.index(card) if card in ORDER else len(ORDER))


def test_silent_solo() -> None:
    oracle = start({'north': TOP + ' clubs_queen'})
    tricks = play_out(oracle, highest)
    assert oracle.rules == 'normal' and oracle.trick_winners == ['north'] * 10
    assert oracle.special == 2 + fat_tricks(tricks)  # both foxes
    value = 5 + oracle.special
    assert oracle.scores == {'north': 3 * value, 'east': -value, 'south': -value, 'west': -value}


def test_normal_round_with_a_fox_and_charlie() -> None:
    hands = {
        'north': TOP + ' clubs_jack',
        'east': 'diamonds_ace',
        'south': 'clubs_queen diamonds_ace',
    }
    oracle = start(hands)
    tricks = play_out(oracle, highest)
    assert oracle.trick_winners == ['north'] * 10
    assert oracle.special == 1 + 1 + fat_tricks(tricks)  # east's fox, not the partner's
    value = 5 + oracle.special
    assert oracle.scores == {'north': value, 'east': -value, 'south': value, 'west': -value}


def test_kontra_wins_against_the_old() -> None:
    top = TOP.replace('clubs_queen', 'clubs_jack')
    oracle = start({'north': top + ' clubs_jack', 'east': 'clubs_queen', 'west': 'clubs_queen'})
    announce(oracle, 'south', 'kontra', '90')
    tricks = play_out(oracle, highest)
    kontra = oracle.eyes['north'] + oracle.eyes['south']
    under = sum(240 - kontra < limit for limit in (90, 60, 30))
    assert oracle.special == -count_special(tricks, oracle.trick_winners)
    no_trick = not {'east', 'west'} & set(oracle.trick_winners)
    value = -(1 + under + no_trick + 2 + 1) - 1 + oracle.special
    assert under >= 1
    assert oracle.scores == {'north': -value, 'east': value, 'south': -value, 'west': value}


def count_special(tricks: Tricks, winners: list[str]) -> int:
    """Count special points of north and south against those of east and west."""
    ours = ('north', 'south')
    total = 0
    for number, (trick, winner) in enumerate(zip(tricks, winners, strict=True), 1):
        sign = 1 if winner in ours else -1
        foxes = sum(
            card == 'diamonds_ace' and (player in ours) != (winner in ours)
            for player, card in trick
        )
        charlie = number == len(tricks) and dict(trick)[winner] == 'clubs_jack'
        total += sign * (foxes + charlie + fat_tricks([trick]))
    return total
