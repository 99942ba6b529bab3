"""Alpha-beta by whole families and child by child: the same positions to the same depth."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from time import process_time

from ggp_children import open_rules, sample_positions
import numpy as np
from parts import Row

from gdl_agents.search.alphabeta.breadth import evaluate_neutrally
from gdl_agents.search.alphabeta.families import FamilySearch
from gdl_agents.search.alphabeta.search import AlphaBetaSearch

# Games, and how deep they are searched.
_DEPTHS = {
    'connect four': (6,),
    'othello': (4, 5),
    'hex 9x9, public file': (2, 3),
    'chess': (3, 4),
}
_POSITIONS = 8
_ENDLESS = 1 << 60


def measure_alphabeta(options: Namespace, keep: Callable[[Row], None]) -> None:
    """Search the same positions both ways, by turns; the values must agree."""
    for name in options.only or _DEPTHS:
        rules = open_rules(name)
        states = sample_positions(rules, 8 * _POSITIONS)
        counts = rules.look(states).counts()
        fit = np.flatnonzero((counts > 1).sum(axis=1) == 1)[:_POSITIONS]
        plain = AlphaBetaSearch(rules)
        for depth in _DEPTHS.get(name, (3,)):
            row: Row = {'part': 'alphabeta', 'game': name, 'players': depth, 'agree': 0}
            row |= {'positions': len(fit), 'nodes': [0, 0], 'seconds': [0.0, 0.0]}
            # The first position is searched twice: once to compile.
            for number, k in enumerate([fit[0], *fit]):
                role = int((counts[k] > 1).argmax())
                family = FamilySearch(rules, role, evaluate_neutrally)
                begin = process_time()
                one = family.run(states[k], depth)
                between = process_time()
                other = plain.run(states[k], role, depth, _ENDLESS, number)
                spent = between - begin, process_time() - between
                if number:
                    row['agree'] += int(one.value == other.value)
                    row['nodes'] = [
                        a + b for a, b in zip(row['nodes'], (one.nodes, other.nodes), strict=True)
                    ]
                    row['seconds'] = [a + b for a, b in zip(row['seconds'], spent, strict=True)]
            keep(row)
