"""All states of a game, and which moves lead from one to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.data.recorder import Numbers
from gdl_agents.search.game.expansion import expand_turns
from gdl_agents.search.game.turn_kernels import NOBODY
from gdl_agents.search.game.turns import TurnOrder, follow_last
from gdl_agents.solving.errors import TooLargeError
from gdl_agents.solving.tree.row_index import RowIndex
from gdl_env.engine.batch.contract import BatchGame, Look, Rows, States
from gdl_env.engine.dead_ends import check_rows
from gdl_env.play.turn_names import ROTATE

# States that are expanded together at most.
_PART = 1 << 14


@dataclass(frozen=True)
class GraphMoves:
    """Moves from state to state, sorted by the state before."""

    parent: Numbers
    child: Numbers
    # How likely chance makes it, given the moves of the players.
    chance: NDArray[np.float64]
    # How likely it is if players move at random, too.
    likely: NDArray[np.float64]
    # Moves by roles: rows of legal moves, -1 for those who did not act.
    legal: Rows


@dataclass(frozen=True)
class StateGraph:
    """The states of a game, in the order in which they were met; the first is the initial one."""

    states: States
    # Moves on the shortest way from the initial state.
    depth: Numbers
    # States by roles: who acts, and who of them has more than one legal move.
    acting: NDArray[np.bool_]
    decides: NDArray[np.bool_]
    moves: GraphMoves

    def __len__(self) -> int:
        return len(self.states)

    @property
    def is_final(self) -> NDArray[np.bool_]:
        """Tell in which states the game is over."""
        found: NDArray[np.bool_] = self.acting.sum(axis=1) == 0
        return found

    def sort_layers(self) -> list[Numbers] | None:
        """Return all states, each after all before it; None if a state can be met again."""
        missing = np.bincount(self.moves.child, minlength=len(self))
        starts = np.searchsorted(self.moves.parent, np.arange(len(self) + 1))
        layers, done = [np.flatnonzero(missing == 0)], 0
        while len(layers[-1]):
            done += len(layers[-1])
            children = self.moves.child[spread_ranges(starts, layers[-1])[1]]
            np.subtract.at(missing, children, 1)
            reached = np.unique(children)
            layers.append(reached[missing[reached] == 0])
        return layers[:-1] if done == len(self) else None


def spread_ranges(starts: Numbers, chosen: Numbers) -> tuple[Numbers, Numbers]:
    """Return all entries of some ranges: of which chosen one each is, and its place.

    Range i is starts[i] to starts[i + 1].
    """
    sizes = starts[chosen + 1] - starts[chosen]
    owner = np.repeat(np.arange(len(chosen)), sizes)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return owner, starts[chosen][owner] + within


def explore_states(rules: BatchGame, nodes: int, advance: Callable[[int], None]) -> StateGraph:
    """Find all states of a game.

    Raises TooLargeError if there are more than `nodes`, and DeadEndError for a state in which no
    role has a move although the game is not over.

    `advance` is called with how many more were looked at.
    """
    words = rules.initial.shape[1]
    turns = TurnOrder.of(ROTATE)
    # In a serial game who moves depends on who moved last: that is part of a row.
    index = RowIndex(words + 1)
    index.add(_add_last(rules.initial, np.full(1, NOBODY)))
    acting, decides, depth = [], [], []
    parts: list[GraphMoves] = []
    done = level = 0
    while done < len(index):
        end = len(index)
        for start in range(done, end, _PART):
            rows = index.rows[start : min(start + _PART, end)].copy()
            states, last = rows[:, :words], rows[:, words].astype(np.int64) + NOBODY
            look = rules.look(states)
            chances = turns.find_chances(rules, look, last)
            check_rows(rules, states, ~look.terminal & ~(chances > 0).any(axis=1))
            found = expand_turns(rules, states, look, chances)
            after = last[found.parent]
            if rules.is_serial:
                after = follow_last(rules, after, found.legal)
            numbers = index.add(_add_last(found.states, after))
            if len(index) > nodes:
                raise TooLargeError(
                    f'{rules.game.name} has more than {nodes:,} states: allow more by --nodes,'
                    ' or choose another way to make data'
                )
            joint = _count_joint(rules, look, chances > 0)
            parts.append(
                GraphMoves(
                    start + found.parent,
                    numbers,
                    found.chance,
                    found.chance / joint[found.parent],
                    found.legal,
                )
            )
            acting.append(chances > 0)
            decides.append((chances > 0) & (look.counts() > 1))
            depth.append(np.full(len(rows), level))
            advance(len(rows))
        done, level = end, level + 1
    names = GraphMoves.__dataclass_fields__
    moves = GraphMoves(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))
    return StateGraph(
        index.rows[: len(index), :words].copy(),
        np.concatenate(depth),
        np.concatenate(acting),
        np.concatenate(decides),
        moves,
    )


def _add_last(states: States, last: Numbers) -> States:
    return np.concatenate([states, (last - NOBODY).astype(np.uint64)[:, None]], axis=1)


def _count_joint(rules: BatchGame, look: Look, acting: NDArray[np.bool_]) -> Numbers:
    """Return how many combinations of moves players have in each state."""
    counts = np.where(acting, look.counts(), 1)
    joint: Numbers = counts[:, list(rules.players)].prod(axis=1)
    return joint
