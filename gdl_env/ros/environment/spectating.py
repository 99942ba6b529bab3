"""What spectators see."""

from __future__ import annotations

import array
from collections.abc import Sequence

from gdl_msgs.msg import Spectator
import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import NO_ACTION, NO_GOAL
from gdl_env.environment.step import Step
from gdl_env.language.game import Information

PUBLIC, ALL, NONE = 'public', 'all', 'none'


class Spectating:
    """Describes a match for spectators: what all may see, or all there is."""

    def __init__(self, kind: str, *, with_text: bool) -> None:
        self._kind = kind
        self.with_text = with_text
        # Where something is hidden: what was shown last, and how many times there was news.
        self._last: Spectator | None = None
        self._news = 0

    def may_see_all(self, environment: Environment) -> bool:
        """Tell whether nothing has to be kept from spectators."""
        return self._kind == ALL or environment.game.game.information is Information.COMPLETE

    def describe(
        self, cohorts: Sequence[Environment], steps: Sequence[Step | None]
    ) -> Spectator | None:
        """Return the message for the current tick; None if there is nothing new to be seen.

        `steps` are the last ones of the cohorts, None for those of which nothing is new. Where
        moves are hidden, that something was played is no news, and not counted.
        """
        if self._kind == NONE:
            return None
        environment, step = cohorts[0], steps[0]
        is_open = self.may_see_all(environment)
        lanes = environment.options.total_lanes
        message = Spectator(
            tick=environment.tick - 1,
            view=Spectator.VIEW_ALL if is_open else Spectator.VIEW_PUBLIC,
            lanes=lanes,
        )
        parts = list(zip(cohorts, steps, strict=True))
        for part in cohorts:
            message.episode.frombytes(part.episode.tobytes())
            if part.game.mapping is not None:
                message.observation.frombytes(part.game.observe(None).to_bytes())
        decides = np.concatenate([part.decides for part in cohorts], axis=1)
        packed = np.packbits(decides, axis=1, bitorder='little')
        message.to_move = array.array('B', packed.tobytes() if is_open else bytes(packed.size))
        terminated = np.concatenate([_ended(part, last) for part, last in parts])
        message.terminated = array.array('B', np.packbits(terminated, bitorder='little').tobytes())
        for role in environment.roles:
            for part, last in parts:
                message.goal.frombytes(_goals(part, last, role).tobytes())
                if is_open and any(steps):
                    message.action.frombytes(_actions(part, last, role).tobytes())
        if self.with_text:
            facts = environment.game.state(0) if is_open else environment.game.view(None, 0)
            message.facts = sorted(map(str, facts))
            if step is not None and is_open:
                message.moves = list(step.moves)
        return message if is_open else self._if_new(message)

    def _if_new(self, message: Spectator) -> Spectator | None:
        message.tick = self._news
        if message == self._last:
            return None
        self._news += 1
        message.tick = self._news
        self._last = message
        return message


def _ended(part: Environment, step: Step | None) -> NDArray[np.bool_]:
    return step.ended if step else np.zeros(part.game.lanes, np.bool_)


def _goals(part: Environment, step: Step | None, role: str) -> NDArray[np.uint8]:
    return step.feedback[role].goal if step else np.full(part.game.lanes, NO_GOAL, np.uint8)


def _actions(part: Environment, step: Step | None, role: str) -> NDArray[np.int32]:
    """Return what a role played in the last step; empty without a table of actions."""
    if step is None:
        lanes = part.game.lanes if part.game.mapping is not None else 0
        return np.full(lanes, NO_ACTION, np.int32)
    return step.feedback[role].action.astype(np.int32)
