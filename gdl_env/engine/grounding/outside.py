"""Values that leave the range which a head declares for them.

A range in the head of `next` or `legal` ends the grounding of numbers that grow. The game must not
become another one by it: for each such head a rule says when the range drops something, and what
it gives is a mark in the next state, a fact `(*outside rule bound what)`. Play stops at a state
that has one, with an error that names the fact or move, the range and the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from gdl_env.engine.grounding.literals import Literal, LiteralKind
from gdl_env.errors import ExhaustedError, RangeError, RuleError
from gdl_env.language.formulas import Atom
from gdl_env.language.game import Game, Rule
from gdl_env.language.reader import read_term
from gdl_env.language.terms import (
    Compound,
    Number,
    Range,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    erase_types,
    name_of,
    signature,
    substitute,
    subterms,
)

MARK = '*outside'
# Heads whose ranges bound what is ground. All other ones follow from facts and moves, which are
# finitely many already.
BOUNDED = frozenset({('next', 1), ('legal', 2)})

# Variables of a fact whose marks hold all of it.
_MOST_VARIABLES = 2

# Where a value stands in a fact or move: names, arities and places, from the outside in.
_Path = tuple[tuple[str, int, int], ...]


def make_mark(rule: Rule, number: int, place: int, bound: Typed) -> Term:
    """Return the mark for values of a variable: the number of its rule, and of the bound there.

    What follows is the whole fact or move, or else the value alone.
    """
    what = erase_types(args_of(rule.head)[-1])
    shown = what if _is_shown_whole(what) else bound.term
    return Compound(MARK, (Number(number), Number(place), shown))


def _is_shown_whole(what: Term) -> bool:
    """Tell whether a mark holds a whole fact: more variables would make too many marks."""
    names = {inner.name for inner in subterms(what) if isinstance(inner, Variable)}
    return len(names) <= _MOST_VARIABLES


def is_mark(fact: Term) -> bool:
    """Tell whether a fact says that a value has left its range."""
    return signature(fact) == (MARK, 3)


def rule_of(mark: Term) -> int:
    """Return the number of the rule that gives a mark."""
    number = args_of(mark)[0]
    assert isinstance(number, Number)
    return number.value


def is_mark_of_move(fact: Term, game: Game) -> bool:
    """Tell whether a fact says that a move, and not a fact, has left its range."""
    return is_mark(fact) and name_of(game.rules[rule_of(fact)].head) == 'legal'


def describe_mark(mark: Term, game: Game, *, is_open: bool = False) -> RangeError:
    """Return the error that a mark in a state stands for.

    Where it is open which fact of the rule it is, only the value is named.
    """
    _, place, shown = args_of(mark)
    assert isinstance(place, Number)
    rule = game.rules[rule_of(mark)]
    bound = list(find_bounds(rule))[place.value]
    assert isinstance(bound.term, Variable)
    what = erase_types(args_of(rule.head)[-1])
    if _is_shown_whole(what) and is_open:
        places = (path for path, leaf in _walk(what) if leaf == bound.term)
        what = substitute(what, {bound.term.name: _find_leaf(shown, next(places))})
    elif _is_shown_whole(what):
        what = shown
    else:
        value = shown if isinstance(shown, Symbol | Number) else Symbol(str(shown))
        what = substitute(what, {bound.term.name: value})
    line, _ = game.source.position(rule.span.start)
    place_of_rule = f'{game.source.name}:{line}'
    return RangeError(str(what), str(bound.type), place_of_rule, rule_of(mark))


class PlayFailure(Exception):  # noqa: N818 - turned into an error where the game is known
    """Random play cannot continue; carries the name of an experiment, or a mark as text."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


def describe_failure(failure: PlayFailure, game: Game) -> RuleError:
    """Return the error that keeps random play from continuing."""
    if failure.name in game.experiments:
        return ExhaustedError(failure.name)
    return describe_mark(read_term(failure.name), game)


def find_bounds(rule: Rule) -> Iterator[Typed]:
    """Yield the variables with ranges in a head of `next` or `legal`."""
    if signature(rule.head) in BOUNDED:
        for inner in subterms(rule.head):
            if _is_bound(inner):
                yield inner


def _is_bound(term: Term) -> TypeGuard[Typed]:
    return (
        isinstance(term, Typed)
        and isinstance(term.type, Range)
        and isinstance(term.term, Variable)
    )


def make_bound(typed: Typed, kind: LiteralKind = LiteralKind.HOLDS) -> Literal:
    """Return the condition that a value is inside its range, or (FAILS) outside."""
    return Literal(kind, 'type/2', (typed.type, typed.term))


@dataclass
class Ranges:
    """The ranges in which all values at a place of facts or moves lie, by the heads of rules."""

    game: Game
    _known: dict[str, dict[_Path, list[Range] | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known = {'true': {}, 'does': {}}
        for rule in self.game.rules:
            name = name_of(rule.head)
            if name in {'init', 'next'}:
                self._add('true', rule)
            elif name == 'legal':
                self._add('does', rule)

    def can_leave(self, typed: Typed, body: Sequence[Literal]) -> bool:
        """Tell whether a value may be outside its range, as far as the conditions tell."""
        assert isinstance(typed.type, Range)
        return not any(
            _holds(typed.type, ranges)
            for literal in body
            if literal.kind is LiteralKind.HOLDS
            for ranges in self._of(literal, typed.term)
        )

    def _of(self, literal: Literal, wanted: Term) -> Iterator[Iterable[Range] | None]:
        """Yield the ranges at the places of a literal where a variable stands."""
        if literal.relation == 'type/2' and literal.args[1] == wanted:
            kind = literal.args[0]
            yield (kind,) if isinstance(kind, Range) else None
        if literal.relation in {'true/1', 'does/2'}:
            known = self._known[literal.relation[:4]]
            for path, leaf in _walk(literal.args[-1]):
                if leaf == wanted:
                    is_open = any(path[:length] in known for length in range(len(path)))
                    yield None if is_open else known.get(path)

    def _add(self, kind: str, rule: Rule) -> None:
        known = self._known[kind]
        for path, leaf in _walk(args_of(rule.head)[-1]):
            found = self._range(rule, leaf)
            ranges = known.setdefault(path, [])
            if found is None:
                known[path] = None
            elif ranges is not None:
                ranges.append(found)

    def _range(self, rule: Rule, leaf: Term) -> Range | None:
        if isinstance(leaf, Typed) and isinstance(leaf.term, Number):
            leaf = leaf.term
        if isinstance(leaf, Number):
            return Range(leaf.value, leaf.value)
        if not _is_bound(leaf) or not isinstance(leaf.type, Range):
            return None
        if signature(rule.head) in BOUNDED:
            # Anything outside of it is an error.
            return leaf.type
        given = (formula.term for formula in rule.body if isinstance(formula, Atom))
        asked = (args_of(term) for term in given if signature(term) == ('type', 2))
        return next((t for t, v in asked if v == leaf.term and isinstance(t, Range)), None)


def _holds(whole: Range, parts: Iterable[Range] | None) -> bool:
    return parts is not None and all(
        whole.low <= part.low and part.high <= whole.high for part in parts
    )


def _find_leaf(term: Term, path: _Path) -> Symbol | Number:
    for _, _, place in path:
        term = args_of(term)[place]
    return term if isinstance(term, Symbol | Number) else Symbol(str(term))


def _walk(term: Term, path: _Path = ()) -> Iterator[tuple[_Path, Term]]:
    if isinstance(term, Compound):
        for place, arg in enumerate(term.args):
            yield from _walk(arg, (*path, (term.name, len(term.args), place)))
    else:
        yield path, term
