"""Columns of the arrays that code for single states reads by their address.

Where it says how many numbers a row has, the number at a place is `row · numbers + column`.
"""

from __future__ import annotations

# Bytes of a number in these arrays.
BYTES = 4

# Node 0 of an event network is constant false; the inputs follow, first of all the facts.
FIRST_INPUT_NODE = 1

# Gates of an event network: the truth table (0 for inputs), the nodes of both inputs, and the
# values by which a node of a cycle falls, as bits.
TRUTH, LEFT, RIGHT, FALLS = range(4)
GATE = 4

# Uses of a node: the gate that uses it, and 4 · other input of that gate + the value of that
# which decides the gate (2 for none).
USER, OTHER = range(2)
USE = 2

# Cycles: the first word of their nodes and the end, the first row of their feedback and the end.
FIRST_WORD, END_WORD, FIRST_FED, END_FED = range(4)
CYCLE = 4

# Feedback of cycles: an input node, and the literal that it becomes.
FED_NODE, FED_LITERAL = range(2)
FED = 2

# Gates that depend on moves, and gates that are made of them: the operation, and two inputs.
OPERATION, FIRST_OPERAND, SECOND_OPERAND = range(3)
MOVING_GATE = 3

# Facts whose next value depends on moves: the fact, the node of that value, whether it is
# inverted.
NEXT_FACT, NEXT_NODE, NEXT_INVERTED = range(3)
NEXT_ROW = 3

# Facts of a program: the fact, and the literal that it becomes.
CHANGED_FACT, CHANGED_LITERAL = range(2)
CHANGE = 2

# Gates of a program: the value to write, the operation, and two literals.
STEP_VALUE, STEP_OPERATION, STEP_FIRST, STEP_SECOND = range(4)
STEP = 4

# The head of a program: how many moves, then the moves; then the sizes of gates and of facts, in
# numbers.
MOVE_COUNT, FIRST_MOVE = range(2)
GATES_SIZE, FACTS_SIZE = range(2)
SIZES = 2
