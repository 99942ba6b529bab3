"""N copies of a game on the circuit engine: everything for all lanes at once."""

from __future__ import annotations

from numba import njit
import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.bits import lowest_bit
from gdl_env.engine.circuit.compiled import CompiledGame
from gdl_env.engine.circuit.lanes import BLOCK, Lanes, Rows
from gdl_env.engine.contract import NATURE, State
from gdl_env.engine.mapping import Mapping
from gdl_env.engine.mapping.table_mapping import TableMapping
from gdl_env.environment.bits import Bits
from gdl_env.environment.experiments import Experiments
from gdl_env.environment.lane_game import LaneGame, Look, Mask, public_part
from gdl_env.language.game import Game, Information
from gdl_env.language.keywords import NOOP
from gdl_env.language.terms import Symbol, args_of, name_of

# Not the name of any role: `(sees role fact)` is never meant for it.
_NOBODY = Symbol('')


class CircuitLanes(LaneGame):
    """Lanes as bits. Raises MappingError if the mapping does not know a move of the game."""

    def __init__(self, game: Game, compiled: CompiledGame, mapping: Mapping, lanes: int) -> None:
        super().__init__(game, compiled.vocabulary.roles, mapping, lanes)
        self.mapping: Mapping = mapping
        self._lanes = Lanes(compiled, lanes)
        self._vocabulary = compiled.vocabulary
        self._experiments = Experiments(game, self._vocabulary)
        # Rows of legal moves of each player and, last, of `random`; rows are sorted by role.
        owners = [role for role, _ in self._vocabulary.legal]
        self._seats = (*self.players, NATURE)
        self._ranges = [
            (owners.index(role), owners.index(role) + owners.count(role)) if role in owners else (0, 0)
            for role in self._seats
        ]
        self._columns = [self._engine_column(role) for role in self._seats]
        noop = Symbol(NOOP)
        self._is_noop = np.array([move == noop for _, move in self._vocabulary.legal], np.bool_)
        # Actions of the rows of a player, and rows of its actions (-1: never legal).
        self._actions = [
            np.array(
                [mapping.action_index(role, move) for _, move in self._vocabulary.legal[a:b]],
                np.int32,
            )
            for role, (a, b) in zip(self.players, self._ranges, strict=False)
        ]
        self._rows = [self._rows_of(p) for p in range(len(self.players))]
        self._is_percepts = game.information is Information.PERCEPTS
        self._seen = np.zeros(
            (self._lanes.blocks, len(self._vocabulary.percepts), BLOCK // 64), np.uint64
        )
        # Of each player and, last, of those who see what all may see.
        self._shown = [self._shown_columns(role) for role in (*self.players, _NOBODY)]
        self._texts: dict[int, str] = {}
        self._refresh()

    # ---- moving

    def restart(self, lanes: Mask) -> None:
        self._lanes.reset(lanes)
        if self._is_percepts:
            self._seen &= ~self._lanes.pack_mask(lanes)[:, None, :]
        self._refresh()

    def look(self) -> Look:
        return self._look

    def play(self, acting: Mask, action: NDArray[np.int32], chance: np.random.Generator) -> None:
        row = np.full((len(self._seats), self._padded), -1, np.int32)
        for seat, (low, high) in enumerate(self._ranges):
            lanes = acting[seat]
            if not lanes.any():
                continue
            drawn = lanes.copy()
            if seat < len(self.players):
                chosen = lanes & (action[seat] >= 0)
                row[seat, : self.lanes][chosen] = self._rows[seat][action[seat][chosen]]
                drawn &= ~chosen
            if drawn.any():
                self._draw(row[seat], drawn, self._legal[:, low:high], low, seat, chance)
                if seat < len(self.players):
                    action[seat][drawn] = self._actions[seat][row[seat, : self.lanes][drawn] - low]
        does = self._experiments.resolve(row, self._lanes, chance)
        moves = np.full((len(self._vocabulary.roles), self._padded), -1, np.int32)
        moves[[c for c in self._columns if c >= 0]] = does[[c >= 0 for c in self._columns]]
        mask = self._lanes.pack_mask(acting.any(axis=0))
        percepts = self._lanes.step_rows(moves, mask)
        if self._is_percepts:
            self._seen |= percepts
        self._refresh()

    def forget(self, player: int, lanes: Mask) -> None:
        if not self._is_percepts:
            return
        words = self._lanes.pack_mask(lanes)
        own = np.array([r == self.players[player] for r, _ in self._vocabulary.percepts], np.bool_)
        self._seen[:, own] &= ~words[:, None, :]

    # ---- asking

    def legal(self, player: int) -> Bits:
        low, high = self._ranges[player]
        out = np.zeros((self.lanes, -(-self.action_size // 8)), np.uint8)
        _gather(self._legal[:, low:high], self._actions[player], out)
        return Bits(out, self.action_size)

    def observe(self, player: int | None) -> Bits:
        columns = self._shown[len(self.players) if player is None else player]
        if columns is None:
            role = _NOBODY if player is None else self.players[player]
            views = [self.view(player, lane) for lane in range(self.lanes)]
            return Bits.pack(self.mapping.observe_batch(views, role))
        out = np.zeros((self.lanes, -(-self.observation_size // 8)), np.uint8)
        _gather(self._visible, columns, out)
        return Bits(out, self.observation_size)

    def goals(self) -> NDArray[np.int16]:
        rows, _ = self._lanes.score_rows()
        result = np.full((len(self.players), self.lanes), -1, np.int16)
        for index, (role, value) in enumerate(self._vocabulary.goals):
            if role != NATURE:
                held = self._lanes.unpack_mask(rows[:, index])
                own = result[self.players.index(role)]
                own[held & (own < value)] = value
        return result

    def view(self, player: int | None, lane: int) -> State:
        if player is None:
            return public_part(self.state(lane), self.game)
        role = self.players[player]
        if self._is_percepts:
            held = _column(self._seen, lane)
            return frozenset(
                percept
                for (owner, percept), is_held in zip(self._vocabulary.percepts, held, strict=True)
                if is_held and owner == role
            )
        state = self.state(lane)
        if self.game.information is Information.COMPLETE:
            return state
        return frozenset(f for f in state if name_of(f) != 'sees' or args_of(f)[0] == role)

    def state(self, lane: int) -> State:
        facts = self._vocabulary.facts
        held = _column(self._lanes.fact_rows(), lane)
        return frozenset(facts[row] for row in np.flatnonzero(held))

    def moves(self, player: int, lane: int) -> dict[str, int]:
        low, high = self._ranges[player]
        held = np.flatnonzero(_column(self._legal[:, low:high], lane))
        actions = self._actions[player][held]
        return {self.move_text(player, lane, int(a)): int(a) for a in actions}

    def move_text(self, player: int, lane: int, action: int) -> str:
        if action < 0:
            return ''
        if action not in self._texts:
            self._texts[action] = str(self.mapping.move(self.players[player], action))
        return self._texts[action]

    # ---- inside

    @property
    def _padded(self) -> int:
        return self._lanes.blocks * BLOCK

    @property
    def _visible(self) -> Rows:
        return self._seen if self._is_percepts else self._lanes.fact_rows()

    def _refresh(self) -> None:
        """Ask the rules once a step; every question is answered from this."""
        terminal, self._legal = self._lanes.look_rows()
        masks = np.zeros((3, len(self._seats), self._lanes.blocks, terminal.shape[2]), np.uint64)
        for seat, (low, high) in enumerate(self._ranges):
            _summarise(self._legal[:, low:high], self._is_noop[low:high], masks[:, seat])
        has, many, real = (
            np.stack([self._lanes.unpack_mask(words) for words in kind]) for kind in masks
        )
        self._look = Look(self._lanes.unpack_mask(terminal[:, 0]), has, many, real)

    def _draw(
        self,
        row: NDArray[np.int32],
        lanes: Mask,
        legal: Rows,
        low: int,
        seat: int,
        chance: np.random.Generator,
    ) -> None:
        """Draw a legal row for lanes of a seat."""
        words = self._lanes.pack_mask(lanes)
        skip = np.zeros(len(row), np.int32)
        if (self._look.many[seat] & lanes).any():
            counts = np.zeros(len(row), np.int32)
            _count(legal, words, counts)
            draws = chance.random(self.lanes)
            skip[: self.lanes] = np.minimum(
                draws * counts[: self.lanes], np.maximum(counts[: self.lanes] - 1, 0)
            )
        _pick(legal, words, skip, low, row)

    def _rows_of(self, player: int) -> NDArray[np.int32]:
        low, _ = self._ranges[player]
        rows = np.full(self.action_size, -1, np.int32)
        rows[self._actions[player]] = low + np.arange(len(self._actions[player]))
        return rows

    def _engine_column(self, role: Symbol) -> int:
        roles = self._vocabulary.roles
        return roles.index(role) if role in roles else -1

    def _shown_columns(self, role: Symbol) -> NDArray[np.int32] | None:
        """Return the entry of an observation for each row; None for a mapping by hand."""
        if not isinstance(self.mapping, TableMapping):
            return None
        if not self._is_percepts:
            return self.mapping.observation_columns(self._vocabulary.facts, role).astype(np.int32)
        terms = [percept for _, percept in self._vocabulary.percepts]
        columns = self.mapping.observation_columns(terms, role).astype(np.int32)
        own = np.array([owner == role for owner, _ in self._vocabulary.percepts], np.bool_)
        columns[~own] = -1
        return columns


def _column(rows: Rows, lane: int) -> Mask:
    """Return one lane: an entry a row."""
    block, within = divmod(lane, BLOCK)
    words = rows[block, :, within >> 6]
    held: Mask = ((words >> np.uint64(within & 63)) & np.uint64(1)).astype(np.bool_)
    return held


@njit(cache=True, nogil=True)
def _gather(rows, columns, out):
    """Turn rows of lanes into packed lanes of entries; negative columns are left out."""
    lanes = out.shape[0]
    for block in range(rows.shape[0]):
        for r in range(rows.shape[1]):
            column = columns[r]
            if column < 0:
                continue
            byte = column >> 3
            bit = np.uint8(1) << np.uint8(column & 7)
            for w in range(rows.shape[2]):
                first = BLOCK * block + 64 * w
                if first >= lanes:
                    break
                word = rows[block, r, w]
                while word:
                    lane = first + lowest_bit(word)
                    word &= word - np.uint64(1)
                    if lane < lanes:
                        out[lane, byte] |= bit


@njit(cache=True, nogil=True)
def _summarise(legal, is_noop, masks):
    """Find where there is a move, more than one, and one that is not `noop`."""
    for block in range(legal.shape[0]):
        for r in range(legal.shape[1]):
            for w in range(legal.shape[2]):
                word = legal[block, r, w]
                masks[1, block, w] |= masks[0, block, w] & word
                masks[0, block, w] |= word
                if not is_noop[r]:
                    masks[2, block, w] |= word


@njit(cache=True, nogil=True)
def _count(legal, lanes, counts):
    for block in range(legal.shape[0]):
        for r in range(legal.shape[1]):
            for w in range(legal.shape[2]):
                word = legal[block, r, w] & lanes[block, w]
                while word:
                    counts[BLOCK * block + 64 * w + lowest_bit(word)] += 1
                    word &= word - np.uint64(1)


@njit(cache=True, nogil=True)
def _pick(legal, lanes, skip, low, row):
    """Write the row of the legal move that comes after `skip` others."""
    left = lanes.copy()
    for block in range(legal.shape[0]):
        for r in range(legal.shape[1]):
            for w in range(legal.shape[2]):
                word = legal[block, r, w] & left[block, w]
                while word:
                    lane = BLOCK * block + 64 * w + lowest_bit(word)
                    if skip[lane] == 0:
                        row[lane] = low + r
                        left[block, w] &= ~(word & (~word + np.uint64(1)))
                    skip[lane] -= 1
                    word &= word - np.uint64(1)
