"""From declarations of options to plain facts, and from names of options in ranges to numbers.

It works on the forms of a file, each with its place, before a game is built from them: nothing
that follows needs to know of options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
import difflib
from pathlib import Path
import re
from typing import TypeGuard

from gdl_env.errors import OptionError
from gdl_env.language.diagnostics import Diagnostic, Severity
from gdl_env.language.families.grids import (
    SUFFIX,
    GridLimit,
    find_grid,
    grid_facts,
    read_grid,
    read_limit,
)
from gdl_env.language.families.options import OPTION, Option, OptionKind, Value, option_values
from gdl_env.language.families.range_names import resolve_ranges
from gdl_env.language.integers import read_integer
from gdl_env.language.parser import SyntaxTree
from gdl_env.language.source import Span
from gdl_env.language.terms import (
    Compound,
    Number,
    Range,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    name_of,
    signature,
    subterms,
)

_INTEGER = re.compile(r'0|-?[1-9]\d*')
_NOWHERE = Span(0, 0)
_FORM = (
    "'(option name value other …)', where another value may be a range; '(option name (list value"
    " …) allowed …)'; '(option name (grid file) (one character …) (at_most_one character …) …)'"
)


@dataclass(frozen=True)
class Resolved:
    """A syntax tree without declarations of options, and what they were."""

    tree: SyntaxTree
    options: tuple[Option, ...]


def resolve(
    tree: SyntaxTree, given: Mapping[str, str] | None = None, *, is_trusted: bool = True
) -> Resolved:
    """Give each option its value: the one chosen, or else the one it has by itself.

    A choice that is not trusted names files of the games only. What is wrong with the file is
    added to the diagnostics of the tree. Raises OptionError for what is wrong with the choice.
    """
    run = _ResolverPass(tree, given or {}, is_trusted)
    forms = tree.forms
    if _declares(tree):
        forms = tuple(made for form in forms for made in run.replace(form))
        run.check_uses()
        run.check_heads()
    run.check_given()
    if '[' in tree.source.text:
        values = run.values()
        forms = tuple(resolve_ranges(form, values, run.found) for form in forms)
    findings = (*tree.diagnostics, *sorted(run.found, key=lambda found: found.span.start))
    return Resolved(replace(tree, forms=forms, diagnostics=findings), tuple(run.options.values()))


def _declares(tree: SyntaxTree) -> bool:
    """Tell whether `option` is a declaration here, and no relation that rules define."""
    heads = [args_of(form)[0] for form in tree.forms if name_of(form) == '<=' and args_of(form)]
    return any(name_of(form) == OPTION for form in tree.forms) and not any(
        name_of(head) == OPTION for head in heads
    )


@dataclass
class _ResolverPass:
    """One pass over one tree."""

    tree: SyntaxTree
    given: Mapping[str, str]
    is_trusted: bool = True
    found: list[Diagnostic] = field(default_factory=list)
    options: dict[str, Option] = field(default_factory=dict)

    def values(self) -> dict[str, Value]:
        """Return the values that rules can ask for, by name."""
        return option_values(tuple(self.options.values()))

    def replace(self, form: Term) -> Iterator[Term]:
        """Yield what stands in place of a form: itself, or the facts of an option."""
        if name_of(form) != OPTION:
            yield form
            return
        option = self._read(form)
        if option is not None:
            self.options[option.name] = option
            yield from option.facts

    def _read(self, form: Term) -> Option | None:
        args = args_of(form)
        if len(args) < 2:
            self._error('option-value', 'this option has no value', form, _FORM)
            return None
        name, default, *others = args
        if name_of(default) == 'grid':
            return self._read_grid(form, name, default, others)
        if not self._is_new_name(name):
            return None
        allowed = [resolve_ranges(item, self.values(), self.found) for item in others]
        for item in allowed:
            if not isinstance(item, Symbol | Number | Range):
                self._error('option-value', f"'{item}' is no value of an option", item, _FORM)
                return None
        return self._make(form, name.name, default, [i for i in allowed if _is_allowed(i)])

    def _is_new_name(self, name: Term) -> TypeGuard[Symbol]:
        """Tell whether an option can have this name, and report it if not."""
        if not isinstance(name, Symbol):
            self._error('option-name', f"'{name}' cannot be the name of an option", name, 'a name')
            return False
        if name.name in self.options:
            known = self.options[name.name]
            related = ((known.span, 'declared here'),)
            self._error('option-twice', f"'{name}' is an option already", name, _FORM, related)
            return False
        return True

    def _read_grid(
        self, form: Term, name: Term, default: Term, others: list[Term]
    ) -> Option | None:
        if not self._is_new_name(name):
            return None
        file = next(iter(args_of(default)), default)
        if len(args_of(default)) != 1 or not isinstance(file, Symbol):
            self._error('option-value', f"'{default}' is no value of an option", default, _FORM)
            return None
        limits = []
        for item in others:
            limit = read_limit(item)
            if limit is None:
                self._error('option-value', f"'{item}' says nothing of a grid", item, _FORM)
                return None
            limits.append(limit)
        return self._make_grid(name.name, file, limits, form.span or _NOWHERE)

    def _make(
        self, form: Term, name: str, default: Term, others: list[Value | Range]
    ) -> Option | None:
        span = form.span or _NOWHERE
        if isinstance(default, Symbol | Number):
            allowed = (default, *others)
            text = self.given.get(name, str(default))
            value = self._choose(name, text, allowed, span)
            fact = Compound(OPTION, (Symbol(name), value), span)
            return Option(name, OptionKind.VALUE, str(default), str(value), allowed, (fact,), span)
        items = args_of(default)
        if name_of(default) == 'list' and items and all(map(_is_value, items)):
            return self._make_list(name, [i for i in items if _is_value(i)], others, span)
        self._error('option-value', f"'{default}' is no value of an option", default, _FORM)
        return None

    def _make_list(
        self, name: str, items: list[Value], others: list[Value | Range], span: Span
    ) -> Option:
        allowed = (*dict.fromkeys(items), *others)
        default = ' '.join(map(str, items))
        texts = self.given.get(name, default).split()
        if not texts:
            raise OptionError(f'{self._place(span)}: the option {name!r} needs one value or more')
        values = [self._choose(name, text, allowed, span) for text in texts]
        facts = [
            Compound(name, (Number(place), value), span) for place, value in enumerate(values, 1)
        ]
        facts.append(_size(f'{name}_count', len(values), span))
        numbers = [value.value for value in values if isinstance(value, Number)]
        if len(numbers) == len(values):
            facts.append(_size(f'{name}_max', max(numbers), span))
        text = ' '.join(map(str, values))
        return Option(name, OptionKind.LIST, default, text, allowed, tuple(facts), span)

    def _make_grid(
        self, name: str, file: Symbol, limits: list[GridLimit], span: Span
    ) -> Option | None:
        source = self.tree.source
        # Names of files keep their capitals.
        default = source.excerpt(file.span) if file.span is not None else file.name
        folder = source.path.parent if source.path is not None else None
        try:
            path = find_grid(self.given.get(name), default, source.path, self.is_trusted)
            lines = read_grid(path)
        except OptionError as error:
            self._refuse_grid(error, name, file, span, 'a text file, a line for each row')
            return None
        try:
            for limit in limits:
                limit.check(path, lines)
        except OptionError as error:
            self._refuse_grid(error, name, file, span, 'a grid as its declaration asks for')
        is_beside = path.parent.resolve() == ((folder or Path()) / default).parent.resolve()
        facts = (
            Compound(OPTION, (Symbol(name), Symbol(_safe(path.stem))), span),
            _size(f'{name}_rows', len(lines), span),
            _size(f'{name}_columns', max(map(len, lines)), span),
            *(replace(fact, span=span) for fact in grid_facts(name, lines)),
        )
        value = _short(path) if is_beside else str(path.resolve())
        return Option(name, OptionKind.GRID, _short(Path(default)), value, (), facts, span)

    def _refuse_grid(
        self, error: OptionError, name: str, file: Symbol, span: Span, allowed: str
    ) -> None:
        """Report what is wrong with a grid; one that was chosen is wrong with the choice."""
        if name in self.given:
            raise OptionError(f'{self._place(span)}: {name}: {error}') from error
        self._error('option-grid', str(error), file, allowed)

    def _choose(
        self, name: str, text: str, allowed: tuple[Value | Range, ...], span: Span
    ) -> Value:
        """Return the value that a text means. Raises OptionError if it is not allowed."""
        value: Value = Symbol(text.lower())
        if _INTEGER.fullmatch(text):
            value = Number(read_integer(text))
        if any(_holds(item, value) for item in allowed):
            return value
        option = Option(name, OptionKind.VALUE, '', '', allowed, (), span)
        raise OptionError(
            f'{self._place(span)}: the option {name!r} cannot be {text!r}; allowed:'
            f' {option.choices}'
        )

    def check_given(self) -> None:
        """Raise OptionError for a choice that no option asks for."""
        if self.found:
            # What is wrong with the file comes first.
            return
        for name in self.given:
            if name in self.options:
                continue
            close = difflib.get_close_matches(name, self.options, n=1)
            hint = f', but {close[0]!r}' if close else ''
            known = '; '.join(f'{o.name} ({o.choices})' for o in self.options.values())
            raise OptionError(
                f'{self.tree.source.name} has no option {name!r}{hint}; options: {known or "none"}'
            )

    def check_uses(self) -> None:
        """Report options that nobody asks for, and questions for options there are none of."""
        known = self.values()
        used: set[str] = set()
        for form in self.tree.forms:
            is_declaration = name_of(form) == OPTION
            for term in subterms(form):
                kind = term.type if isinstance(term, Typed) else term
                if isinstance(kind, Range):
                    used.update(kind.bounds or ())
                if is_declaration or not isinstance(term, Compound):
                    continue
                used |= self._asked(term.args[0], known) if term.name == OPTION else {term.name}
        for option in self.options.values():
            names = {name_of(fact) for fact in option.facts} - {OPTION}
            names |= {str(fact.args[0]) for fact in option.facts if fact.name == OPTION}
            if not option.is_fixed and not names & used:
                self.found.append(
                    Diagnostic(
                        Severity.WARNING,
                        'unused-option',
                        f"no rule asks for the option '{option.name}'",
                        option.span,
                        f"'(option {option.name} ?value)' in the body of a rule, or the option's"
                        ' name in a range',
                    )
                )

    def check_heads(self) -> None:
        """Report rules that would add to a list or grid: what those hold is decided here."""
        owners = {
            signature(fact): option
            for option in self.options.values()
            for fact in option.facts
            if fact.name != OPTION
        }
        for form in self.tree.forms:
            head = args_of(form)[0] if name_of(form) == '<=' and args_of(form) else form
            if isinstance(head, Compound) and signature(head) in owners:
                option = owners[signature(head)]
                self._error(
                    'option-head',
                    f"'{option.name}' holds the values of an option, and nothing else",
                    head,
                    'a relation with another name',
                    ((option.span, 'declared here'),),
                )

    def _asked(self, name: Term, known: Mapping[str, Value]) -> set[str]:
        if isinstance(name, Variable):
            return set(known)
        if isinstance(name, Symbol) and name.name not in known:
            close = difflib.get_close_matches(name.name, known, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ''
            edits = tuple((name.span or _NOWHERE, other) for other in close)
            self.found.append(
                Diagnostic(
                    Severity.ERROR,
                    'unknown-option',
                    f"there is no option '{name}'{hint}",
                    name.span or _NOWHERE,
                    f'one of {", ".join(known)}',
                    edits=edits,
                )
            )
        return {str(name)}

    def _place(self, span: Span) -> str:
        line, column = self.tree.source.position(span.start)
        return f'{self.tree.source.name}:{line}:{column}'

    def _error(
        self,
        code: str,
        message: str,
        term: Term,
        allowed: str,
        related: tuple[tuple[Span, str], ...] = (),
    ) -> None:
        span = term.span or _NOWHERE
        self.found.append(Diagnostic(Severity.ERROR, code, message, span, allowed, related))


def _size(name: str, number: int, span: Span) -> Compound:
    return Compound(OPTION, (Symbol(name), Number(number)), span)


def _short(path: Path) -> str:
    """Return the name by which a grid is found again beside the default one."""
    return path.stem if path.suffix == SUFFIX else path.name


def _safe(stem: str) -> str:
    return re.sub(r'[^\w.-]', '_', stem.lower()) or '_'


def _holds(item: Value | Range, value: Value) -> bool:
    if isinstance(item, Range):
        return isinstance(value, Number) and item.low <= value.value <= item.high
    return item == value


def _is_value(term: Term) -> TypeGuard[Value]:
    return isinstance(term, Symbol | Number)


def _is_allowed(term: Term) -> TypeGuard[Value | Range]:
    return isinstance(term, Symbol | Number | Range)
