"""Which kind of board people expect under the pieces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gdl_env.gui.drawing.layout import BoardPlan
from gdl_env.gui.drawing.pieces import PieceBook
from gdl_env.language.terms import Term, args_of, name_of


def guess(
    name: str,
    board: BoardPlan,
    book: PieceBook,
    initial: Sequence[Term],
    moves: Mapping[tuple[str, int], Sequence[set[str]]],
) -> str:
    """Return the style of a board: from its pieces, its moves, its beginning, and its name."""
    lower = name.lower()
    if 'hex' in lower.split('_') or lower.startswith('hex'):
        return 'hex'
    if book.are_discs and ('othello' in lower or 'reversi' in lower):
        return 'green'
    if book.is_chess or book.is_checkers:
        return 'checkered'
    if book.are_discs and _has_drops(board, moves):
        return 'holes'
    if book.are_discs and _begins_in_the_middle(board, book, initial):
        return 'green'
    if book.are_discs and len(board.columns) == len(board.rows) == 8:
        return 'checkered'
    return 'lines' if min(len(board.columns), len(board.rows)) <= 3 else 'plain'


def find_dark(squares: Collection[tuple[int, int]]) -> int:
    """Return which squares are the dark ones: those that all pieces stand on, as in checkers.

    It is the sum of row and column, odd (1) as on a chess board, or even (0); -1 if nothing tells.
    """
    found = {(row + column) % 2 for row, column in squares}
    return found.pop() if len(found) == 1 and len(squares) > 3 else -1


def _has_drops(board: BoardPlan, moves: Mapping[tuple[str, int], Sequence[set[str]]]) -> bool:
    """Tell whether moves name a column only: what is dropped there finds its row."""
    kinds = [values for (_, arity), values in moves.items() if arity]
    return bool(kinds) and all(len(v) == 1 and board.axis(v[0]) == 'column' for v in kinds)


def _begins_in_the_middle(board: BoardPlan, book: PieceBook, initial: Sequence[Term]) -> bool:
    """Tell whether exactly the four squares in the middle are taken at first, as in othello."""
    taken = set()
    for plan in board.relations:
        for fact in initial:
            args = args_of(fact)
            if (name_of(fact), len(args)) != (plan.name, plan.arity):
                continue
            both = plan.where.read(args)
            square = board.square(*both) if both else None
            if square is not None and book.piece(plan.content(args)) is not None:
                taken.add(square)
    height, width = len(board.rows), len(board.columns)
    if height % 2 or width % 2 or height < 4:
        return False
    rows, columns = (height // 2 - 1, height // 2), (width // 2 - 1, width // 2)
    return taken == {(row, column) for row in rows for column in columns}
