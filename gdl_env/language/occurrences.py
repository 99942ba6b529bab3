"""Where the relations of a game stand: as heads of rules, and in bodies that ask for them.

Many questions about a game are about few of its relations. This index is built once, so that a
file of 100,000 rules is walked once and not for each question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from gdl_env.language.formulas import Atom, terms_of, walk
from gdl_env.language.terms import Compound, Symbol, Term, signature

if TYPE_CHECKING:
    from gdl_env.language.game import Rule


@dataclass(frozen=True)
class Occurrences:
    """All heads and conditions, by name and number of arguments, in the order of the file."""

    heads: dict[tuple[str, int], list[Symbol | Compound]] = field(default_factory=dict)
    # The conditions that ask for a relation, nested ones too.
    asked: dict[tuple[str, int], list[Symbol | Compound]] = field(default_factory=dict)
    # The terms that stand directly in `distinct`, arithmetic and `count`.
    compared: list[Term] = field(default_factory=list)

    @classmethod
    def of_rules(cls, rules: Iterable[Rule]) -> Occurrences:
        """Collect what stands in rules."""
        found = cls()
        for rule in rules:
            found.heads.setdefault(signature(rule.head), []).append(rule.head)
            for formula in rule.body:
                if isinstance(formula, Atom):
                    # Nearly all are.
                    term = formula.term
                    found.asked.setdefault(signature(term), []).append(term)
                    continue
                for inner in walk(formula):
                    if isinstance(inner, Atom):
                        term = inner.term
                        found.asked.setdefault(signature(term), []).append(term)
                    else:
                        found.compared.extend(terms_of(inner))
        return found

    def relations(self) -> Iterator[tuple[tuple[str, int], list[Symbol | Compound]]]:
        """Yield the relations of heads, then those of bodies, with all their terms."""
        return chain(self.heads.items(), self.asked.items())
