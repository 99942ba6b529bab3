"""The result of a tick for each role."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import State
from gdl_env.environment.answers import Chosen, Decision
from gdl_env.environment.bits import Bits
from gdl_env.environment.lanes.lanes import Lanes, Mask
from gdl_env.environment.lanes.tick_result import TickResult
from gdl_env.environment.protocol import NO_ACTION, NO_GOAL, Feedback, Origin
from gdl_env.environment.rewards import Reward, RoleResults


class Tick:
    """A tick that was played."""

    def __init__(
        self,
        result: TickResult,
        episode: NDArray[np.uint64],
        decided: Mask,
        decisions: Sequence[Decision] | None = None,
        *,
        has_illegal: bool = False,
    ) -> None:
        """Describe a tick.

        - episode: the episode of each lane when the tick began
        - decided: (players, lanes) who decided where
        - decisions: of every player; None if all answered as asked
        - has_illegal: whether an answer was illegal
        """
        self.result = result
        self.episode = episode
        self.has_illegal = has_illegal
        self._decided = decided
        self._decisions = decisions

    @property
    def decisions(self) -> Sequence[Decision]:
        """Return the decisions of every player."""
        if self._decisions is None:
            self._decisions = Chosen(self.result.action, self._decided)
        return self._decisions

    @cached_property
    def has_ends(self) -> bool:
        """Tell whether an episode ended."""
        return bool(self.result.ended.any())

    def goals(self, player: int) -> NDArray[np.int16]:
        """Return the goals of a player, -1 where the game continues or gives none."""
        if not self.has_ends:
            return np.full(len(self.episode), -1, np.int16)
        found: NDArray[np.int16] = np.where(
            self.result.ended, self.result.goals[player], np.int16(-1)
        )
        return found


class LazyFeedback(Mapping[str, Feedback]):
    """The feedback of each role, made when it is asked for."""

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


class FeedbackMaker:
    """Turns ticks into feedback."""

    def __init__(self, lanes: Lanes, reward: Reward) -> None:
        self.lanes = lanes
        self.reward = reward
        self.roles = tuple(map(str, lanes.players))

    def make(
        self, ticks: Mapping[str, int], tick: Tick, name_moves: Callable[[], tuple[str, ...]]
    ) -> Mapping[str, Feedback]:
        """Return the feedback of all players; `ticks` are as they count.

        Where the reward allows it, feedback is made only for those who ask for it.
        """
        made = LazyFeedback(
            self.roles,
            lambda player: self._make(ticks[self.roles[player]], player, tick, name_moves),
        )
        if not self.reward.is_pure:
            for role in self.roles:
                made[role]
        return made

    def find_concerned(
        self, tick: Tick, made: Mapping[str, Feedback], awaited: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return the roles that know of a tick where moves are hidden."""
        return tuple(
            role
            for player, role in enumerate(self.roles)
            if role in awaited
            or tick.has_ends
            or tick.result.acting[player].any()
            or (not self.reward.is_pure and made[role].is_news)
        )

    def _make(
        self, number: int, player: int, tick: Tick, name_moves: Callable[[], tuple[str, ...]]
    ) -> Feedback:
        result = tick.result
        acted = result.acting[player]
        origin, reward = self._results(player, tick)
        goals = tick.goals(player)
        played = np.zeros(0, np.int32)
        if self.lanes.mapping is not None:
            played = np.where(acted, result.action[player], np.int32(NO_ACTION))
        return Feedback(
            number,
            self.roles[player],
            tick.episode,
            reward,
            np.where(goals < 0, NO_GOAL, goals).astype(np.uint8),
            result.terminated,
            result.ended & ~result.terminated,
            played,
            origin,
            self.final_observation(player, tick),
            name_moves()[player],
        )

    def _results(self, player: int, tick: Tick) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return how a player's actions came about, and its rewards."""
        result, decision = tick.result, tick.decisions[player]
        acted = result.acting[player]
        is_forced = acted & (decision.origin == Origin.UNKNOWN)
        origin = np.where(is_forced, np.uint8(Origin.FORCED), decision.origin)
        is_legal = origin != Origin.ILLEGAL
        results = RoleResults(
            self.roles[player],
            tick.goals(player),
            result.ended,
            acted,
            is_legal,
            tick.episode,
            self._views(player, acted | ~is_legal, result),
        )
        return origin, self.reward(results)

    def reward_all(self, tick: Tick) -> NDArray[np.float32]:
        """Return the rewards of all players: players by lanes."""
        players = tick.result.action.shape[0]
        if not tick.has_illegal:
            found = self.reward.reward_all(tick.result.goals, tick.result.ended)
            if found is not None:
                return found
        return np.stack([self._results(player, tick)[1] for player in range(players)])

    def final_observation(self, player: int, tick: Tick) -> Bits | None:
        """Return the last observations of lanes that ended; None if none did."""
        if self.lanes.mapping is None or not tick.has_ends:
            return None
        return self.lanes.observe_final(player, tick.result)

    def _views(self, player: int, lanes: Mask, result: TickResult) -> dict[int, State]:
        """Return what a player sees where it acted or the game ended, if the reward asks."""
        if not self.reward.wants_states:
            return {}
        going = np.flatnonzero(lanes & ~result.ended).tolist()
        views = {lane: self.lanes.view(player, lane) for lane in going}
        states, seen = self.lanes.final_rows(result)
        for lane in np.flatnonzero(result.ended).tolist():
            views[lane] = self.lanes.view_of(player, states[lane], seen[lane])
        return views
