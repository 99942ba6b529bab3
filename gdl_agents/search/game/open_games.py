"""Games that are open for searchers: kept from match to match, closed when no match uses them."""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock

from gdl_env.engine.batch.contract import BatchGame
from gdl_env.engine.batch.make import open_batch
from gdl_env.language.load import game_from_text

# Matches of the same game follow each other: the games that were opened last are kept.
_KEPT = 4


class OpenGame:
    """One game that is open, shared by all tables of its matches."""

    def __init__(self, rules: BatchGame) -> None:
        self.rules = rules
        # Rows of states that were made in an earlier generation mean nothing any more.
        self.generation = 0
        self._users = 0
        self._is_kept = True

    def trim(self) -> None:
        """Forget states, if many are kept: a new generation begins then."""
        if self.rules.trim():
            self.generation += 1

    def acquire(self) -> None:
        """Count one more user."""
        with _lock:
            self._users += 1

    def release(self) -> None:
        """Count one user less; the game is closed after the last one, unless it is kept."""
        with _lock:
            self._users -= 1
            self._close_unused()

    def drop(self) -> None:
        """Keep the game for its users only."""
        with _lock:
            self._is_kept = False
            self._close_unused()

    def _close_unused(self) -> None:
        if not self._users and not self._is_kept:
            self.rules.close()


# Tables may be collected, and so release their game, in any thread and at any time.
_lock = RLock()
_opened: OrderedDict[tuple[str, str], OpenGame] = OrderedDict()


def acquire_game(name: str, text: str) -> OpenGame:
    """Return the open game of these rules; the caller must release it.

    Raises GameError or EngineError if they cannot be run.
    """
    key = name, text
    with _lock:
        found = _opened.get(key)
        if found is None:
            found = _opened[key] = OpenGame(open_batch(game_from_text(text, name)))
        _opened.move_to_end(key)
        found.acquire()
        if len(_opened) > _KEPT:
            _opened.popitem(last=False)[1].drop()
        return found
