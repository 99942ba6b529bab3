"""From names to playing cards."""

from __future__ import annotations

from collections.abc import Collection, Sequence
import re

from gdl_env.gui.drawing.scene import CardPicture

RANKS = {
    **{'ace': 'A', 'king': 'K', 'queen': 'Q', 'jack': 'J', 'knave': 'J', 'ten': '10'},
    **{'nine': '9', 'eight': '8', 'seven': '7', 'six': '6', 'five': '5', 'four': '4'},
    **{'three': '3', 'two': '2', 'deuce': '2', 'joker': '★', 'ober': 'Q', 'unter': 'J'},
}
SUITS = {
    **{'spades': '♠', 'spade': '♠', 'hearts': '♥', 'heart': '♥'},
    **{'diamonds': '♦', 'diamond': '♦', 'clubs': '♣', 'club': '♣'},
}
_LETTER_RANKS = {'a': 'A', 'k': 'K', 'q': 'Q', 'j': 'J', 't': '10'}
_LETTER_SUITS = {'s': '♠', 'h': '♥', 'd': '♦', 'c': '♣'}
# Both in a few letters: ks, 10h, hq, s9, d10.
_SHORT = re.compile(r'(10|[2-9]|[akqjt])([shdc])|([shdc])(10|[2-9]|[akqjt])')
_RED = frozenset('♥♦')
# The order in which people hold their cards.
_ORDER = '♣♠♥♦'
_HEIGHT = ('★', 'A', 'K', 'Q', 'J', *map(str, range(10, 1, -1)))


def rank_of(word: str) -> str:
    """Return what is printed for a rank; '' if the word is none."""
    if word in RANKS:
        return RANKS[word]
    number = word.removeprefix('r')
    return number if number.isdecimal() and 2 <= int(number) <= 10 else ''


def to_card(words: Sequence[str], keys: tuple[str, ...]) -> CardPicture | None:
    """Return the card of a rank and a suit, or of a name that says both; None if it is none."""
    parts = [part for word in words for part in re.split(r'[_\-\s]+', word) if part != 'of']
    suit = next((SUITS[part] for part in parts if part in SUITS), '')
    others = [part for part in parts if part not in SUITS]
    rank = next((rank_of(part) for part in others if rank_of(part)), '')
    if not suit and len(parts) == 1 and (found := _SHORT.fullmatch(parts[0])):
        text = found.group(1) or found.group(4)
        rank = _LETTER_RANKS.get(text, text)
        suit = _LETTER_SUITS[found.group(2) or found.group(3)]
    if suit and not rank and len(others) == 1:
        rank = _LETTER_RANKS.get(others[0], '')
    if not rank or (not suit and len(others) > 1):
        return None
    suits = [part for part in parts if part in SUITS]
    label = ' of '.join(filter(None, [' '.join(others), ' '.join(suits)]))
    return CardPicture(rank, suit, suit in _RED, label, keys=keys)


def are_cards(values: Collection[str]) -> bool:
    """Tell whether all of these words are cards by themselves, and not figures of chess."""
    words = set(values)
    if len(words) < 2 or any(word.isdecimal() for word in words):
        return False
    if words & {'pawn', 'knight', 'bishop', 'rook'}:
        return False
    return all(to_card([word], ()) for word in words)


def are_ranks(values: Collection[str]) -> bool:
    """Tell whether these are the ranks of cards; numbers may be among them."""
    words = set(values)
    is_named = any(not word.isdecimal() for word in words)
    return is_named and all(rank_of(word) or word in _LETTER_RANKS for word in words)


def are_suits(values: Collection[str]) -> bool:
    """Tell whether these are the suits of cards."""
    words = set(values)
    return len(words) >= 2 and words <= set(SUITS)


def sort_key(card: CardPicture) -> tuple[int, int]:
    """Order cards by suit, then by height."""
    suit = _ORDER.find(card.suit)
    height = _HEIGHT.index(card.rank) if card.rank in _HEIGHT else len(_HEIGHT)
    return suit, height
