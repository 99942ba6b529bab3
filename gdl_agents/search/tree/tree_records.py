"""The arrays of trees, as compiled loops take them: what each holds, and its shape.

Sizes: N nodes, A arms, R roles, W words of a state, E places of the table of children, O outcomes,
B leaves of a batch, D steps from a root. Arrays have room to grow: only the first entries count,
as many as `Tree.counts` says. Passing an array to a compiled function costs a reference count, so
what belongs together is one array of structures.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Bits of the flags of a NODE: its state and arms are known; its children were asked for; its
# value is certain; one of the roles with arms moves, drawn at each visit.
READY, OPENED, SOLVED, ONE_OF = 1, 2, 4, 8
# Its state is known, and it gets its arms when it is visited again; they were asked for.
SEEN, ASKED = 16, 32
# A judge was asked, beside random games.
JUDGED = 64
# The decider of a NODE: no role alone, so that children are found by the table.
SEVERAL = -2
# Places in `Tree.counts`.
NODES, ARMS, ENTRIES, OUTCOMES, WANTED, LEAVES, OPENINGS = 0, 1, 2, 3, 4, 5, 6
# How many of them there are.
COUNTS = 7
# `TreeSettings.mode`: by the mean and how seldom an arm was tried; by the mean and a prior; or so
# that visits follow the prior, improved by what was found (see `improving_kernels`). MIXED is PUCT
# in nodes that a judge was asked about, and UCB elsewhere.
UCB, PUCT, IMPROVED, MIXED = 0, 1, 2, 3


# A state of the game, and what is known of it.
NODE = np.dtype(
    [
        # DescentBatch that came through, or ended here.
        ('visits', np.int64),
        # The code of what was done to get here from the parent.
        ('code', np.uint64),
        # The role that moved last, in a serial game.
        ('last', np.int64),
        # Other nodes; -1 for none.
        ('parent', np.int32),
        ('child', np.int32),
        ('sibling', np.int32),
        # The role that decides alone, so that each of its arms has a child; else SEVERAL; -1 where
        # no role acts.
        ('decider', np.int32),
        # The best of the children whose values are certain, for the decider; -1 for none.
        ('best', np.int32),
        # READY, OPENED, SOLVED, ONE_OF, SEEN, ASKED, JUDGED.
        ('flags', np.uint8),
    ],
    align=True,
)

# A legal move of a role in a node.
ARM = np.dtype(
    [
        # DescentBatch that took the arm and have their result, and the sum of the values that its
        # role got from them.
        ('visits', np.int64),
        ('sum', np.float64),
        # How good the arm seems before it is tried; those of a role in a node add up to 1.
        ('prior', np.float32),
        # DescentBatch that took the arm and wait for their result; they count as lost.
        ('pending', np.int32),
        # The child, where its role decides alone; -1 for none so far.
        ('child', np.int32),
        # Games in which the same was done here or later, and the sum of their values.
        ('late_visits', np.float32),
        ('late_sum', np.float32),
        # The row of the legal move, and that of what is done; DRAWN (of `BatchGame.plain`) where
        # an experiment is drawn. Then its outcomes begin at this one.
        ('row', np.int32),
        ('does', np.int32),
        ('outcome', np.int32),
    ],
    align=True,
)

# A place of the table of children.
ENTRY = np.dtype(
    [
        # A key of the parent and of what is done.
        ('key', np.uint64),
        # -1 where the place is free.
        ('child', np.int32),
    ],
    align=True,
)

# What an arm that names experiments may become.
OUTCOME = np.dtype(
    [
        # The sum of the probabilities up to this outcome; 1 at the last one of an arm.
        ('sum', np.float64),
        # The row of what is done.
        ('does', np.int32),
    ],
    align=True,
)


class Tree(NamedTuple):
    """All arrays of the trees of a forest."""

    # (N) NODE.
    nodes: NDArray[Any]
    # (N, W) the rows of the states.
    states: NDArray[np.uint64]
    # (N, R + 1) the arms of role r are those from starts[node, r] up to starts[node, r + 1].
    starts: NDArray[np.int64]
    # (N, R) the value for each role, 0 to 1, where the node is SOLVED; else what a judge said of
    # it, if there is one.
    solved: NDArray[np.float64]
    # (A) ARM.
    arms: NDArray[Any]
    # (E) ENTRY: children of nodes without a decider, by open addressing; E is a power of 2.
    table: NDArray[Any]
    # (O) OUTCOME; those of an arm lie side by side.
    outcomes: NDArray[Any]
    # (COUNTS) how many NODES, ARMS, ENTRIES of the table and OUTCOMES there are; and, of the
    # batch, how many nodes are WANTED, how many LEAVES were reached, and how many nodes wait for
    # their arms (OPENINGS).
    counts: NDArray[np.int64]


class TreeSettings(NamedTuple):
    """How trees grow."""

    # UCB, PUCT, IMPROVED or MIXED.
    mode: int
    # Nodes with up to this many children get all of them at once.
    family: int
    most_nodes: int
    # The weight of what was seldom tried.
    exploration: float
    # The role of chance, -1 for none.
    nature: int
    # Visits of a node at which late games count as much as an arm's own; 0 for never.
    rave: float
    # IMPROVED: what a value counts beside the logarithm of a prior; it is multiplied by the visits
    # of the arm that has most of them (200 at most), and so many more.
    value_scale: float = 0.0
    value_visits: float = 0.0
    # MIXED: a judge is asked about nodes that were visited so often; its value counts as this many
    # random games, and what was seldom tried there has this weight.
    judge_visits: int = 0
    judge_weight: int = 0
    judge_exploration: float = 0.0


class Paths(NamedTuple):
    """The way of each descent of a batch, from its root to its leaf."""

    # (B, D) the nodes on the way, without the leaf.
    nodes: NDArray[np.int32]
    # (B, D, R) the arm that each role took there; -1 for roles that did not act.
    arms: NDArray[np.int32]
    # (B) how many steps there are.
    lengths: NDArray[np.int64]
    # (B) the nodes that were reached.
    leaves: NDArray[np.int64]


class ChosenArms(NamedTuple):
    """What the roles do in one step of a descent."""

    # (R) the arm of each role, and the row of what is done; -1 for roles that do not act.
    arms: NDArray[np.int32]
    does: NDArray[np.int32]


class WantedNodes(NamedTuple):
    """Nodes of a batch whose states are not known yet: they are numbered one after the other."""

    # (B) the parent of each.
    parents: NDArray[np.int64]
    # (B, R) the rows of what is done there; -1 for roles that do not act.
    does: NDArray[np.int32]


class DescentBatch(NamedTuple):
    """What a batch of descents writes."""

    paths: Paths
    # The way to nodes that wait for their arms, which are the leaves here.
    openings: Paths
    wanted: WantedNodes
    # To work with.
    chosen: ChosenArms


class RipeNodes(NamedTuple):
    """Nodes that a judge is asked about now, and where they are on the paths of a batch."""

    # (B) the nodes, the descents that came through, and after how many steps.
    nodes: NDArray[np.int64]
    entries: NDArray[np.int64]
    steps: NDArray[np.int64]


class NewMoves(NamedTuple):
    """The legal moves of new nodes."""

    # (nodes, R + 1) the moves of role r in node i are those from starts[i, r] to starts[i, r + 1].
    starts: NDArray[np.int64]
    # (moves) the row of each move.
    rows: NDArray[np.int32]
    # (moves) the row of what is done by it, or DRAWN.
    does: NDArray[np.int32]
    # (nodes, R) which roles act.
    acting: NDArray[np.bool_]
