"""The course of N games: who acts, what plays itself, which episodes end and begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import State
from gdl_env.environment.chance import Chance
from gdl_env.environment.course_kernels import (
    END,
    QUIET,
    SETTLED,
    begin_again,
    count_steps,
    find_ends,
    find_quiet,
    settle_together,
)
from gdl_env.environment.lane_game import LaneGame, Look, Mask
from gdl_env.environment.options import Options
from gdl_env.environment.tallies import Tallies
from gdl_env.environment.tick_kernel import NOT_PLAIN, play_tick
from gdl_env.environment.turns import FIRST, open_turn_rule, take_turns
from gdl_env.errors import GdlError
from gdl_env.language.game import Turns

# More steps in a row without a decision than any game deals cards.
_MAX_QUIET_STEPS = 10_000
# What a snapshot of a course holds besides tallies and game.
_KEPT = ('acts', 'decides', 'episode', 'open', '_left', '_steps', '_last', '_fresh')


@dataclass
class Ends:
    """What ended in one tick, one entry a lane."""

    ended: Mask
    # By the rules or by an illegal answer; others were broken off.
    terminated: Mask
    # Players by lanes, -1 for none.
    goals: NDArray[np.int16]
    # The episodes in which the tick began.
    episode: NDArray[np.uint64]
    # Last observations of each player, rows of packed bits; empty while nothing ended.
    observations: list[NDArray[np.uint8]]
    # Last views of each player, if they are wanted.
    views: list[dict[int, State]]

    @property
    def is_any(self) -> bool:
        """Tell whether a lane ended."""
        return bool(self.ended.any())


class Course:
    """Runs lanes from decision to decision.

    `acts` (players and `random` by lanes) says who acts next, `decides` for whom that is a
    decision: who has more than one move.
    """

    def __init__(self, game: LaneGame, options: Options, *, with_views: bool) -> None:
        self.game = game
        self._options = options
        self._with_views = with_views
        self._turn = open_turn_rule(options.turn)
        self.is_serial = game.game.turns is Turns.SERIAL
        self.is_first_enough = self.is_serial and options.turn == FIRST
        lanes, players = game.lanes, len(game.players)
        self.acts = np.zeros((players + 1, lanes), np.bool_)
        self.decides = np.zeros((players, lanes), np.bool_)
        self.episode = np.zeros(lanes, np.uint64)
        self._ending = np.zeros((2, lanes), np.bool_)
        self._idle = np.zeros(lanes, np.bool_)
        self._quiet = np.zeros(lanes, np.bool_)
        self._no_lanes = np.zeros(lanes, np.bool_)
        self._no_goals = np.full((players, lanes), -1, np.int16)
        # Lanes that are not to be touched in this tick.
        self._held = self._no_lanes
        # Lanes in which it is open who moves next: a turn rule is asked once for each step.
        self._fresh = np.ones(lanes, np.bool_)

    def begin(self, episodes: int, chance: Chance) -> None:
        """Begin new episodes in all lanes; 0 goes on without end."""
        lanes = self.game.lanes
        self.tallies = Tallies.of(tuple(map(str, self.game.players)))
        # Episodes each lane has still to begin after its current one; -1 is without end.
        self._left = np.full(lanes, -1, np.int64)
        if episodes:
            share, rest = divmod(episodes, lanes)
            self._left = share + (np.arange(lanes) < rest)
        self.open = self._left != 0
        self._left -= self._left > 0
        # A new array each time: what was asked and told before goes on holding the old ones.
        self.episode = self.episode + np.uint64(1)
        self._steps = np.zeros(lanes, np.int64)
        self._last = np.full(lanes, -1, np.int64)
        self._forget_ends()
        self._held = self._no_lanes
        self._fresh[:] = True
        self.game.restart(np.ones(lanes, np.bool_))
        self._trace_starts(self.open)
        self._settle(chance)

    def play(
        self,
        acting: Mask,
        action: NDArray[np.int32],
        punished: Mask | None,
        held: Mask | None,
        chance: Chance,
    ) -> None:
        """Play a step, end the lanes that are punished, and go on to the next decisions.

        Lanes that are held stay as they are, even those where nobody has a decision.
        """
        self._forget_ends()
        self._held = self._no_lanes if held is None else held
        self._move(acting, action, chance)
        if punished is not None:
            self._end(punished, is_terminal=False, is_terminated=True)
        self._settle(chance)

    def play_tick(
        self, given: NDArray[np.int32], acting: Mask, action: NDArray[np.int32], chance: Chance
    ) -> bool:
        """Play a tick in which all who decide gave legal actions, as `play` does.

        `acting` and `action` get who acted and what was played. Returns False, and does nothing,
        if it is no such tick.
        """
        if self.game.arrays is None or self.game.trace is not None:
            return False
        self._forget_ends()
        self._held = self._no_lanes
        course = (
            self.acts,
            self.decides,
            self.open,
            self.ends.ended,
            self._held,
            self._steps,
            self._last,
            self._options.max_steps,
            self._ending,
            self._idle,
            self._quiet,
        )
        found, steps = play_tick(*self.game.arrays, course, given, acting, action)
        if found == NOT_PLAIN:
            return False
        self.tallies.steps += steps
        self._settle(chance, found)
        return True

    def prefer(self, roles: list[int], deciding: Mask, chance: Chance) -> Mask:
        """Return who acts where several could decide: the first of these players."""
        chosen = np.zeros_like(deciding)
        taken = np.zeros(self.game.lanes, np.bool_)
        for player in roles:
            chosen[player] = deciding[player] & ~taken
            taken |= chosen[player]
        return chosen | take_turns(self._turn, deciding & ~taken, self._last, chance)

    def snapshot(self) -> dict[str, Any]:
        """Return all that changes, of the game too: arrays, lists, numbers and text only."""
        kept = {name: getattr(self, name).copy() for name in _KEPT}
        return {**kept, 'tallies': self.tallies.snapshot(), 'game': self.game.snapshot()}

    def restore(self, held: dict[str, Any]) -> None:
        """Go back to what `snapshot` returned."""
        for name in _KEPT:
            setattr(self, name, held[name].copy())
        self.tallies = Tallies.restored(held['tallies'])
        self.game.restore(held['game'])

    # ---- inside

    def _forget_ends(self) -> None:
        """Begin a tick in which nothing has ended; most stay like that."""
        none = self._no_lanes
        views: list[dict[int, State]] = [{} for _ in self.game.players] if self._with_views else []
        self.ends = Ends(none, none, self._no_goals, self.episode, [], views)

    def _settle(self, chance: Chance, found: int | None = None) -> None:
        """Play on until every lane has a decision, or has begun an episode without one.

        `found` is how lanes go on, if that is known.
        """
        for _ in range(_MAX_QUIET_STEPS):
            if found is None:
                found = self._go_on(chance)
            if found == SETTLED:
                return
            if found == END:
                over, cut = self._ending
                if over.any():
                    self._end(over, is_terminal=True, is_terminated=True)
                if cut.any():
                    self._end(cut, is_terminal=False, is_terminated=False)
            else:
                action = np.full(self.decides.shape, -1, np.int32)
                self._move(self.acts & self._quiet, action, chance)
            found = None
        raise GdlError(f'no role had a decision to make for {_MAX_QUIET_STEPS} steps')

    def _go_on(self, chance: Chance) -> int:
        """Say who acts next, and how the lanes go on."""
        look, ended, limit = self.game.look(), self.ends.ended, self._options.max_steps
        if not self.is_serial:
            together: int = settle_together(
                look.terminal,
                look.has,
                look.many,
                self.open,
                ended,
                self._held,
                self._steps,
                limit,
                self._ending,
                self._idle,
                self.acts,
                self.decides,
                self._quiet,
            )
            return together
        terminal, has, steps = look.terminal, look.has, self._steps
        if find_ends(
            terminal, has, self.open, ended, self._held, steps, limit, self._ending, self._idle
        ):
            return END
        self._take_turns(look, chance)
        return QUIET if find_quiet(self._idle, self.decides, self._quiet) else SETTLED

    def _take_turns(self, look: Look, chance: Chance) -> None:
        """Say who acts next where one acts at a time: `random` first, then by the turn rule."""
        players = len(self.game.players)
        nature = look.has[players] & ~self._idle
        free = ~self._idle & ~nature & self._fresh
        able = look.real[:players] & free
        # Where nobody has more to do than to pass, somebody passes.
        able = np.where(able.any(axis=0), able, look.has[:players] & free)
        chosen = able
        count = able.sum(axis=0)
        if (count > 1).any():
            chosen = take_turns(self._turn, able, self._last, chance)
        decides = chosen & look.many[:players]
        if self.is_first_enough:
            chosen = np.where(count > 1, able, chosen)
            decides = np.where(count > 1, able, decides)
        acts = np.concatenate([chosen, nature[None]])
        self.acts = np.where(self._fresh, acts, self.acts)
        self.decides = np.where(self._fresh, decides, self.decides)
        self._fresh[:] = False

    def _move(self, acting: Mask, action: NDArray[np.int32], chance: Chance) -> None:
        self.game.play(acting, action, chance)
        self.tallies.steps += count_steps(acting, self._steps, self._last)
        if self.is_serial:
            self._fresh |= acting.any(axis=0)

    def _end(self, lanes: Mask, *, is_terminal: bool, is_terminated: bool) -> None:
        """Note how the episodes of lanes ended, and begin their next ones."""
        ends = self.ends
        if is_terminal:
            goals = self.game.goals()[:, lanes]
        else:
            goals = np.full((len(self.game.players), int(lanes.sum())), -1, np.int16)
        self.tallies.add_ends(goals)
        if ends.goals is self._no_goals:
            ends.goals = ends.goals.copy()
        ends.goals[:, lanes] = goals
        ends.ended = ends.ended | lanes
        if is_terminated:
            ends.terminated = ends.terminated | lanes
        self._keep_last(lanes)
        self._trace_ends(lanes, is_terminal=is_terminal)
        again = np.empty(lanes.shape, np.bool_)
        begin_again(lanes, self._left, self.open, self._steps, self._last, self._fresh, again)
        # A new array: what was asked and told before goes on holding the old one.
        self.episode = self.episode + again
        self.game.restart(again)
        self._trace_starts(again)

    def _trace_starts(self, lanes: Mask) -> None:
        trace = self.game.trace
        if trace is not None:
            for lane in np.flatnonzero(lanes[: trace.lanes]):
                trace.begin(int(lane), self.game.state(int(lane)))

    def _trace_ends(self, lanes: Mask, *, is_terminal: bool) -> None:
        trace = self.game.trace
        if trace is not None:
            for lane in np.flatnonzero(lanes[: trace.lanes]):
                goals = self.ends.goals[:, lane]
                told = {
                    role: None if goal < 0 else int(goal)
                    for role, goal in zip(self.game.players, goals, strict=True)
                }
                trace.end(int(lane), told if is_terminal else None)

    def _keep_last(self, lanes: Mask) -> None:
        ends, players = self.ends, range(len(self.game.players))
        if self.game.mapping is not None:
            now = [self.game.observe(player).data for player in players]
            if not ends.observations:
                ends.observations = now
            else:
                for kept, data in zip(ends.observations, now, strict=True):
                    kept[lanes] = data[lanes]
        if self._with_views:
            for player in players:
                for lane in np.flatnonzero(lanes):
                    ends.views[player][int(lane)] = self.game.view(player, int(lane))
