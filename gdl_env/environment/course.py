"""The course of N games: who acts, what plays itself, which episodes end and begin."""

from __future__ import annotations

from dataclasses import dataclass

from numba import njit
import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import State
from gdl_env.environment.lane_game import LaneGame, Look, Mask
from gdl_env.environment.options import Options
from gdl_env.environment.tallies import Tallies
from gdl_env.environment.turns import FIRST, open_turn_rule
from gdl_env.errors import GdlError
from gdl_env.language.game import Turns

# More steps in a row without a decision than any game deals cards.
_MAX_QUIET_STEPS = 10_000


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

    def begin(self, episodes: int, chance: np.random.Generator) -> None:
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
        self.episode += np.uint64(1)
        self._steps = np.zeros(lanes, np.int64)
        self._last = np.full(lanes, -1, np.int64)
        self.ends = self._no_ends()
        self.game.restart(np.ones(lanes, np.bool_))
        self._trace_starts(self.open)
        self._settle(chance)

    def play(
        self,
        acting: Mask,
        action: NDArray[np.int32],
        punished: Mask,
        chance: np.random.Generator,
    ) -> None:
        """Play a step, end the lanes that are punished, and go on to the next decisions."""
        self.ends = self._no_ends()
        self._move(acting, action, chance)
        if punished.any():
            self._end(punished, is_terminal=False, is_terminated=True)
        self._settle(chance)

    def prefer(self, roles: list[int], chance: np.random.Generator) -> None:
        """Let the first of these players act in lanes where several could."""
        chosen = np.zeros_like(self.decides)
        taken = np.zeros(self.game.lanes, np.bool_)
        for player in roles:
            chosen[player] = self.decides[player] & ~taken
            taken |= chosen[player]
        left = np.flatnonzero(self.decides.any(axis=0) & ~taken)
        chosen[self._turn(self.decides, self._last, chance)[left], left] = True
        self.decides = chosen

    # ---- inside

    def _no_ends(self) -> Ends:
        lanes, players = self.game.lanes, len(self.game.players)
        return Ends(
            np.zeros(lanes, np.bool_),
            np.zeros(lanes, np.bool_),
            np.full((players, lanes), -1, np.int16),
            self.episode.copy(),
            [],
            [{} for _ in range(players)],
        )

    def _settle(self, chance: np.random.Generator) -> None:
        """Play on until every lane has a decision, or has begun an episode without one."""
        for _ in range(_MAX_QUIET_STEPS):
            look = self.game.look()
            ending = _find_ends(
                look.terminal,
                look.has,
                self.open,
                self.ends.ended,
                self._steps,
                self._options.max_steps,
                self._ending,
                self._idle,
            )
            if ending:
                over, cut = self._ending
                if over.any():
                    self._end(over, is_terminal=True, is_terminated=True)
                if cut.any():
                    self._end(cut, is_terminal=False, is_terminated=False)
                continue
            if self.is_serial:
                self._take_turns(look, chance)
            else:
                _act_together(look.has, look.many, self._idle, self.acts, self.decides)
            if not _find_quiet(self._idle, self.decides, self._quiet):
                return
            action = np.full(self.decides.shape, -1, np.int32)
            self._move(self.acts & self._quiet, action, chance)
        raise GdlError(f'no role had a decision to make for {_MAX_QUIET_STEPS} steps')

    def _take_turns(self, look: Look, chance: np.random.Generator) -> None:
        """Say who acts next where one acts at a time: `random` first, then by the turn rule."""
        players = len(self.game.players)
        nature = look.has[players] & ~self._idle
        free = ~self._idle & ~nature
        able = look.real[:players] & free
        # Where nobody has more to do than to pass, somebody passes.
        able = np.where(able.any(axis=0), able, look.has[:players] & free)
        chosen = able
        count = able.sum(axis=0)
        if (count > 1).any():
            chosen = np.zeros_like(able)
            lanes = np.flatnonzero(count)
            chosen[self._turn(able, self._last, chance)[lanes], lanes] = True
        decides = chosen & look.many[:players]
        if self.is_first_enough:
            chosen = np.where(count > 1, able, chosen)
            decides = np.where(count > 1, able, decides)
        self.acts = np.concatenate([chosen, nature[None]])
        self.decides = decides

    def _move(
        self, acting: Mask, action: NDArray[np.int32], chance: np.random.Generator
    ) -> None:
        self.game.play(acting, action, chance)
        self.tallies.steps += _count_steps(acting, self._steps, self._last)

    def _end(self, lanes: Mask, *, is_terminal: bool, is_terminated: bool) -> None:
        """Note how the episodes of lanes ended, and begin their next ones."""
        goals = np.full((len(self.game.players), int(lanes.sum())), -1, np.int16)
        if is_terminal:
            goals = self.game.goals()[:, lanes]
        self.tallies.add_ends(goals)
        ends = self.ends
        ends.goals[:, lanes] = goals
        ends.ended |= lanes
        if is_terminated:
            ends.terminated |= lanes
        self._keep_last(lanes)
        self._trace_ends(lanes, is_terminal=is_terminal)
        again = lanes & (self._left != 0)
        self.open &= ~lanes | again
        self._left -= again & (self._left > 0)
        self.episode += again
        self._steps[again] = 0
        self._last[again] = -1
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


@njit(cache=True, nogil=True)
def _find_ends(terminal, has, is_open, ended, steps, limit, ending, idle):
    """Find lanes that are over by the rules, or to be broken off; return whether there are any.

    Those that ended in this tick before stay as they are: they are idle.
    """
    found = False
    for lane in range(terminal.shape[0]):
        stuck = not terminal[lane]
        for seat in range(has.shape[0]):
            stuck = stuck and not has[seat, lane]
        cut = stuck or (limit > 0 and steps[lane] >= limit and not terminal[lane])
        can_end = is_open[lane] and not ended[lane]
        ending[0, lane] = terminal[lane] and can_end
        ending[1, lane] = cut and can_end
        found = found or ending[0, lane] or ending[1, lane]
        idle[lane] = terminal[lane] or cut or not is_open[lane]
    return found


@njit(cache=True, nogil=True)
def _act_together(has, many, idle, acts, decides):
    for seat in range(has.shape[0]):
        for lane in range(has.shape[1]):
            acts[seat, lane] = has[seat, lane] and not idle[lane]
            if seat < decides.shape[0]:
                decides[seat, lane] = many[seat, lane] and not idle[lane]


@njit(cache=True, nogil=True)
def _find_quiet(idle, decides, quiet):
    found = False
    for lane in range(idle.shape[0]):
        asks = False
        for player in range(decides.shape[0]):
            asks = asks or decides[player, lane]
        quiet[lane] = not idle[lane] and not asks
        found = found or quiet[lane]
    return found


@njit(cache=True, nogil=True)
def _count_steps(acting, steps, last):
    total = 0
    players = acting.shape[0] - 1
    for lane in range(acting.shape[1]):
        acted = acting[players, lane]
        for player in range(players - 1, -1, -1):
            if acting[player, lane]:
                acted = True
                last[lane] = player
        if acted:
            steps[lane] += 1
            total += 1
    return total
