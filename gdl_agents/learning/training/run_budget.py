"""How much of a run is done: counted in episodes, or in time."""

from __future__ import annotations

from gdl_agents.learning.training.config import TrainingConfig


class RunBudget:
    """What a run may take: so many episodes, and so much time where a run has `seconds`.

    It does not look at a clock: whoever runs the training says how long it has taken.
    """

    def __init__(self, config: TrainingConfig) -> None:
        self._episodes = config.episodes
        self._limit = config.seconds
        # Time that training took, earlier sittings included [s].
        self.seconds = 0.0

    def progress(self, episodes: int) -> float:
        """Return how much is done [0 to 1]: the larger share, of episodes or of time."""
        share = episodes / self._episodes
        if self._limit:
            share = max(share, self.seconds / self._limit)
        return min(1.0, share)

    def is_spent(self, episodes: int) -> bool:
        """Tell whether nothing is left."""
        return self.progress(episodes) >= 1
