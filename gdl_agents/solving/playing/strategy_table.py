"""The strategy of a solution: as arrays that a player looks up by digests, and for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import csv
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.exploiting.exploitability import Strategy
from gdl_agents.solving.tree.game_tree import GameTree
from gdl_agents.solving.tree.own_paths import OwnPaths
from gdl_agents.solving.tree.questions import write_facts
from gdl_agents.solving.tree.sight import TableSight


@dataclass(frozen=True)
class RolePart:
    """The information sets of one role, and what it does there."""

    role: str
    own: OwnPaths
    # A probability for each sequence of the role.
    strategy: Strategy


def split_roles(tree: GameTree, strategy: Strategy) -> list[RolePart]:
    """Return the part of each role of a strategy."""
    starts = tree.form.sequence_start
    return [
        RolePart(role, own, strategy[starts[player] : starts[player + 1]])
        for player, (role, own) in enumerate(zip(tree.roles, tree.own, strict=True))
    ]


def to_arrays(sight: TableSight, parts: list[RolePart]) -> dict[str, NDArray[Any]]:
    """Return what a player needs: digests and probabilities, role by role."""
    arrays: dict[str, NDArray[Any]] = {}
    for number, part in enumerate(parts):
        own = part.own
        likely = part.strategy if sight.table.mapping is not None else _sort_texts(sight, part)
        held = b''.join(own.digests[path] for path in own.paths)
        arrays[f'digests_{number}'] = np.frombuffer(held, np.uint8).reshape(len(own), -1)
        arrays[f'first_{number}'] = own.first
        arrays[f'count_{number}'] = own.count
        arrays[f'likely_{number}'] = likely
    return arrays


def _sort_texts(sight: TableSight, part: RolePart) -> Strategy:
    """Return probabilities with the moves of each information set in the order of their text.

    Without an action table, the numbers of moves mean nothing to a player.
    """
    own = part.own
    sorted_likely: Strategy = part.strategy.copy()
    for number, (first, count) in enumerate(zip(own.first, own.count, strict=True)):
        texts = [sight.move_text(own.role, move) for move in own.legal_moves(number)]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        sorted_likely[first : first + count] = part.strategy[first + np.array(order)]
    return sorted_likely


@dataclass(frozen=True)
class Row:
    """One information set, for people."""

    role: str
    # What is seen there, and what the role did before.
    seen: str
    did: str
    moves: tuple[tuple[str, float], ...]


def list_rows(sight: TableSight, parts: list[RolePart]) -> Iterator[Row]:
    """Yield all information sets, in the order in which games reach them."""
    for part in parts:
        own = part.own
        texts = partial(sight.move_text, own.role)
        for number, path in enumerate(own.paths):
            first, count = own.first[number], own.count[number]
            view = own.views[int(own.view_of[path])]
            seen = ' '.join(write_facts(sight, part.role, view))
            did = ' '.join(texts(own.moves[s]) for s in _list_sequences(own, number))
            moves = [texts(move) for move in own.legal_moves(number)]
            likely = part.strategy[first : first + count].tolist()
            yield Row(part.role, seen, did, tuple(zip(moves, likely, strict=True)))


def _list_sequences(own: OwnPaths, number: int) -> list[int]:
    """Return the own moves before an information set, the first one first."""
    found = []
    sequence = own.before[number]
    while sequence:
        found.append(sequence)
        above = int(np.searchsorted(own.first, sequence, side='right')) - 1
        sequence = own.before[above]
    return found[::-1]


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write a line for each move of each information set."""
    with path.open('w', encoding='utf-8', newline='') as stream:
        writer = csv.writer(stream)
        writer.writerow(('role', 'sees', 'did', 'move', 'probability'))
        for row in rows:
            for move, likely in row.moves:
                writer.writerow((row.role, row.seen, row.did, move, f'{likely:.6f}'))
