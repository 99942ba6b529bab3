"""Doppelkopf: dealing, reservations, tricks, announcements, and who sees what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from doppelkopf_deals import (
    CARDS,
    EAST,
    NORTH,
    PLAYERS,
    SOUTH,
    WEST,
    all_healthy,
    control,
    deal,
    dealt,
    fill_hands,
    hand,
    known,
    play,
    trick,
)
import pytest
from walk import term

from gdl_env.engine.contract import NATURE, Engine, Move, Role, State
from gdl_env.engine.mapping import open_encoding
from gdl_env.language.load import open_game as load
from gdl_env.language.terms import args_of, name_of

QUEEN = 'clubs_queen'
# Each has a queen of clubs, or none; enough of other cards to lead.
RE_NORTH_SOUTH = {
    NORTH: [QUEEN, 'spades_ace', 'hearts_ten', 'clubs_ace'],
    EAST: ['spades_queen', 'spades_ten', 'clubs_ace', 'hearts_queen'],
    SOUTH: [QUEEN, 'spades_ten', 'hearts_ten', 'clubs_ten'],
    WEST: ['spades_queen', 'spades_king', 'clubs_king', 'diamonds_ace'],
}
SILENT = {
    NORTH: [QUEEN, QUEEN, 'spades_ace'],
    EAST: ['spades_ten', 'clubs_ace', 'diamonds_king'],
    SOUTH: ['spades_king', 'clubs_ace', 'diamonds_king'],
    WEST: ['spades_king', 'clubs_ten', 'diamonds_ten'],
}


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('doppelkopf')


def begin(engine: Engine, hands: dict[Role, list[str]], seed: int = 1) -> State:
    """Deal the hands, filled with other cards, and let nobody have a reservation."""
    return all_healthy(engine, deal(engine, fill_hands(hands, Random(seed))))


# ---- dealing


def test_deck_has_two_copies_of_each_card(engine: Engine) -> None:
    moves = engine.legal_moves(engine.initial_state)[NATURE]
    assert Counter(str(args_of(move)[0]) for move in moves) == dict.fromkeys(CARDS, 2)


def test_each_copy_that_is_left_has_the_same_chance(engine: Engine) -> None:
    random, state = Random(1), engine.initial_state
    left = Counter(dict.fromkeys(CARDS, 2))
    while left.total():
        moves = engine.legal_moves(state)[NATURE]
        assert Counter(str(args_of(move)[0]) for move in moves) == +left
        move = random.choice(moves)
        left[str(args_of(move)[0])] -= 1
        state = engine.next_state(state, {NATURE: move})
    assert not engine.legal_moves(state)[NATURE]


def test_cards_go_round_from_the_forehand(engine: Engine) -> None:
    hands = fill_hands({}, Random(1))
    assert deal(engine, hands) == dealt(hands)


def test_nines_belong_to_the_long_deck() -> None:
    from gdl_env.engine.registry import open_engine

    with open_engine(load('doppelkopf(cards=48)')) as engine:
        moves = engine.legal_moves(engine.initial_state)[NATURE]
    assert len(moves) == 48
    assert term('(deal hearts_nine 2)') in moves


# ---- reservations


def test_wedding_needs_both_queens_of_clubs(engine: Engine) -> None:
    state = deal(engine, fill_hands({SOUTH: [QUEEN, QUEEN]}, Random(1)))
    for player in PLAYERS:
        moves = {str(move) for move in engine.legal_moves(state)[player]}
        assert ('(reserve wedding)' in moves) == (player == SOUTH)
        assert len(moves) == 8 + (player == SOUTH)


@pytest.mark.parametrize('choice', ['healthy', 'clubs_solo'])
def test_others_do_not_notice_a_reservation(engine: Engine, choice: str) -> None:
    before = deal(engine, fill_hands({}, Random(1)))
    after = play(engine, before, (EAST, f'(reserve {choice})'))
    for player in PLAYERS:
        is_same = engine.view(before, player) == engine.view(after, player)
        assert is_same == (player != EAST)
    assert not engine.legal_moves(after)[EAST]


def test_first_solo_from_the_forehand_is_played(engine: Engine) -> None:
    state = deal(engine, fill_hands({}, Random(1)))
    state = play(
        engine,
        state,
        (WEST, '(reserve meatless_solo)'),
        (SOUTH, '(reserve jacks_solo)'),
        (EAST, '(reserve healthy)'),
        (NORTH, '(reserve healthy)'),
    )
    assert {term('(rules jacks_solo)'), term('(declarer south)')} <= state
    for player in PLAYERS:
        expected = {str(p): 're' if p == SOUTH else 'kontra' for p in PLAYERS}
        assert known(engine, state, player) == expected
        # What west had in mind is lost, but not that it was something.
        view = engine.view(state, player)
        assert term('(reserved west)') in view
        assert not [fact for fact in view if 'meatless' in str(fact)]


def test_without_solos_there_is_no_solo() -> None:
    from gdl_env.engine.registry import open_engine

    with open_engine(load('doppelkopf(solos=no)')) as engine:
        state = deal(engine, fill_hands({WEST: [QUEEN, QUEEN]}, Random(1)))
        legal = engine.legal_moves(state)
    assert [str(move) for move in legal[NORTH]] == ['(reserve healthy)']
    assert [str(m) for m in legal[WEST]] == ['(reserve healthy)', '(reserve wedding)']


# ---- tricks


def test_second_ten_of_hearts_beats_the_first(engine: Engine) -> None:
    state = begin(engine, RE_NORTH_SOUTH)
    state = trick(engine, state, 'hearts_ten', 'spades_queen', 'hearts_ten', 'spades_queen')
    assert control(state) == SOUTH


def test_first_of_two_equal_cards_wins_otherwise(engine: Engine) -> None:
    state = begin(engine, RE_NORTH_SOUTH)
    state = trick(engine, state, QUEEN, 'spades_queen', QUEEN, 'spades_queen')
    assert control(state) == NORTH


def test_suit_must_be_followed(engine: Engine) -> None:
    state = trick(engine, begin(engine, RE_NORTH_SOUTH), 'spades_ace')
    cards = {str(args_of(m)[0]) for m in engine.legal_moves(state)[EAST] if args_of(m)}
    plain_spades = {'spades_ace', 'spades_ten', 'spades_king'}
    assert cards - {'kontra'} == set(hand(state, EAST)) & plain_spades


# ---- announcements


def test_others_may_announce_or_wait_while_one_plays(engine: Engine) -> None:
    state = begin(engine, RE_NORTH_SOUTH)
    legal = {player: {str(m) for m in moves} for player, moves in _moves(engine, state)}
    assert legal[EAST] == legal[WEST] == {'(announce kontra)', 'noop'}
    assert legal[SOUTH] == {'(announce re)', 'noop'}
    assert '(announce re)' in legal[NORTH] and 'noop' not in legal[NORTH]
    assert engine.next_state(state, {EAST: term('noop')}) == state


def test_announcements_come_level_by_level_until_their_deadlines(engine: Engine) -> None:
    state = begin(engine, RE_NORTH_SOUTH)
    state = play(engine, state, (SOUTH, '(announce re)'), (NORTH, '(announce 90)'))
    assert term('(level re 2)') in state
    assert control(state) == NORTH
    state = trick(engine, state, 'spades_ace', 'spades_ten', 'spades_ten', 'spades_king')
    assert term('(announce 60)') in engine.legal_moves(state)[SOUTH]
    # Three cards fewer than at the start are enough for 60, but not for a first word.
    state = trick(engine, state, 'hearts_ten', 'spades_queen', 'hearts_ten', 'spades_queen')
    state = trick(engine, state, *_any_trick(engine, state))
    assert term('(announce 60)') in engine.legal_moves(state)[SOUTH]
    assert term('(announce kontra)') in engine.legal_moves(state)[EAST]
    state = trick(engine, state, *_any_trick(engine, state))
    announcements = [m for _, ms in _moves(engine, state) for m in ms if name_of(m) == 'announce']
    assert not announcements


# ---- what is known of the parties


def test_a_player_knows_only_its_own_party_at_first(engine: Engine) -> None:
    state = begin(engine, RE_NORTH_SOUTH)
    for player, team in zip(PLAYERS, ('re', 'kontra', 're', 'kontra'), strict=True):
        assert known(engine, state, player) == {str(player): team}


def test_a_queen_of_clubs_tells_its_partner_everything(engine: Engine) -> None:
    state = trick(engine, begin(engine, RE_NORTH_SOUTH), QUEEN)
    everything = {'north': 're', 'east': 'kontra', 'south': 're', 'west': 'kontra'}
    assert known(engine, state, SOUTH) == everything
    assert known(engine, state, NORTH) == {'north': 're'}
    assert known(engine, state, EAST) == {'north': 're', 'east': 'kontra'}
    state = trick(engine, state, 'spades_queen', QUEEN)
    assert all(known(engine, state, player) == everything for player in PLAYERS)


def test_an_announcement_shows_the_party(engine: Engine) -> None:
    state = play(engine, begin(engine, RE_NORTH_SOUTH), (EAST, '(announce kontra)'))
    assert known(engine, state, NORTH) == {'north': 're', 'east': 'kontra'}
    assert known(engine, state, WEST) == {'west': 'kontra', 'east': 'kontra'}
    state = play(engine, state, (WEST, '(announce 90)'))
    # North has one queen; if neither east nor west has the other one, south has it.
    assert known(engine, state, NORTH)['south'] == 're'
    # East cannot know whether there is one player with both queens.
    assert known(engine, state, EAST) == {'west': 'kontra', 'east': 'kontra'}


def test_silent_solo_is_known_to_its_player_alone(engine: Engine) -> None:
    state = begin(engine, SILENT)
    assert len(known(engine, state, NORTH)) == 4
    assert all(len(known(engine, state, player)) == 1 for player in (EAST, SOUTH, WEST))
    state = play(engine, state, (NORTH, '(announce re)'))
    assert known(engine, state, EAST) == {'north': 're', 'east': 'kontra'}


def test_wedding_finds_the_first_other_who_wins_a_trick(engine: Engine) -> None:
    hands = {**RE_NORTH_SOUTH, NORTH: [QUEEN, QUEEN, 'spades_ace', 'clubs_ten']}
    hands[SOUTH] = ['spades_ten', 'clubs_ten', 'hearts_ten', 'diamonds_ten']
    state = deal(engine, fill_hands(hands, Random(1)))
    state = play(engine, state, (NORTH, '(reserve wedding)'))
    state = play(engine, state, *((p, '(reserve healthy)') for p in PLAYERS[1:]))
    assert all(known(engine, state, player) == {'north': 're'} for player in PLAYERS)
    state = trick(engine, state, 'spades_ace', 'spades_ten', 'spades_ten', 'spades_king')
    assert all(known(engine, state, player) == {'north': 're'} for player in PLAYERS)
    assert not [m for _, ms in _moves(engine, state) for m in ms if name_of(m) == 'announce']
    state = trick(engine, state, 'clubs_ten', 'clubs_ace', 'clubs_ten', 'clubs_king')
    everything = {'north': 're', 'east': 're', 'south': 'kontra', 'west': 'kontra'}
    assert all(known(engine, state, player) == everything for player in PLAYERS)
    assert term('(delay 1)') in state


# ---- what is hidden


def test_a_player_sees_its_own_hand_only(engine: Engine) -> None:
    state = begin(engine, RE_NORTH_SOUTH)
    for player in PLAYERS:
        view = engine.view(state, player)
        assert hand(view, player) == hand(state, player)
        assert all(not hand(view, other) for other in PLAYERS if other != player)
        assert not [fact for fact in view if name_of(fact) in {'deck', 'side', 'special'}]


@pytest.mark.parametrize('viewer', PLAYERS, ids=str)
def test_nothing_leaks(engine: Engine, viewer: Role) -> None:
    """What a player cannot tell apart looks the same: other hands, the same moves."""
    random = Random(str(viewer))
    tried, parties = 0, 0
    for length in (5, 8, 12, 20, 32, 45):
        hands, moves = _random_match(engine, random, length)
        views = _views(engine, viewer, hands, moves)
        for _ in range(8):
            changed = _shuffle_unseen(random, viewer, hands, moves)
            seen = _views(engine, viewer, changed, moves)
            if seen is not None and changed != hands:
                assert seen == views
                tried += 1
                parties += any((QUEEN in hands[p]) != (QUEEN in changed[p]) for p in PLAYERS)
    # Enough other hands fitted the moves, and often with other parties.
    assert tried >= 8
    assert parties >= 2


# ---- dimensions


@pytest.mark.parametrize(
    ('name', 'facts', 'observation', 'actions'),
    [('doppelkopf', 930, 673, 36), ('doppelkopf(cards=48)', 1050, 761, 40)],
)
def test_dimensions(name: str, facts: int, observation: int, actions: int) -> None:
    mapping = open_encoding(load(name))
    assert (mapping.observation_size, mapping.action_size) == (observation, actions)
    page = (Path(__file__).parents[2] / 'doc' / 'doppelkopf.md').read_text('utf-8')
    assert f'{facts:,}' in page and str(observation) in page


def _moves(engine: Engine, state: State) -> list[tuple[Role, tuple[Move, ...]]]:
    return [(player, engine.legal_moves(state)[player]) for player in PLAYERS]


def _any_trick(engine: Engine, state: State) -> list[str]:
    """Return cards with which the trick can be played."""
    cards = []
    for _ in PLAYERS:
        player = control(state)
        move = next(m for m in engine.legal_moves(state)[player] if name_of(m) == 'play')
        cards.append(str(args_of(move)[0]))
        state = engine.next_state(state, {player: move})
    return cards


def _random_match(
    engine: Engine, random: Random, length: int
) -> tuple[dict[Role, list[str]], list[tuple[Role, str]]]:
    """Deal hands and play some random moves without solos; return both."""
    hands = fill_hands({}, random)
    state, moves = deal(engine, hands), []
    while len(moves) < length and not engine.is_terminal(state):
        # Few announcements: they tell too much.
        kinds = ('reserve', 'play') if random.random() < 0.9 else ('reserve', 'play', 'announce')
        player, move = random.choice(
            [
                (player, str(move))
                for player, legal in _moves(engine, state)
                for move in legal
                if name_of(move) in kinds and 'solo' not in str(move)
            ]
        )
        state = play(engine, state, (player, move))
        moves.append((player, move))
    return hands, moves


def _shuffle_unseen(
    random: Random, viewer: Role, hands: dict[Role, list[str]], moves: list[tuple[Role, str]]
) -> dict[Role, list[str]]:
    """Deal the cards that the viewer has not seen to the others again."""
    played: dict[Role, Counter[str]] = {player: Counter() for player in PLAYERS}
    for player, move in moves:
        if move.startswith('(play'):
            played[player][move[6:-1]] += 1
    unseen = {p: list((Counter(hands[p]) - played[p]).elements()) for p in PLAYERS if p != viewer}
    pool = sorted(card for cards in unseen.values() for card in cards)
    random.shuffle(pool)
    changed = dict(hands)
    for player, cards in unseen.items():
        changed[player] = [*played[player].elements(), *(pool.pop() for _ in cards)]
    return changed


def _views(
    engine: Engine, viewer: Role, hands: dict[Role, list[str]], moves: list[tuple[Role, str]]
) -> list[object] | None:
    """Return all that a player sees and may do in a match; None if a move is not legal."""
    state, seen = dealt(hands), []
    for player, text in moves:
        legal = engine.legal_moves(state)
        seen.append((engine.view(state, viewer), legal[viewer]))
        if term(text) not in legal[player]:
            return None
        state = engine.next_state(state, {player: term(text)})
    return [*seen, engine.view(state, viewer)]
