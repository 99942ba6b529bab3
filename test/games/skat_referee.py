"""Skat in plain Python: plays the moves of a match again and says what they should have led to.

It is written from the head of `games/skat.gdl` and from how Skat is played, not from its rules.
"""

from __future__ import annotations

from collections.abc import Iterable

Card = tuple[str, str]

PLAYERS = ('forehand', 'middlehand', 'rearhand')
SUITS = ('clubs', 'spades', 'hearts', 'diamonds')
EYES = {'ace': 11, 'ten': 10, 'king': 4, 'queen': 3, 'jack': 2}
PLAIN = ('ace', 'ten', 'king', 'queen', 'nine', 'eight', 'seven')
NULL = ('ace', 'king', 'queen', 'jack', 'ten', 'nine', 'eight', 'seven')
PRICES = {'diamonds': 9, 'hearts': 10, 'spades': 11, 'clubs': 12, 'grand': 24}
# The bids of the official list, as far as a game without hand and announcements can be worth.
BIDS = (
    *(18, 20, 22, 23, 24, 27, 30, 33, 36, 40, 44, 45, 48, 50, 54, 55, 60, 63, 66, 70, 72, 77, 80),
    *(81, 84, 88, 90, 96, 99, 100, 108, 110, 117, 120, 121, 126, 130, 132, 135, 140, 143, 144),
    *(150, 154, 156, 165, 168, 180, 192),
)


class Referee:
    """One match; `move` takes what was played, the rest says what is so."""

    def __init__(self) -> None:
        self.hands: dict[str, set[Card]] = {player: set() for player in PLAYERS}
        self.skat = {(suit, rank) for suit in SUITS for rank in NULL}
        self.bid = 0
        self.declarer: str | None = None
        self.contract: str | None = None
        self.matadors = 0
        self.trick: list[tuple[str, Card]] = []
        self.won: list[Card] = []
        self.turn = 'forehand'
        self._passed: set[str] = set()
        self._dealt = 0

    def move(self, role: str, words: list[str]) -> None:
        """Take in a move."""
        match words:
            case ['deal', suit, rank]:
                self.skat.remove((suit, rank))
                self.hands[PLAYERS[self._dealt % 3]].add((suit, rank))
                self._dealt += 1
            case ['raise']:
                self.bid = 18 if not self.bid else BIDS[BIDS.index(self.bid) + 1]
                self._sell()
            case ['pass']:
                self._passed.add(role)
                self._sell()
            case ['put', suit, rank]:
                self.hands[role].remove((suit, rank))
                self.skat.add((suit, rank))
            case ['declare', contract]:
                self.contract = contract
                self.matadors = self._count_matadors()
            case ['play', suit, rank]:
                self._play(role, (suit, rank))

    def _sell(self) -> None:
        left = [player for player in PLAYERS if player not in self._passed]
        if self.bid and len(left) == 1:
            self.declarer = left[0]
            self.hands[left[0]] |= self.skat
            self.skat = set()

    def _trumps(self) -> list[Card]:
        """List the trumps, the highest first."""
        jacks = [(suit, 'jack') for suit in SUITS]
        if self.contract == 'null':
            return []
        if self.contract == 'grand':
            return jacks
        return jacks + [(str(self.contract), rank) for rank in PLAIN]

    def _count_matadors(self) -> int:
        owned = [card in self.hands[str(self.declarer)] | self.skat for card in self._trumps()]
        return next((i for i, has in enumerate(owned) if has != owned[0]), len(owned))

    def _class(self, card: Card) -> str:
        return 'trump' if card in self._trumps() else card[0]

    def playable(self) -> set[Card]:
        """Return the cards that the player whose turn it is may play."""
        hand = self.hands[self.turn]
        if not self.trick:
            return set(hand)
        led = self._class(self.trick[0][1])
        return {card for card in hand if self._class(card) == led} or set(hand)

    def _play(self, player: str, card: Card) -> None:
        self.hands[player].remove(card)
        self.trick.append((player, card))
        self.turn = PLAYERS[(PLAYERS.index(player) + 1) % 3]
        if len(self.trick) == 3:
            self.turn = min(self.trick, key=lambda laid: self._weakness(laid[1]))[0]
            if self.turn == self.declarer:
                self.won += [card for _, card in self.trick]
            self.trick = []

    def _weakness(self, card: Card) -> tuple[int, int]:
        """Order cards of a trick, the one that wins first."""
        trumps = self._trumps()
        if card in trumps:
            return 0, trumps.index(card)
        ranks = NULL if self.contract == 'null' else PLAIN
        return (1 if card[0] == self.trick[0][1][0] else 2), ranks.index(card[1])

    def points(self) -> int | None:
        """Return what the declarer gets at the end; None if there is no declarer."""
        if self.declarer is None:
            return None
        eyes = _eyes(self.won) + _eyes(self.skat)
        if self.contract == 'null':
            value, is_won = 23, not self.won
        else:
            steps = 1 + (eyes <= 30 or eyes >= 90) + (len(self.won) in (0, 30))
            value, is_won = PRICES[str(self.contract)] * (self.matadors + steps), eyes > 60
        if value < self.bid:
            return -2 * self.bid
        return value if is_won else -2 * value


def _eyes(cards: Iterable[Card]) -> int:
    return sum(EYES.get(rank, 0) for _, rank in cards)
