"""The rules of a game for players: many states at a time, as rows of numbers.

A state is a row of 64-bit words; what they hold is the affair of the rules. Moves are rows of the
table `legal`, which names a role and a move; what is really done (an experiment may be drawn) is a
row of the table `does`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import NATURE, Move, Role, State
from gdl_env.errors import EngineError
from gdl_env.language.game import Game, Turns
from gdl_env.language.terms import Term, symbol_names
from gdl_env.play.noop import is_noop
from gdl_env.play.outcome import WON, outcomes

States: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int32]

# A role that does not act.
NO_MOVE = -1


@dataclass(frozen=True)
class Look:
    """What is possible in each of n states.

    The legal moves of role r in state i are rows[starts[i, r]:starts[i, r + 1]], in rising order.
    """

    terminal: NDArray[np.bool_]
    # States by roles and one.
    starts: NDArray[np.int64]
    rows: Rows

    def moves(self, state: int, role: int) -> Rows:
        """Return the rows of the legal moves of a role in a state."""
        return self.rows[self.starts[state, role] : self.starts[state, role + 1]]

    def find_real_moves(self, game: BatchGame) -> NDArray[np.bool_]:
        """Tell which roles have a legal move besides `noop`: states by roles."""
        real = (~game.are_noops(self.rows)).astype(np.int64)
        sums = np.concatenate([[0], np.cumsum(real)])
        found: NDArray[np.bool_] = sums[self.starts[:, 1:]] > sums[self.starts[:, :-1]]
        return found

    def counts(self) -> NDArray[np.int64]:
        """Return how many legal moves there are: states by roles."""
        return np.diff(self.starts, axis=1)


@dataclass(frozen=True)
class Successors:
    """States after moves, and what is known of them at once."""

    states: States
    look: Look
    # States by roles; -1 where the game is not over, or where the rules give no goal.
    goals: NDArray[np.int16]


@dataclass(frozen=True)
class Outcomes:
    """What moves may become: entry i is does[starts[i]:starts[i + 1]], with its weights.

    The weights of an entry add up to 1.
    """

    starts: NDArray[np.int64]
    does: Rows
    weights: NDArray[np.float64]


class BatchGame(ABC):
    """The rules of one game: pure functions of states."""

    def __init__(self, game: Game, roles: tuple[Role, ...]) -> None:
        self.game = game
        # In the order of the rules, `random` included.
        self.roles = roles
        self.nature = roles.index(NATURE) if NATURE in roles else -1
        # The indices of the roles that players take.
        self.players = tuple(i for i, role in enumerate(roles) if role != NATURE)
        self.is_serial = game.turns is Turns.SERIAL
        self.has_experiments = bool(game.experiments)
        self._same_moves: dict[int, int] = {}
        self._move_numbers: dict[Move, int] = {}

    # ---- tables

    @property
    @abstractmethod
    def initial(self) -> States:
        """Return the initial state: one row."""

    @property
    @abstractmethod
    def known_moves(self) -> int:
        """Return how many legal moves there are; some engines meet new ones as they play."""

    @property
    @abstractmethod
    def percept_words(self) -> int:
        """Return the words of a row of percepts; 0 without them."""

    @abstractmethod
    def legal_move(self, row: int) -> tuple[int, Move]:
        """Return the role (its index) and the move of a row of the legal moves."""

    @abstractmethod
    def does_move(self, row: int) -> tuple[int, Move]:
        """Return the role (its index) and the move of a row of what can be done."""

    @abstractmethod
    def legal_row(self, role: int, move: Move) -> int:
        """Return the row of a move, -1 if it can never be legal."""

    @abstractmethod
    def does_row(self, role: int, move: Move) -> int:
        """Return the row of what is done, -1 if it can never be done."""

    @abstractmethod
    def plain(self, rows: Rows) -> Rows:
        """Return what is done for legal moves without experiments; NO_MOVE stays as it is.

        -2 where an experiment must be drawn: see `outcomes`.
        """

    @property
    @abstractmethod
    def facts(self) -> tuple[Term, ...] | None:
        """Return the fact of each bit of a state; None where bits are no facts."""

    # ---- questions

    @abstractmethod
    def look(self, states: States) -> Look:
        """Return what is possible."""

    @abstractmethod
    def goals(self, states: States) -> NDArray[np.int16]:
        """Return goal values: states by roles, -1 where the rules give none."""

    @abstractmethod
    def step(self, states: States, does: Rows) -> States:
        """Return the states after moves: does[i, role] is a row, or NO_MOVE.

        A state in which no role acts stays as it is; so does one of a serial game in which all
        who act pass (see `play/noop.py`).
        """

    def follow(self, states: States, parents: NDArray[np.int64], does: Rows) -> Successors:
        """Return what comes of steps, and what is possible then.

        Step i begins in states[parents[i]], with the moves does[i]: see `step`. Steps from the
        same state should lie side by side.
        """
        after = self.step(states[parents], does)
        look = self.look(after)
        goals = np.full((len(after), len(self.roles)), -1, np.int16)
        over = np.flatnonzero(look.terminal)
        if len(over):
            goals[over] = self.goals(after[over])
        return Successors(after, look, goals)

    @abstractmethod
    def percepts(self, states: States, does: Rows) -> States:
        """Return what is perceived of a step, for all roles: bits of (role, percept) pairs."""

    def step_and_perceive(self, states: States, does: Rows) -> tuple[States, States]:
        """Return what `step` and `percepts` return."""
        return self.step(states, does), self.percepts(states, does)

    @abstractmethod
    def percepts_of(self, role: int) -> dict[Term, int]:
        """Return the percepts of a role with their places in a row of percepts."""

    @abstractmethod
    def outcomes(self, states: States, rows: Rows) -> Outcomes:
        """Return what a legal move of each state may become, once experiments are drawn."""

    @abstractmethod
    def playouts(self, states: States, key: int, limit: int) -> NDArray[np.int32]:
        """Play random moves from states to the end; return goals, -1 where there is none.

        `key` decides all chance; a game that takes more steps than `limit` has no goals.
        """

    def sharp_playouts(self, states: States, key: int, limit: int) -> NDArray[np.int32]:
        """Play as `playouts` does, but take wins, and avoid moves that let others win at once.

        Where that is cheap to see; elsewhere plain random moves, or only wins are taken.
        """
        return self.playouts(states, key, limit)

    @property
    def trace_words(self) -> int:
        """Return how many words of bits tell what was done in a game; 0 if that is not known."""
        return 0

    def traced_playouts(
        self, states: States, key: int, limit: int
    ) -> tuple[NDArray[np.int32], States]:
        """Play as `playouts` does; return also a row of bits for each game: rows that were done.

        Raises EngineError if that is not known.
        """
        raise EngineError(f'{self.game.name} does not tell what is done in random games')

    # ---- single states as facts

    @abstractmethod
    def to_state(self, row: States) -> State:
        """Return a state as a set of facts."""

    @abstractmethod
    def from_state(self, state: State) -> States:
        """Return the row of a state. Raises EngineError for a fact that can never hold."""

    def forget_other_states(self, states: States) -> None:  # noqa: B027 - most hold nothing
        """Forget old states if many are kept; not these, the initial one, nor recent ones."""

    # ---- rows that outlive the program: arrays, lists and text only

    def export_states(self, states: States) -> Any:
        """Return states in a form that another program can take in."""
        return states.copy()

    def import_states(self, held: Any) -> States:
        """Return the rows of what `export_states` returned."""
        states: States = held
        return states

    def export_percepts(self, percepts: States) -> Any:
        """Return rows of percepts in a form that another program can take in."""
        return percepts.copy()

    def import_percepts(self, held: Any) -> States:
        """Return the rows of what `export_percepts` returned."""
        percepts: States = held
        return percepts

    def trim(self) -> bool:
        """Forget states, if many are kept; tell whether: rows made before mean nothing then."""
        return False

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what is held."""

    # ---- what follows

    def names_of(self, move: Move) -> list[str]:
        """Return the experiments that a move names."""
        return sorted(symbol_names(move) & self.game.experiments)

    def same_moves(self, rows: Rows) -> NDArray[np.int64]:
        """Return numbers that are equal for legal moves that are written alike, of any role."""
        known = self._same_moves
        for row in np.unique(rows).tolist():
            if row not in known:
                move = self.legal_move(row)[1]
                known[row] = self._move_numbers.setdefault(move, len(self._move_numbers))
        return np.array([known[row] for row in rows.tolist()], np.int64)

    def are_noops(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell which legal moves are `noop`; NO_MOVE is."""
        return np.array([row < 0 or is_noop(self.legal_move(int(row))[1]) for row in rows], bool)

    def winners(self, goals: NDArray[np.int16]) -> NDArray[np.bool_]:
        """Tell which roles have won, by goals: states by roles.

        What a win is, is defined in `outcomes`; `random` wins nothing.
        """
        won = np.zeros(goals.shape, np.bool_)
        players = list(self.players)
        won[:, players] = outcomes(goals[:, players].T).T == WON
        return won
