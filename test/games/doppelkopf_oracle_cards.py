"""Cards of Doppelkopf, the rule sets, and who wins a trick.

Part of the oracle (`doppelkopf_oracle.py`), written from `doc/doppelkopf.md` alone. A card is its
name, such as `'clubs_queen'`; what a card means is looked up in tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

PLAYERS = ('north', 'east', 'south', 'west')
SUITS = ('clubs', 'spades', 'hearts', 'diamonds')
EYES_OF_RANK = {'ace': 11, 'ten': 10, 'king': 4, 'queen': 3, 'jack': 2, 'nine': 0}
CARDS = tuple(f'{suit}_{rank}' for suit in SUITS for rank in EYES_OF_RANK)
EYES = {card: EYES_OF_RANK[card.split('_')[1]] for card in CARDS}

TRUMP = 'trump'
CLUBS_QUEEN, CLUBS_JACK, DIAMONDS_ACE = 'clubs_queen', 'clubs_jack', 'diamonds_ace'
HEARTS_TEN = 'hearts_ten'

Trick = Sequence[tuple[str, str]]  # players and their cards, in the order they were played


def different_cards(size: int) -> tuple[str, ...]:
    """Name the cards of a deck of that size; each is in it twice."""
    if size == 48:
        return CARDS
    if size == 40:
        return tuple(card for card in CARDS if not card.endswith('_nine'))
    raise ValueError(f'a deck has 40 or 48 cards, not {size}')


@dataclass(frozen=True)
class RuleSet:
    """Which cards are trumps, and how cards rank: both from high to low."""

    trumps: tuple[str, ...]
    ranks: tuple[str, ...]
    class_of: dict[str, str] = field(init=False)
    height: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Work out the class of each card, and its height among the cards of its class."""
        suits = [f'{suit}_{rank}' for suit in SUITS for rank in self.ranks]
        order = [*self.trumps, *(card for card in suits if card not in self.trumps)]
        classes = {card: TRUMP if card in self.trumps else card.split('_')[0] for card in order}
        object.__setattr__(self, 'class_of', classes)
        object.__setattr__(self, 'height', {card: -place for place, card in enumerate(order)})

    def beats(self, later: str, best: str, second_ten: bool) -> bool:
        """Tell whether a card takes the trick from the card that was the best one so far."""
        if later == best:
            return second_ten and later == HEARTS_TEN and self.class_of[later] == TRUMP
        if self.class_of[later] == self.class_of[best]:
            return self.height[later] > self.height[best]
        return self.class_of[later] == TRUMP

    def winner(self, trick: Trick, second_ten: bool) -> tuple[str, str]:
        """Give the player who wins a trick, and the card that wins it.

        With `second_ten` the second ten of hearts is higher than the first where it is a trump.
        """
        leader, *others = trick
        best = leader
        for player, card in others:
            if self.beats(card, best[1], second_ten):
                best = (player, card)
        return best


def _of_all_suits(rank: str) -> tuple[str, ...]:
    return tuple(f'{suit}_{rank}' for suit in SUITS)


_HIGH_TRUMPS = (HEARTS_TEN, *_of_all_suits('queen'), *_of_all_suits('jack'))
_PLAIN = ('ace', 'ten', 'king', 'nine')


def _suit_as_trump(suit: str) -> RuleSet:
    low = (f'{suit}_{rank}' for rank in _PLAIN)
    return RuleSet((*_HIGH_TRUMPS, *(card for card in low if card != HEARTS_TEN)), _PLAIN)


RULE_SETS = {
    'normal': _suit_as_trump('diamonds'),
    'wedding': _suit_as_trump('diamonds'),
    'queens_solo': RuleSet(_of_all_suits('queen'), ('ace', 'ten', 'king', 'jack', 'nine')),
    'jacks_solo': RuleSet(_of_all_suits('jack'), ('ace', 'ten', 'king', 'queen', 'nine')),
    'clubs_solo': _suit_as_trump('clubs'),
    'spades_solo': _suit_as_trump('spades'),
    'hearts_solo': _suit_as_trump('hearts'),
    'diamonds_solo': _suit_as_trump('diamonds'),
    'meatless_solo': RuleSet((), ('ace', 'ten', 'king', 'queen', 'jack', 'nine')),
}
SOLOS = tuple(name for name in RULE_SETS if name.endswith('_solo'))
