"""Chinese poker, its hands and units checked by an evaluator of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from random import Random

from playthrough import play
import pytest
from walk import term

from gdl_env.engine.contract import NATURE, Engine, State
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.terms import Term

pytestmark = pytest.mark.prolog

PLAYERS = ('alice', 'bob', 'carol', 'dave')
SUITS = ('clubs', 'diamonds', 'hearts', 'spades')
ROWS = {'front': 3, 'middle': 5, 'back': 5}
DECK = [(rank, suit) for rank in range(2, 15) for suit in SUITS]

Card = tuple[int, str]
Rows = dict[str, Sequence[Card]]


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('chinese_poker')


def strength(cards: Sequence[Card]) -> tuple[object, ...]:
    """Return the value of a hand as poker players say it: the kind, then what decides."""
    ranks = sorted((rank for rank, _ in cards), reverse=True)
    groups = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    shape = [n for n, _ in groups]
    order = [rank for _, rank in groups]
    is_flush = len(cards) == 5 and len({suit for _, suit in cards}) == 1
    high = ranks[0] if len(cards) == 5 and ranks == list(range(ranks[0], ranks[0] - 5, -1)) else 0
    if ranks == [14, 5, 4, 3, 2]:
        high = 5
    if high:
        return (8 if is_flush else 4), [high]
    if is_flush:
        return 5, ranks
    kinds = {(4,): 7, (3, 2): 6, (3,): 3, (2, 2): 2, (2,): 1, (): 0}
    return kinds[tuple(n for n in shape if n > 1)], order


def expected_goals(table: dict[str, Rows]) -> list[int]:
    values = {p: [strength(rows[row]) for row in ROWS] for p, rows in table.items()}
    foul = {p: not v[0] <= v[1] <= v[2] for p, v in values.items()}
    units = dict.fromkeys(table, 0)
    for one, two in combinations(table, 2):
        wins = [(a > b) - (a < b) for a, b in zip(values[one], values[two], strict=True)]
        if foul[one] or foul[two]:
            wins = [foul[two] - foul[one]] * 3
        total = sum(wins)
        total += total if abs(total) == 3 else 0
        units[one] += total
        units[two] -= total
    return [50 + 2 * units[player] for player in PLAYERS]


@cache
def shown_fact(player: str, row: str, rank: int, suit: str) -> Term:
    return term(f'(shown {player} {row} {rank} {suit})')


def shown(table: dict[str, Rows]) -> State:
    return frozenset(
        shown_fact(player, row, rank, suit)
        for player, rows in table.items()
        for row, cards in rows.items()
        for rank, suit in cards
    )


def goals(engine: Engine, table: dict[str, Rows]) -> list[int | None]:
    state = shown(table)
    assert engine.is_terminal(state)
    return [engine.goals(state)[term(player)] for player in PLAYERS]


def laid(cards: Sequence[Card], random: Random, is_good: bool) -> Rows:
    """Lay a hand at random, or as the best of several tries."""
    tries = []
    for _ in range(30 if is_good else 1):
        mixed = random.sample(list(cards), 13)
        tries.append({'front': mixed[:3], 'middle': mixed[3:8], 'back': mixed[8:]})
    values = [[strength(rows[row]) for row in ROWS] for rows in tries]
    best = max(range(len(tries)), key=lambda i: (sorted(values[i]) == values[i], values[i][::-1]))
    return tries[best]


def deals(random: Random) -> list[list[Card]]:
    """Deal; half of the time from a deck that is hardly shuffled, for rare hands."""
    deck = list(DECK)
    if random.random() < 0.5:
        random.shuffle(deck)
    else:
        deck.sort(key=lambda card: SUITS.index(card[1]) if random.random() < 0.9 else 0)
        for _ in range(12):
            i, j = random.randrange(52), random.randrange(52)
            deck[i], deck[j] = deck[j], deck[i]
    return [deck[13 * i : 13 * i + 13] for i in range(4)]


def test_units_of_many_deals(engine: Engine) -> None:
    random = Random(1)
    kinds: Counter[object] = Counter()
    for number in range(200):
        table = {
            player: laid(cards, random, is_good=number % 4 != 0)
            for player, cards in zip(PLAYERS, deals(random), strict=True)
        }
        kinds.update(strength(rows[row])[0] for rows in table.values() for row in ROWS)
        assert goals(engine, table) == expected_goals(table), table
    assert set(kinds) == set(range(9)), 'every kind of hand occurs'


ACES_LOW = [(2, 'clubs'), (3, 'hearts'), (4, 'clubs'), (5, 'clubs'), (14, 'clubs')]
SIX_HIGH = [(2, 'spades'), (3, 'clubs'), (4, 'hearts'), (5, 'hearts'), (6, 'hearts')]
ACE_HIGH = [(10, 'clubs'), (11, 'clubs'), (12, 'hearts'), (13, 'hearts'), (14, 'hearts')]
STEEL = [(rank, 'diamonds') for rank in (14, 2, 3, 4, 5)]
FLUSH = [(rank, 'hearts') for rank in (14, 13, 12, 11, 9)]
QUADS = [*((8, suit) for suit in SUITS), (3, 'spades')]


@pytest.mark.parametrize(
    ('lower', 'higher'),
    [(ACES_LOW, SIX_HIGH), (SIX_HIGH, ACE_HIGH), (FLUSH, QUADS), (QUADS, STEEL)],
    ids=['ace is low', 'ace is high', 'four of a kind', 'straight flush'],
)
def test_back_rows(engine: Engine, lower: list[Card], higher: list[Card]) -> None:
    random = Random(3)
    table: dict[str, Rows] = {}
    while not table or any(
        strength(rows['front']) > strength(rows['middle'])
        or strength(rows['middle']) > strength(rows['back'])
        for rows in (table['alice'], table['bob'])
    ):
        rest = random.sample([c for c in DECK if c not in lower + higher], 42)
        table = {
            player: {'front': rest[8 * i : 8 * i + 3], 'middle': rest[8 * i + 3 : 8 * i + 8]}
            for i, player in enumerate(PLAYERS)
        }
        backs = lower, higher, rest[32:37], rest[37:42]
        for player, back in zip(PLAYERS, backs, strict=True):
            table[player]['back'] = back
    assert strength(lower) < strength(higher)
    assert goals(engine, table) == expected_goals(table)


@pytest.mark.parametrize('seed', range(3))
def test_rules_deal_and_lay_all_cards(engine: Engine, seed: int) -> None:
    match = play(engine, seed)
    facts = [str(fact)[1:-1].split() for fact in match.state if str(fact).startswith('(shown ')]
    assert sorted((int(rank), suit) for *_, rank, suit in facts) == sorted(DECK)
    counts = Counter((player, row) for _, player, row, _, _ in facts)
    assert counts == {(player, row): n for player in PLAYERS for row, n in ROWS.items()}
    table: dict[str, Rows] = {
        p: {r: [(int(c), s) for _, q, t, c, s in facts if (q, t) == (p, r)] for r in ROWS}
        for p in PLAYERS
    }
    assert list(match.goals().values()) == expected_goals(table)


def test_highest_card_is_put_down(engine: Engine) -> None:
    match = Interpreter(engine, 4)
    (actor,) = match.actors()
    hand = [f for f in match.view(actor).facts if '(hand ' in str(f)]
    assert len(hand) == 13
    cards = [str(f)[:-2].split()[-2:] for f in hand]
    rank, suit = max(cards, key=lambda card: (int(card[0]), SUITS.index(card[1])))
    match.step({actor: term('(put middle)')})
    assert term(f'(sees {actor} (laid middle {rank} {suit}))') in match.view(actor).facts


def test_nobody_sees_what_others_have_or_do(engine: Engine) -> None:
    """Two matches in which only others differ look the same to Alice until all is shown."""
    random = Random(5)
    cards = random.sample(DECK, 52)
    hands = [cards[i::4] for i in range(4)]
    matches = []
    for order in ([0, 1, 2, 3], [0, 3, 1, 2]):
        state = engine.initial_state
        for number in range(13):
            for seat, player in enumerate(PLAYERS):
                rank, suit = hands[order[seat]][number]
                state = engine.next_state(state, {NATURE: term(f'(deal {player} {rank} {suit})')})
        matches.append(state)
    alice = term('alice')
    while not engine.is_terminal(matches[0]):
        assert len({engine.view(state, alice) for state in matches}) == 1
        (actor,) = engine.actors(matches[0])
        legal = [engine.legal_moves(state)[actor] for state in matches]
        chosen = [random.choice(moves) for moves in legal]
        if actor == alice:
            assert legal[0] == legal[1]
            chosen[1] = chosen[0]
        matches = [
            engine.next_state(state, {actor: move})
            for state, move in zip(matches, chosen, strict=True)
        ]
    assert len({engine.view(state, alice) for state in matches}) == 2
