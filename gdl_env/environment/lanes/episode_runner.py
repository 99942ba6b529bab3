"""Lanes from decision to decision: who acts, what plays itself, which episodes end and begin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.network.possible import KINDS, MANY
from gdl_env.engine.grounding.outside import PlayFailure, describe_failure
from gdl_env.environment.lanes.dead_ends import check_dead_ends
from gdl_env.environment.lanes.lanes import Lanes, Mask
from gdl_env.environment.lanes.records import SeatNumber
from gdl_env.environment.lanes.serial_kernels import find_able, is_possible, step_of
from gdl_env.environment.lanes.step_trace import trace_steps
from gdl_env.environment.lanes.tick_kernel import (
    ENDLESS,
    EXHAUSTED,
    MOST_QUIET_STEPS,
    PROBLEM,
    begin_match,
    play_decisions,
    play_tick,
)
from gdl_env.environment.lanes.turn_kernels import (
    assign_turns,
    begin_lanes,
    choose_moves,
    end_episodes,
    find_ends,
    find_problem,
    list_work,
    spread_actions,
)
from gdl_env.environment.options import Options
from gdl_env.environment.tallies import Tallies
from gdl_env.errors import ExhaustedError, GdlError
from gdl_env.play.chance import EXPERIMENT_SEAT, TURN_SEAT
from gdl_env.play.plain_chance import draw_below, plain_place
from gdl_env.play.turn_names import FIRST
from gdl_env.play.turn_order import TurnHook, ask_hook, find_turn_rule


class IllegalActionError(GdlError):
    """An action is none of those that are legal in its lane."""


class EpisodeRunner:
    """Runs lanes from decision to decision.

    Ticks of the circuit engine are single compiled calls. Other engines, lanes whose steps are
    written down, and turn rules of the user's go step by step, by the same kernels.
    """

    def __init__(self, lanes: Lanes, options: Options) -> None:
        self.lanes = lanes
        rule, self._hook = find_turn_rule(options.turn)
        lanes.numbers[SeatNumber.TURN_RULE] = rule
        lanes.numbers[SeatNumber.MAX_STEPS] = options.max_steps
        self.is_serial = bool(lanes.numbers[SeatNumber.IS_SERIAL])
        self.is_first_enough = self.is_serial and options.turn == FIRST
        self._first_lane, self._total_lanes = options.first_lane, options.total_lanes
        self.tallies = Tallies.of(tuple(map(str, lanes.players)))
        self.result = lanes.handle.result
        self._is_restricted = False
        # How many episodes ended in the last tick.
        self.ended = 0

    # ---- where lanes are

    @property
    def decides(self) -> Mask:
        """Tell which players have a decision to make: players by lanes."""
        return self.lanes.arrays.decides

    @property
    def acts(self) -> Mask:
        """Tell who acts next: players and `random` by lanes."""
        return self.lanes.arrays.acts

    @property
    def is_finished(self) -> bool:
        """Tell whether all episodes that were asked for have been played."""
        return not self.lanes.arrays.is_open.any()

    # ---- running

    def begin(self, episodes: int, key: np.uint64) -> None:
        """Begin new episodes in all lanes; 0 is without end."""
        arrays = self.lanes.arrays
        self.lanes.change_rows()
        self.tallies = Tallies.of(tuple(map(str, self.lanes.players)))
        if episodes:
            share, rest = divmod(episodes, self._total_lanes)
            arrays.left[:] = share + (np.arange(self.lanes.lanes) + self._first_lane < rest)
            arrays.is_open[:] = arrays.left != 0
            arrays.left[:] -= arrays.left > 0
        else:
            arrays.left.fill(-1)
            arrays.is_open.fill(True)
        arrays.episode[:] += 1
        arrays.held.fill(False)
        arrays.punished.fill(False)
        begin_lanes(self.lanes.handle.address)
        arrays.acts.fill(False)
        arrays.decides.fill(False)
        if self.lanes.trace is not None:
            self._trace_starts(np.flatnonzero(arrays.is_open))
        self.result = self.lanes.handle.new_result()
        if self._is_compiled:
            address = self.lanes.handle.address
            self._finish(begin_match(address, key))
        else:
            _, work = list_work(self.lanes.handle.address)
            self._settle(0, work, key)

    def play(self, given: NDArray[np.int32], key: np.uint64, *, is_strict: bool) -> bool:
        """Play a tick by the given actions (players by lanes), and on to the next decisions.

        Negative actions are drawn. If it is strict and a decision has no legal answer, nothing
        is played, and the answer is False.
        """
        self.lanes.change_rows()
        before, handle = self.result, self.lanes.handle
        self.result = handle.new_result()
        if self._is_compiled:
            told = play_tick(handle.address, given, key, is_strict)
            if told[0] == PROBLEM:
                self.result = before
                return False
            self._finish(told)
        elif is_strict and find_problem(handle.address, given):
            self.result = before
            return False
        else:
            deciding, work = list_work(handle.address)
            moving = choose_moves(handle.address, given, deciding, True, key)
            self._forget_percepts(self.lanes.scratch.work[:deciding])
            self._step(deciding, moving, key)
            self._settle(deciding, work, key)
        if self._is_restricted:
            self.lanes.arrays.held[:] = self.lanes.arrays.punished[:] = False
            self._is_restricted = False
        return True

    def play_decisions(
        self, action: NDArray[np.int32], key: np.uint64, *, is_noted: bool = False
    ) -> bool:
        """Play a tick by the actions of all decisions, in the order of `Lanes.collect`.

        If one of them is illegal, nothing is played, and the answer is False. With `is_noted` the
        result tells who acted, and what was played.
        """
        if not self._is_compiled:
            if not spread_actions(self._rows_handle(), action):
                return False
            return self.play(self.lanes.scratch.given, key, is_strict=False)
        lanes, before = self.lanes, self.result
        self.result = lanes.handle.new_result()
        if lanes.blocks is not None and not self.is_first_enough:
            told = lanes.blocks.play(action, key, is_noted=is_noted)
        else:
            lanes.change_rows()
            told = play_decisions(lanes.handle.address, action, key)
        if told[0] == PROBLEM:
            self.result = before
            return False
        self._finish(told)
        return True

    def _rows_handle(self) -> NDArray[np.uint64]:
        self.lanes.change_rows()
        return self.lanes.handle.address

    def describe_illegal(self, action: NDArray[np.int32]) -> str:
        """Say which of the actions of all decisions is the first that is illegal."""
        players, lanes = np.nonzero(self.decides & ~self.lanes.arrays.held)
        for place, (player, lane) in enumerate(zip(players.tolist(), lanes.tolist(), strict=True)):
            legal = self.lanes.moves(player, lane)
            if int(action[place]) not in legal.values():
                return (
                    f'action {int(action[place])} of decision {place}'
                    f' ({self.lanes.players[player]} in lane {lane}) is illegal; legal:'
                    f' {", ".join(f"{number} {move}" for move, number in legal.items())}'
                )
        return 'every action is legal'

    def restrict(self, lanes: Mask | None, deciding: Mask) -> None:
        """Play only these lanes in the next tick (None: all), and only these decisions.

        Who could decide and is not chosen (see `prefer`) does not act.
        """
        arrays = self.lanes.arrays
        self._is_restricted = True
        arrays.held[:] = False if lanes is None else ~lanes
        arrays.punished[:] = False
        if self.is_first_enough:
            chosen = deciding.any(axis=0)
            arrays.acts[:-1, chosen] = deciding[:, chosen]

    def punish(self, lanes: Mask) -> None:
        """End the episodes of these lanes in the next tick."""
        self.lanes.arrays.punished[lanes] = True

    def prefer(self, players: Iterable[int], deciding: Mask) -> Mask:
        """Return who acts where several could decide: the first of these players."""
        chosen = np.zeros_like(deciding)
        taken = np.zeros(self.lanes.lanes, np.bool_)
        for player in players:
            chosen[player] = deciding[player] & ~taken
            taken |= chosen[player]
        # Without an answer, as by rotation.
        for lane in np.flatnonzero(deciding.any(axis=0) & ~taken).tolist():
            count = len(deciding)
            order = [(int(self.lanes.arrays.last[lane]) + 1 + k) % count for k in range(count)]
            chosen[next(player for player in order if deciding[player, lane]), lane] = True
        return chosen

    # ---- inside

    @property
    def _is_compiled(self) -> bool:
        """Tell whether ticks are single compiled calls."""
        has_way = self.lanes.handle.is_circuit and self._hook is None
        return has_way and self.lanes.trace is None and self.lanes.move_log is None

    def _finish(self, told: tuple[int, int, int]) -> None:
        """Take in what compiled code tells of a tick."""
        how, steps, self.ended = told
        self.tallies.steps += steps
        if how >= EXHAUSTED:
            failed = PlayFailure(self.lanes.failures[how - EXHAUSTED])
            raise describe_failure(failed, self.lanes.game)
        if how == ENDLESS:
            raise GdlError(_ENDLESS)
        if self.ended and self.tallies.add_ends(self.result.goals, self.result.ended):
            # Only episodes without a goal can have come to a dead end.
            check_dead_ends(self.lanes, self.result)

    def _settle(self, steps: int, work: int, key: np.uint64) -> None:
        """Play on until every lane has a decision, or waits for the next tick, step by step."""
        self.tallies.steps += steps
        self.ended = 0
        for _ in range(MOST_QUIET_STEPS):
            terminal, ending = find_ends(self.lanes.handle.address, work)
            if ending:
                self._end(terminal, ending)
            moved = self.lanes.scratch.work[:work].copy()
            work = assign_turns(self.lanes.handle.address, work, key)
            if self._hook is not None and self.is_serial:
                work = self._ask_hook(self._hook, moved, key)
            if not work:
                return
            address = self.lanes.handle.address
            moving = choose_moves(address, self.lanes.scratch.given, work, False, key)
            self._step(work, moving, key)
            self.tallies.steps += work
        raise GdlError(_ENDLESS)

    def _end(self, terminal: int, ending: int) -> None:
        """End the listed lanes, and begin their next episodes."""
        chosen = self.lanes.scratch.ending[:ending].copy()
        goals = np.full((ending, len(self.lanes.players)), -1, np.int16)
        if terminal:
            states = self.lanes.arrays.states[chosen[:terminal]]
            players = list(self.lanes.batch.players)
            goals[:terminal] = self.lanes.batch.goals(states)[:, players]
        self.result.goals[:, chosen] = goals.T
        trace = self.lanes.trace
        for place, lane in enumerate(chosen.tolist()):
            if trace is not None and lane < trace.lanes:
                told = {
                    role: None if goal < 0 else int(goal)
                    for role, goal in zip(self.lanes.players, goals[place], strict=True)
                }
                trace.end(lane, told if place < terminal else None)
        self.ended += ending
        was_open = chosen[self.lanes.arrays.left[chosen] != 0]
        end_episodes(self.lanes.handle.address, terminal, ending)
        if self.tallies.add_ends(np.ascontiguousarray(goals.T), np.ones(ending, np.bool_)):
            check_dead_ends(self.lanes, self.result)
        self._trace_starts(was_open)

    def _trace_starts(self, chosen: NDArray[np.integer]) -> None:
        trace = self.lanes.trace
        if trace is not None:
            for lane in chosen[chosen < trace.lanes].tolist():
                trace.begin(lane, self.lanes.state(lane))

    def _forget_percepts(self, chosen: NDArray[np.int32]) -> None:
        if self.lanes.has_percepts:
            arrays, scratch = self.lanes.arrays, self.lanes.scratch
            # Some engines meet percepts only while they play.
            own = self.lanes.find_own_percepts()
            for player in range(len(self.lanes.players)):
                acting = chosen[scratch.chosen[player, chosen] >= 0]
                arrays.seen[acting] &= ~own[player]

    def _step(self, count: int, moving: int, key: np.uint64) -> None:
        """Play the chosen moves in the first lanes of the work list, by the batch.

        In all but `moving` of them all who act pass.
        """
        lanes, scratch = self.lanes, self.lanes.scratch
        work = scratch.work[:count].copy()
        passing = ~np.isin(work, scratch.stepping[:moving])
        chosen = np.full((count, len(lanes.roles)), -1, np.int32)
        for seat, role in enumerate(lanes.layout.roles):
            if role >= 0:
                bits = scratch.chosen[seat, work]
                chosen[:, role] = [
                    lanes.layout.row(seat, bit) if bit >= 0 else -1 for bit in bits.tolist()
                ]
        states = lanes.arrays.states[work]
        does = self._draw(states, chosen, work, key)
        after, percepts = lanes.batch.step_and_perceive(states, does)
        after[passing] = states[passing]
        lanes.arrays.states[work] = after
        if percepts.shape[1]:
            percepts[passing] = 0
            lanes.arrays.seen[work] |= percepts
        trace_steps(lanes, work, chosen, does, percepts)
        lanes.batch.forget_other_states(lanes.arrays.states)
        lanes.refresh(work)

    def _draw(
        self,
        states: NDArray[np.uint64],
        chosen: NDArray[np.int32],
        work: NDArray[np.int32],
        key: np.uint64,
    ) -> NDArray[np.int32]:
        """Return what is done for the chosen moves; experiments are drawn."""
        batch = self.lanes.batch
        does = batch.plain(chosen)
        for place, role in zip(*np.nonzero(does == -2), strict=True):
            found = batch.outcomes(states[place : place + 1], chosen[place, role : role + 1])
            if not len(found.does):
                names = batch.names_of(batch.legal_move(int(chosen[place, role]))[1])
                raise ExhaustedError(' or '.join(names))
            seat = self.lanes.layout.roles.index(role)
            # The step has been counted already.
            step = self._step_of(int(work[place])) - 2
            spot = plain_place(step, EXPERIMENT_SEAT + 16 * seat, int(work[place]))
            pick = draw_below(int(key), spot, 2**32) / 2**32
            sums = np.cumsum(found.weights)
            index = int(np.searchsorted(sums, pick * sums[-1], side='right'))
            does[place, role] = found.does[min(index, len(found.does) - 1)]
        return does

    def _step_of(self, lane: int) -> int:
        """Return the number of a lane's next step, for its chance."""
        return int(step_of(self.lanes.arrays.steps, self.result.ended, lane))

    def _ask_hook(self, hook: TurnHook, moved: NDArray[np.int32], key: np.uint64) -> int:
        """Let the user's turn rule say who acts in lanes that have moved.

        Returns how many of them play on by themselves.
        """
        held, arrays = self.lanes, self.lanes.arrays
        able = np.zeros((len(self.lanes.players), len(moved)), np.bool_)
        find_able(held.handle.address, moved, able)
        is_open = able.any(axis=0)
        lanes = moved[is_open]
        random = np.array(
            [
                draw_below(int(key), plain_place(self._step_of(lane), TURN_SEAT, lane), 2**32)
                for lane in lanes.tolist()
            ]
        )
        movers = ask_hook(hook, able[:, is_open], arrays.last[lanes], random / 2**32)
        arrays.acts[:, lanes] = arrays.decides[:, lanes] = False
        for lane, mover in zip(lanes.tolist(), movers.tolist(), strict=True):
            arrays.acts[mover, lane] = True
            arrays.decides[mover, lane] = is_possible(arrays.possible, lane, KINDS * mover + MANY)
        quiet = moved[arrays.acts[:, moved].any(axis=0) & ~arrays.decides[:, moved].any(axis=0)]
        held.scratch.work[: len(quiet)] = quiet
        return len(quiet)

    # ---- continuing later

    def snapshot(self) -> dict[str, Any]:
        """Return all that changes, of the lanes too: arrays, lists, numbers and text only."""
        return {'tallies': self.tallies.snapshot(), 'lanes': self.lanes.snapshot()}

    def restore(self, held: dict[str, Any]) -> None:
        """Return to what `snapshot` returned."""
        self.tallies = Tallies.restored(held['tallies'])
        self.lanes.restore(held['lanes'])


_ENDLESS = f'no role had a decision to make for {MOST_QUIET_STEPS} steps'
