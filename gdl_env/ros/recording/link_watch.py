"""Whether anything is received after this process stood still."""

from __future__ import annotations

from math import inf

# A process that stood still for longer [s] was taken for dead by the others, and these by it: the
# lease of `transport/fastdds.xml`. The middleware does not always bring the two together again.
_LEASE = 2.5
# How long they may take for that [s].
_PATIENCE = 6.0
# Messages of the first moments [s] may have waited here since before.
_OLD = 1.0


class LinkWatch:
    """Looks at the clock often, and notices when it was kept from doing so.

    What counts as heard is the next message to record: that shows that both directions work, since
    what was published meanwhile has to be asked for. Where there is just nothing to record, the
    process is replaced for nothing, which does no harm.
    """

    def __init__(self) -> None:
        self._looked_at = inf
        self._heard_at = -inf
        # When it moved on after it had stood still; inf if that is over.
        self._resumed_at = inf

    def hear(self, now: float) -> None:
        """Take note of a message."""
        self._heard_at = now
        if self._looked_at - self._resumed_at > _OLD:
            self._resumed_at = inf

    def is_cut_off(self, now: float) -> bool:
        """Tell whether what was heard before a standstill is not heard since."""
        if now - self._looked_at > _LEASE and self._heard_at > -inf:
            self._resumed_at = now
        self._looked_at = now
        return now - self._resumed_at > _PATIENCE
