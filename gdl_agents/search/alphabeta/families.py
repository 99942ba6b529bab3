"""Alpha-beta by whole families: all children of a position are made at once.

One call of the rules says of many positions whether they are over, with which goals, and what can
be done there. So a position two moves above the leaves takes one call or two, however many
grandchildren it has, and what is over is known before anything is entered. In games with large
circuits that is many times as fast as going from child to child; in small ones calls take longer
than what they do. It is for games in which one role at a time decides, without chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.alphabeta.breadth import Evaluation
from gdl_agents.search.alphabeta.result import AlphaBetaResult
from gdl_agents.search.game.expansion import list_children
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import BatchGame, Look, Rows, States

# Two values are the same if they differ by less.
SAME = 1e-6
_WON, _LOST = 100.0, 0.0
_INFINITE = 1e9
# Kinds of values of positions that are remembered.
_EXACT, _LOWER, _UPPER = 0, 1, 2
# Positions that are remembered, at most.
_MEMORY = 400_000
# Operations of a step and of what is possible then from which on this is quicker than one child
# after the other.
_LARGE = 15_000
# Members of a family whose children are made first: one of them may be enough.
_FIRST = 4


class UnfitError(Exception):
    """Several roles decide at once, or chance does: another search must do it."""


class _CutError(Exception):
    """Time or positions are used up."""


@dataclass(frozen=True)
class _Family:
    """Positions that are children of one, or the root alone."""

    states: States
    look: Look
    # What those are worth that are over, and the others as far as that is estimated.
    values: NDArray[np.float64]
    # The legal moves that led here.
    moves: Rows
    # The role that decides; -1 where all moves are forced.
    decider: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.states)


@dataclass(frozen=True)
class _Known:
    """What is remembered of a position: how deep it was searched, and what that has shown."""

    depth: int
    value: float
    kind: int
    is_estimate: bool
    # The row of the move that decided.
    favourite: int

    def settles(self, left: int, alpha: float, beta: float) -> bool:
        """Tell whether it makes another search needless."""
        return self.depth >= left and (
            self.kind == _EXACT
            or (self.kind == _LOWER and self.value >= beta)
            or (self.kind == _UPPER and self.value <= alpha)
        )


@dataclass
class FamilySearch:
    """Searches positions for one player, until a depth, a number of positions or a time."""

    rules: BatchGame
    role: int
    evaluation: Evaluation
    partners: Sequence[int] = ()
    clock: Callable[[], float] = monotonic
    _nodes: int = 0
    _limit: int = 0
    _deadline: float = 0.0
    _memory: dict[bytes, _Known] = field(default_factory=dict)
    # By rows of moves: how often they decided, by how deep that was.
    _history: dict[int, int] = field(default_factory=dict)

    def run(
        self, state: States, depth: int, limit: int = 1 << 60, deadline: float = float('inf')
    ) -> AlphaBetaResult:
        """Search one move ahead, two and so on; raises UnfitError.

        A state is one row. Where all moves lose, the values before that was seen are returned: the
        best of them hold out longest.
        """
        self._nodes, self._limit, self._deadline = 0, limit, deadline
        self._memory.clear()
        self._history.clear()
        root = self._make_root(state)
        rows = root.look.moves(0, self.role)
        found = AlphaBetaResult(rows, np.full(len(rows), 50.0), 50.0, 0, 0, False, True)
        try:
            children = self._make_children(root, 0)
            for wanted in range(1, depth + 1):
                values, is_estimate = self._search_root(children, wanted)
                best = values.max()
                if best > _LOST or wanted == 1:
                    kept = np.where(values < best - SAME, np.nan, values)
                nodes, is_exact = self._nodes, not is_estimate
                found = AlphaBetaResult(rows, kept, float(best), wanted, nodes, is_exact, False)
                if is_exact or best >= _WON or best <= _LOST:
                    break
        except _CutError:
            return replace(found, nodes=self._nodes, is_cut=True)
        return found

    # ---- inside

    def _search_root(self, children: _Family, depth: int) -> tuple[NDArray[np.float64], bool]:
        """Return the values of the moves of the root, and whether they rest on estimates."""
        over = children.look.terminal
        values = children.values.copy()
        estimated = ~over
        if depth == 2:
            values, estimated = self._fold(children, np.flatnonzero(~over))
        elif depth > 2:
            best = values[over].max(initial=-_INFINITE)
            for k in self._order(children, -1):
                if not over[k]:
                    bound = best - SAME
                    values[k], estimated[k] = self._search(
                        children, k, depth - 1, bound, _INFINITE
                    )
                    best = max(best, values[k])
        if values.max() >= _WON - SAME:
            return values, False
        return values, bool(estimated.any())

    def _search(
        self, family: _Family, member: int, left: int, alpha: float, beta: float
    ) -> tuple[float, bool]:
        """Return what a position is worth that is not over, and whether that rests on estimates.

        Outside of the window, from alpha to beta, a value is a bound. `left` is at least 2.
        """
        key = family.states[member].tobytes()
        known = self._memory.get(key)
        if known is not None and known.settles(left, alpha, beta):
            return known.value, known.is_estimate
        decider = int(family.decider[member])
        is_own = self._is_own(decider)
        children = self._make_children(family, member)
        if not len(children):
            # Stuck, though the game is not over.
            return 50.0, False
        # What is left of the window as children are tried.
        window = [alpha, beta]
        best, chosen, is_estimate = (-_INFINITE if is_own else _INFINITE), -1, False
        favourite = known.favourite if known else -1
        for k, value, rests in self._try_children(children, left, favourite, window):
            if value > best if is_own else value < best:
                best, chosen = value, k
            is_estimate = is_estimate or rests
            if is_own:
                window[0] = max(window[0], best)
            else:
                window[1] = min(window[1], best)
            if window[0] >= window[1] or best == (_WON if is_own else _LOST):
                # One move proves it, whatever the others are worth.
                is_estimate = rests
                move = int(children.moves[k])
                self._history[move] = self._history.get(move, 0) + left * left
                break
        kind = _LOWER if best >= beta else _UPPER if best <= alpha else _EXACT
        if len(self._memory) >= _MEMORY:
            self._memory.clear()
        self._memory[key] = _Known(left, best, kind, is_estimate, int(children.moves[chosen]))
        return best, is_estimate

    def _try_children(
        self, children: _Family, left: int, favourite: int, window: list[float]
    ) -> Iterator[tuple[int, float, bool]]:
        """Yield children with their values: what is over first, as it costs nothing."""
        over = children.look.terminal
        for k in np.flatnonzero(over).tolist():
            yield k, float(children.values[k]), False
        order = [k for k in self._order(children, favourite) if not over[k]]
        if left > 2:
            for k in order:
                yield (k, *self._search(children, k, left - 1, *window))
            return
        for part in (order[:_FIRST], order[_FIRST:]):
            if part:
                values, estimated = self._fold(children, np.array(part))
                for k in part:
                    yield k, float(values[k]), bool(estimated[k])

    def _fold(
        self, family: _Family, members: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return what members of a family are worth by their children, and what is estimated.

        Other members keep their values.
        """
        values, estimated = family.values.copy(), np.zeros(len(family), np.bool_)
        found, parents = self._follow(family, members)
        values[members] = 50.0
        if not len(parents):
            return values, estimated
        over = found.look.terminal
        firsts = np.flatnonzero(np.diff(parents, prepend=-1))
        owners = members[parents[firsts]]
        is_own = np.array([self._is_own(int(role)) for role in family.decider[owners]])
        most = np.maximum.reduceat(found.values, firsts)
        least = np.minimum.reduceat(found.values, firsts)
        best = np.where(is_own, most, least)
        values[owners] = best
        is_certain = best == np.where(is_own, _WON, _LOST)
        estimated[owners] = np.logical_or.reduceat(~over, firsts) & ~is_certain
        return values, estimated

    def _make_root(self, state: States) -> _Family:
        look = self.rules.look(state[None])
        decider = self._find_decider(look)
        if look.terminal[0] or decider[0] != self.role:
            raise UnfitError
        return _Family(state[None], look, np.zeros(1), np.zeros(1, np.int32), decider)

    def _make_children(self, family: _Family, member: int) -> _Family:
        return self._follow(family, np.array([member]))[0]

    def _follow(
        self, family: _Family, members: NDArray[np.int64]
    ) -> tuple[_Family, NDArray[np.int64]]:
        """Return all children of some members, and the place of each one's parent among these."""
        rules, look = self.rules, family.look
        part = Look(look.terminal[members], look.starts[members], look.rows)
        acting = part.counts() > 0
        states = family.states[members]
        parents, legal, does, _ = list_children(rules, states, part, acting)
        self._nodes += len(parents)
        if self._nodes > self._limit or self.clock() > self._deadline:
            raise _CutError
        found = rules.follow(states, parents, does)
        over = found.look.terminal
        values = np.full(len(parents), 50.0)
        goals = found.goals[over, self.role]
        values[over] = np.where(goals < 0, 50, goals)
        values[~over] = self.evaluation(rules, found.states[~over], self.role)
        role = np.maximum(family.decider[members], 0)[parents]
        moves = legal[np.arange(len(parents)), role]
        children = _Family(found.states, found.look, values, moves, self._find_decider(found.look))
        return children, parents

    def _find_decider(self, look: Look) -> NDArray[np.int64]:
        """Return the role that decides in each state, -1 for none. Raises UnfitError for more."""
        decides = (look.counts() > 1) & ~look.terminal[:, None]
        several = np.count_nonzero(decides, axis=1) > 1
        if several.any() or (self.rules.nature >= 0 and decides[:, self.rules.nature].any()):
            raise UnfitError
        found: NDArray[np.int64] = np.where(decides.any(axis=1), decides.argmax(axis=1), -1)
        return found

    def _is_own(self, decider: int) -> bool:
        return decider < 0 or decider == self.role or decider in self.partners

    def _order(self, family: _Family, favourite: int) -> list[int]:
        """Return the members: the favourite first, then by how often their moves were good."""
        history = self._history
        moves = family.moves.tolist()
        ranks = [1 << 60 if move == favourite else history.get(move, 0) for move in moves]
        return sorted(range(len(moves)), key=ranks.__getitem__, reverse=True)


def is_large(rules: BatchGame) -> bool:
    """Tell whether families are the quicker way in a game."""
    if not isinstance(rules, CircuitBatch) or rules.is_serial or rules.has_experiments:
        return False
    tapes = rules.compiled.step, rules.compiled.look
    return sum(len(tape.operations) for tape in tapes) >= _LARGE
