"""Boards of which each player has one: a sea, a kitchen, a home."""

from __future__ import annotations

from collections.abc import Sequence

from gdl_env.gui.drawing.domain import GameDomain
from gdl_env.gui.drawing.layout import BoardPlan
from gdl_env.gui.drawing.view_boards import OWN


def is_owned(board: BoardPlan, domain: GameDomain, roles: Sequence[str]) -> bool:
    """Tell whether roles tell one board from another."""
    for plan in board.relations:
        if plan.board_arg >= 0:
            relation = domain.relation(plan.name, plan.arity)
            found = {str(value) for value in relation.values[plan.board_arg]}
            return bool(found) and found <= set(roles)
    return False


def order_owners(roles: Sequence[str], viewer: str) -> list[str]:
    """Return whose boards are drawn, in order: the viewer's first."""
    return [*[role for role in roles if role == viewer], *[r for r in roles if r != viewer]]


def find_owned_board(whose: str, role: str, roles: Sequence[str], viewer: str) -> int:
    """Return the number of the board that a move of a role is made on."""
    owners = order_owners(roles, viewer)
    if whose == OWN:
        return owners.index(role) if role in owners else 0
    return next((number for number, owner in enumerate(owners) if owner != role), 0)
