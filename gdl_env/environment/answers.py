"""Answers → what is played: who answered, who did not, and what was illegal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.bits import Bits
from gdl_env.environment.exchange import NO_ACTION, Answer, Origin
from gdl_env.environment.lane_game import Mask
from gdl_env.environment.options import Illegal, Policy


@dataclass(frozen=True)
class Decision:
    """What a player does in each lane where it decides; a negative action is drawn."""

    action: NDArray[np.int32]
    origin: NDArray[np.uint8]
    # Where an illegal answer ends the game.
    ends: Mask


class Decisions:
    """Reads answers by the policy for illegal ones."""

    def __init__(self, illegal: Illegal, action_size: int) -> None:
        self._illegal = illegal
        self._size = action_size

    def read(
        self,
        policy: Policy,
        decides: Mask,
        legal: Bits | None,
        answer: Answer | None,
        moves: Callable[[int], dict[str, int]],
    ) -> Decision:
        """Return what a player does; `moves` gives the legal moves of a lane as text."""
        lanes = len(decides)
        action = np.full(lanes, NO_ACTION, np.int32)
        origin = np.zeros(lanes, np.uint8)
        ends = np.zeros(lanes, np.bool_)
        if legal is None:
            return Decision(action, origin, ends)
        if policy is not Policy.AGENT:
            origin[decides] = Origin.ENVIRONMENT
            if policy is Policy.LEGAL:
                action[decides] = legal.unpack().argmax(axis=1)[decides]
            return Decision(action, origin, ends)
        given = self._given(answer, decides, moves)
        is_legal = _is_legal(legal, given) & decides
        missing = decides & (given == NO_ACTION)
        wrong = decides & ~is_legal & ~missing
        action[is_legal] = given[is_legal]
        origin[is_legal] = Origin.AGENT
        origin[missing] = Origin.LATE
        origin[wrong] = Origin.ILLEGAL
        if self._illegal is Illegal.END:
            ends = wrong
        elif self._illegal is Illegal.BEST and wrong.any():
            preference = self._preference(answer, lanes)
            if preference is not None:
                worth = np.where(legal.unpack()[wrong], preference[wrong], -np.inf)
                action[wrong] = worth.argmax(axis=1)
        return Decision(action, origin, ends)

    def _given(
        self, answer: Answer | None, decides: Mask, moves: Callable[[int], dict[str, int]]
    ) -> NDArray[np.int32]:
        """Return the actions of an answer: NO_ACTION where there is none, -2 for no such move."""
        none = np.full(len(decides), NO_ACTION, np.int32)
        if answer is None:
            return none
        if answer.action is not None:
            if len(answer.action) != len(decides):
                # Not an answer to this question: everything it decides is illegal.
                return np.where(decides, np.int32(-2), none)
            return np.asarray(answer.action, np.int32)
        for lane, text in enumerate(answer.moves[: len(decides)]):
            if text and decides[lane]:
                none[lane] = moves(lane).get(_canonical(text), -2)
        return none

    def _preference(self, answer: Answer | None, lanes: int) -> NDArray[np.float32] | None:
        if answer is None or answer.preference is None:
            return None
        if answer.preference.shape != (lanes, self._size):
            return None
        return np.nan_to_num(answer.preference, nan=-np.inf)


def _is_legal(legal: Bits, action: NDArray[np.int32]) -> Mask:
    inside = (action >= 0) & (action < legal.size)
    place = np.where(inside, action, 0)
    if not legal.size:
        return np.zeros(len(action), np.bool_)
    byte = legal.data[np.arange(len(action)), place >> 3]
    held: Mask = ((byte >> (place & 7).astype(np.uint8)) & 1).astype(np.bool_)
    return held & inside


def _canonical(text: str) -> str:
    from gdl_env.errors import GdlError
    from gdl_env.language.reader import read_term

    try:
        return str(read_term(text))
    except (GdlError, ValueError):
        return text
