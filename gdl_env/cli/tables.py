"""Tables: drawn by rich on a terminal, plain columns everywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import sys


def print_table(headers: Sequence[str], rows: Iterable[Sequence[object]], title: str = '') -> None:
    """Print a table. A header that ends in '#' marks a column of numbers, set to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    names = [header.rstrip('#') for header in headers]
    is_right = [header.endswith('#') for header in headers]
    if sys.stdout.isatty():
        _print_rich(names, is_right, cells, title)
    else:
        _print_plain(names, is_right, cells, title)


def _print_rich(names: list[str], is_right: list[bool], rows: list[list[str]], title: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify='left', box=box.SIMPLE_HEAD)
    for name, right in zip(names, is_right, strict=True):
        table.add_column(name, justify='right' if right else 'left', overflow='fold')
    for row in rows:
        # As text: a fact such as [red] is no colour.
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def _print_plain(
    names: list[str], is_right: list[bool], rows: list[list[str]], title: str
) -> None:
    if title:
        print(title)
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    for row in (names, *rows):
        cells = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, is_right, strict=True)
        )
        print('  '.join(cells).rstrip())
