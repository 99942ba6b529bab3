"""A table of cards: players around it with their hands, the trick in the middle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gdl_env.gui.drawing.cards import sort_key, to_card
from gdl_env.gui.drawing.domain import GameDomain, read
from gdl_env.gui.drawing.scene import CardGroup, CardPicture, SeatPicture, TablePicture
from gdl_env.gui.drawing.shows import Show
from gdl_env.gui.drawing.view_file import ViewFile, spaced
from gdl_env.language.terms import Term, args_of, name_of

_KINDS = ('hand', 'backs', 'trick', 'pile', 'note', 'said', 'money')


@dataclass
class _Seat:
    """What is found for a player, or for the middle."""

    cards: list[CardPicture] = field(default_factory=list)
    backs: int = 0
    played: list[CardPicture] = field(default_factory=list)
    piles: dict[str, list[CardPicture]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    money: int = -1


class CardSeats:
    """Makes a table of the facts that a view file speaks of."""

    def __init__(self, view: ViewFile, roles: Sequence[str], domain: GameDomain) -> None:
        self._view = view
        self._domain = domain
        self._roles = list(roles)
        self._shown = view.shown(*_KINDS)

    @property
    def is_used(self) -> bool:
        """Tell whether the view file speaks of what players have."""
        return bool(self._shown)

    def take(
        self, terms: list[Term], viewer: str, seers: Mapping[Term, Sequence[str]]
    ) -> tuple[TablePicture | None, list[Term]]:
        """Return the table, and the facts that are not on it.

        `seers` are the roles that see a fact, as far as it says so: it is theirs.
        """
        if not self.is_used:
            return None, terms
        seats = {role: _Seat() for role in self._roles}
        middle = _Seat()
        rest = []
        for term in terms:
            show = self._shown.get(name_of(term))
            if show is None:
                rest.append(term)
                continue
            args = args_of(term)
            owner = show.word(args, 'owner')
            owners = [owner] if owner else list(seers.get(term, ()))
            if not owners and self._domain.relation(name_of(term), len(args)).is_hidden:
                # No other role is shown it.
                owners = [viewer]
            for one in owners or ['']:
                self._put(term, show, seats.get(one, middle))
        return self._picture(seats, middle, viewer), rest

    def name_new(self, before: Collection[str], after: Collection[str]) -> list[tuple[str, str]]:
        """Return what was laid or said since, for all to see, each with the role that did it.

        The role is '' where no fact tells it: what lies in the middle.
        """
        found = []
        for fact in sorted(set(after) - set(before)) if self.is_used else ():
            term = read(fact)
            show = self._shown.get(name_of(term))
            owner = show.word(args_of(term), 'owner') if show is not None else ''
            # The pile of a player was turned up, or is its own affair.
            if show is None or (owner and show.kind == 'pile'):
                continue
            if show.kind == 'said':
                found.append((owner, self._label(term, show.word(args_of(term), 'value'))))
            elif show.kind in ('trick', 'pile') and (card := self._card(show, args_of(term))):
                found.append((owner, card.label))
        return found

    def _put(self, term: Term, show: Show, seat: _Seat) -> None:
        args = args_of(term)
        if show.kind == 'backs':
            seat.backs = show.number(args, 'count')
        elif show.kind == 'money':
            seat.money = show.number(args, 'value')
        elif show.kind == 'said':
            seat.said.append(self._label(term, show.word(args, 'value')))
        elif show.kind == 'note':
            value = show.word(args, 'value')
            # Nothing won yet is not worth a note.
            if value != '0' and (note := self._label(term, value)) not in seat.notes:
                seat.notes.append(note)
        elif card := self._card(show, args):
            found = [card] * show.number(args, 'count')
            if show.kind == 'hand':
                seat.cards += found
            elif show.kind == 'trick':
                seat.played += found
            else:
                title = self._title(term, show)
                seat.piles.setdefault(title, []).extend(found)

    def _label(self, term: Term, value: str) -> str:
        """Return a fact in words: the label of its relation, in which {} is the value."""
        told = self._view.relation(name_of(term)).label
        is_number = value.isdecimal() and self._shown[name_of(term)].kind == 'note'
        word = value if is_number or not value else self._view.word(value)
        if '{' in told:
            for number, arg in enumerate(args_of(term), start=1):
                told = told.replace(f'{{{number}}}', self._view.word(str(arg)))
            return told.replace('{}', word)
        if self._shown[name_of(term)].kind == 'said':
            return told or word
        return ' '.join(filter(None, [told or spaced(name_of(term)), word]))

    def _title(self, term: Term, show: Show) -> str:
        told = self._view.relation(name_of(term)).label or spaced(name_of(term))
        place = show.word(args_of(term), 'place')
        return self._view.word(place) if place else told

    def _card(self, show: Show, args: Sequence[Term]) -> CardPicture | None:
        used = {show.owner, show.count, show.place, show.value}
        places = show.card or [index for index in range(len(args)) if index not in used]
        words = [str(args[index]) for index in places]
        ranks = self._view.cards.ranks
        read = [ranks.get(word, word) for word in words]
        keys = tuple(dict.fromkeys([*words, ' '.join(words)]))
        card = to_card(read, keys)
        if card is None and show.card:
            # No playing card, but the view file says that it is one: a domino, or a number.
            is_domino = len(read) == 2 and all(word.isdecimal() for word in read)
            ends = tuple(map(int, read)) if is_domino else ()
            label = '-'.join(read) if is_domino else ' '.join(read)
            return CardPicture(label, label=label, keys=keys, ends=ends)
        return card

    def _picture(self, seats: dict[str, _Seat], middle: _Seat, viewer: str) -> TablePicture:
        names = list(seats)
        start = names.index(viewer) if viewer in names else 0
        around = names[start:] + names[:start]
        pictures = []
        for role in around:
            seat = seats[role]
            backs = seat.backs if self._has('backs') else self._guess(seats, role, viewer)
            hand = self._sort(seat.cards) or (CardPicture(is_up=False),) * backs
            pictures.append(
                SeatPicture(
                    role,
                    self._view.word(role),
                    role == viewer,
                    hand,
                    tuple(seat.played),
                    self._groups(seat),
                    tuple(seat.notes),
                    tuple(seat.said),
                    seat.money,
                )
            )
        money = sum(seat.money for seat in seats.values() if seat.money > 0)
        return TablePicture(
            tuple(pictures),
            self._groups(middle),
            (*middle.notes, *middle.said),
            middle.money if middle.money >= 0 else money if self._has('money') else -1,
        )

    def _guess(self, seats: dict[str, _Seat], role: str, viewer: str) -> int:
        """Return how many cards another has, where no fact says so: as many as the viewer."""
        own, other = seats.get(viewer), seats[role]
        if role == viewer or own is None or other.piles or not self._has('hand'):
            return 0
        return max(0, len(own.cards) + len(own.played) - len(other.played))

    def _has(self, kind: str) -> bool:
        return any(show.kind == kind for show in self._shown.values())

    def _groups(self, seat: _Seat) -> tuple[CardGroup, ...]:
        return tuple(CardGroup(title, self._sort(cards)) for title, cards in seat.piles.items())

    def _sort(self, cards: Iterable[CardPicture]) -> tuple[CardPicture, ...]:
        order = {name: number for number, name in enumerate(self._view.cards.order)}
        last = len(order)

        def key(card: CardPicture) -> tuple[int, tuple[int, int]]:
            places = [order[name] for name in card.keys if name in order]
            return min(places, default=last), sort_key(card)

        return tuple(sorted(cards, key=key))
