"""Who decides at a tick, and whose answers it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gdl_env.environment.lanes.lanes import Mask
from gdl_env.environment.options import Policy


class Awaiting(NamedTuple):
    """Who decides at a tick."""

    # Of every player, whether it has a decision to make in any lane.
    asked: tuple[bool, ...]
    # The roles whose answers the tick needs: those of agents.
    roles: tuple[str, ...]
    # Whether these make all decisions: nothing is drawn for others.
    is_all: bool
    # With one lane only: (players, 1) who decides. Not to be written to.
    decides: Mask | None


class AwaitingTable:
    """Finds who decides. What was found is kept: a match has few cases."""

    def __init__(self, policies: Mapping[str, Policy]) -> None:
        """Note who decides for each role, in the order of the rules; see `forget`."""
        self._policies = policies
        self._known: dict[bytes, Awaiting] = {}
        # Of this tick; None until it is asked for.
        self.now: Awaiting | None = None

    def find(self, decides: Mask) -> Awaiting:
        """Return who decides at this tick, from who does in which lane: (players, lanes)."""
        if self.now is None:
            self.now = self._find(decides)
        return self.now

    def renew(self) -> None:
        """Note that another tick has begun."""
        self.now = None

    def _find(self, decides: Mask) -> Awaiting:
        asked = decides if decides.shape[1] == 1 else np.logical_or.reduce(decides, axis=1)
        key = asked.tobytes()
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._make(asked.copy(), decides.shape[1])
        return known

    def forget(self, policies: Mapping[str, Policy]) -> None:
        """Note that others decide for some roles from now on."""
        self._policies = policies
        self._known.clear()
        self.now = None

    def _make(self, asked: Mask, lanes: int) -> Awaiting:
        asked.flags.writeable = False
        found = tuple(bool(is_asked) for is_asked in asked.reshape(-1))
        roles = tuple(
            role
            for (role, policy), is_asked in zip(self._policies.items(), found, strict=True)
            if is_asked and policy is Policy.AGENT
        )
        return Awaiting(found, roles, len(roles) == sum(found), asked if lanes == 1 else None)
