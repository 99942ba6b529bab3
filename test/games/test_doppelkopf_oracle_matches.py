"""What players of the oracle of Doppelkopf know, several rounds, and what holds in all matches."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from random import Random
from typing import Any

from doppelkopf_oracle import Oracle
from doppelkopf_oracle_cards import PLAYERS, SOLOS
from doppelkopf_oracle_table import announce, play, play_out, play_trick, start
import pytest

ROLES = ('random', *PLAYERS)


def known(oracle: Oracle) -> dict[str, str]:
    """Write down what each player knows: for each of the four, `r`, `k` or a dot."""
    return {
        viewer: ''.join(oracle.known(viewer).get(player, '.')[0] for player in PLAYERS)
        for viewer in PLAYERS
    }


# North and south have a queen of clubs each, and all cards of the first trick are trumps.
PAIR = {
    'north': 'clubs_queen diamonds_jack',
    'east': 'diamonds_king*2',
    'south': 'clubs_queen diamonds_jack',
    'west': 'diamonds_ten*2',
}


def test_everybody_knows_itself_at_first() -> None:
    oracle = start(PAIR)
    assert known(oracle) == {'north': 'r...', 'east': '.k..', 'south': '..r.', 'west': '...k'}


def test_queens_tell_all() -> None:
    oracle = start(PAIR)
    play(oracle, 'clubs_queen')
    # South knows both of re, and so all.
    assert known(oracle) == {'north': 'r...', 'east': 'rk..', 'south': 'rkrk', 'west': 'r..k'}
    play(oracle, 'diamonds_king clubs_queen')
    assert set(known(oracle).values()) == {'rkrk'}


def test_announcements_tell() -> None:
    oracle = start(PAIR)
    announce(oracle, 'west', 'kontra')
    assert known(oracle) == {'north': 'r..k', 'east': '.k.k', 'south': '..rk', 'west': '...k'}
    announce(oracle, 'east', '90')
    # Whoever has one queen knows now who has the other.
    assert known(oracle) == {'north': 'rkrk', 'east': '.k.k', 'south': 'rkrk', 'west': '.k.k'}


def test_three_of_kontra_tell_of_a_silent_solo() -> None:
    oracle = start({'north': 'clubs_queen*2'})
    assert known(oracle) == {'north': 'rkkk', 'east': '.k..', 'south': '..k.', 'west': '...k'}
    announce(oracle, 'west', 'kontra')
    announce(oracle, 'south', '90')
    assert known(oracle) == {'north': 'rkkk', 'east': 'rkkk', 'south': '..kk', 'west': '..kk'}


def test_two_queens_of_one_player_tell_all() -> None:
    hands = {'north': 'hearts_ten*2 clubs_queen*2'}
    oracle = start(hands)
    play_trick(oracle, 'clubs_queen')
    assert oracle.control == 'north'
    assert known(oracle) == {'north': 'rkkk', 'east': 'rk..', 'south': 'r.k.', 'west': 'r..k'}
    play(oracle, 'clubs_queen')
    assert set(known(oracle).values()) == {'rkkk'}


def test_solo_is_open() -> None:
    assert set(known(start(PAIR, {'east': 'queens_solo'})).values()) == {'krkk'}


def test_rounds_follow_each_other() -> None:
    oracle = start(PAIR, rounds=2)
    announce(oracle, 'north', 're')
    play_out(oracle)
    assert (oracle.round, oracle.phase, oracle.is_over) == (2, 'deal', False)
    assert (oracle.forehand, oracle.control) == ('east', 'east')
    assert oracle.rules is None and oracle.declarer is None and oracle.teams == {}
    assert oracle.levels == {'re': 0, 'kontra': 0} and oracle.special == 0
    assert not oracle.trick and not oracle.trick_winners and not any(oracle.eyes.values())
    assert not any(oracle.hands.values()) and not oracle.known('north')
    assert oracle.scores['north'] == oracle.scores['south'] == -oracle.scores['west'] != 0
    assert oracle.goals == {p: min(100, max(0, 50 + 2 * n)) for p, n in oracle.scores.items()}
    while oracle.phase == 'deal':
        oracle.play('random', max(oracle.legal('random')))
    for player, choice in zip(PLAYERS, ('queens', 'jacks', 'clubs', 'spades'), strict=True):
        oracle.play(player, f'(reserve {choice}_solo)')
    assert (oracle.rules, oracle.declarer, oracle.control) == ('jacks_solo', 'east', 'east')


def test_what_was_given_stays_as_it_was() -> None:
    oracle = start(PAIR)
    hands, levels, teams = oracle.hands, oracle.levels, oracle.teams
    announce(oracle, 'north', 're')
    play_trick(oracle)
    assert levels == {'re': 0, 'kontra': 0} and len(teams) == 4
    assert all(sum(hand.values()) == 10 for hand in hands.values())


class Witness:
    """Sees a match, and what can be concluded from it in a normal game, by possible worlds.

    A world says who was dealt how many queens of clubs. A player knows a team if it is the same
    in all worlds that agree with its own queens, those played, and what was announced.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.dealt = {p: hand.get('clubs_queen', 0) for p, hand in oracle.hands.items()}
        self.played: Counter[str] = Counter()
        self.announced: dict[str, str] = {}
        pairs = combinations_with_replacement(PLAYERS, 2)
        self.worlds = [Counter(pair) for pair in pairs]

    def note(self, oracle: Oracle, role: str, move: str) -> None:
        if move == '(play clubs_queen)':
            self.played[role] += 1
        if move.startswith('(announce'):
            self.announced[role] = oracle.teams[role]

    def known(self, viewer: str) -> dict[str, str]:
        worlds = [
            {player: 're' if world[player] else 'kontra' for player in PLAYERS}
            for world in self.worlds
            if world[viewer] == self.dealt[viewer]
            and all(world[player] >= count for player, count in self.played.items())
            and all((world[p] > 0) == (team == 're') for p, team in self.announced.items())
        ]
        return {
            player: worlds[0][player]
            for player in PLAYERS
            if len({world[player] for world in worlds}) == 1
        }


