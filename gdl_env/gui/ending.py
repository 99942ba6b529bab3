"""The end of a game: shown for a while, although the next one has begun."""

from __future__ import annotations

from gdl_msgs.msg import GameInfo

from gdl_env.gui.frames import Frame, Frames

# For so long [s], and at most for this share of the time that the game took: where games end all
# the time, they are to be seen, too.
HOLD = 3.0
SHARE = 1 / 3


class EndingDisplay:
    """Decides how long a page stays with the last position of a game."""

    def __init__(self, now: float) -> None:
        self._held: Frame | None = None
        self._until = 0.0
        self._seen = 0
        self._ended = now

    def choose_frame(self, frames: Frames, info: GameInfo, now: float) -> Frame | None:
        """Return the position that is to be shown in place of the newest, if any."""
        if now > self._until:
            self._held = None
        _, last = frames.span
        if last >= 1 and last != self._seen:
            self._seen = last
            before, newest = frames.get(last - 1, info), frames.get(last, info)
            if before and newest and before.is_final and not newest.goals:
                self._held = before
                self._until = now + min(HOLD, SHARE * (now - self._ended))
                self._ended = now
        return self._held

    def drop(self) -> None:
        """Show the newest again."""
        self._held = None
