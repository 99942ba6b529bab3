"""Columns of the arrays of a tape."""

from __future__ import annotations

# Operations: what is done, to which slot it is written, and from which it is read.
KIND, TARGET, LEFT, RIGHT = range(4)

# Runs: operations of one kind from FIRST to END; the number of the cycle they belong to, or 0.
RUN_KIND, FIRST, END, LOOP = range(4)

# Feedback: the number of the cycle, the slot of its input, the slot of what that becomes.
FED_LOOP, FED_INPUT, FED_RESULT = range(3)
