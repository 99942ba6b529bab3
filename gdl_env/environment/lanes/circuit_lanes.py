"""Lanes on the circuit engine: whole ticks and views of all lanes in single compiled calls."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.circuit_programs import prepare_programs
from gdl_env.engine.batch.layout import ZERO
from gdl_env.engine.circuit.network.possible import KINDS
from gdl_env.engine.mapping import Encoding
from gdl_env.engine.mapping.table_encoding import TableEncoding
from gdl_env.environment.bits import Bits
from gdl_env.environment.blocks.blocks import Blocks, make_views
from gdl_env.environment.blocks.ends import unpack_final
from gdl_env.environment.lanes.byte_views import show_bytes
from gdl_env.environment.lanes.lanes import Given, Lanes, Mask
from gdl_env.environment.lanes.match_handle import MatchHandle
from gdl_env.environment.lanes.records import (
    DRAWN,
    DrawTables,
    GoalTables,
    SeatNumber,
    ViewTables,
)
from gdl_env.environment.lanes.tick_result import TickResult
from gdl_env.environment.lanes.view_kernels import collect_decisions, observe_rows, show_lanes
from gdl_env.play.visibility import SPECTATOR, is_visible

# Fewer lanes than this take less time as rows.
FEWEST_LANES = 48
# More outcomes of one move than this are drawn step by step instead.
_MOST_OUTCOMES = 1_000_000
_NOTHING = np.zeros(1, np.int32)
_NO_VIEWS = ViewTables(_NOTHING, _NOTHING, _NOTHING, np.zeros(1, np.int64))


class CircuitLanes(Lanes):
    """Lanes whose ticks can be played by `tick_kernel`."""

    def __init__(self, batch: CircuitBatch, encoding: Encoding | None, lanes: int) -> None:
        self._circuit = batch
        self._seen_texts: dict[int | None, tuple[NDArray[np.intp], list[str]]] = {}
        super().__init__(batch, encoding, lanes)

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the names of what can end a tick with an error; see Lanes."""
        return (*super().failures, *map(str, self._circuit.vocabulary.marks))

    # ---- tables

    def _make_handle(self, result: TickResult | None = None) -> MatchHandle:
        """Return the handle for compiled ticks; without programs where that is impossible."""
        # Whether observations are made by compiled code: not with an encoding by hand.
        self._views = self._make_views()
        draws = self._make_draws()
        if draws is None:
            return super()._make_handle(result)
        programs = prepare_programs(self._circuit.compiled, self.lanes)
        look = programs.look
        rows = self.layout.rows()
        # The last entry is for bits without a move: a game may have no move at all.
        legal = np.append(look.legal, np.int32(ZERO))[rows].astype(np.int32)
        # What each seat can do, in the order of seats, and last whether the game is over.
        possible = [
            look.possible[KINDS * role + kind] if role >= 0 else ZERO
            for role in self.layout.roles
            for kind in range(KINDS)
        ]
        possible.append(look.terminal)
        programs = programs._replace(
            look=look._replace(legal=legal, possible=np.array(possible, np.int32))
        )
        vocabulary = self._circuit.vocabulary
        self.numbers[SeatNumber.DRAWS] = len(draws.first)
        self.numbers[SeatNumber.MARKS] = len(vocabulary.marks)
        player = {role: index for index, role in enumerate(self.players)}
        goals = GoalTables(
            np.array([player.get(role, -1) for role, _ in vocabulary.goals], np.int32),
            np.array([value for _, value in vocabulary.goals], np.int32),
        )
        # Where the events of experiments lie is known only now.
        draws = draws._replace(event_row=programs.score.events[draws.event_row])
        circuit = self._views or _NO_VIEWS, draws, goals, programs
        is_plain = not len(draws.first) and not self.has_percepts and self._views is not None
        has_blocks = is_plain and self.lanes >= FEWEST_LANES
        handle = MatchHandle(
            self.seats, self.arrays, self.scratch, circuit, result, has_blocks=has_blocks
        )
        self.blocks = None
        if has_blocks and self._views is not None:
            compiled = self._circuit.compiled
            operations = len(compiled.step.operations) + len(compiled.look.operations)
            self.blocks = Blocks(
                self.layout,
                self.seats,
                self.arrays,
                handle,
                programs,
                draws.plain,
                make_views(self._views, len(self.players), self.observation_size),
                operations,
            )
        return handle

    def _make_draws(self) -> DrawTables | None:
        """Tabulate what is done by each legal move. None if that would be too much."""
        vocabulary, batch = self._circuit.vocabulary, self._circuit
        names = sorted(self.game.experiments)
        events = [
            [row for row, event in enumerate(vocabulary.events) if event[0] == name]
            for name in names
        ]
        order = [row for rows in events for row in rows]
        rows = self.layout.rows()
        plain = batch.plain(rows).copy()
        start: list[int] = [0]
        first: list[int] = []
        experiment: list[int] = []
        does: list[int] = []
        for bit in np.flatnonzero(plain == DRAWN).tolist():
            role, move = batch.legal_move(int(rows[bit]))
            named = [names.index(name) for name in batch.names_of(move)]
            if np.prod([len(events[k]) for k in named], dtype=float) > _MOST_OUTCOMES:
                return None
            plain[bit] = DRAWN - len(first)
            first.append(len(does))
            experiment += named
            start.append(len(experiment))
            for drawn in product(*(events[k] for k in named)):
                played = batch.put_events(move, drawn)
                does.append(batch.does_row(role, played))
        return DrawTables(
            plain.astype(np.int32),
            np.array(start, np.int32),
            np.array(experiment, np.int32),
            np.array(first, np.int32),
            np.array(does, np.int32),
            np.cumsum([0, *map(len, events)]).astype(np.int32),
            np.array(order, np.int32),
            np.array([vocabulary.events[row][1] for row in order], np.int32),
        )

    def _make_views(self) -> ViewTables | None:
        """Tabulate what each viewer is shown; None for an encoding by hand, or none."""
        if not isinstance(self.mapping, TableEncoding):
            return None
        start = [0]
        bits: list[NDArray[np.int64]] = []
        columns: list[NDArray[np.int64]] = []
        for role in (*self.players, SPECTATOR):
            column = self._columns(self.mapping, role)
            shown = np.flatnonzero(column >= 0)
            # In the order of the entries: neighbours are written together.
            shown = shown[np.argsort(column[shown], kind='stable')]
            bits.append(shown)
            columns.append(column[shown])
            start.append(start[-1] + len(shown))
        return ViewTables(
            np.array(start, np.int32),
            np.concatenate(bits).astype(np.int32),
            np.concatenate(columns).astype(np.int32),
            np.array([self.has_percepts], np.int64),
        )

    def _columns(self, encoding: TableEncoding, role: object) -> NDArray[np.int64]:
        """Return the entry of an observation for each bit; -1: not shown."""
        vocabulary = self._circuit.vocabulary
        if not self.has_percepts:
            return encoding.observation_columns(vocabulary.facts, role)  # type: ignore[arg-type]
        column = np.full(len(vocabulary.percepts), -1, np.int64)
        own = [bit for bit, (owner, _) in enumerate(vocabulary.percepts) if owner == role]
        terms = [vocabulary.percepts[bit][1] for bit in own]
        column[own] = encoding.observation_columns(terms, role)  # type: ignore[arg-type]
        return column

    # ---- all lanes

    def update_rows(self, lane: int | None = None) -> None:
        """Bring the row of a lane up to date, or all rows."""
        if self.blocks is not None:
            self.blocks.update_rows(lane)

    def change_rows(self) -> None:
        """Bring all rows up to date, and take note that they are about to change."""
        if self.blocks is not None:
            self.blocks.forget()

    def final_rows(self, result: TickResult) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the last states and percepts of lanes that ended; see Lanes."""
        if result.final_lanes.size:
            width = result.final_lanes.shape[1]
            unpack_final(result.final_bits, result.final_lanes, width, result.final_states)
        return super().final_rows(result)

    def observe(
        self,
        player: int | None,
        states: NDArray[np.uint64] | None = None,
        seen: NDArray[np.uint64] | None = None,
    ) -> Bits:
        """Return what a player sees, a row a lane; see Lanes."""
        if self._views is None:
            return super().observe(player, states, seen)
        if states is None:
            self.update_rows()
        viewer = len(self.players) if player is None else player
        rows = seen if self.has_percepts else states
        if rows is None:
            rows = self.arrays.seen if self.has_percepts else self.arrays.states
        return self._observe_rows(viewer, rows, np.arange(len(rows), dtype=np.int32))

    def observe_final(self, player: int, result: TickResult) -> Bits:
        """Return what a player saw last in the lanes that ended; see Lanes."""
        if self._views is None:
            return super().observe_final(player, result)
        if self.blocks is not None:
            found = self.blocks.show_final(player, result, self.observation_size)
            if found is not None:
                return found
        states, seen = self.final_rows(result)
        chosen = np.flatnonzero(result.ended).astype(np.int32)
        return self._observe_rows(player, seen if self.has_percepts else states, chosen)

    def _observe_rows(
        self, viewer: int, rows: NDArray[np.uint64], chosen: NDArray[np.int32]
    ) -> Bits:
        size = self.observation_size
        out = np.empty((len(chosen), -(-size // 8)), np.uint8)
        observe_rows(self._views, viewer, rows, chosen, out)
        return Bits(out, size)

    def show(self, player: int, *, is_asked: bool) -> tuple[Bits, Bits]:
        """Return what a player sees, and its legal actions where it decides."""
        if self._views is None or not self.handle.is_circuit:
            return super().show(player, is_asked=is_asked)
        if self.blocks is not None and self.blocks.is_fresh:
            return self.blocks.show(player, self.observation_size)
        count, entries, actions = self.lanes, self.observation_size, self.action_size
        seen = np.empty((count, entries + 7 >> 3), np.uint8)
        if is_asked and count == 1:
            # The whole mask is written.
            legal = asked = np.empty((1, actions + 7 >> 3), np.uint8)
        else:
            legal = np.zeros((count, actions + 7 >> 3), np.uint8)
            asked = legal if is_asked else legal[:0]
        show_lanes(self.handle.address, player, seen, asked)
        return Bits(seen, entries), Bits(legal, actions)

    def show_bytes(self, entries: int, actions: int) -> NDArray[np.int8]:
        """Return what each player sees in lane 0, then its legal actions; see Lanes."""
        if self._views is None or not self.handle.is_circuit:
            return super().show_bytes(entries, actions)
        self.update_rows(0)
        out = np.empty((len(self.players), entries + actions), np.int8)
        show_bytes(self.handle.address, entries, out)
        return out

    def _hold(self, lanes: Mask | None) -> None:
        """Leave these lanes alone; None: none of them."""
        super()._hold(lanes)
        if self.blocks is not None:
            self.blocks.hold(lanes)

    def draw(self, key: np.uint64, given: Given | None = None) -> NDArray[np.int32]:
        """Return an action for each decision, given or drawn; see Lanes."""
        if self.blocks is None:
            return super().draw(key, given)
        return self.blocks.draw(key, given)

    def collect(self, *, is_blind: bool = False) -> tuple[Bits, Bits]:
        """Return what is seen in all decisions, and what is legal there; see Lanes."""
        if self._views is None or not self.handle.is_circuit:
            return super().collect(is_blind=is_blind)
        count = self.count_decisions()
        if self.blocks is not None:
            return self.blocks.collect(count, self.observation_size, is_blind=is_blind)
        sizes = self.observation_size, self.action_size
        seen = np.empty((0 if is_blind else count, -(-sizes[0] // 8)), np.uint8)
        legal = np.empty((count, -(-sizes[1] // 8)), np.uint8)
        collect_decisions(self.handle.address, seen, legal)
        return Bits(seen, sizes[0]), Bits(legal, sizes[1])

    # ---- one lane, for people

    def view_texts(self, player: int | None, lane: int) -> tuple[str, ...]:
        """Return what a player sees as text, sorted."""
        if self.has_percepts:
            return super().view_texts(player, lane)
        if player not in self._seen_texts:
            facts = self._circuit.vocabulary.own_facts
            role = SPECTATOR if player is None else self.players[player]
            rows = [row for row, fact in enumerate(facts) if is_visible(self.game, fact, role)]
            rows.sort(key=lambda row: str(facts[row]))
            self._seen_texts[player] = np.array(rows, np.intp), [str(facts[row]) for row in rows]
        self.update_rows(lane)
        order, texts = self._seen_texts[player]
        held = self._circuit.unpack(self.arrays.states[lane])[0][order]
        return tuple([texts[place] for place in np.flatnonzero(held).tolist()])
