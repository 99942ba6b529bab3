"""Which moves led from one state to another: what a GGP player must know, found by the rules.

Agents are shown states, players of the GGP protocol receive the moves of all roles. Where nothing
is hidden the one follows from the other: steps are tried until the new state is reached. Moves
that lead to the same state are as good as each other for whoever plays on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from gdl_agents.errors import AgentError
from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.language.game import Turns

# States that are tried, fewer where an answer is taken for granted; and steps that may lie between
# two decisions of a role.
_MOST_STATES, _FEW_STATES = 50_000, 5_000
_MOST_STEPS = 64

JointMove = Mapping[Role, Move]


class MoveFinder:
    """Finds the steps between states of a game."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_serial = engine.game.turns is Turns.SERIAL

    def find(
        self, state: State, target: State, own: tuple[Role, Move] | None = None
    ) -> list[JointMove]:
        """Return the joint moves that lead from a state to another, as few as possible.

        - own: what a role answered in the first step; something else may have been played instead

        Raises AgentError if none are found.
        """
        if state == target:
            return []
        found = self._search(state, target, own, _FEW_STATES) if own is not None else None
        found = found or self._search(state, target, None, _MOST_STATES)
        if found is None:
            raise AgentError('no moves are found that lead from the last state to this one')
        return found

    def _search(
        self, state: State, target: State, own: tuple[Role, Move] | None, most: int
    ) -> list[JointMove] | None:
        """Do as `find`, trying so many states; None if nothing is found."""
        paths: dict[State, tuple[JointMove, ...]] = {state: ()}
        tried = 0
        for _ in range(_MOST_STEPS):
            reached: dict[State, tuple[JointMove, ...]] = {}
            for before, path in paths.items():
                for joint in self._joint_moves(before, own if not path else None):
                    after = self._engine.next_state(before, dict(joint))
                    if after == target:
                        return [*path, joint]
                    reached.setdefault(after, (*path, joint))
                    tried += 1
                    if tried > most:
                        return None
            paths = reached
        return None

    def _joint_moves(self, state: State, own: tuple[Role, Move] | None) -> Iterator[JointMove]:
        """Return what can be done in a state; with `own`, what a role did is known."""
        if self._engine.is_terminal(state):
            return
        legal = {r: moves for r, moves in self._engine.legal_moves(state).items() if moves}
        if own is not None and own[1] in legal.get(own[0], ()):
            if self._is_serial:
                yield {own[0]: own[1]}
                return
            legal[own[0]] = (own[1],)
        if self._is_serial:
            for role, moves in legal.items():
                yield from ({role: move} for move in moves)
            return
        for moves in product(*legal.values()):
            yield dict(zip(legal, moves, strict=True))
