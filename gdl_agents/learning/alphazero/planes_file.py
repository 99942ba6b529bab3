"""The planes of a board as plain data, for files of models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl_env.engine.mapping import Planes
from gdl_env.language.reader import read_term


def planes_to_tree(planes: Planes | None) -> dict[str, Any] | None:
    """Return planes as a tree (see state_file); None without any."""
    if planes is None:
        return None
    return {
        'channels': list(planes.channels),
        'rows': [str(term) for term in planes.rows],
        'columns': [str(term) for term in planes.columns],
        'table': planes.table,
    }


def planes_from_tree(tree: Mapping[str, Any] | None) -> Planes | None:
    """Return what a tree describes."""
    if tree is None:
        return None
    rows, columns = (tuple(map(read_term, tree[name])) for name in ('rows', 'columns'))
    return Planes(tuple(tree['channels']), rows, columns, tree['table'])
