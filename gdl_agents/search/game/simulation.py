"""A game to try things out in: do, undo, choices of every role, values, random games."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.alphabeta.breadth import Evaluation, evaluate_neutrally
from gdl_agents.search.game.expansion import Children, expand_turns
from gdl_agents.search.game.random_games import play_games
from gdl_agents.search.game.turn_kernels import NOBODY, UNKNOWN
from gdl_agents.search.game.turns import ROTATION, TurnOrder
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, States
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.engine.contract import Move, Role, State
from gdl_env.engine.registry import AUTO
from gdl_env.errors import EngineError, GdlError, IllegalMoveError
from gdl_env.language.game import Game
from gdl_env.play.noop import is_pass


class Simulation:
    """A state that moves forth and back. Roles are names of the rules, moves are terms.

    On the circuit engine steps are differential (`Search`); on any other engine states are kept.
    `rules` is there for whoever wants many states at a time.
    """

    def __init__(
        self, rules: BatchGame, state: State | None = None, turns: TurnOrder = ROTATION
    ) -> None:
        """Start at a state, or at the initial one; `turns` says who moves in a serial game."""
        self.rules = rules
        self._turns = turns
        # The role that moved last: now, and before each step.
        self._last = NOBODY
        self._lasts: list[int] = []
        self._search: Search | None = None
        if isinstance(rules, CircuitBatch):
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
        return cls(open_batch(game, engine))

    # ---- moving

    def place(self, state: State | None = None) -> None:
        """Put up a state, or the initial one; what was done before cannot be undone."""
        self._past.clear()
        self._steps.clear()
        self._lasts.clear()
        # By `rotate`, any role may be the next one to move in a state that is put up.
        self._last = NOBODY if state is None else UNKNOWN
        self._row = (self.rules.initial if state is None else self.rules.from_state(state))[0]
        if self._search is not None:
            self._search.place(self.rules.to_state(self._row))

    def do(self, moves: Mapping[Role, Move]) -> None:
        """Play moves of one role or more, chance included.

        A move that names an experiment must be drawn first: see `outcomes`. Raises EngineError if
        it is not, and IllegalMoveError for a move that can never be made.
        """
        indices = {self._index(role): move for role, move in moves.items()}
        for role, move in moves.items():
            self._check_drawn(role, move)
        self._step(moves, indices)
        self._lasts.append(self._last)
        players = [index for index in indices if index != self.rules.nature]
        self._last = players[0] if players else self._last

    def _step(self, moves: Mapping[Role, Move], indices: Mapping[int, Move]) -> None:
        if self._search is not None:
            # Who passes in a serial game leaves the state as it is: a step without moves.
            rests = is_pass(self.rules.game, moves.values())
            self._steps.append(not rests)
            if not rests:
                self._search.do_moves(moves)
            return
        does = np.full((1, len(self.rules.roles)), NO_MOVE, np.int32)
        for index, move in indices.items():
            row = self.rules.does_row(index, move)
            if row < 0:
                role = self.rules.roles[index]
                raise IllegalMoveError(role, move, self.choices(role))
            does[0, index] = row
        self._past.append(self._row)
        self._row = self.rules.step(self._row[None], does)[0]

    def undo(self) -> None:
        """Take the last step back. Raises EngineError at the start."""
        if not self._past and not self._steps:
            raise EngineError('there is nothing to undo')
        self._last = self._lasts.pop()
        if self._search is None:
            self._row = self._past.pop()
        elif self._steps.pop():
            self._search.undo()

    def clone(self) -> Simulation:
        """Return an independent copy at the same state, without its past."""
        copy = Simulation(self.rules, self.state, self._turns)
        copy._last = self._last
        return copy

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

    def outcomes(self, role: Role, move: Move) -> list[tuple[Move, float]]:
        """Return what a legal move may become, with probabilities that add up to 1.

        That is the move itself, unless it names an experiment. Raises IllegalMoveError if it is
        not legal.
        """
        rules, index = self.rules, self._index(role)
        legal = self.choices(role)
        if move not in legal:
            raise IllegalMoveError(role, move, legal)
        row = np.array([rules.legal_row(index, move)], np.int32)
        found = rules.outcomes(self._current(), row)
        pairs = zip(found.does.tolist(), found.weights.tolist(), strict=True)
        return [(rules.does_move(done)[1], weight) for done, weight in pairs]

    def all_choices(self) -> dict[Role, tuple[Move, ...]]:
        """Return the legal moves of every role; see `outcomes` for those that name experiments."""
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
        """Return all states that one step can lead to, whichever role moves."""
        states = self._current()
        look = self.rules.look(states)
        chances = self._turns.find_chances(self.rules, look, np.array([self._last]))
        return expand_turns(self.rules, states, look, chances)

    def playouts(self, count: int, seed: int) -> NDArray[np.int32]:
        """Play random games from here, all at once; return goals: games by roles, -1 for none."""
        states = np.repeat(self._current(), count, axis=0)
        return play_games(self.rules, self._turns, states, np.full(count, self._last), seed)

    # ---- inside

    def _check_drawn(self, role: Role, move: Move) -> None:
        """Raise EngineError if a move names an experiment."""
        names = self.rules.names_of(move)
        if not names:
            return
        said = f'{role} cannot do {move}: {" and ".join(names)} must be drawn first'
        if move in self.choices(role):
            drawn = ', '.join(str(outcome) for outcome, _ in self.outcomes(role, move))
            said += f'; outcomes: {drawn}'
        raise EngineError(said)

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
