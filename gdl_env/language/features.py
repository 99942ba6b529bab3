"""Which parts of the language a game uses, in words."""

from __future__ import annotations

from collections import Counter

from gdl_env.language.formulas import Arithmetic, Count, Distinct, Formula, Not, Or
from gdl_env.language.game import Game, Information
from gdl_env.language.keywords import NOOP, RANDOM
from gdl_env.language.terms import Symbol, args_of, name_of, signature

Signature = tuple[str, int]


def features(game: Game) -> tuple[str, ...]:
    """Return the features of the language that a game uses beyond plain rules."""
    formulas = [formula for rule in game.rules for formula in rule.formulas()]
    found = {
        'negation': _has(formulas, Not),
        'or': _has(formulas, Or),
        'distinct': _has(formulas, Distinct),
        'arithmetic': _has(formulas, Arithmetic),
        'count': _has(formulas, Count),
        'types': game.is_typed,
        'options': any(not option.is_fixed for option in game.options),
        'chance': Symbol(RANDOM) in game.roles,
        'weighted chance': bool(game.experiments),
        'hidden information': game.information is not Information.COMPLETE,
        'noop': NOOP in {name for name, _ in move_signatures(game)},
        'base and input': {'base', 'input'} <= game.defined,
    }
    return tuple(name for name, is_used in found.items() if is_used)


def title(game: Game) -> str:
    """Return the first line of words in the comment that heads the rule file ('' if none)."""
    for line in game.source.lines:
        text = line.strip()
        if text and not text.startswith(';'):
            return ''
        words = text.strip('; \t*=-#')
        if words:
            return words
    return ''


def relation_signatures(game: Game) -> dict[Signature, tuple[int, int]]:
    """Return each relation with its numbers of facts and of rules, in order of appearance."""
    facts: Counter[Signature] = Counter()
    rules: Counter[Signature] = Counter()
    for rule in game.rules:
        (rules if rule.body else facts)[signature(rule.head)] += 1
    heads = dict.fromkeys(signature(rule.head) for rule in game.rules)
    return {head: (facts[head], rules[head]) for head in heads}


def state_signatures(game: Game) -> tuple[Signature, ...]:
    """Return the relations that facts of the state are made of."""
    return _inside(game, {'init': 0, 'next': 0, 'true': 0, 'base': 0})


def move_signatures(game: Game) -> tuple[Signature, ...]:
    """Return the moves that the rules name."""
    return _inside(game, {'legal': 1, 'does': 1, 'input': 1})


def _inside(game: Game, places: dict[str, int]) -> tuple[Signature, ...]:
    found: dict[Signature, None] = {}
    for rule in game.rules:
        for term in rule.terms():
            place = places.get(name_of(term))
            if place is not None and len(args_of(term)) > place:
                inner = args_of(term)[place]
                if name_of(inner):
                    found[signature(inner)] = None
    return tuple(found)


def _has(formulas: list[Formula], kind: type[Formula]) -> bool:
    return any(isinstance(formula, kind) for formula in formulas)
