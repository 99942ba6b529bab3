"""The questions of a tick, one by one, to those who decide and to those who watch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from gdl_env.environment.lanes.lanes import Mask
from gdl_env.environment.protocol import Question

_TO_MOVE = np.zeros(1, np.bool_), np.ones(1, np.bool_)
for _mask in _TO_MOVE:
    _mask.flags.writeable = False


def to_move_in_one_lane(is_asked: bool) -> Mask:
    """Return where a role has a decision to make, with one lane: not to be written to."""
    return _TO_MOVE[is_asked]


class Asking:
    """Asks, and remembers what each role was shown last."""

    def __init__(self) -> None:
        self._shown: dict[str, bytes] = {}

    def ask(
        self,
        question: Callable[[str], Question],
        awaited: tuple[str, ...],
        viewers: Callable[[], Collection[str]],
    ) -> Iterator[Question]:
        """Yield the questions to the awaited roles, then to viewers whose view changed.

        The first is on its way before the next is made. Viewers are asked for last.
        """
        asked = []
        for role in awaited:
            asked.append(question(role))
            yield asked[-1]
        watching = viewers()
        for one in asked:
            if one.role in watching:
                self._shown[one.role] = one.fingerprint()
        for role in watching:
            if role not in awaited:
                seen = question(role)
                shown = seen.fingerprint()
                if shown != self._shown.get(role):
                    self._shown[role] = shown
                    yield seen

    def forget(self) -> None:
        """Forget what roles were shown."""
        self._shown.clear()
