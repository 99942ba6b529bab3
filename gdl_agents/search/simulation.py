"""A game to try things out in: do, undo, choices of every role, values, random games."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.breadth import Evaluation, evaluate_neutrally
from gdl_agents.search.circuit_rules import CircuitRules
from gdl_agents.search.expansion import Children, expand, find_acting
from gdl_agents.search.forest import LONGEST
from gdl_agents.search.opening import open_rules
from gdl_agents.search.rules import NO_MOVE, Rules, States
from gdl_env.engine.circuit.search import Search
from gdl_env.engine.contract import Move, Role, State
from gdl_env.engine.registry import AUTO
from gdl_env.errors import EngineError, GdlError, IllegalMoveError
from gdl_env.language.game import Game
from gdl_env.language.keywords import NOOP


class Simulation:
    """A state that moves forth and back. Roles are names of the rules, moves are terms.

    On the circuit engine steps are differential (`Search`); on any other engine states are kept.
    `rules` is there for whoever wants many states at a time.
    """

    def __init__(self, rules: Rules, state: State | None = None) -> None:
        """Start at a state, or at the initial one."""
        self.rules = rules
        self._search: Search | None = None
        if isinstance(rules, CircuitRules):
            self._search = Search(rules.compiled)
        self._past: list[States] = []
        # Of the search: whether each step was done, or passed.
        self._steps: list[bool] = []
        self._row = rules.initial[0]
        self._row_of = {str(role): index for index, role in enumerate(rules.roles)}
        self.place(state)

    @classmethod
    def open(cls, game: Game, engine: str = AUTO) -> Simulation:
        """Open a game at its initial state. Raises EngineError if no engine can run it."""
        return cls(open_rules(game, engine))

    # ---- moving

    def place(self, state: State | None = None) -> None:
        """Put up a state, or the initial one; what was done before cannot be undone."""
        self._past.clear()
        self._steps.clear()
        self._row = (self.rules.initial if state is None else self.rules.from_state(state))[0]
        if self._search is not None:
            self._search.place(self.rules.to_state(self._row))

    def do(self, moves: Mapping[Role, Move]) -> None:
        """Play moves of one role or more, chance included; experiments are already drawn.

        Raises IllegalMoveError for a move that can never be made.
        """
        if self._search is not None:
            # Who passes in a serial game leaves the state as it is: a step without moves.
            rests = self.rules.is_serial and all(str(move) == NOOP for move in moves.values())
            self._steps.append(not rests)
            if not rests:
                self._search.do_moves(moves)
            return
        does = np.full((1, len(self.rules.roles)), NO_MOVE, np.int32)
        for role, move in moves.items():
            index = self._index(role)
            row = self.rules.does_row(index, move)
            if row < 0:
                raise IllegalMoveError(role, move, self.choices(role))
            does[0, index] = row
        self._past.append(self._row)
        self._row = self.rules.step(self._row[None], does)[0]

    def undo(self) -> None:
        """Take the last step back. Raises EngineError at the start."""
        if not self._past and not self._steps:
            raise EngineError('there is nothing to undo')
        if self._search is None:
            self._row = self._past.pop()
        elif self._steps.pop():
            self._search.undo()

    def clone(self) -> Simulation:
        """Return an independent copy at the same state, without its past."""
        return Simulation(self.rules, self.state)

    # ---- asking

    @property
    def state(self) -> State:
        """Return the state as a set of facts."""
        return self._search.state() if self._search is not None else self.rules.to_state(self._row)

    @property
    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        if self._search is not None:
            return self._search.is_terminal
        return bool(self.rules.look(self._row[None]).terminal[0])

    def choices(self, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role; none if it has none. Raises GdlError: no such role."""
        index = self._index(role)
        rules = self.rules
        if self._search is not None:
            rows = [r for r in self._search.legal() if self._search.legal_role[r] == index]
        else:
            rows = rules.look(self._row[None]).moves(0, index).tolist()
        return tuple(rules.legal_move(int(row))[1] for row in rows)

    def all_choices(self) -> dict[Role, tuple[Move, ...]]:
        """Return the legal moves of every role."""
        return {role: self.choices(role) for role in self.rules.roles}

    def goals(self) -> dict[Role, int | None]:
        """Return the goals of all roles, None where the rules give none."""
        goals = self.rules.goals(self._current())[0]
        return {
            role: None if goal < 0 else int(goal)
            for role, goal in zip(self.rules.roles, goals, strict=True)
        }

    def evaluate(self, role: Role, evaluation: Evaluation = evaluate_neutrally) -> float:
        """Return what the state is worth to a role, 0 to 100: its goal, or an estimate."""
        index = self._index(role)
        if self.is_terminal:
            goal = int(self.rules.goals(self._current())[0, index])
            return 50.0 if goal < 0 else float(goal)
        return float(evaluation(self.rules, self._current(), index)[0])

    def children(self) -> Children:
        """Return all states that one step can lead to."""
        states = self._current()
        look = self.rules.look(states)
        return expand(self.rules, states, look, find_acting(self.rules, look, None, None))

    def playouts(self, count: int, seed: int, limit: int = LONGEST) -> NDArray[np.int32]:
        """Play random games from here, all at once; return goals: games by roles, -1 for none."""
        return self.rules.playouts(np.repeat(self._current(), count, axis=0), seed, limit)

    # ---- inside

    def _current(self) -> States:
        if self._search is not None:
            return self.rules.from_state(self._search.state())
        row: States = self._row[None]
        return row

    def _index(self, role: Role) -> int:
        index = self._row_of.get(str(role), -1)
        if index < 0:
            known = ', '.join(map(str, self.rules.roles))
            raise GdlError(f'{role} is not a role; roles: {known}')
        return index
