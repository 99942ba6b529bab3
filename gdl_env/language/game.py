"""A game: the rules of one file, with the few facts about them that every layer asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
import hashlib
from itertools import chain
from typing import TypeAlias, TypeGuard

from gdl_env.language.families.designation import Designation
from gdl_env.language.families.options import Option, OptionKind, chosen_options
from gdl_env.language.formulas import (
    And,
    Arithmetic,
    Atom,
    Count,
    Distinct,
    Formula,
    Not,
    Or,
    terms_of,
    walk,
)
from gdl_env.language.keywords import ARITHMETIC, KEYWORDS, RulePart
from gdl_env.language.occurrences import Occurrences
from gdl_env.language.source import Source, Span
from gdl_env.language.terms import (
    Compound,
    Number,
    Symbol,
    Term,
    args_of,
    is_annotated,
    name_of,
)

# A name, or a number.
Role: TypeAlias = Symbol | Number
# Topics, seats of the web interface and arguments of launches are named by roles.
ROLE_NAMES = (
    "a name or a number; for any number of players '(<= (role ?n) (type [1,players] ?n))', or"
    " names by facts such as '(seat 1 north)' and '(<= (role ?name) (seat ?n ?name) …)'"
)


def is_role_name(term: Term) -> TypeGuard[Role]:
    """Tell whether a term can be a role."""
    return isinstance(term, Symbol | Number)


def is_goal_value(term: Term) -> TypeGuard[Number]:
    """Tell whether a term can be a goal: an integer from 0 to 100."""
    return isinstance(term, Number) and 0 <= term.value <= 100


class Turns(Enum):
    """How moves are put together in one step."""

    # Standard GDL: all roles that have a move act at once.
    JOINT = 'joint'
    # KMNR22: one role at a time; `random` before any other; `noop` leaves the state as it is.
    SERIAL = 'serial'


class Information(Enum):
    """What a role sees."""

    # Everything: no `sees` anywhere.
    COMPLETE = 'complete'
    # The facts without `sees`, and its own `sees` facts (KMNR22).
    STATE = 'state'
    # Only what `(sees role percept)` gives it after each step (GDL-II).
    PERCEPTS = 'percepts'


@dataclass(frozen=True, slots=True)
class Rule:
    """A head that holds when every formula of the body holds; a fact has an empty body."""

    head: Symbol | Compound
    body: tuple[Formula, ...] = ()
    span: Span = field(default=Span(0, 0), compare=False, repr=False)
    # Written `(<= head)`: a fact all the same, but worth a remark.
    is_arrow: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        if not self.body:
            return str(self.head)
        return f'(<= {" ".join(map(str, (self.head, *self.body)))})'

    def formulas(self) -> Iterator[Formula]:
        """Yield every formula of the body, nested ones too."""
        for formula in self.body:
            if isinstance(formula, Atom):
                # Nearly all are; a large file has hundreds of thousands of them.
                yield formula
            else:
                yield from walk(formula)

    def terms(self) -> Iterator[Term]:
        """Yield the head and every term that stands directly in a formula."""
        yield self.head
        for formula in self.formulas():
            yield from terms_of(formula)


@dataclass(frozen=True)
class Game:
    """The rules of a game. Equal games have equal rules in the same order."""

    rules: tuple[Rule, ...]
    # With the options that are not as they are by themselves: `gomoku(size=19)`.
    name: str = field(default='game', compare=False)
    source: Source = field(default=Source(''), compare=False, repr=False)
    options: tuple[Option, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return ''.join(f'{rule}\n' for rule in self.rules)

    @cached_property
    def text(self) -> str:
        """Return the rules as their author wrote them, with the chosen options in them.

        It is this game wherever it is read, without further files. Where lists or grids are
        chosen, on which roles and types may depend, it is the rules that result from them.
        """
        if any(option.kind is not OptionKind.VALUE for option in self.options):
            return str(self)
        text = self.source.text
        for option in sorted(self.options, key=lambda option: -option.span.start):
            facts = ' '.join(map(str, option.facts))
            text = f'{text[: option.span.start]}{facts}{text[option.span.end :]}'
        return text

    @property
    def address(self) -> str:
        """Return the game as text that names the same game in every folder: with its path."""
        if self.source.path is None:
            return self.name
        return str(Designation(str(self.source.path.resolve()), chosen_options(self.options)))

    @cached_property
    def hash(self) -> str:
        """Return a digest of the rules that does not depend on layout, comments or file name."""
        return hashlib.sha256(str(self).encode()).hexdigest()

    @cached_property
    def defined(self) -> frozenset[str]:
        """Return the names of all relations that are the head of a rule or fact."""
        return frozenset(name_of(rule.head) for rule in self.rules)

    @cached_property
    def occurrences(self) -> Occurrences:
        """Return where each relation stands."""
        return Occurrences.of_rules(self.rules)

    @cached_property
    def redefined(self) -> frozenset[str]:
        """Return the keywords to which the game gives a meaning of its own."""
        return redefined_keywords(rule.head for rule in self.rules)

    @cached_property
    def is_typed(self) -> bool:
        """Tell whether the game opted in to the type system: it annotates at least one term."""
        found = self.occurrences
        terms = (terms for _, terms in found.relations())
        return any(map(is_annotated, chain(found.compared, chain.from_iterable(terms))))

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        """Return the roles given as facts, in order, `random` included.

        When a game is loaded, roles that rules give become facts (see `role_rules.py`).
        """
        heads = (r.head for r in self.rules if name_of(r.head) == 'role' and not r.body)
        named = (head.args[0] for head in heads if isinstance(head, Compound))
        return tuple(
            dict.fromkeys(replace(role, span=None) for role in named if is_role_name(role))
        )

    @cached_property
    def information(self) -> Information:
        """Return what the roles see."""
        if 'sees' in self.defined:
            return Information.PERCEPTS
        if self._has_sees_in_state:
            return Information.STATE
        return Information.COMPLETE

    @cached_property
    def turns(self) -> Turns:
        """Return how moves are put together: serially in the dialect of KMNR22."""
        return Turns.SERIAL if self.information is Information.STATE else Turns.JOINT

    @cached_property
    def experiments(self) -> frozenset[str]:
        """Return the names of the weighted random experiments."""
        if 'random' in self.redefined:
            return frozenset()
        heads = (rule.head for rule in self.rules)
        return frozenset(name_of(head.args[0]) for head in heads if _is_experiment(head))

    @cached_property
    def _has_sees_in_state(self) -> bool:
        return any(
            name_of(args_of(term)[0]) == 'sees'
            for (name, count), terms in self.occurrences.relations()
            if name in {'init', 'next', 'true'} and count
            for term in terms
        )


def _is_experiment(head: Symbol | Compound) -> TypeGuard[Compound]:
    return isinstance(head, Compound) and head.name == 'random' and len(head.args) == 3


_COMBINE_TYPES = frozenset({'typecombine', 'typemap'})
_DECLARE_TYPES = _COMBINE_TYPES | {'type'}


def redefined_keywords(heads: Iterable[Term]) -> frozenset[str]:
    """Return the keywords that these heads give a meaning of their own."""
    found = set()
    declares_types = False
    for head in heads:
        keyword = KEYWORDS.get(name_of(head))
        if keyword is None or not keyword.can_be_redefined:
            continue
        is_usual = keyword.arities is None or len(args_of(head)) in keyword.arities
        if RulePart.HEAD not in keyword.places or not is_usual:
            found.add(keyword.name)
        elif keyword.name in _DECLARE_TYPES:
            declares_types = True
    # Among types, another number of arguments is a mistake and no relation of the game's own.
    return frozenset(found - _COMBINE_TYPES if declares_types else found)


def build_rules(forms: Iterable[Term]) -> tuple[Rule, ...]:
    """Turn top-level forms into rules; forms that cannot be one are left out (see the checker)."""
    forms = list(forms)
    heads = [head for head in map(head_of, forms) if head is not None]
    builder = _FormulaBuilder(redefined_keywords(heads))
    rules = []
    for form in forms:
        head = head_of(form)
        if head is None or form.span is None:
            continue
        is_arrow = name_of(form) == '<='
        body = args_of(form)[1:] if is_arrow else ()
        formulas = tuple(f for f in map(builder.build, body) if f is not None)
        rules.append(Rule(head, formulas, form.span, is_arrow))
    return tuple(rules)


def head_of(form: Term) -> Symbol | Compound | None:
    """Return the head of a top-level form, or None where it has no usable one."""
    if name_of(form) == '<=':
        form = next(iter(args_of(form)), form)
    if isinstance(form, Symbol | Compound) and form.name != '<=':
        return form
    return None


@dataclass(frozen=True)
class _FormulaBuilder:
    """Reads terms as formulas, knowing which keywords the game has taken over."""

    redefined: frozenset[str]

    def build(self, term: Term) -> Formula | None:
        """Return the formula, or None for what cannot be one (the checker reports it)."""
        if not isinstance(term, Symbol | Compound):
            return None
        args, span = args_of(term), term.span
        name = '' if term.name in self.redefined else term.name
        if name == 'not' and len(args) == 1:
            part = self.build(args[0])
            return None if part is None else Not(part, span)
        if name in {'and', 'or'}:
            parts = self._parts(args)
            return And(parts, span) if name == 'and' else Or(parts, span)
        if name == 'distinct' and len(args) == 2:
            return Distinct(args[0], args[1], span)
        if name == 'count' and len(args) >= 2:
            return Count(args[0], self._parts(args[1:]), span)
        if name in ARITHMETIC:
            return Arithmetic(name, args, span)
        return Atom(term)

    def _parts(self, terms: tuple[Term, ...]) -> tuple[Formula, ...]:
        return tuple(part for part in map(self.build, terms) if part is not None)
