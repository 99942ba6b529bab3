"""Which visitor plays which role: one at a time, and no one else sees what the role sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from gdl_env.gui.texts import TextError

# A role whose player has closed its page may be taken by another after this time [s].
ABSENCE = 30.0


@dataclass
class Claim:
    """A role that a visitor has taken."""

    visitor: str
    seen: float


class Claims:
    """Roles that visitors of this server have taken, by match and role."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._claims: dict[tuple[str, str], Claim] = {}

    def take(self, match: str, role: str, visitor: str) -> None:
        """Give a role to a visitor. Raises GuiError if another visitor has it."""
        claim = self._claims.get((match, role))
        if claim is not None and claim.visitor != visitor and self._is_present(claim):
            raise TextError('trouble.taken', role=role)
        self._claims[match, role] = Claim(visitor, self._now())

    def may_look(self, match: str, role: str, visitor: str) -> bool:
        """Tell whether a visitor may see what a role sees."""
        claim = self._claims.get((match, role))
        return claim is not None and claim.visitor == visitor

    def touch(self, match: str, role: str, visitor: str) -> None:
        """Note that the visitor's page is still open."""
        claim = self._claims.get((match, role))
        if claim is not None and claim.visitor == visitor:
            claim.seen = self._now()

    def release(self, match: str, role: str, visitor: str) -> bool:
        """Give a role back; tell whether the visitor had it."""
        if not self.may_look(match, role, visitor):
            return False
        del self._claims[match, role]
        return True

    def clear(self, match: str, role: str) -> None:
        """Take a role away from the visitor who has it."""
        self._claims.pop((match, role), None)

    def expired(self) -> list[tuple[str, str]]:
        """Take away the roles of those who left, and return them."""
        gone = [key for key, claim in self._claims.items() if not self._is_present(claim)]
        for key in gone:
            del self._claims[key]
        return gone

    def taken(self, match: str) -> dict[str, str]:
        """Return the visitors who play in a match, by role."""
        return {role: c.visitor for (name, role), c in self._claims.items() if name == match}

    def _is_present(self, claim: Claim) -> bool:
        return self._now() - claim.seen < ABSENCE
