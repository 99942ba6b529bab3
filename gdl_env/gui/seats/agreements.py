"""What people at a table agree on beside the rules: that it is a draw, or that one gives up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl_env.language.game import Game
from gdl_env.language.terms import Number, Variable, args_of, erase_types, name_of


@dataclass(frozen=True)
class AgreedEnd:
    """How a game ended before the rules ended it: the role that resigned, or '' for a draw."""

    episode: int
    resigned: str = ''

    def outcome(self, role: str) -> str:
        """Return 'won', 'lost' or 'draw' for a role; '' for spectators."""
        if not role:
            return ''
        if not self.resigned:
            return 'draw'
        return 'lost' if self.resigned == role else 'won'


class Agreements:
    """Offers and ends, by the namespace of the match; a new game begins without any."""

    def __init__(self) -> None:
        self._offers: dict[str, tuple[int, frozenset[str]]] = {}
        self._ends: dict[str, AgreedEnd] = {}

    def offer_draw(self, namespace: str, episode: int, role: str) -> None:
        """Note that a role offers a draw, or accepts one."""
        offered = self.offers(namespace, episode) | {role}
        self._offers[namespace] = episode, offered

    def offers(self, namespace: str, episode: int) -> frozenset[str]:
        """Return the roles that offer a draw in a game."""
        known, roles = self._offers.get(namespace, (0, frozenset()))
        return roles if known == episode else frozenset()

    def decline(self, namespace: str) -> None:
        """Forget what was offered: a move was made."""
        self._offers.pop(namespace, None)

    def end(self, namespace: str, end: AgreedEnd) -> None:
        """Note how a game ended."""
        self._ends[namespace] = end
        self.decline(namespace)

    def find_end(self, namespace: str, episode: int) -> AgreedEnd | None:
        """Return how a game was ended by those who play it, if it was."""
        end = self._ends.get(namespace)
        return end if end is not None and end.episode == episode else None


def has_draw(game: Game) -> bool:
    """Tell whether the rules know a result between victory and defeat that all roles can have."""
    roles = {str(role) for role in game.roles}
    values: dict[int, set[str]] = {}
    for rule in game.rules:
        head = erase_types(rule.head)
        if name_of(head) != 'goal' or len(args_of(head)) != 2:
            continue
        who, value = args_of(head)
        if isinstance(value, Number):
            values.setdefault(int(str(value)), set()).update(_names(who, roles))
    between = [v for v in values if min(values) < v < max(values)]
    return len(roles) > 1 and any(values[value] >= roles for value in between)


def _names(role: object, roles: Iterable[str]) -> set[str]:
    return set(roles) if isinstance(role, Variable) else {str(role)}
