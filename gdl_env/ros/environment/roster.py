"""Who plays each role: its owner, the first agent that attached; the others stand by.

An agent is a node that can publish on `<role>/action`. A node that ends says so, and is gone at
once. One that is killed says nothing: its publisher on `~/alive` loses its liveliness (a QoS of
DDS) after some seconds, and a stand-by takes over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import monotonic

from gdl_env.environment.referee import Attendance
from gdl_env.ros.environment.life_signs import LifeSigns
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.publishers import UNKNOWN, list_publishers

# How often the graph is read while it changes [s], and how often in any case: it takes as long as
# a few ticks.
_PERIOD = 0.1
_CHECK_PERIOD = 1.0
# What comes or goes is known under its name after this time [s], unless the graph says otherwise.
_SETTLING = 2.0
# A new owner waits for the answer to an open question of the old one for this long [s].
_PATIENCE = 5.0


class Roster:
    """The agents of every role, by the full names of their nodes, the owner first."""

    def __init__(
        self,
        node: RosNode,
        topics: Mapping[str, str],
        attendance: Mapping[str, Attendance],
        life_signs: LifeSigns,
    ) -> None:
        """Begin with nobody; `topics` are those that agents answer on, by role."""
        self._node = node
        self._topics = topics
        self._attendance = attendance
        self._lines: dict[str, list[str]] = {role: [] for role in topics}
        # The identities of their publishers: a node that was restarted has another one.
        self._endpoints: dict[str, dict[str, bytes]] = {role: {} for role in topics}
        # Owners to be, and since when.
        self._heirs: dict[str, tuple[str, float]] = {}
        # How many publishers each topic had when it was last counted.
        self._counts: dict[str, int] = {}
        self._life_signs = life_signs
        life_signs.on_change = self.expect_change
        self._read_at = -_CHECK_PERIOD
        self._changed_at = -_SETTLING
        self.update()

    def owner(self, role: str) -> str:
        """Return who plays a role; '' for no agent."""
        allowed = self._attendance[role].allowed
        return allowed or next(iter(self._lines[role]), '')

    def standby(self, role: str) -> list[str]:
        """Return who could play a role as well, the next owner first."""
        owner = self.owner(role)
        return [name for name in self._lines[role] if name != owner]

    def endpoint(self, role: str) -> bytes:
        """Return the identity of the owner's publisher; empty if it is not there."""
        return self._endpoints[role].get(self.owner(role), b'')

    def update(self) -> None:
        """Read who is there, if that is due; to be called some ten times a second."""
        counts = {topic: self._node.count_publishers(topic) for topic in self._topics.values()}
        if counts != self._counts:
            self._counts = counts
            self.expect_change()
        now = monotonic()
        is_changing = self._heirs or now - self._changed_at < _SETTLING
        if now - self._read_at < (_PERIOD if is_changing else _CHECK_PERIOD):
            return
        self._read_at = now
        for role, topic in self._topics.items():
            found = self._endpoints[role] = self._read(topic)
            # If all are lost, a busy machine is more likely than the death of all.
            present = [name for name in found if not self._life_signs.is_lost(name)] or list(found)
            line = [name for name in self._lines[role] if name in present]
            self._lines[role] = line + [name for name in present if name not in line]
            heir, since = self._heirs.get(role, ('', now))
            if heir and (heir not in present or now - since > _PATIENCE):
                self.hand_over([role])
        there = {name for found in self._endpoints.values() for name in found}
        self._life_signs.forget_all_but(there)
        self._life_signs.watch(there)

    def expect_change(self) -> None:
        """Read the graph more often for a while: an agent has come, or has gone."""
        self._changed_at = monotonic()

    def name_heir(self, role: str, heir: str) -> None:
        """Have a stand-by own a role from the next `hand_over` on."""
        if heir != self.owner(role):
            self._heirs[role] = heir, monotonic()

    def hand_over(self, roles: Iterable[str]) -> None:
        """Let those take over who are to own one of these roles; nobody is asked at the moment."""
        if not self._heirs:
            return
        for role in roles:
            heir, _ = self._heirs.pop(role, ('', 0.0))
            if heir in self._lines[role]:
                self._lines[role].remove(heir)
                self._lines[role].insert(0, heir)

    # ---- inside

    def _read(self, topic: str) -> dict[str, bytes]:
        """Return the publishers of a topic: their identities by the names of their nodes."""
        found = {}
        for publisher, name in list_publishers(self._node, topic).items():
            if name == UNKNOWN:
                self.expect_change()
            else:
                found[name] = publisher
        # Sorted: those that are seen together for the first time have no order of their own.
        return dict(sorted(found.items()))
