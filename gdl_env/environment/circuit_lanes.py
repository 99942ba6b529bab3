"""N copies of a game on the circuit engine: everything for all lanes at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.compiled import CompiledGame
from gdl_env.engine.circuit.kernel import WIDE
from gdl_env.engine.circuit.tape import ONES, Tape
from gdl_env.engine.contract import NATURE, State
from gdl_env.engine.interpreter import Step
from gdl_env.engine.mapping import Mapping
from gdl_env.engine.mapping.table_mapping import TableMapping
from gdl_env.environment.bits import Bits
from gdl_env.environment.chance import Chance
from gdl_env.environment.experiments import Experiments
from gdl_env.environment.lane_game import LaneGame, Look, Mask, public_part
from gdl_env.environment.lane_kernels import (
    BLOCK,
    column,
    find_held,
    gather,
    look_blocks,
    play_rows,
    put_rows,
    score_blocks,
    step_blocks,
)
from gdl_env.language.game import Game, Information, Turns
from gdl_env.language.keywords import NOOP
from gdl_env.language.terms import Symbol, Term, args_of, name_of

# Not the name of any role: `(sees role fact)` is never meant for it.
_NOBODY = Symbol('')
_NO_DRAWS = np.zeros((0, 0))


class CircuitLanes(LaneGame):
    """Lanes as bits. Raises MappingError if the mapping does not know a move of the game."""

    def __init__(self, game: Game, compiled: CompiledGame, mapping: Mapping, lanes: int) -> None:
        super().__init__(game, compiled.vocabulary.roles, mapping, lanes)
        self.mapping: Mapping = mapping
        self._vocabulary = compiled.vocabulary
        self._is_percepts = game.information is Information.PERCEPTS
        self._is_serial = game.turns is Turns.SERIAL
        self._lay_out_moves(game)
        self._shown = [self._shown_columns(role) for role in (*self.players, _NOBODY)]
        self._visible: dict[int | None, tuple[NDArray[np.intp], list[str]]] = {}
        self._texts: dict[tuple[int, int], str] = {}
        self._named: dict[int, tuple[NDArray[np.intp], list[str], list[int]]] = {}

        blocks = -(-lanes // BLOCK)
        self._initial = np.array(self._vocabulary.initial, np.bool_)
        self._state = np.zeros((blocks, len(self._initial), WIDE), np.uint64)
        self._seen = np.zeros((blocks, len(self._vocabulary.percepts), WIDE), np.uint64)
        self._legal = np.zeros((blocks, len(self._vocabulary.legal), WIDE), np.uint64)
        self._tape_of_look = _prepare(compiled.look)
        self._tape_of_step = _prepare(compiled.step)
        self._score = compiled.score
        self._tape_of_score = _prepare(compiled.score)
        # Where goals are, whose they are (-1 for `random`), and their values.
        self._scores = compiled.score.outputs[0], *self._lay_out_goals()
        self._look_slots = int(compiled.look.outputs[0][0]), compiled.look.outputs[1]
        self._step_slots = compiled.step.outputs
        self._terminal = np.zeros(lanes, np.bool_)
        self._possible = np.zeros((3, len(self._seats), lanes), np.bool_)
        self._look = Look(self._terminal, *self._possible)
        everywhere = np.ones(lanes, np.bool_)
        put_rows(self._state, everywhere, self._initial)
        self._refresh()
        self.arrays = self._arrays()
        # What is possible at the start: lanes that begin again need not ask.
        self._first = (
            bool(self._terminal[0]),
            self._possible[:, :, :1].copy(),
            column(self._legal, 0),
        )

    def _lay_out_moves(self, game: Game) -> None:
        """Tabulate the moves of each player and, last, of `random`; rows are sorted by role."""
        legal = self._vocabulary.legal
        owners = [role for role, _ in legal]
        self._seats = (*self.players, NATURE)
        self._ranges = np.zeros((len(self._seats), 2), np.int64)
        for seat, role in enumerate(self._seats):
            if role in owners:
                low = owners.index(role)
                self._ranges[seat] = low, low + owners.count(role)
        noop = Symbol(NOOP)
        self._is_noop = np.array([move == noop for _, move in legal], np.bool_)
        self._actions_of = np.full(len(legal), -1, np.int32)
        self._rows_of = np.full((max(1, len(self.players)), self.action_size), -1, np.int32)
        for row, (role, move) in enumerate(legal):
            if role != NATURE:
                action = self.mapping.action_index(role, move)
                self._actions_of[row] = action
                self._rows_of[self.players.index(role), action] = row
        self._experiments = Experiments(game, self._vocabulary)

    def _lay_out_goals(self) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
        goals = self._vocabulary.goals
        seats = [-1 if role == NATURE else self.players.index(role) for role, _ in goals]
        return np.array(seats, np.int32), np.array([value for _, value in goals], np.int16)

    def _arrays(self) -> tuple[Any, Any] | None:
        """Return what whole ticks are played with, where all act and nothing is drawn."""
        if self._is_serial or self._is_percepts or (self._experiments.plain == -2).any():
            return None
        rules = (
            self._tape_of_step,
            *self._step_slots,
            self._tape_of_look,
            *self._look_slots,
            self._ranges,
            self._rows_of,
            self._actions_of,
            self._is_noop,
            self._experiments.plain,
        )
        return rules, (self._state, self._legal, self._terminal, self._possible, self._seen)

    # ---- moving

    def restart(self, lanes: Mask) -> None:
        terminal, possible, legal = self._first
        put_rows(self._state, lanes, self._initial)
        put_rows(self._legal, lanes, legal)
        self._terminal[lanes] = terminal
        self._possible[:, :, lanes] = possible
        if self._is_percepts:
            put_rows(self._seen, lanes, np.zeros(self._seen.shape[1], np.bool_))

    def look(self) -> Look:
        return self._look

    def play(self, acting: Mask, action: NDArray[np.int32], chance: Chance) -> None:
        row = np.empty(acting.shape, np.int32)
        does = np.empty(acting.shape, np.int32)
        active = np.empty(self.lanes, np.bool_)

        def play(draws: NDArray[np.float64]) -> bool:
            is_played: bool = play_rows(
                acting,
                self._look.many,
                action,
                draws,
                self._legal,
                self._ranges,
                self._rows_of,
                self._actions_of,
                row,
                self._experiments.plain,
                does,
                active,
            )
            return is_played

        if not play(_NO_DRAWS):
            play(chance.random(acting.shape))
        self._experiments.resolve(does, row, self._events, chance)
        # Who passes in a serial game leaves the state as it is; row -1 is for those who rest.
        moving = active
        if self._is_serial:
            moving = active & ~np.append(self._is_noop, True)[row].all(axis=0)
        after, seen = self._step_slots
        percepts = np.zeros_like(self._seen) if self._is_percepts else self._seen
        step_blocks(self._state, does, moving, *self._tape_of_step, after, seen, percepts)
        if self._is_percepts:
            self._seen |= percepts
        if self.trace is not None:
            for lane in np.flatnonzero(active[: self.trace.lanes]):
                self._tell(int(lane), row[:, lane], does[:, lane], percepts)
        self._refresh()

    def forget(self, player: int, lanes: Mask) -> None:
        if not self._is_percepts:
            return
        for index, (role, _) in enumerate(self._vocabulary.percepts):
            if role == self.players[player]:
                put_rows(self._seen[:, index : index + 1], lanes, np.zeros(1, np.bool_))

    def snapshot(self) -> dict[str, Any]:
        return {'state': self._state.copy(), 'seen': self._seen.copy()}

    def restore(self, held: dict[str, Any]) -> None:
        self._state[:] = held['state']
        self._seen[:] = held['seen']
        self._refresh()

    def _refresh(self) -> None:
        over, slots = self._look_slots
        look_blocks(
            self._state,
            *self._tape_of_look,
            over,
            slots,
            self._legal,
            self._ranges,
            self._is_noop,
            self._terminal,
            self._possible,
        )

    # ---- asking

    def legal(self, player: int) -> Bits:
        low, high = self._ranges[player]
        out = np.zeros((self.lanes, -(-self.action_size // 8)), np.uint8)
        gather(self._legal, low, high, self._actions_of[low:high], out)
        return Bits(out, self.action_size)

    def observe(self, player: int | None) -> Bits:
        columns = self._shown[len(self.players) if player is None else player]
        if columns is None:
            role = _NOBODY if player is None else self.players[player]
            views = [self.view(player, lane) for lane in range(self.lanes)]
            return Bits.pack(self.mapping.observe_batch(views, role))
        out = np.zeros((self.lanes, -(-self.observation_size // 8)), np.uint8)
        visible = self._seen if self._is_percepts else self._state
        gather(visible, 0, visible.shape[1], columns, out)
        return Bits(out, self.observation_size)

    def goals(self) -> NDArray[np.int16]:
        result = np.full((len(self.players), self.lanes), -1, np.int16)
        score_blocks(self._state, *self._tape_of_score, *self._scores, result)
        return result

    def view(self, player: int | None, lane: int) -> State:
        if player is None:
            return public_part(self.state(lane), self.game)
        role = self.players[player]
        if self._is_percepts:
            held = np.flatnonzero(column(self._seen, lane))
            told = (self._vocabulary.percepts[index] for index in held)
            return frozenset(percept for owner, percept in told if owner == role)
        state = self.state(lane)
        if self.game.information is Information.COMPLETE:
            return state
        return frozenset(f for f in state if name_of(f) != 'sees' or args_of(f)[0] == role)

    def view_texts(self, player: int | None, lane: int) -> tuple[str, ...]:
        if self._is_percepts:
            return super().view_texts(player, lane)
        rows, texts = self._visible_rows(player)
        return tuple([texts[place] for place in _held(self._state, rows, lane)])

    def _visible_rows(self, player: int | None) -> tuple[NDArray[np.intp], list[str]]:
        """Return the rows of the facts that a player may see, in the order of their texts."""
        if player not in self._visible:
            facts = self._vocabulary.facts
            role = _NOBODY if player is None else self.players[player]
            is_open = self.game.information is Information.COMPLETE
            rows = [
                row
                for row, fact in enumerate(facts)
                if is_open or name_of(fact) != 'sees' or args_of(fact)[0] == role
            ]
            rows.sort(key=lambda row: str(facts[row]))
            self._visible[player] = np.array(rows, np.intp), [str(facts[row]) for row in rows]
        return self._visible[player]

    def state(self, lane: int) -> State:
        facts = self._vocabulary.facts
        return frozenset(facts[row] for row in np.flatnonzero(column(self._state, lane)))

    def moves(self, player: int, lane: int) -> dict[str, int]:
        rows, texts, actions = self._own_moves(player)
        return {texts[place]: actions[place] for place in _held(self._legal, rows, lane)}

    def move_texts(self, player: int, lane: int) -> tuple[str, ...]:
        rows, texts, _ = self._own_moves(player)
        return tuple([texts[place] for place in _held(self._legal, rows, lane)])

    def _own_moves(self, player: int) -> tuple[NDArray[np.intp], list[str], list[int]]:
        """Return the rows of a player's moves, their texts and their actions."""
        if player not in self._named:
            rows = np.arange(*self._ranges[player], dtype=np.intp)
            actions = self._actions_of[rows].tolist()
            texts = [self.move_text(player, 0, action) for action in actions]
            self._named[player] = rows, texts, actions
        return self._named[player]

    def move_text(self, player: int, lane: int, action: int) -> str:
        if action < 0:
            return ''
        key = player, action
        if key not in self._texts:
            self._texts[key] = str(self.mapping.move(self.players[player], action))
        return self._texts[key]

    # ---- inside

    def _tell(
        self,
        lane: int,
        rows: NDArray[np.int32],
        does: NDArray[np.int32],
        percepts: NDArray[np.uint64],
    ) -> None:
        """Trace a step of one lane."""
        if self.trace is None:
            return
        told: dict[Symbol, set[Term]] = {}
        for index in np.flatnonzero(column(percepts, lane)):
            role, percept = self._vocabulary.percepts[index]
            told.setdefault(role, set()).add(percept)
        chosen: dict[Symbol, Term] = dict(self._vocabulary.legal[row] for row in rows if row >= 0)
        played: dict[Symbol, Term] = dict(self._vocabulary.does[row] for row in does if row >= 0)
        seen = {role: frozenset(terms) for role, terms in told.items()}
        self.trace.step(lane, Step(chosen, played, self.state(lane), seen))

    def _events(self) -> NDArray[np.bool_]:
        """Return which events of experiments can happen: events by lanes."""
        slots = self._score.outputs[1]
        terminal = np.zeros(self.lanes, np.bool_)
        rows = np.zeros((len(self._state), len(slots), WIDE), np.uint64)
        nothing = np.zeros((0, 2), np.int64)
        look_blocks(
            self._state,
            *self._tape_of_score,
            0,
            slots,
            rows,
            nothing,
            np.zeros(0, np.bool_),
            terminal,
            np.zeros((3, 0, self.lanes), np.bool_),
        )
        bits = np.unpackbits(rows.view(np.uint8), axis=2, bitorder='little')
        flat = bits.transpose(1, 0, 2).reshape(len(slots), -1)
        held: Mask = flat[:, : self.lanes].view(np.bool_)
        return held

    def _shown_columns(self, role: Symbol) -> NDArray[np.int32] | None:
        """Return the entry of an observation for each row; None for a mapping by hand."""
        if not isinstance(self.mapping, TableMapping):
            return None
        if not self._is_percepts:
            return self.mapping.observation_columns(self._vocabulary.facts, role).astype(np.int32)
        terms = [percept for _, percept in self._vocabulary.percepts]
        own = np.array([owner == role for owner, _ in self._vocabulary.percepts], np.bool_)
        columns = np.full(len(terms), -1, np.int32)
        mine = [term for term, is_own in zip(terms, own, strict=True) if is_own]
        columns[own] = self.mapping.observation_columns(mine, role)
        return columns


def _held(rows: NDArray[np.uint64], chosen: NDArray[np.intp], lane: int) -> list[int]:
    """Return the places among chosen rows of those that hold in a lane."""
    found = np.empty(len(chosen), np.int32)
    places: list[int] = found[: find_held(rows, chosen, lane, found)].tolist()
    return places


def _prepare(tape: Tape) -> tuple[Any, ...]:
    """Return what the kernels need to run a tape: places, runs, feedback and memory."""
    data = np.zeros(tape.slots * WIDE, np.uint64)
    data[ONES * WIDE : (ONES + 1) * WIDE] = ~np.uint64(0)
    return tape.places(WIDE), tape.runs, tape.feedback, data
