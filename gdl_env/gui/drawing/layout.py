"""Which relations form boards: where their squares and contents stand among the arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gdl_env.engine.board import is_blank
from gdl_env.gui.drawing.axes import ACROSS, DOWN, split_square, to_axis
from gdl_env.gui.drawing.domain import GameDomain, RelationDomain
from gdl_env.gui.drawing.view_file import RelationView, ViewFile
from gdl_env.language.terms import Compound, Term, args_of

_LETTERS = 26


@dataclass(frozen=True)
class Where:
    """How a square is read from arguments: from two of them, or from one that holds both."""

    first: int
    # The same as `first` if one argument is the whole square: e4, or (square e 4).
    second: int

    def read(self, args: Sequence[Term]) -> tuple[str, str] | None:
        """Return both coordinates; None if there are none."""
        if self.first != self.second:
            return str(args[self.first]), str(args[self.second])
        return split_term(args[self.first])

    @property
    def places(self) -> frozenset[int]:
        """Return the arguments that are used."""
        return frozenset({self.first, self.second})


@dataclass(frozen=True)
class RelationPlan:
    """A relation that says what is where."""

    name: str
    arity: int
    where: Where
    is_hidden: bool
    first: tuple[str, ...]
    second: tuple[str, ...]
    # The first coordinate is the column.
    is_across: bool
    # The argument that tells one board from another; negative: there is one only.
    board_arg: int = -1

    def content(self, args: Sequence[Term]) -> str:
        """Return what is there, in words; the name of the relation if it says no more."""
        used = self.where.places | {self.board_arg}
        words = [str(arg) for index, arg in enumerate(args) if index not in used]
        return ' '.join(words) or self.name


@dataclass(frozen=True)
class BoardPlan:
    """A board: the relations on it, and what its columns and rows are called."""

    relations: tuple[RelationPlan, ...]
    columns: tuple[str, ...]
    # From the top.
    rows: tuple[str, ...]
    is_across: bool
    # Columns that are numbers have letters.
    has_letters: bool = False

    @property
    def column_names(self) -> tuple[str, ...]:
        """Return what people call the columns."""
        if not self.has_letters:
            return self.columns
        first = min(map(int, self.columns))
        return tuple(chr(ord('a') + int(column) - first) for column in self.columns)

    def square(self, first: str, second: str) -> tuple[int, int] | None:
        """Return row and column of two coordinates, in the order of the arguments."""
        column, row = (first, second) if self.is_across else (second, first)
        if column not in self.columns or row not in self.rows:
            return None
        return self.rows.index(row), self.columns.index(column)

    def axis(self, values: Iterable[str]) -> str:
        """Return which axis has exactly these values: column, row or ''."""
        found = set(values)
        if found == set(self.columns):
            return 'column'
        return 'row' if found == set(self.rows) else ''


def split_term(term: Term) -> tuple[str, str] | None:
    """Return the coordinates of a term that is a whole square."""
    if isinstance(term, Compound):
        args = args_of(term)
        if len(args) == 2 and not any(map(args_of, args)):
            return str(args[0]), str(args[1])
        return None
    return split_square(str(term))


def find_boards(domain: GameDomain, view: ViewFile) -> list[BoardPlan]:
    """Return the boards of a game, the largest relation first."""
    plans = []
    for (name, arity), relation in domain.relations.items():
        told = view.relation(name)
        if told.hide or told.as_table or told.show.kind:
            continue
        plan = _told(relation, told) if told.is_board else None
        if plan is None and arity <= 5:
            plan = _guess(relation, told)
        if plan is not None:
            plans.append(plan)
    # What has contents makes a board; what has none only lies on one.
    makers = [p for p in plans if p.arity > len(p.where.places) or view.relation(p.name).is_board]
    groups: list[list[RelationPlan]] = []
    for plan in makers:
        group = next((g for g in groups if _fits(plan, g[0])), None)
        if group is None:
            groups.append([plan])
        else:
            group.append(plan)
    for plan in plans:
        if plan not in makers:
            for group in groups:
                if (plan.first, plan.second) == (group[0].first, group[0].second):
                    group.append(plan)
                    break
    return [_board(group, view) for group in groups]


def _board(group: list[RelationPlan], view: ViewFile) -> BoardPlan:
    main = group[0]
    told = view.relation(main.name)
    columns, rows = (main.first, main.second) if main.is_across else (main.second, main.first)
    is_upward = main.is_across if told.upward is None else told.upward
    if is_upward:
        rows = rows[::-1]
    if told.leftward:
        columns = columns[::-1]
    same = tuple(replace(plan, is_across=main.is_across) for plan in group)
    has_letters = told.letters and all(map(str.isdecimal, columns)) and len(columns) <= _LETTERS
    return BoardPlan(same, columns, rows, main.is_across, has_letters)


def _fits(plan: RelationPlan, other: RelationPlan) -> bool:
    return (plan.first, plan.second, plan.is_across, plan.board_arg) == (
        other.first,
        other.second,
        other.is_across,
        other.board_arg,
    )


def _told(relation: RelationDomain, told: RelationView) -> RelationPlan | None:
    """Follow the view file, which counts arguments from 1."""
    where = told.where
    if where is None:
        return None
    return _plan(relation, Where(*where), told)


def _guess(relation: RelationDomain, told: RelationView) -> RelationPlan | None:
    """Find the square among the arguments, if there is one."""
    arity = len(relation.values)
    for index, values in enumerate(relation.values):
        squares = [split_term(value) for value in values]
        if len(squares) > 3 and all(squares):
            plan = _plan(relation, Where(index, index), told)
            if plan is not None:
                return plan
    # Neighbours first, and from the left.
    pairs = [(i, j) for gap in (1, 2) for i in range(arity) if (j := i + gap) < arity]
    for first, second in pairs:
        plan = _plan(relation, Where(first, second), told)
        if plan is not None and _looks_like_board(relation, plan):
            return plan
    return None


def _looks_like_board(relation: RelationDomain, plan: RelationPlan) -> bool:
    """Tell a board from a list with two numbers: it is large enough, or has empty squares."""
    rest = [v for index, v in enumerate(relation.values) if index not in plan.where.places]
    has_blanks = any(is_blank(str(value)) for values in rest for value in values)
    return has_blanks or min(len(plan.first), len(plan.second)) >= 3


def _plan(relation: RelationDomain, where: Where, told: RelationView) -> RelationPlan | None:
    if where.first == where.second:
        squares = [split_term(value) for value in relation.values[where.first]]
        known = [square for square in squares if square]
        first = to_axis(square[0] for square in known)
        second = to_axis(square[1] for square in known)
        words: list[set[str]] = [set(), set()]
    else:
        first, second = (
            to_axis(str(value) for value in relation.values[index])
            for index in (where.first, where.second)
        )
        words = [relation.words[where.first], relation.words[where.second]]
    if not first or not second:
        return None
    is_across = _is_across(first, second, words) if told.across is None else told.across
    board = told.board_argument
    return RelationPlan(
        relation.name,
        len(relation.values),
        where,
        relation.is_hidden,
        first,
        second,
        is_across,
        -1 if board is None else board,
    )


def _is_across(first: tuple[str, ...], second: tuple[str, ...], words: list[set[str]]) -> bool:
    """Tell whether the first coordinate is the column: as on a chess board, or as it is named."""
    if first[0].isalpha() and second[0].isdecimal():
        return True
    if words[0] & DOWN:
        return False
    return bool(words[0] & ACROSS or (words[1] & DOWN and not words[1] & ACROSS))
