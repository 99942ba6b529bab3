"""The blocks of a match on the circuit engine: made once, kept in step with the rows of lanes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.circuit_programs import CircuitPrograms
from gdl_env.engine.batch.handles import make_handle
from gdl_env.environment.bits import Bits
from gdl_env.environment.blocks.draws import draw_blocks
from gdl_env.environment.blocks.kernels import play_blocks
from gdl_env.environment.blocks.records import (
    BlockArrays,
    BlockTables,
    Sheet,
    TickMasks,
    TurnRows,
)
from gdl_env.environment.blocks.rows import pack_lanes, unpack_lanes
from gdl_env.environment.blocks.views import show_decisions, show_final, show_player
from gdl_env.environment.lanes.match_handle import MatchHandle
from gdl_env.environment.lanes.records import LaneArrays, SeatTables, ViewTables
from gdl_env.environment.lanes.seat_layout import SeatLayout
from gdl_env.environment.lanes.tick_kernel import PROBLEM
from gdl_env.environment.lanes.tick_result import TickResult

# What a block's pass takes for each operation of the tapes, and for each fact and move: that many
# lanes can be stepped as rows in the same time.
_LANES_OF_OPERATION = 1 / 1000
_LANES_OF_BIT = 1 / 160
# Nanoseconds of a pass over a block, for each operation, and for each fact and move; and of
# packing lanes, for each row that is moved to another block or back.
_PASS, _PASS_OF_OPERATION, _PASS_OF_BIT = 500, 0.5, 4
_PACK, _PACK_OF_ROW = 2000, 8
_NOTHING = np.zeros(0, np.int32)
# Up to this many actions are laid into blocks 64 lanes at a time, more of them lane by lane.
_FEW_ACTIONS = 48


class Blocks:
    """Lanes as blocks. At any time the blocks, the rows, or both are up to date."""

    def __init__(
        self,
        layout: SeatLayout,
        seats: SeatTables,
        lanes: LaneArrays,
        handle: MatchHandle,
        programs: CircuitPrograms,
        plain: NDArray[np.int32],
        views: Sheet,
        operations: int,
    ) -> None:
        """Make the blocks of lanes.

        - plain: what is done by each bit of a row of legal moves, see DrawTables
        - views: what players see, see `make_views`
        - operations: of the tapes of a step
        """
        actions = layout.actions
        self._match = handle.address
        self._actions = actions
        width = programs.step.program.width
        self._tables = _make_tables(layout, seats, programs, operations, plain)
        count = -(-len(lanes.steps) // (64 * width))
        chosen = len(self._tables.does) if actions <= _FEW_ACTIONS else 0
        # Each time lanes are packed, they take half of the blocks at the most.
        spare = sum(count >> k for k in range(1, count.bit_length()))
        facts, every = programs.step.facts, count + spare
        self._arrays = BlockArrays(
            state=np.zeros((every, facts * width), np.uint64),
            legal=np.zeros((every, len(self._tables.does) * width), np.uint64),
            possible=np.zeros((every, len(programs.look.possible) * width), np.uint64),
            acts=np.zeros((every, len(lanes.acts) * width), np.uint64),
            decides=np.zeros((every, len(lanes.decides) * width), np.uint64),
            last=np.zeros((every, len(lanes.decides) * width), np.uint64),
            is_open=np.zeros((every, width), np.uint64),
            held=np.zeros((count, width), np.uint64),
            chosen=np.zeros((count, chosen * width), np.uint64),
            kept=np.zeros((spare, facts * width), np.uint64),
            before=np.zeros((spare, facts * width), np.uint64),
            lane=np.zeros((spare, 64 * width), np.int32),
            passes=np.zeros((1, 1), np.int32),
        )
        self._sheets = views, _make_masks(self._tables)
        self._tick = (
            TickMasks(
                acting=np.zeros((every, width), np.uint64),
                quiet=np.zeros((every, width), np.uint64),
                late=np.zeros((every, width), np.uint64),
                gone=np.zeros((every, width), np.uint64),
                room=np.zeros((3, width), np.uint64),
            ),
            _make_turns(len(lanes.acts), width),
        )
        records = self._arrays, self._tables, *self._sheets, *self._tick
        self._handle = make_handle([array for record in records for array in record])
        self._everywhere = np.arange(len(lanes.steps))
        self.is_fresh = False
        self.are_rows_fresh = True

    # ---- playing

    def play(
        self, action: NDArray[np.int32], key: np.uint64, *, is_noted: bool
    ) -> tuple[int, int, int]:
        """Play a tick: see `play_blocks`."""
        self._push()
        told: tuple[int, int, int] = play_blocks(self._match, self._handle, action, key, is_noted)
        if told[0] != PROBLEM:
            self.are_rows_fresh = False
        return told

    def _push(self) -> None:
        if not self.is_fresh:
            pack_lanes(self._match, self._handle, self._everywhere)
            self.is_fresh = True

    # ---- rows

    def update_rows(self, lane: int | None = None) -> None:
        """Bring the row of a lane up to date, or all rows."""
        if self.are_rows_fresh:
            return
        if lane is not None:
            unpack_lanes(self._match, self._handle, self._everywhere[lane : lane + 1])
            return
        unpack_lanes(self._match, self._handle, self._everywhere)
        self.are_rows_fresh = True

    def forget(self) -> None:
        """Take note that rows have changed, or will."""
        self.update_rows()
        self.is_fresh = False

    # ---- showing

    def hold(self, held: NDArray[np.bool_] | None) -> None:
        """Leave lanes alone; None: none of them."""
        if held is None:
            self._arrays.held.fill(0)
            return
        packed = np.packbits(held, bitorder='little')
        self._arrays.held.view(np.uint8).reshape(-1)[: len(packed)] = packed

    def draw(
        self, key: np.uint64, given: tuple[int, NDArray[np.int32]] | None
    ) -> NDArray[np.int32]:
        """Return an action for each decision: given, or drawn; see Lanes."""
        self._push()
        player, own = given or (-1, _NOTHING)
        action: NDArray[np.int32] = draw_blocks(self._match, self._handle, player, own, key)
        return action

    def collect(self, count: int, size: int, *, is_blind: bool) -> tuple[Bits, Bits]:
        """Return what is seen in all decisions, player by player, and what is legal there.

        - count: how many there are; size: entries of an observation
        """
        self._push()
        seen = np.empty((0 if is_blind else count, -(-size // 8)), np.uint8)
        legal = np.empty((count, -(-self._actions // 8)), np.uint8)
        show_decisions(self._handle, seen, legal)
        return Bits(seen, size), Bits(legal, self._actions)

    def show(self, player: int, size: int) -> tuple[Bits, Bits]:
        """Return what a player sees in all lanes, and its legal actions where it decides."""
        self._push()
        lanes = len(self._everywhere)
        seen = np.empty((lanes, -(-size // 8)), np.uint8)
        legal = np.empty((lanes, -(-self._actions // 8)), np.uint8)
        show_player(self._handle, player, seen, legal)
        return Bits(seen, size), Bits(legal, self._actions)

    def show_final(self, player: int, result: TickResult, size: int) -> Bits | None:
        """Return what a player saw last in the lanes that ended in a tick, in rising order.

        None where last states are not kept as blocks, or have become rows.
        """
        seen = np.empty((np.count_nonzero(result.ended), -(-size // 8)), np.uint8)
        kept = result.final_bits, result.final_lanes
        is_shown = show_final(self._handle, player, *kept, seen)
        return Bits(seen, size) if is_shown else None


def _make_tables(
    layout: SeatLayout,
    seats: SeatTables,
    programs: CircuitPrograms,
    operations: int,
    plain: NDArray[np.int32],
) -> BlockTables:
    actions = layout.actions
    step, look, _ = programs
    players = len(layout.roles) - 1
    # The first row of each seat: rows of a role lie side by side.
    owned = [sorted(layout.bits_of(seat)) for seat in range(players + 1)]
    count = sum(map(len, owned))
    seat = np.zeros(2 * (players + 1), np.int32)
    noop = np.full(players + 1, -1, np.int32)
    does, bit, legal = (np.zeros(count, np.int32) for _ in range(3))
    first_legal = np.zeros(count, np.uint64)
    row = np.full((players, max(1, actions)), -1, np.int32)
    done = row.copy()
    every = ~np.uint64(0)
    for index, rows in enumerate(owned):
        if rows:
            seat[2 * index : 2 * index + 2] = rows[0], rows[-1] + 1
        for number in rows:
            own = layout.bits_of(index)[number]
            place = 64 * int(seats.start[index]) + own
            bit[number] = own
            does[number] = plain[place]
            legal[number] = look.legal[place]
            if int(seats.first_legal[place >> 6]) >> (place & 63) & 1:
                first_legal[number] = every
            if own == seats.noop[index]:
                noop[index] = number
            if index < players:
                row[index, own] = number
                done[index, own] = does[number]
    many = int(_LANES_OF_OPERATION * operations + _LANES_OF_BIT * (step.facts + count))
    width = step.program.width
    passing = _PASS + _PASS_OF_OPERATION * operations + _PASS_OF_BIT * (step.facts + count)
    moved = 2 * step.facts + count + len(look.possible) + 5 * len(owned)
    numbers = [width, max(1, many), int(passing), int(_PACK + _PACK_OF_ROW * moved)]
    return BlockTables(
        seat,
        noop,
        does,
        bit,
        row,
        done,
        legal,
        np.repeat(_spread(seats.initial, step.facts), width),
        np.repeat(first_legal, width),
        np.repeat(_spread(seats.first_possible, len(look.possible)), width),
        np.array(numbers, np.int64),
    )


def _make_turns(seats: int, width: int) -> TurnRows:
    line, every, players = (np.zeros(n * width, np.uint64) for n in (5, seats, seats - 1))
    goes, deciding, *room = line.reshape(5, width)
    return TurnRows(goes, deciding, every, players, *room)


def _spread(row: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    """Return a word for each bit of a row: all ones or none."""
    bits = np.unpackbits(row.view(np.uint8), bitorder='little', count=count)
    found: NDArray[np.uint64] = np.where(bits, ~np.uint64(0), np.uint64(0))
    return found


def make_views(views: ViewTables, players: int, entries: int) -> Sheet:
    """Return the sheet of observations."""
    starts = views.start[: players + 1]
    both = list(zip(views.bit.tolist(), views.column.tolist(), strict=True))
    shown = [both[low:high] for low, high in pairwise(starts.tolist())]
    viewer = [shown.index(own) for own in shown]
    common = set[tuple[int, int]]()
    if len(set(viewer)) > 1:
        common = set.intersection(*map(set, shown))
    parts = [[entry for entry in own if entry not in common] for own in shown]
    parts.append([entry for entry in both[: starts[1]] if entry in common])
    words = 64 * np.arange(-(-entries // 64) + 1)
    start: list[NDArray[np.intp]] = []
    first = 0
    for part in parts:
        start.append(first + np.searchsorted([column for _, column in part], words))
        first += len(part)
    bit, column = np.array([entry for part in parts for entry in part], np.int32).reshape(-1, 2).T
    return Sheet(
        np.ascontiguousarray(bit),
        np.ascontiguousarray(column),
        np.array(start, np.int32),
        np.array(viewer, np.int32),
        np.array([entries], np.int64),
    )


def _make_masks(tables: BlockTables) -> Sheet:
    """Return the sheet of masks: every player has rows of its own."""
    players, actions = tables.row.shape
    owner, action = np.nonzero(tables.row >= 0)
    words = 64 * np.arange(-(-actions // 64) + 1)
    place = owner * (actions + 1) + action
    start = [
        np.searchsorted(place, player * (actions + 1) + np.minimum(words, actions))
        for player in range(players)
    ]
    # Nothing is the same for all.
    start.append(np.full(len(words), len(place)))
    return Sheet(
        tables.row[owner, action],
        action.astype(np.int32),
        np.array(start, np.int32),
        np.arange(players, dtype=np.int32),
        np.array([actions], np.int64),
    )
