"""The conditions that must hold together for a goal, and the moves that bring each about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.puzzles.goal_formula import GoalFormula
from gdl_agents.search.puzzles.random_lines import RandomLines
from gdl_env.engine.batch.contract import Rows, States
from gdl_env.engine.circuit.network.logic import AND, ANDNOT, OR

# A goal of fewer conditions, or of more, is taken as a whole.
_FEWEST, _MOST = 3, 2_000
# A node, and whether it is the node itself that must hold (0), or its opposite (1).
_Part = tuple[int, int]


class GoalConditions(NamedTuple):
    """Nodes of a formula that must all hold, and which of them each move helps."""

    # int32 (conditions, 2): the node; 0: it must hold, 1: its opposite must.
    nodes: NDArray[np.int32]
    # int64 (moves + 1), int32: which conditions each move helps.
    starts: NDArray[np.int64]
    helped: NDArray[np.int32]
    # bool (conditions): no move helps those that are lost once they are broken.
    is_brittle: NDArray[np.bool_]


def find_conditions(
    formula: GoalFormula, lines: RandomLines, first: tuple[States, States, Rows]
) -> GoalConditions | None:
    """Return the conditions of a formula; None where there are too few, or very many.

    - first: states before and after some more steps, and their moves
    """
    parts = _split(formula)
    if not _FEWEST <= len(parts) <= _MOST:
        return None
    before = np.concatenate([lines.before, first[0]])
    after = np.concatenate([lines.after, first[1]])
    rows = np.concatenate([lines.rows, first[2]])
    order = np.argsort(rows, kind='stable')
    moves, cuts = np.unique(rows[order], return_index=True)
    won = np.bitwise_and.reduceat((after & ~before)[order], cuts, axis=0)
    lost = np.bitwise_and.reduceat((before & ~after)[order], cuts, axis=0)
    helps = np.zeros((len(moves), len(parts)), np.bool_)
    for number, part in enumerate(parts):
        wanted, unwanted = _mask_leaves(formula, part, before.shape[1])
        helps[:, number] = ((won & wanted) | (lost & unwanted)).any(axis=1)
    every = np.zeros((int(moves.max()) + 1, len(parts)), np.bool_)
    every[moves] = helps
    starts = np.concatenate([[0], np.cumsum(every.sum(axis=1))])
    helped = np.nonzero(every)[1].astype(np.int32)
    return GoalConditions(np.array(parts, np.int32), starts, helped, np.all(~helps, axis=0))


def _split(formula: GoalFormula) -> list[_Part]:
    """Return what must hold together, as far as that is split by `and`."""
    found: dict[_Part, None] = {}
    waiting: list[_Part] = [(formula.nodes - 1, 0)]
    met = set(waiting)
    while waiting:
        part = waiting.pop()
        inner = _list_parts(formula, part)
        kind = _kind(formula, part[0])
        if not inner or (kind in (AND, ANDNOT)) != (part[1] == 0) or kind not in (AND, ANDNOT, OR):
            found[part] = None
            continue
        waiting += [each for each in inner if each not in met]
        met.update(inner)
    return [part for part in found if part[0] > 1]


def _kind(formula: GoalFormula, node: int) -> int:
    place = node - 2 - len(formula.leaves)
    return int(formula.gates[place, 0]) if place >= 0 else -1


def _list_parts(formula: GoalFormula, part: _Part) -> list[_Part]:
    """Return what a node, or its opposite, is made of."""
    node, opposite = part
    place = node - 2 - len(formula.leaves)
    if place < 0:
        return []
    kind, left, right = formula.gates[place].tolist()
    if kind in (AND, OR):
        return [(left, opposite), (right, opposite)]
    if kind == ANDNOT:
        return [(left, opposite), (right, 1 - opposite)]
    return [(left, 0), (right, 0), (left, 1), (right, 1)]


def _mask_leaves(formula: GoalFormula, part: _Part, words: int) -> tuple[States, States]:
    """Return the facts that help a part if they hold, and those that help if they do not."""
    masks = np.zeros((2, words), np.uint64)
    waiting, met = [part], {part}
    while waiting:
        node, opposite = waiting.pop()
        if 2 <= node < 2 + len(formula.leaves):
            fact = int(formula.leaves[node - 2])
            masks[opposite, fact >> 6] |= np.uint64(1 << (fact & 63))
        inner = [each for each in _list_parts(formula, (node, opposite)) if each not in met]
        waiting += inner
        met.update(inner)
    return masks[0], masks[1]
