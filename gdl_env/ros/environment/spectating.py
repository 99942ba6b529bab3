"""What spectators see."""

from __future__ import annotations

import array

from gdl_msgs.msg import Spectator
import numpy as np

from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import NO_GOAL
from gdl_env.environment.step import Step
from gdl_env.language.game import Information

PUBLIC, ALL, NONE = 'public', 'all', 'none'


class Spectating:
    """Describes a match for spectators: what all may see, or all there is."""

    def __init__(self, kind: str, *, with_text: bool) -> None:
        self._kind = kind
        self._with_text = with_text
        # Where something is hidden: what was shown last, and how many times there was news.
        self._last: Spectator | None = None
        self._news = 0

    def may_see_all(self, environment: Environment) -> bool:
        """Tell whether nothing has to be kept from spectators."""
        return self._kind == ALL or environment.game.game.information is Information.COMPLETE

    def describe(self, environment: Environment, step: Step | None) -> Spectator | None:
        """Return the message for the current tick; None if there is nothing new to be seen.

        Where moves are hidden, that something was played is no news, and not counted.
        """
        if self._kind == NONE:
            return None
        is_open = self.may_see_all(environment)
        lanes = environment.game.lanes
        message = Spectator(
            tick=environment.tick - 1,
            view=Spectator.VIEW_ALL if is_open else Spectator.VIEW_PUBLIC,
            lanes=lanes,
        )
        message.episode = array.array('Q', environment.episode.tobytes())
        if environment.game.mapping is not None:
            bits = environment.game.observe(None)
            message.observation = array.array('B', bits.to_bytes())
        packed = np.packbits(environment.decides, axis=1, bitorder='little')
        message.to_move = array.array('B', packed.tobytes() if is_open else bytes(packed.size))
        terminated = step.ended if step else np.zeros(lanes, np.bool_)
        message.terminated = array.array('B', np.packbits(terminated, bitorder='little').tobytes())
        goals = [step.feedback[role].goal if step else None for role in environment.roles]
        none = np.full(lanes, NO_GOAL, np.uint8)
        flat = np.concatenate([none if goal is None else goal for goal in goals])
        message.goal = array.array('B', flat.tobytes())
        if step is not None and is_open:
            actions = [step.feedback[role].action for role in environment.roles]
            message.action = array.array('i', np.concatenate(actions).astype(np.int32).tobytes())
        if self._with_text:
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
