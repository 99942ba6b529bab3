"""Values that keep growing while a game is ground: which ones, and by which rule."""

from __future__ import annotations

from collections.abc import Mapping

from gdl_env.engine.grounding.columns import RowTable
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.grounding.outside import is_mark
from gdl_env.engine.grounding.termtable import TermTable
from gdl_env.language.formulas import Arithmetic
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import Compound, Term, args_of, name_of, signature

_GIVEN = frozenset({'true/1', 'does/2'})
_GIVERS = {'true': 'next', 'does': 'legal'}
# Heads that are about the fact, move or percept inside.
_ABOUT = frozenset({'init', 'next', 'legal', 'sees'})


class EndlessError(GroundingError):
    """The rules give larger and larger values; `example` is one of the last atoms."""

    def __init__(self, example: Term, place: str = '') -> None:
        self.example = example
        by = f' by the rule in {place}' if place else ''
        super().__init__(
            f'values keep growing: {example} and so on{by}; where the game has a bound, write it'
            " as a range in the head, '[0,99]:?n' (`gdl types --infer` proposes one), or as a"
            ' comparison in the body'
        )


def newest_atom(grown: Mapping[str, RowTable], terms: TermTable) -> Term:
    """Return the last atom of a relation that still grows, a fact of the state if any does."""
    names = sorted(grown, key=lambda name: (name.startswith('*'), name in _GIVEN, name))
    name = 'next/1' if 'next/1' in grown else names[0]
    word, _, _ = name.rpartition('/')
    columns = grown[name].columns()
    for row in range(len(columns[0]) - 1, -1, -1):
        args = tuple(terms.term(int(column[row])) for column in columns)
        # What leaves its range grows only because another value does.
        if not args or not is_mark(args[-1]):
            break
    # What holds was given by a rule, which is to be found.
    return Compound(_GIVERS.get(word, word), args)


def locate_growth(error: EndlessError, game: Game) -> EndlessError:
    """Return the error with the line of the rule that makes the values."""
    rules = [rule for rule in game.rules if rule.body and _gives(rule, error.example)]
    if not rules:
        return error
    rule = next((rule for rule in rules if _computes(rule)), rules[0])
    source = game.source
    return EndlessError(error.example, f'{source.name}:{source.position(rule.span.start)[0]}')


def _gives(rule: Rule, example: Term) -> bool:
    if signature(rule.head) != signature(example):
        return False
    if name_of(example) not in _ABOUT:
        return True
    return signature(args_of(rule.head)[-1]) == signature(args_of(example)[-1])


def _computes(rule: Rule) -> bool:
    return any(isinstance(formula, Arithmetic) for formula in rule.formulas())