def check(oracle: Oracle, before: dict[str, dict[str, str]]) -> None:
    """Check what holds in each state of play."""
    teams = oracle.teams
    in_hands = sum(sum(hand.values()) for hand in oracle.hands.values())
    assert in_hands + len(oracle.trick) + 4 * len(oracle.trick_winners) in (40, 48)
    assert oracle.control is not None and any('play' in m for m in oracle.legal(oracle.control))
    assert list(teams.values()).count('re') in (1, 2)
    assert len(teams) == 4 or (oracle.rules == 'wedding' and len(oracle.trick_winners) < 3)
    assert abs(oracle.special) <= 7
    for player in PLAYERS:
        seen = oracle.known(player)
        assert before.get(player, {}).items() <= seen.items() <= teams.items()
        assert player in seen or player not in teams


def play_match(rng: Random, **options: Any) -> Counter[str]:
    """Play a random match, check it at every step, and count what happened in it."""
    oracle = Oracle(**options)
    size = options.get('cards', 40)
    seen: Counter[str] = Counter()
    witness, before, scores = None, {}, oracle.scores
    while not oracle.is_over:
        moves = {role: sorted(oracle.legal(role)) for role in ROLES}
        role = rng.choice([role for role in ROLES if moves[role]])
        move = rng.choice(moves[role])
        if oracle.phase == 'deal':
            left = size - sum(sum(hand.values()) for hand in oracle.hands.values())
            assert role == 'random' and len(moves[role]) == left
            witness, before = None, {}
        elif oracle.phase == 'reserve':
            witness = witness or Witness(oracle)
        else:
            witness.note(oracle, role, move)
        round_before, teams = oracle.round, oracle.teams
        if oracle.phase == 'play' and sum(sum(h.values()) for h in oracle.hands.values()) == 1:
            alone = list(teams.values()).count('re') == 1
            seen[oracle.rules] += 1
            seen['silent solo'] += alone and oracle.rules == 'normal'
            seen['wedding alone'] += alone and oracle.rules == 'wedding'
            seen[f'delay {oracle.delay}'] += 1
            seen[f'level {max(oracle.levels.values())}'] += 1
        oracle.play(role, move)
        if oracle.phase == 'play':
            check(oracle, before)
            before = {player: oracle.known(player) for player in PLAYERS}
            if oracle.rules == 'normal':
                assert before == {player: witness.known(player) for player in PLAYERS}
        elif oracle.is_over or oracle.round > round_before:
            gained = {player: oracle.scores[player] - scores[player] for player in PLAYERS}
            assert sum(gained.values()) == 0 and max(map(abs, gained.values())) <= 87
            assert len({gained[p] for p in PLAYERS if teams[p] == 'kontra'}) == 1
            scores = oracle.scores
    assert sum(oracle.eyes.values()) == 240 and len(oracle.trick_winners) == size // 4
    assert sorted(oracle.teams.values()) in (['kontra'] * 2 + ['re'] * 2, ['kontra'] * 3 + ['re'])
    assert all(oracle.known(player) == oracle.teams for player in PLAYERS)
    assert oracle.control is None and not oracle.trick and not any(oracle.hands.values())
    assert not any(oracle.legal(role) for role in ROLES)
    return seen


@pytest.mark.parametrize(
    'options',
    [
        {},
        {'cards': 48},
        {'solos': 'no'},
        {'solos': 'no', 'cards': 48, 'tens': 'first', 'rounds': 3},
    ],
    ids=str,
)
def test_random_matches(options: dict[str, Any]) -> None:
    rng = Random(f'doppelkopf {options}')
    seen: Counter[str] = Counter()
    for _ in range(60 // options.get('rounds', 1)):
        seen += play_match(rng, **options)
    if options.get('solos') == 'no':
        assert {'normal', 'wedding', 'silent solo'} <= set(seen) and not set(SOLOS) & set(seen)
    else:
        assert set(SOLOS) <= set(seen)
