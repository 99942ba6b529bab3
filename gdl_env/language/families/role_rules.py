"""Roles that rules give: computed when a game is loaded, and facts from there on.

    (option players 4 [2,6])
    (<= (role ?player) (type [1,players] ?player))

becomes `(role 1)` to `(role 4)`, so that nothing that follows needs to know of such rules.
"""

from __future__ import annotations

from dataclasses import replace

from gdl_env.errors import RuleError
from gdl_env.language.diagnostics import Diagnostic, Severity
from gdl_env.language.families.static_facts import StaticFacts
from gdl_env.language.game import ROLE_NAMES, Game, Rule, is_role_name
from gdl_env.language.terms import Compound, Term, args_of, signature

_ROLE = ('role', 1)
_ALLOWED = 'conditions that give names or numbers: facts, options, types, arithmetic'


def compute_roles(game: Game) -> tuple[Game, tuple[Diagnostic, ...]]:
    """Return the game with a fact for each role that its rules give, and what is wrong with them.

    The game must have passed the checker.
    """
    if all(signature(rule.head) != _ROLE or not rule.body for rule in game.rules):
        return game, ()
    facts = StaticFacts(game)
    found: list[Diagnostic] = []
    rules: list[Rule] = []
    for rule in game.rules:
        if signature(rule.head) != _ROLE or not rule.body:
            rules.append(rule)
            continue
        try:
            roles = [args_of(head)[0] for head in facts.of_rule(rule)]
        except RuleError as error:
            message = f'the roles of this rule cannot be computed: {error}'
            found.append(Diagnostic(Severity.ERROR, 'role-rule', message, rule.span, _ALLOWED))
            continue
        found += [_refusal(role, rule) for role in roles if not is_role_name(role)]
        rules += [Rule(Compound('role', (role,), rule.head.span), (), rule.span) for role in roles]
    computed = replace(game, rules=tuple(rules))
    if not computed.roles and not found:
        found.append(_nobody(game))
    return computed, tuple(found)


def _refusal(role: Term, rule: Rule) -> Diagnostic:
    message = f"'{role}', which this rule gives, cannot be a role"
    return Diagnostic(Severity.ERROR, 'role-name', message, rule.span, ROLE_NAMES)


def _nobody(game: Game) -> Diagnostic:
    rule = next(rule for rule in game.rules if signature(rule.head) == _ROLE)
    message = 'the rules give no role at all'
    return Diagnostic(Severity.ERROR, 'role-rule', message, rule.span, _ALLOWED)
