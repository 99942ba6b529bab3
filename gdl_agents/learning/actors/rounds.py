"""Games of a run in parts, round by round: a round is some ticks of all parts by one policy."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from math import nan
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.learning.actors.actor import E, Played, PlayedCounts
from gdl_agents.learning.actors.stretch import ActorSetup, Stretch, play_stretch
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.training.state_file import to_bytes


@dataclass(frozen=True)
class _Round:
    """What a round was begun with, to be begun again by a run that resumes."""

    # A tree in bytes, and the updates of the network then.
    policy: bytes
    updates: int
    states: list[bytes]

    def to_tree(self) -> dict[str, Any]:
        states = [_pack(state) for state in self.states]
        return {'policy': _pack(self.policy), 'updates': self.updates, 'states': states}

    @classmethod
    def from_tree(cls, tree: dict[str, Any]) -> _Round:
        states = [state.tobytes() for state in tree['states']]
        return cls(tree['policy'].tobytes(), tree['updates'], states)


class ActorRounds(Generic[E]):
    """Has actors play rounds; what they play depends on nothing but policies and seeds.

    Neither the place of a worker nor its loss changes the result: a stretch that was lost is
    played again from where it began.
    """

    def __init__(self, pool: JobPool, setup: ActorSetup) -> None:
        """Get ready. Raises ConfigError if there are not enough lanes."""
        config = setup.config
        if config.lanes < config.actors:
            raise ConfigError(
                f'{config.actors} actors share {config.lanes} lanes: lanes must be as many or more'
            )
        self._pool = pool
        self._setup = setup.to_bytes()
        self._lag = setup.kind.lag
        self._ticks = config.actor_ticks or setup.kind.ticks
        # Where the games were after the last round that has ended.
        self._states = [b''] * config.actors
        self._round: _Round | None = None
        self._waiting: list[Future[Played[E]]] = []
        self.counts = PlayedCounts()
        # By how many updates the policy of the last round was behind when it was learned from.
        self.lag = nan

    @property
    def repeated(self) -> int:
        """Return how many stretches were played again, since their worker was lost."""
        return self._pool.repeated

    def play(self, policy: Any, updates: int) -> list[E]:
        """Return the results of a round, by part; begin the next one by this policy, a tree.

        - updates: those that the policy has learned from
        """
        if self._round is None:
            self._begin(to_bytes(policy), updates, self._states)
        round_, played = self._finish()
        self.lag = updates - round_.updates
        for part in played:
            self.counts += part.counts
        self._states = [part.state for part in played]
        if self._lag:
            # Played while the learner learns from this one.
            self._begin(to_bytes(policy), updates, self._states)
        return [part.experience for part in played]

    # ---- continuing later

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are, and the round that is being played."""
        held = self._round
        counts = self.counts
        return {
            'states': [_pack(state) for state in self._states],
            'round': None if held is None else held.to_tree(),
            'counts': [counts.episodes, counts.steps, counts.decisions],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self.drop()
        self._states = [state.tobytes() for state in tree['states']]
        self.counts = PlayedCounts(*tree['counts'])
        if tree['round'] is not None:
            held = _Round.from_tree(tree['round'])
            self._begin(held.policy, held.updates, held.states)

    def drop(self) -> None:
        """Forget the round that is being played."""
        for one in self._waiting:
            one.cancel()
        self._round, self._waiting = None, []

    # ---- inside

    def _begin(self, policy: bytes, updates: int, states: list[bytes]) -> None:
        self._round = _Round(policy, updates, states)
        self._waiting = [
            self._pool.submit(play_stretch, Stretch(self._setup, n, policy, state, self._ticks))
            for n, state in enumerate(states)
        ]

    def _finish(self) -> tuple[_Round, list[Played[E]]]:
        round_ = self._round
        assert round_ is not None
        played = [one.result() for one in self._waiting]
        self._round, self._waiting = None, []
        return round_, played


def _pack(data: bytes) -> NDArray[np.uint8]:
    """Return bytes as a tree has them."""
    return np.frombuffer(data, np.uint8)
