"""Answers → what is played: who answered, who did not, and what was illegal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.environment.bits import Bits
from gdl_env.environment.lanes.lanes import Mask
from gdl_env.environment.options import Illegal, Policy
from gdl_env.environment.protocol import NO_ACTION, Answer, Origin
from gdl_env.errors import GdlError
from gdl_env.language.reader import read_term
from gdl_env.quick_init import quick_init


@quick_init
@dataclass(frozen=True)
class Decision:
    """What a player does in each lane where it decides; a negative action is drawn."""

    action: NDArray[np.int32]
    # One of Origin; UNKNOWN where there is nothing to decide.
    origin: NDArray[np.uint8]
    # Where an illegal answer ends the game; None for nowhere.
    ends: Mask | None = None
    # Number of lanes without an answer, and with an illegal one.
    late: int = 0
    illegal: int = 0


@cache
def no_decision(lanes: int) -> Decision:
    """Return that of a player who decides nothing: always the same, not to be written to."""
    action, origin = np.full(lanes, NO_ACTION, np.int32), np.zeros(lanes, np.uint8)
    action.flags.writeable = origin.flags.writeable = False
    return Decision(action, origin)


class Chosen(Sequence[Decision]):
    """The decisions of all players who answered as asked, made when they are looked at."""

    def __init__(self, action: NDArray[np.int32], decided: Mask) -> None:
        self._action = action
        self._decided = decided

    def __getitem__(self, player: Any) -> Any:
        origin = np.where(self._decided[player], np.uint8(Origin.AGENT), np.uint8(0))
        return Decision(self._action[player], origin)

    def __len__(self) -> int:
        return len(self._action)


def find_offences(
    roles: Sequence[str], decisions: Sequence[Decision]
) -> tuple[tuple[str, Origin], ...]:
    """Return which roles were late, and which gave illegal answers."""
    found = []
    for role, decision in zip(roles, decisions, strict=True):
        found += [(role, Origin.LATE)] * bool(decision.late)
        found += [(role, Origin.ILLEGAL)] * bool(decision.illegal)
    return tuple(found)


def join_actions(
    answers: Sequence[Answer], asked: Sequence[bool], decided: Mask
) -> NDArray[np.int32] | None:
    """Return the actions of all decisions, player by player; None if an answer has none.

    - answers: of the players who are asked, in their order; asked: of every player
    - decided: (players, lanes) who decides where
    """
    if decided.shape[1] == 1 and len(answers) == 1:
        # One lane, one decision: the usual case of a match between people or slow players.
        action = answers[0].action
        if action is None or action.shape != (1,):
            return None
        if action.dtype == np.int32:
            return action
        return np.ascontiguousarray(action, np.int32)
    parts = []
    own_lanes = [own for own, is_asked in zip(decided, asked, strict=True) if is_asked]
    for answer, own in zip(answers, own_lanes, strict=True):
        if answer.action is None or answer.action.shape != own.shape:
            return None
        is_all = len(own) == 1 or own.all()
        parts.append(answer.action if is_all else answer.action[own])
    if not parts:
        return np.zeros(0, np.int32)
    return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts), np.int32)


class Decisions:
    """Reads answers by the policy for illegal ones."""

    def __init__(self, illegal: Illegal, action_size: int) -> None:
        self._illegal = illegal
        self._size = action_size

    def read(
        self,
        policy: Policy,
        decides: Mask,
        legal: Bits,
        answer: Answer | None,
        moves: Callable[[int], dict[str, int]],
    ) -> Decision:
        """Return what a player does; `moves` gives the legal moves of a lane as text."""
        none = no_decision(len(decides))
        action, origin = none.action.copy(), none.origin.copy()
        if policy is not Policy.AGENT:
            origin[decides] = Origin.ENVIRONMENT
            if policy is Policy.LEGAL:
                action[decides] = legal.unpack().argmax(axis=1)[decides]
            return Decision(action, origin)
        given = self._given(answer, decides, moves)
        late, illegal = _judge(decides, legal.data, legal.size, given, action, origin)
        if not illegal:
            return Decision(action, origin, None, late)
        wrong = origin == Origin.ILLEGAL
        if self._illegal is Illegal.END:
            return Decision(action, origin, wrong, late, illegal)
        preference = self._preference(answer, len(decides))
        if self._illegal is Illegal.BEST and preference is not None:
            worth = np.where(legal.unpack()[wrong], preference[wrong], -np.inf)
            action[wrong] = worth.argmax(axis=1)
        return Decision(action, origin, None, late, illegal)

    def _given(
        self, answer: Answer | None, decides: Mask, moves: Callable[[int], dict[str, int]]
    ) -> NDArray[np.int32]:
        """Return the actions of an answer: NO_ACTION where there is none, -2 for no such move."""
        if answer is not None and answer.action is not None:
            given = np.asarray(answer.action, np.int32).reshape(-1)
            if len(given) != len(decides):
                # Not an answer to this question: everything it decides is illegal.
                return np.where(decides, -2, NO_ACTION).astype(np.int32)
            return given
        none = np.full(len(decides), NO_ACTION, np.int32)
        if answer is None:
            return none
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


@compile_kernel(nogil=True)
def _judge(decides, legal, size, given, action, origin):
    """Sort answers by lane; return how many are missing, and how many illegal."""
    late = illegal = 0
    for lane in range(decides.shape[0]):
        if not decides[lane]:
            continue
        choice = given[lane]
        if choice == -1:
            origin[lane] = 4
            late += 1
        elif 0 <= choice < size and legal[lane, choice >> 3] >> (choice & 7) & 1:
            action[lane] = choice
            origin[lane] = 1
        else:
            origin[lane] = 3
            illegal += 1
    return late, illegal


def _canonical(text: str) -> str:
    try:
        return str(read_term(text))
    except (GdlError, ValueError):
        return text
