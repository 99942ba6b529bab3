"""N copies of a game: their states, and what people and learners see of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import BatchGame
from gdl_env.engine.circuit.network.possible import HAS, KINDS, MANY, REAL
from gdl_env.engine.contract import NATURE, State
from gdl_env.engine.mapping import Encoding
from gdl_env.environment.bits import Bits
from gdl_env.environment.blocks.blocks import Blocks
from gdl_env.environment.lanes.match_handle import MatchHandle
from gdl_env.environment.lanes.records import LaneArrays, Scratch, SeatNumber, SeatTables
from gdl_env.environment.lanes.seat_layout import SeatLayout
from gdl_env.environment.lanes.tick_result import TickResult
from gdl_env.environment.lanes.turn_kernels import begin_lanes
from gdl_env.environment.lanes.view_kernels import draw_decisions
from gdl_env.environment.move_log import MoveLog
from gdl_env.environment.trace import Trace
from gdl_env.language.game import Information, Turns
from gdl_env.language.terms import Term
from gdl_env.play.visibility import SPECTATOR, visible_facts

Mask: TypeAlias = NDArray[np.bool_]
# A player, and its actions by lane, which count where it decides.
Given: TypeAlias = tuple[int, NDArray[np.int32]]

# What a snapshot holds as it is; states and percepts are exported, the rest follows or is empty.
_OTHERWISE = {'states', 'seen', 'legal', 'possible', 'held', 'punished'}
_KEPT = tuple(name for name in LaneArrays._fields if name not in _OTHERWISE)
_EVERYWHERE = nullcontext()


class Lanes:
    """States of N copies of a game, and nothing else: no answers, no rewards.

    Players are counted in the order of the rules, without `random`. Moves are actions of the
    encoding; in a game without one they are numbered as they come.
    """

    def __init__(self, batch: BatchGame, encoding: Encoding | None, lanes: int) -> None:
        """Put all lanes at the start. Raises EncodingError if it does not know a move."""
        self.batch = batch
        self.game = batch.game
        self.mapping = encoding
        # The length of an observation, and the number of actions; 0 without an encoding.
        self.observation_size = encoding.observation_size if encoding else 0
        self.action_size = encoding.action_size if encoding else 0
        self.lanes = lanes
        self.roles = batch.roles
        self.players = tuple(role for role in batch.roles if role != NATURE)
        self.has_percepts = self.game.information is Information.PERCEPTS
        # Where to write down what happens, step by step; None for nowhere.
        self.trace: Trace | None = None
        # The same for the moves of lane 0 alone; it may come and go between ticks.
        self.move_log: MoveLog | None = None
        # Some engines know the moves of a state once they were asked for them.
        batch.look(batch.initial)
        self.layout = SeatLayout(batch, encoding)
        self._texts: dict[tuple[int, int], str] = {}
        # Whether some lanes are left alone.
        self._is_holding = False
        # The same lanes in another form, for plain ticks: only on the circuit engine.
        self.blocks: Blocks | None = None
        seats, words, percepts = len(self.players) + 1, batch.initial.shape[1], batch.percept_words
        self.arrays = LaneArrays(
            states=np.zeros((lanes, words), np.uint64),
            seen=np.zeros((lanes, percepts), np.uint64),
            legal=np.zeros((lanes, int(self.layout.start[-1])), np.uint64),
            possible=np.zeros((lanes, self._possible_words), np.uint64),
            acts=np.zeros((seats, lanes), np.bool_),
            decides=np.zeros((seats - 1, lanes), np.bool_),
            is_open=np.zeros(lanes, np.bool_),
            left=np.zeros(lanes, np.int64),
            steps=np.zeros(lanes, np.int64),
            last=np.zeros(lanes, np.int64),
            episode=np.zeros(lanes, np.int64),
            held=np.zeros(lanes, np.bool_),
            punished=np.zeros(lanes, np.bool_),
        )
        self.scratch = Scratch(
            work=np.zeros(lanes, np.int32),
            stepping=np.zeros(lanes, np.int32),
            ending=np.zeros(lanes, np.int32),
            chosen=np.zeros((seats, lanes), np.int32),
            does=np.zeros((seats, lanes), np.int32),
            given=np.zeros((seats - 1, lanes), np.int32),
            able=np.zeros(lanes, np.uint64),
        )
        self.numbers = np.zeros(SeatNumber.COUNT, np.int64)
        self.numbers[SeatNumber.PLAYERS] = len(self.players)
        self.numbers[SeatNumber.IS_SERIAL] = self.game.turns is Turns.SERIAL
        self.seats = self._make_seats()
        self.handle = self._make_handle()
        begin_lanes(self.handle.address)

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the names of what can end a compiled tick with an error, in their order.

        These are experiments that may have no event and marks of values outside their range.
        """
        return tuple(sorted(self.game.experiments))

    # ---- moving

    def update_rows(self, lane: int | None = None) -> None:
        """Bring the row of a lane up to date, or all rows, where lanes have another form, too."""

    def change_rows(self) -> None:
        """Bring all rows up to date, and take note that they are about to change."""

    def refresh(self, chosen: NDArray[np.intp]) -> None:
        """Ask the rules what is possible in some lanes, whose states have changed."""
        legal, possible = self._look(self.arrays.states[chosen])
        self.arrays.legal[chosen] = legal
        self.arrays.possible[chosen] = possible

    def _look(self, states: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return what is legal in states, and what is possible in short: see LaneArrays."""
        look = self.batch.look(states)
        real = look.find_real_moves(self.batch)
        self._learn_moves()
        legal = np.zeros((len(states), int(self.layout.start[-1])), np.uint64)
        for seat, role in enumerate(self.layout.roles):
            if role < 0:
                continue
            first, bits = int(self.layout.start[seat]), self.layout.bits_of(seat)
            for index in range(len(states)):
                for row in look.moves(index, role).tolist():
                    bit = bits[row]
                    legal[index, first + (bit >> 6)] |= np.uint64(1 << (bit & 63))
        counts = look.counts()
        found = np.zeros((len(states), 64 * self._possible_words), np.uint8)
        for seat, role in enumerate(self.layout.roles):
            if role >= 0:
                found[:, KINDS * seat + HAS] = counts[:, role] > 0
                found[:, KINDS * seat + MANY] = counts[:, role] > 1
                found[:, KINDS * seat + REAL] = real[:, role]
        found[:, KINDS * len(self.layout.roles)] = look.terminal
        return legal, np.packbits(found, axis=1, bitorder='little').view(np.uint64)

    @property
    def _possible_words(self) -> int:
        return -(-(KINDS * (len(self.players) + 1) + 1) // 64)

    def _learn_moves(self) -> None:
        """Take in moves that the engine has met for the first time."""
        version, rows, old = self.layout.version, self.layout.rows(), self.layout.start
        self.layout.learn(self.batch.known_moves)
        if self.layout.version == version:
            return
        # Bits have new numbers: in the lanes, and in the tick that is under way.
        legal, _ = self._look(self.arrays.states)
        self.arrays = self.arrays._replace(legal=legal)
        action = self.handle.result.action
        if self.mapping is None:
            for player, lane in np.argwhere(action >= 0).tolist():
                row = int(rows[64 * old[player] + action[player, lane]])
                action[player, lane] = self.layout.bits_of(player)[row]
        self._texts.clear()
        self.seats = self._make_seats()
        self.handle = self._make_handle(self.handle.result)

    def _make_seats(self) -> SeatTables:
        """Tabulate whose moves lie where, and how an episode begins."""
        initial = self.batch.initial
        legal, possible = self._look(initial)
        return SeatTables(
            self.layout.start,
            self.layout.noops(),
            initial[0],
            legal[0],
            possible[0],
            self.find_own_percepts(),
            self.numbers,
        )

    def find_own_percepts(self) -> NDArray[np.uint64]:
        """Return the percepts that belong to each player, as far as they are known: (P, V)."""
        own = np.zeros((len(self.players), self.batch.percept_words), np.uint64)
        for player, role in enumerate(self.batch.players):
            for bit in self.batch.percepts_of(role).values():
                own[player, bit >> 6] |= np.uint64(1 << (bit & 63))
        return own

    def _make_handle(self, result: TickResult | None = None) -> MatchHandle:
        """Return the handle for compiled code; a tick that is under way keeps its result."""
        return MatchHandle(self.seats, self.arrays, self.scratch, result=result)

    def final_rows(self, result: TickResult) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the last states and percepts of lanes that ended in a tick, a row a lane.

        Rows of other lanes mean nothing.
        """
        return result.final_states, result.final_seen

    # ---- all lanes, for learners

    def observe(
        self,
        player: int | None,
        states: NDArray[np.uint64] | None = None,
        seen: NDArray[np.uint64] | None = None,
    ) -> Bits:
        """Return what a player sees, a row a lane; None sees what all may see.

        With `states` and `seen`, what it saw there.
        """
        if states is None:
            self.update_rows()
        states = self.arrays.states if states is None else states
        seen = self.arrays.seen if seen is None else seen
        if self.mapping is None:
            return Bits(np.zeros((len(states), 0), np.uint8), 0)
        views = [self.view_of(player, *rows) for rows in zip(states, seen, strict=True)]
        role = SPECTATOR if player is None else self.players[player]
        return Bits.pack(self.mapping.observe_batch(views, role))

    def observe_final(self, player: int, result: TickResult) -> Bits:
        """Return what a player saw last in the lanes that ended in a tick, in rising order."""
        states, seen = self.final_rows(result)
        return self.observe(player, states[result.ended], seen[result.ended])

    def show(self, player: int, *, is_asked: bool) -> tuple[Bits, Bits]:
        """Return what a player sees, and its legal actions where it decides."""
        size = self.action_size
        legal = Bits(np.zeros((self.lanes, -(-size // 8)), np.uint8), size)
        if is_asked:
            legal = self.legal(player)
            legal.data[~self.arrays.decides[player]] = 0
        return self.observe(player), legal

    def show_bytes(self, entries: int, actions: int) -> NDArray[np.int8]:
        """Return what each player sees in lane 0, then its legal actions, a byte an entry.

        Observations and masks are filled up with zeros to these sizes.
        """
        out = np.zeros((len(self.players), entries + actions), np.int8)
        for player, row in enumerate(out if self.mapping is not None else ()):
            is_asked = bool(self.arrays.decides[player, 0])
            seen, legal = self.show(player, is_asked=is_asked)
            row[: seen.size] = seen.row(0)
            row[entries : entries + legal.size] = legal.row(0)
        return out

    def only(self, lanes: Mask | None) -> AbstractContextManager[None]:
        """Leave all other lanes alone meanwhile; None: play all."""
        return _EVERYWHERE if lanes is None else self._only(lanes)

    @contextmanager
    def _only(self, lanes: Mask) -> Iterator[None]:
        self._hold(~lanes)
        try:
            yield
        finally:
            self._hold(None)

    def _hold(self, lanes: Mask | None) -> None:
        """Leave these lanes alone; None: none of them."""
        self.arrays.held[:] = False if lanes is None else lanes
        self._is_holding = lanes is not None

    def count_decisions(self) -> int:
        """Return how many decisions there are in lanes that are not held."""
        decides = self.arrays.decides
        return int(np.count_nonzero(decides & ~self.arrays.held if self._is_holding else decides))

    def draw(self, key: np.uint64, given: Given | None = None) -> NDArray[np.int32]:
        """Return an action for each decision: given, or drawn as the tick of a key draws it."""
        legal = self.collect(is_blind=True)[1]
        action = np.empty(len(legal), np.int32)
        draw_decisions(self.handle.address, legal.data, key, action)
        if given is not None:
            player, lane = np.nonzero(self.arrays.decides & ~self.arrays.held)
            action[player == given[0]] = given[1][lane[player == given[0]]]
        return action

    def collect(self, *, is_blind: bool = False) -> tuple[Bits, Bits]:
        """Return what is seen in all decisions, player by player, and what is legal there.

        Lanes that are held have no decisions. `is_blind`: no observation is wanted.
        """
        player, lane = np.nonzero(self.arrays.decides & ~self.arrays.held)
        shown = [self.show(index, is_asked=True) for index in range(len(self.players))]
        seen = np.stack([observation.data for observation, _ in shown])[player, lane]
        legal = np.stack([mask.data for _, mask in shown])[player, lane]
        return Bits(seen, self.observation_size), Bits(legal, self.action_size)

    def legal(self, player: int) -> Bits:
        """Return the legal actions of a player: lanes by actions."""
        self.update_rows()
        low, high = self.layout.start[player : player + 2]
        size = self.action_size if self.mapping else 64 * int(high - low)
        rows = np.ascontiguousarray(self.arrays.legal[:, low:high]).view(np.uint8)
        return Bits(np.ascontiguousarray(rows[:, : -(-size // 8)]), size)

    # ---- one lane, for people

    def state(self, lane: int) -> State:
        """Return all facts, hidden ones too."""
        self.update_rows(lane)
        return self.batch.to_state(self.arrays.states[lane])

    def is_terminal(self, lane: int) -> bool:
        """Tell whether the game of a lane is over."""
        self.update_rows(lane)
        bit = KINDS * len(self.layout.roles)
        return bool(int(self.arrays.possible[lane, bit >> 6]) >> (bit & 63) & 1)

    def goals(self, lane: int) -> list[int]:
        """Return the goal of each player in a lane, -1 where the rules give none."""
        self.update_rows(lane)
        goals = self.batch.goals(self.arrays.states[lane : lane + 1])[0]
        return [int(goals[role]) for role in self.batch.players]

    def view(self, player: int | None, lane: int) -> State:
        """Return what a player sees; None sees what all may see."""
        self.update_rows(lane)
        return self.view_of(player, self.arrays.states[lane], self.arrays.seen[lane])

    def view_of(
        self, player: int | None, state: NDArray[np.uint64], seen: NDArray[np.uint64]
    ) -> State:
        """Return what a player sees of a state and of percepts, each a row."""
        role = SPECTATOR if player is None else self.players[player]
        if not self.has_percepts:
            return visible_facts(self.game, self.batch.to_state(state), role)
        return frozenset() if player is None else self.percepts_in(player, seen)

    def percepts_in(self, player: int, row: NDArray[np.uint64]) -> frozenset[Term]:
        """Return the percepts of a player in a row of percepts."""
        own = self.batch.percepts_of(self.batch.players[player])
        return frozenset(
            percept for percept, bit in own.items() if int(row[bit >> 6]) >> (bit & 63) & 1
        )

    def view_texts(self, player: int | None, lane: int) -> tuple[str, ...]:
        """Return what a player sees as text, sorted."""
        return tuple(sorted(map(str, self.view(player, lane))))

    def moves(self, player: int, lane: int) -> dict[str, int]:
        """Return the legal moves of a player as text, with their actions, in order."""
        self.update_rows(lane)
        low, high = self.layout.start[player : player + 2]
        row = self.arrays.legal[lane, low:high].view(np.uint8)
        actions = np.flatnonzero(np.unpackbits(row, bitorder='little')).tolist()
        return {text: action for action, text in self.layout.list_moves(player, actions)}

    def move_text(self, player: int, action: int) -> str:
        """Return an action as text; '' for a negative one."""
        if action < 0:
            return ''
        key = player, action
        if key not in self._texts:
            _, move = self.batch.legal_move(self.layout.row(player, action))
            self._texts[key] = str(move)
        return self._texts[key]

    def name_moves(self, result: TickResult) -> tuple[str, ...]:
        """Return what each player played in lane 0 on the decisions of a tick, as text."""
        chosen, acted = result.action[:, 0].tolist(), result.acting[:, 0].tolist()
        return tuple(
            [
                self.move_text(player, chosen[player]) if acted[player] else ''
                for player in range(len(self.players))
            ]
        )

    # ---- continuing later

    def snapshot(self) -> dict[str, Any]:
        """Return where the lanes are: arrays, lists and text only."""
        self.update_rows()
        kept: dict[str, Any] = {name: getattr(self.arrays, name).copy() for name in _KEPT}
        kept['states'] = self.batch.export_states(self.arrays.states)
        kept['seen'] = self.batch.export_percepts(self.arrays.seen)
        return kept

    def restore(self, held: dict[str, Any]) -> None:
        """Return to what `snapshot` returned, of the same game and number of lanes."""
        self.change_rows()
        for name in _KEPT:
            getattr(self.arrays, name)[:] = held[name]
        self.arrays.states[:] = self.batch.import_states(held['states'])
        self.arrays.seen[:] = self.batch.import_percepts(held['seen'])
        self.refresh(np.arange(self.lanes))

    def close(self) -> None:
        """Release what is held."""
        self.batch.close()
