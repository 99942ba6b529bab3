"""BatchGame on any engine, state by state: for games that do not compile to a circuit."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, Outcomes, Rows, States
from gdl_env.engine.contract import NATURE, Engine, Move, Role, State
from gdl_env.engine.interpreter import draw
from gdl_env.errors import EngineError
from gdl_env.language.game import Information
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term

# Words of a row of percepts; the number of states that are kept.
_PERCEPT_WORDS = 16
_MOST_KEPT = 200_000


class EngineBatch(BatchGame):
    """States as numbers: those seen so far are kept, up to a limit. No number is used twice."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.game, engine.roles)
        self._engine = engine
        self._states: dict[int, State] = {}
        self._next_number = 0
        self._numbers: dict[State, int] = {}
        self._legal = _Table()
        self._does = _Table()
        self._percepts = _Table()
        self._looks: dict[int, tuple[bool, list[list[int]]]] = {}
        self._plain: dict[int, int] = {NO_MOVE: NO_MOVE}

    # ---- tables

    @property
    def initial(self) -> States:
        return self.from_state(self._engine.initial_state)

    @property
    def known_moves(self) -> int:
        return len(self._legal.entries)

    @property
    def percept_words(self) -> int:
        return _PERCEPT_WORDS if self.game.information is Information.PERCEPTS else 0

    @property
    def facts(self) -> tuple[Term, ...] | None:
        return None

    def legal_move(self, row: int) -> tuple[int, Move]:
        return self._legal.entries[row]

    def does_move(self, row: int) -> tuple[int, Move]:
        return self._does.entries[row]

    def legal_row(self, role: int, move: Move) -> int:
        return self._legal.row(role, move)

    def does_row(self, role: int, move: Move) -> int:
        return self._does.row(role, move)

    def plain(self, rows: Rows) -> Rows:
        flat = [self._plain_of(int(row)) for row in rows.ravel()]
        return np.array(flat, np.int32).reshape(rows.shape)

    # ---- questions

    def look(self, states: States) -> Look:
        terminal = np.zeros(len(states), np.bool_)
        starts = np.zeros((len(states), len(self.roles) + 1), np.int64)
        rows: list[int] = []
        for i, number in enumerate(states[:, 0].tolist()):
            terminal[i], moves = self._look(number)
            for role, found in enumerate(moves):
                starts[i, role] = len(rows)
                rows += found
            starts[i, -1] = len(rows)
        return Look(terminal, starts, np.array(rows, np.int32))

    def goals(self, states: States) -> NDArray[np.int16]:
        goals = np.full((len(states), len(self.roles)), -1, np.int16)
        for i, number in enumerate(states[:, 0].tolist()):
            found = self._engine.goals(self._states[number])
            for role, name in enumerate(self.roles):
                value = found[name]
                goals[i, role] = -1 if value is None else value
        return goals

    def step(self, states: States, does: Rows) -> States:
        after: States = states.copy()
        for i, number in enumerate(states[:, 0].tolist()):
            moves = self._moves(does[i])
            if moves:
                after[i, 0] = self._number(self._after(self._states[number], moves))
        return after

    def percepts(self, states: States, does: Rows) -> States:
        seen = np.zeros((len(states), self.percept_words), np.uint64)
        if not self.percept_words:
            return seen
        for i, number in enumerate(states[:, 0].tolist()):
            found = self._engine.percepts(self._states[number], self._moves(does[i]))
            for role, name in enumerate(self.roles):
                for percept in found[name]:
                    bit = self._percepts.row(role, percept)
                    if bit >= 64 * _PERCEPT_WORDS:
                        raise EngineError(
                            f'{self.game.name} has more than {64 * _PERCEPT_WORDS} percepts:'
                            ' too many to keep track of'
                        )
                    seen[i, bit >> 6] |= np.uint64(1 << (bit & 63))
        return seen

    def percepts_of(self, role: int) -> dict[Term, int]:
        entries = enumerate(self._percepts.entries)
        return {percept: bit for bit, (owner, percept) in entries if owner == role}

    def outcomes(self, states: States, rows: Rows) -> Outcomes:
        starts = [0]
        does: list[int] = []
        weights: list[float] = []
        for number, row in zip(states[:, 0].tolist(), rows.tolist(), strict=True):
            if row < 0:
                does.append(NO_MOVE)
                weights.append(1.0)
            else:
                role, move = self._legal.entries[row]
                for outcome in self._engine.drawable_outcomes(self._states[number], move):
                    does.append(self._does.row(role, outcome.value))
                    weights.append(float(outcome.probability))
            starts.append(len(does))
        return Outcomes(np.array(starts), np.array(does, np.int32), np.array(weights))

    def playouts(self, states: States, key: int, limit: int) -> NDArray[np.int32]:
        goals = np.full((len(states), len(self.roles)), -1, np.int32)
        for i, number in enumerate(states[:, 0].tolist()):
            random = Random(key << 32 | i)
            state = self._states[number]
            for _ in range(limit + 1):
                if self._engine.is_terminal(state):
                    found = self._engine.goals(state)
                    values = [found[role] for role in self.roles]
                    goals[i] = [-1 if value is None else value for value in values]
                    break
                moves = self._draw(state, random)
                if not moves:
                    break
                state = self._after(state, moves)
        return goals

    # ---- single states

    def to_state(self, row: States) -> State:
        return self._states[int(np.asarray(row).ravel()[0])]

    def from_state(self, state: State) -> States:
        return np.array([[self._number(state)]], np.uint64)

    def forget_other_states(self, states: States) -> None:
        if len(self._states) <= _MOST_KEPT:
            return
        kept = {int(self.initial[0, 0]), *states[:, 0].tolist()}
        recent = self._next_number - _MOST_KEPT // 2
        for number in [n for n in self._states if n < recent and n not in kept]:
            del self._numbers[self._states.pop(number)]
            self._looks.pop(number, None)

    def export_states(self, states: States) -> Any:
        return [sorted(map(str, self._states[number])) for number in states[:, 0].tolist()]

    def import_states(self, held: Any) -> States:
        rows = [[self._number(frozenset(map(read_term, texts)))] for texts in held]
        return np.array(rows, np.uint64).reshape(-1, 1)

    def export_percepts(self, percepts: States) -> Any:
        entries = self._percepts.entries
        return [
            [
                [role, str(term)]
                for bit, (role, term) in enumerate(entries)
                if int(row[bit >> 6]) >> (bit & 63) & 1
            ]
            for row in percepts
        ]

    def import_percepts(self, held: Any) -> States:
        rows = np.zeros((len(held), self.percept_words), np.uint64)
        for row, pairs in zip(rows, held, strict=True):
            for role, text in pairs:
                bit = self._percepts.row(role, read_term(text))
                row[bit >> 6] |= np.uint64(1 << (bit & 63))
        return rows

    def trim(self) -> bool:
        if len(self._states) <= _MOST_KEPT:
            return False
        self._states.clear()
        self._numbers.clear()
        self._looks.clear()
        return True

    def close(self) -> None:
        self._engine.close()

    # ---- inside

    def _number(self, state: State) -> int:
        number = self._numbers.setdefault(state, self._next_number)
        if number == self._next_number:
            self._states[number] = state
            self._next_number += 1
        return number

    def _look(self, number: int) -> tuple[bool, list[list[int]]]:
        if number not in self._looks:
            state = self._states[number]
            legal = self._engine.legal_moves(state)
            moves = [
                sorted(self._legal.row(role, move) for move in legal[name])
                for role, name in enumerate(self.roles)
            ]
            self._looks[number] = self._engine.is_terminal(state), moves
        return self._looks[number]

    def _plain_of(self, row: int) -> int:
        if row not in self._plain:
            role, move = self._legal.entries[row]
            is_drawn = bool(self.names_of(move))
            self._plain[row] = -2 if is_drawn else self._does.row(role, move)
        return self._plain[row]

    def _moves(self, does: Rows) -> dict[Role, Move]:
        pairs = (self._does.entries[row] for row in does.tolist() if row >= 0)
        return {self.roles[role]: move for role, move in pairs}

    def _after(self, state: State, moves: dict[Role, Move]) -> State:
        return self._engine.next_state(state, moves)

    def _draw(self, state: State, random: Random) -> dict[Role, Move]:
        """Draw a move for everybody who acts."""
        legal = self._engine.legal_moves(state)
        actors = [role for role in self._engine.actors(state) if legal[role]]
        if self.is_serial and actors and actors != [NATURE]:
            actors = [random.choice(actors)]
        moves: dict[Role, Move] = {}
        for role in actors:
            outcomes = self._engine.drawable_outcomes(state, random.choice(legal[role]))
            moves[role] = outcomes[0].value if len(outcomes) == 1 else draw(outcomes, random)
        return moves


class _Table:
    """Pairs of a role and a term, numbered as they come."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, Term]] = []
        self._rows: dict[tuple[int, Term], int] = {}

    def row(self, role: int, term: Term) -> int:
        """Return the number of a pair."""
        row = self._rows.setdefault((role, term), len(self.entries))
        if row == len(self.entries):
            self.entries.append((role, term))
        return row
