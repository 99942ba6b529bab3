"""Compiled loops over combinations of moves."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel


@compile_kernel(nogil=True)
def list_combinations(starts, rows, acting, parent, legal):
    """List the combinations of moves of those who act, state by state."""
    roles = acting.shape[1]
    place = np.zeros(roles, np.int64)
    count = 0
    for i in range(acting.shape[0]):
        some = False
        for role in range(roles):
            place[role] = starts[i, role]
            some = some or acting[i, role]
        while some:
            parent[count] = i
            for role in range(roles):
                if acting[i, role]:
                    legal[count, role] = rows[place[role]]
            count += 1
            role = roles - 1
            while role >= 0:
                if acting[i, role]:
                    place[role] += 1
                    if place[role] < starts[i, role + 1]:
                        break
                    place[role] = starts[i, role]
                role -= 1
            some = role >= 0
