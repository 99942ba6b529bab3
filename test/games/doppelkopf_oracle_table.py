"""A table at which the oracle of Doppelkopf is tried out: hands made by hand, cards played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from doppelkopf_oracle import Oracle
from doppelkopf_oracle_cards import PLAYERS, different_cards

Choose = Callable[[Sequence[str]], str]
Tricks = list[list[tuple[str, str]]]


def cards(text: str) -> list[str]:
    """Read cards such as `hearts_ten*2 clubs_ace`."""
    pairs = (word.partition('*') for word in text.split())
    return [card for card, _, count in pairs for _ in range(int(count or 1))]


def start(hands: dict[str, str], reserved: dict[str, str] | None = None, **options: Any) -> Oracle:
    """Begin a match with these cards, filled up with what is left, and these reservations."""
    oracle = Oracle(**options)
    dealt = {player: cards(hands.get(player, '')) for player in PLAYERS}
    deck = Counter(dict.fromkeys(different_cards(options.get('cards', 40)), 2))
    left = list((deck - Counter(card for hand in dealt.values() for card in hand)).elements())
    size = deck.total() // 4
    for hand in dealt.values():
        while len(hand) < size:
            hand.append(left.pop())
    for turn in range(size):
        for player in PLAYERS:
            oracle.play('random', f'(deal {dealt[player][turn]} 1)')
    for player in PLAYERS:
        oracle.play(player, f'(reserve {(reserved or {}).get(player, "healthy")})')
    return oracle


def playable(oracle: Oracle) -> set[str]:
    """Give the cards that may be played now."""
    assert oracle.control is not None
    moves = oracle.legal(oracle.control)
    return {move[6:-1] for move in moves if move.startswith('(play')}


def play(oracle: Oracle, text: str) -> None:
    """Play cards, each by the player whose turn it is."""
    for card in cards(text):
        assert oracle.control is not None
        oracle.play(oracle.control, f'(play {card})')


def play_on(oracle: Oracle, until: Callable[[], bool], choose: Choose = min) -> Tricks:
    """Play without announcements until something holds or the round ends; give the tricks."""
    tricks: Tricks = [list(oracle.trick)] if oracle.trick else []
    before = oracle.round
    while oracle.phase == 'play' and oracle.round == before and not until():
        if not oracle.trick:
            tricks.append([])
        player, card = oracle.control, choose(sorted(playable(oracle)))
        assert player is not None
        tricks[-1].append((player, card))
        play(oracle, card)
    return tricks


def play_trick(oracle: Oracle, text: str = '') -> None:
    """Play these cards, and what is missing to the end of the trick."""
    play(oracle, text or min(playable(oracle)))
    play_on(oracle, lambda: not oracle.trick)


def play_out(oracle: Oracle, choose: Choose = min) -> Tricks:
    """Play without announcements to the end of the round; give the tricks."""
    return play_on(oracle, lambda: False, choose)


def announce(oracle: Oracle, player: str, *names: str) -> None:
    """Make announcements, one after the other."""
    for name in names:
        oracle.play(player, f'(announce {name})')


def announcements(oracle: Oracle, player: str) -> set[str]:
    """Give what a player may announce now."""
    return {move[10:-1] for move in oracle.legal(player) if move.startswith('(announce')}
