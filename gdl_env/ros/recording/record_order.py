"""Puts messages on `record` in order, and counts those that are lost for good."""

from __future__ import annotations

from enum import Enum, auto


class MessagePlace(Enum):
    """Where a message belongs."""

    # It is the next one.
    NEXT = auto()
    # It was there already.
    OLD = auto()
    # Others should have come before it: ask for them.
    AHEAD = auto()


class RecordOrder:
    """How far a run of the environment was received.

    What is not next in its run is not taken: the environment is asked to publish it again, in
    order, and says with each message how far back it can do so.
    """

    def __init__(self, run: int = 0, last: int = 0, missing: int = 0) -> None:
        self.run = run
        # The last message of the run that was taken, or is lost.
        self.last = last
        # Messages that are lost, over all runs.
        self.missing = missing
        self._past: set[int] = set()

    def place(self, run: int, sequence: int, oldest: int) -> MessagePlace:
        """Return where a message belongs; the next one is taken."""
        if run != self.run:
            if run in self._past:
                # Of an environment that was killed: the new one publishes it again.
                return MessagePlace.OLD
            self._past.add(self.run)
            self.run, self.last = run, 0
        if oldest > self.last + 1:
            self.missing += oldest - 1 - self.last
            self.last = oldest - 1
        if sequence <= self.last:
            return MessagePlace.OLD
        if sequence > self.last + 1:
            return MessagePlace.AHEAD
        self.last = sequence
        return MessagePlace.NEXT
