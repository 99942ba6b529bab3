"""The job of an actor: some ticks of a part, played wherever there is a worker.

All that matters travels with the job, so any worker may do it, and again if one is lost. Workers
keep the games that they have opened, and the policy, which saves the time for that.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
import pickle
from typing import Any

import torch

from gdl_agents.cluster.errors import ClusterError
from gdl_agents.learning.actors.actor import Actor, LanePart, Played
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.state_file import from_bytes, to_bytes
from gdl_env.language.game import Game

_VERSION = version('gdl_env')
# Parts that a worker keeps open.
_MOST_OPEN = 8


@dataclass(frozen=True)
class ActorSetup:
    """What an actor is opened with, the same for all parts and rounds of a run."""

    kind: type[Actor[Any]]
    game: Game
    config: TrainingConfig
    known: Mapping[str, Any]
    version: str = _VERSION

    def to_bytes(self) -> bytes:
        """Return it as bytes, for workers."""
        return pickle.dumps(self)


@dataclass(frozen=True)
class Stretch:
    """Some ticks of a part."""

    setup: bytes
    part: int
    # Trees in bytes; no state begins new games.
    policy: bytes
    state: bytes
    ticks: int


class _OpenActor:
    """An actor with what it was given last."""

    def __init__(self, setup: ActorSetup, part: int) -> None:
        if setup.version != _VERSION:
            raise ClusterError(
                f'this worker has gdl_env {_VERSION}, and the run {setup.version}: install the'
                ' same version on all machines'
            )
        torch.set_num_threads(setup.config.threads)
        part_of_run = LanePart.of(setup.config, part)
        self._actor = setup.kind(setup.game, setup.config, part_of_run, setup.known)
        self._start = to_bytes(self._actor.to_tree())
        self._policy = b''
        self._state = self._start

    def play(self, stretch: Stretch) -> Played[Any]:
        if stretch.policy != self._policy:
            self._actor.take_policy(from_bytes(stretch.policy))
            self._policy = stretch.policy
        state = stretch.state or self._start
        if state != self._state:
            self._actor.restore(from_bytes(state))
        # Until it is known where the games are, they are nowhere.
        self._state = b''
        experience, counts = self._actor.play(stretch.ticks)
        self._state = to_bytes(self._actor.to_tree())
        return Played(experience, counts, self._state)


_open: OrderedDict[tuple[bytes, int], _OpenActor] = OrderedDict()


def play_stretch(stretch: Stretch) -> Played[Any]:
    """Play some ticks of a part. Raises ClusterError on a worker of another version."""
    key = blake2b(stretch.setup).digest(), stretch.part
    if key not in _open:
        _open[key] = _OpenActor(pickle.loads(stretch.setup), stretch.part)
    _open.move_to_end(key)
    while len(_open) > _MOST_OPEN:
        _open.popitem(last=False)
    return _open[key].play(stretch)
