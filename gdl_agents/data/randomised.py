"""Random states, and final states that are reached from each by random play.

A random state is any decision of a random game, all equally likely: so it is never final, and
nothing has to be taken back. The game is played once to find its length, and again, by the same
chance, up to the state. From there other chance leads to the endings.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gdl_agents.data.job import DataJob
from gdl_agents.data.played_tables import Endings
from gdl_agents.data.recorder import play_lanes
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.decision_batch import DecisionBatch, TickArrays
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes, Mask
from gdl_env.environment.options import Options


class RandomStates:
    """Makes endings of random states, a batch of lanes at a time."""

    def __init__(self, job: DataJob, lanes: Lanes) -> None:
        self._job = job
        self._lanes = lanes

    def play_batch(self, batch: int, count: int) -> Iterator[Endings]:
        """Play all endings of `count` random states, the first of them number batch * lanes."""
        job, lanes = self._job, self._lanes
        seed = derive_seed(job.seed, f'states {batch}')
        options = Options(lanes.lanes, seed, lanes.lanes, max_steps=job.max_steps)
        environment = Environment(lanes, options)
        playing = np.arange(lanes.lanes) < count
        nothing = np.zeros(lanes.lanes, np.int64)
        play = _RandomPlay(environment)
        decisions, ends = play_lanes(environment, playing, nothing, play)
        start = nothing.copy()
        chance = np.random.default_rng(derive_seed(job.seed, f'lengths {batch}'))
        length = np.bincount(decisions.lane, minlength=lanes.lanes)
        # A tick may hold several decisions: any of them is as likely, and its tick is the state's.
        place = np.cumsum(length) - length + (chance.random(lanes.lanes) * length).astype(int)
        start[ends.lane] = decisions.step[place[ends.lane]]
        before = decisions.select(decisions.step < start[decisions.lane])
        playing = np.isin(np.arange(lanes.lanes), ends.lane)
        environment = Environment(lanes, options)
        play = _RandomPlay(environment)
        for step in range(int(start.max())):
            mask = playing & (start > step)
            environment.play_drawn(mask)
        held = environment.snapshot()
        origin = batch * lanes.lanes + np.arange(lanes.lanes)
        for ending in range(job.endings):
            another = derive_seed(job.seed, f'ending {batch} {ending}')
            environment.restore({**held, 'seed': another, 'seeded': held['tick']})
            rows, last = play_lanes(environment, playing, start, play)
            yield Endings(
                rows,
                last,
                before,
                origin * job.most_endings + ending,
                origin,
                start,
                0,
                np.zeros(len(rows.lane), np.bool_),
            )


class _RandomPlay:
    """Plays random legal actions, as the environment draws them."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def __call__(
        self, batch: DecisionBatch, mask: Mask | None
    ) -> tuple[TickArrays, NDArray[np.int32]]:
        action = self._environment.draw(mask).copy()
        return self._environment.play(action, mask), action
