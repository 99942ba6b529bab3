"""Rules for `base` and `input` that describe a game for other tools: play never asks for them.

Public games carry descriptions that nobody has ever evaluated, so a fault in one is a warning,
and the rule is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl_env.language.diagnostics import Diagnostic
from gdl_env.language.formulas import Atom
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import signature

_DESCRIPTIVE = frozenset({('base', 1), ('input', 2)})
# Errors that matter only if the head of the rule is asked for.
FAULTS = frozenset(
    {
        'depends-on-true',
        'depends-on-does',
        'unstratified',
        'unbounded-recursion',
        'unsafe-arithmetic',
        'unsafe-condition',
        'unsafe-count',
        'unsafe-distinct',
        'unsafe-head',
        'unsafe-not',
        'unsafe-or',
        'variable-in-fact',
    }
)


def find_advice(game: Game) -> list[Rule]:
    """Return the rules for `base` and `input`, as far as no condition asks for these."""
    known = game.occurrences
    described = _DESCRIPTIVE & known.heads.keys()
    if described & known.asked.keys():
        # They may ask for each other.
        described -= {
            signature(formula.term)
            for rule in game.rules
            if signature(rule.head) not in _DESCRIPTIVE
            for formula in rule.formulas()
            if isinstance(formula, Atom)
        }
    return [rule for rule in game.rules if signature(rule.head) in described]


def find_faulty_advice(game: Game, findings: Iterable[Diagnostic]) -> set[int]:
    """Return the ids of rules that describe the game only, and wrongly."""
    places = [found.span.start for found in findings if found.code in FAULTS]
    if not places:
        return set()
    return {
        id(rule)
        for rule in find_advice(game)
        if any(rule.span.start <= place < rule.span.end for place in places)
    }
