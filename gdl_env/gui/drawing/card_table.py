"""Facts about cards as cards on a table: who holds what, and what lies open."""

from __future__ import annotations

from collections.abc import Sequence

from gdl_env.gui.drawing.cards import are_cards, are_ranks, are_suits, sort_key, to_card
from gdl_env.gui.drawing.domain import GameDomain, RelationDomain
from gdl_env.gui.drawing.scene import CardGroup, CardPicture
from gdl_env.language.terms import Term, args_of, name_of

# Who holds them is in the relation, or it is the viewer.
_YOURS = 'your'
# What authors call the number of cards that are the same.
_COUNTS = frozenset({'copies', 'copy', 'count', 'number', 'times', 'amount', 'quantity'})


class CardTable:
    """Finds relations with cards among their arguments."""

    def __init__(self, domain: GameDomain, roles: Sequence[str]) -> None:
        self._domain = domain
        self._roles = roles
        self._version = -1
        self._places: dict[tuple[str, int], tuple[int, ...]] = {}
        self._shown: set[str] = set()

    def take(self, terms: list[Term], viewer: str) -> tuple[list[CardGroup], list[Term]]:
        """Return the cards as groups, and the facts that are not about cards."""
        self._learn()
        groups: dict[str, list[CardPicture]] = {}
        rest = []
        for term in terms:
            args = args_of(term)
            places = self._places.get((name_of(term), len(args)))
            words = [str(args[place]) for place in places] if places else []
            card = to_card(words, tuple(dict.fromkeys([*words, ' '.join(words)])))
            if places is None or card is None:
                rest.append(term)
                continue
            copies = self._copies(term, places)
            used = {*places, copies}
            others = [str(arg) for index, arg in enumerate(args) if index not in used]
            number = int(str(args[copies])) if copies >= 0 else 1
            groups.setdefault(self._title(term, others, viewer), []).extend([card] * number)
        found = [
            CardGroup(title, tuple(sorted(cards, key=sort_key)), title.startswith(f'{_YOURS} '))
            for title, cards in groups.items()
        ]
        return [*found, *self._face_down(viewer)], rest

    def card_of(self, move: Term) -> str:
        """Return the card that a move plays, as the keys of cards name it; '' if none."""
        self._learn()
        words = [str(arg) for arg in args_of(move)]
        if not self._places or not words:
            return ''
        for size in (len(words), 1):
            for start in range(len(words) - size + 1):
                part = words[start : start + size]
                if to_card(part, ()):
                    return ' '.join(part)
        return ''

    def _learn(self) -> None:
        if self._version == self._domain.version:
            return
        self._version = self._domain.version
        self._places = {}
        for key, relation in self._domain.relations.items():
            if places := _card_places(relation):
                self._places[key] = places

    def _copies(self, term: Term, places: tuple[int, ...]) -> int:
        """Return the argument that says how many of a card there are; -1 if none does."""
        args = args_of(term)
        relation = self._domain.relation(name_of(term), len(args))
        for index, words in enumerate(relation.words):
            if index not in places and words & _COUNTS and str(args[index]).isdecimal():
                return index
        return -1

    def _title(self, term: Term, others: list[str], viewer: str) -> str:
        name = name_of(term).replace('_', ' ')
        relation = self._domain.relation(name_of(term), len(args_of(term)))
        if relation.is_hidden and viewer and not set(others) & set(self._roles):
            return f'{_YOURS} {name}'
        return ' '.join([name, *others])

    def _face_down(self, viewer: str) -> list[CardGroup]:
        """Return a card face down for every role whose cards only it sees."""
        hidden = [
            relation
            for key, relation in self._domain.relations.items()
            if key in self._places and relation.is_hidden
        ]
        return [
            CardGroup(f'{relation.name.replace("_", " ")} of {role}', (CardPicture(is_up=False),))
            for relation in hidden
            for role in self._roles
            if role != viewer and relation.may_be_seen_by(role)
        ]


def _card_places(relation: RelationDomain) -> tuple[int, ...]:
    """Return the arguments that hold a card: one, or rank and suit; () if there are none."""
    texts = [{str(value) for value in values} for values in relation.values]
    for index in range(len(texts) - 1):
        pair = texts[index], texts[index + 1]
        if any(are_ranks(a) and are_suits(b) for a, b in (pair, pair[::-1])):
            return index, index + 1
    for index, values in enumerate(texts):
        if are_cards(values):
            return (index,)
    return ()
