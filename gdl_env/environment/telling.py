"""What came of a tick, as each role is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import State
from gdl_env.environment.answers import Decision
from gdl_env.environment.bits import Bits
from gdl_env.environment.course import Ends
from gdl_env.environment.exchange import NO_ACTION, NO_GOAL, Feedback, Origin
from gdl_env.environment.lane_game import LaneGame, Mask
from gdl_env.environment.rewards import Results, Reward


class Told(Mapping[str, Feedback]):
    """The feedback of each role, made when it is looked at."""

    def __init__(self, roles: tuple[str, ...], make: Callable[[int], Feedback]) -> None:
        self._roles = roles
        self._make = make
        self._known: dict[str, Feedback] = {}

    def __getitem__(self, role: str) -> Feedback:
        if role not in self._known:
            if role not in self._roles:
                raise KeyError(role)
            self._known[role] = self._make(self._roles.index(role))
        return self._known[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._roles)

    def __len__(self) -> int:
        return len(self._roles)


class Teller:
    """Turns ends and moves into feedback."""

    def __init__(self, game: LaneGame, reward: Reward) -> None:
        self._game = game
        self._reward = reward
        self._has_table = game.mapping is not None
        self._roles = tuple(map(str, game.players))

    def tell(
        self,
        ticks: Mapping[str, int],
        ends: Ends,
        decisions: Sequence[Decision],
        acting: Mask,
        action: NDArray[np.int32],
        moves: tuple[str, ...],
    ) -> Mapping[str, Feedback]:
        """Return the feedback of all players; `ticks` are as they count, `moves` of lane 0.

        Where the reward allows it, feedback is only made for those who ask for it.
        """

        def make(player: int) -> Feedback:
            return self._make(
                ticks[self._roles[player]],
                player,
                ends,
                decisions[player],
                acting[player],
                action[player],
                moves[player],
            )

        told = Told(self._roles, make)
        if not self._reward.is_pure:
            for role in self._roles:
                told[role]
        return told

    def _make(
        self,
        tick: int,
        player: int,
        ends: Ends,
        decision: Decision,
        acted: Mask,
        action: NDArray[np.int32],
        move: str,
    ) -> Feedback:
        """Return the feedback of a player; `acted` says where it moved, `move` what in lane 0."""
        is_forced = acted & (decision.origin == Origin.UNKNOWN)
        origin = np.where(is_forced, np.uint8(Origin.FORCED), decision.origin)
        is_legal = origin != Origin.ILLEGAL
        role = self._roles[player]
        views = self._views(player, acted | ~is_legal, ends)
        results = Results(
            role, ends.goals[player], ends.ended, acted, is_legal, ends.episode, views
        )
        final = None
        if ends.is_any and ends.observations:
            rows = ends.observations[player][ends.ended]
            final = Bits(rows, self._game.observation_size)
        played = np.where(acted, action, NO_ACTION) if self._has_table else np.zeros(0, np.int32)
        return Feedback(
            tick,
            role,
            ends.episode,
            self._reward(results),
            np.where(results.goal < 0, NO_GOAL, results.goal).astype(np.uint8),
            ends.terminated,
            ends.ended & ~ends.terminated,
            played,
            origin,
            final,
            move,
        )

    def _views(self, player: int, lanes: Mask, ends: Ends) -> dict[int, State]:
        """Return what a player sees where it acted or the game ended, if the reward asks."""
        if not self._reward.wants_states:
            return {}
        going = np.flatnonzero(lanes & ~ends.ended)
        now = {int(lane): self._game.view(player, int(lane)) for lane in going}
        return {**now, **ends.views[player]}
