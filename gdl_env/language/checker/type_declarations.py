"""Declarations of types that fit together: `type`, `typecombine`, `typemap`."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_env.language.checker.report import Report, did_you_mean, listing, see, short
from gdl_env.language.dependencies import strong_components
from gdl_env.language.families.specialising import is_settled
from gdl_env.language.game import Game
from gdl_env.language.terms import Range, Symbol, args_of, name_of, signature
from gdl_env.language.types import (
    KINDS,
    Declaration,
    Type,
    TypeKind,
    TypeSystem,
    Value,
    declarations,
    is_value,
)


def check_declarations(game: Game, types: TypeSystem, report: Report) -> None:
    """Check the declarations of a typed game."""
    _Declarations(game, types, report).check()


@dataclass(frozen=True)
class _Declarations:
    game: Game
    types: TypeSystem
    report: Report

    def check(self) -> None:
        self._check_names()
        first: dict[str, Declaration] = {}
        owners: dict[Value, Declaration] = {}
        for item in declarations(self.game):
            known = first.setdefault(item.type.name, item)
            self._check_clash(known, item)
            if item.kind is TypeKind.COMBINED:
                self._check_parts(item)
            else:
                self._check_value(item, owners)
        self._check_cycles(first)

    def _check_names(self) -> None:
        for rule in self.game.rules:
            if signature(rule.head) not in KINDS or name_of(rule.head) in self.game.redefined:
                continue
            name = args_of(rule.head)[0]
            # A range has a finding of its own, in games without types, too.
            if not isinstance(name, Symbol | Range):
                self.report.error(
                    'type-name', f"'{name}' cannot be the name of a type", name.span, 'a name'
                )

    def _check_clash(self, known: Declaration, item: Declaration) -> None:
        is_second_union = item.kind is TypeKind.COMBINED and known is not item
        if known.kind is item.kind and not is_second_union:
            return
        self.report.error(
            'type-clash',
            f"the type '{item.type}' is already made by '{known.kind.value}'",
            item.type.span,
            f"another name; '{known.kind.value}' alone makes '{item.type}'",
            see(known.type, 'made here'),
        )

    def _check_parts(self, item: Declaration) -> None:
        for part in item.items:
            if not isinstance(part, Symbol | Range):
                self.report.error(
                    'type-part', f"'{part}' is no type", part.span, 'names of types, or ranges'
                )
            elif not self.types.is_known(part):
                report_unknown_type(part, self.types, self.report)

    def _check_value(self, item: Declaration, owners: dict[Value, Declaration]) -> None:
        value = item.items[0]
        if item.kind is TypeKind.LISTED and item.rule.body and not self._is_optional(item):
            self.report.error(
                'type-rule',
                'the values of a type cannot be computed by a rule',
                item.rule.span,
                "a fact '(type name value)' for each value, a rule that only asks for options, or"
                ' a range such as [1,8]',
            )
            return
        if not is_value(value):
            self.report.error(
                'type-value',
                f"'{value}' cannot be a value of a type",
                value.span,
                'a name, a number or a term without variables',
            )
            return
        owner = owners.setdefault(value, item)
        if owner is item:
            return
        if owner.type != item.type:
            self.report.error(
                'value-in-two-types',
                f"'{value}' is a value of '{owner.type}' already; a value has one type only",
                value.span,
                f"'(typecombine new {owner.type} {item.type})' for a type that holds both",
                see(owner.items[0], f"'{value}' in '{owner.type}'"),
            )

    def _is_optional(self, item: Declaration) -> bool:
        return is_settled(item.rule, self.game.options)

    def _check_cycles(self, first: dict[str, Declaration]) -> None:
        parts = {
            name: [part.name for part in items if isinstance(part, Symbol)]
            for name, items in self.types.combined.items()
        }
        for group in strong_components(parts):
            if len(group) == 1 and all(name not in parts[name] for name in group):
                continue
            item = min((first[name] for name in group), key=lambda d: d.rule.span.start)
            others = [f"'{name}'" for name in sorted(group) if name != item.type.name]
            through = f' through {listing(others)}' if others else ''
            self.report.error(
                'type-cycle',
                f"the type '{item.type}' is a part of itself{through}",
                item.type.span,
                "'typecombine' only of types that do not contain the new one",
            )


def report_unknown_type(type_: Type, types: TypeSystem, report: Report) -> None:
    """Report a type that nothing declares."""
    name = str(type_)
    similar = report.similar_name(name, types.names)
    report.error(
        'unknown-type',
        f"there is no type '{name}'{did_you_mean(similar)}",
        type_.span,
        f"'(type {name} value)' for each of its values"
        + (f'; known types: {short(", ".join(types.names))}' if types.names else ''),
        edits=report.renaming([type_], similar),
    )
