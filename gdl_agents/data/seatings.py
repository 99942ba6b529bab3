"""Who plays which role, game by game."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice, permutations
from typing import Any

from gdl_agents.data.errors import DataError

RANDOM = 'random'


@dataclass(frozen=True)
class DataSeating:
    """The agents of a game, by role, and which role is that of the learning player."""

    agents: tuple[str, ...]
    learner: int

    def to_dict(self, roles: tuple[str, ...]) -> dict[str, Any]:
        """Return the seating for JSON."""
        return {
            'agents': dict(zip(roles, self.agents, strict=True)),
            'learner': roles[self.learner],
        }


def list_seatings(
    learner: str, others: tuple[str, ...], roles: tuple[str, ...], role: str = ''
) -> list[DataSeating]:
    """Return all seatings of a learning player and its opponents, each as often as the others.

    The learning player has every role in turn, or one; on the other seats sit the others, in every
    order. Without others it plays all roles. Raises DataError for an unknown role.
    """
    if role and role not in roles:
        raise DataError(f'there is no role {role!r}: {", ".join(roles)}')
    pool = others or (learner,)
    left = len(roles) - 1
    orders = (
        permutations(pool, left)
        if len(pool) >= left
        else (tuple(islice(cycle(order), left)) for order in permutations(pool))
    )
    found = []
    for order in dict.fromkeys(orders):
        for seat, name in enumerate(roles):
            if role in ('', name):
                agents = [*order[:seat], learner, *order[seat:]]
                found.append(DataSeating(tuple(agents), seat))
    return found
