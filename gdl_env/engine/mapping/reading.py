"""From the heads of rules to templates: one for each `init`, `next`, `legal` and percept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from gdl_env.engine.contract import NATURE
from gdl_env.engine.mapping.classes import Classes
from gdl_env.engine.mapping.domain import Domain, Domains
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.merge import merge
from gdl_env.engine.mapping.template import Shape, Template, leaves, shape_of
from gdl_env.language.game import Game, Information, Rule
from gdl_env.language.terms import (
    Compound,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    signature,
)
from gdl_env.language.types import Type, TypeSystem, variable_types

SEES = 'sees'
_STATE = {('init', 1), ('next', 1)}
_SEES = (SEES, 2)


@dataclass(frozen=True)
class TemplateReader:
    """Makes the templates of a typed game, before any are merged."""

    game: Game

    @cached_property
    def domains(self) -> Domains:
        """Return the maker of the domains."""
        return Domains(TypeSystem.from_game(self.game), Classes(self.game))

    def state(self) -> Iterator[Template]:
        """Yield the templates of all facts of the state."""
        for rule, fact in self._facts():
            yield from self._make(rule, fact)

    def observation(self) -> Iterator[Template]:
        """Yield the templates of what a player is shown.

        Its own `(sees role fact)` is shown as `(sees fact)`; in a game of percepts these are all.
        """
        if self.game.information is Information.PERCEPTS:
            for rule in self.game.rules:
                if signature(rule.head) == _SEES and args_of(rule.head)[0] != NATURE:
                    yield from self._make(rule, args_of(rule.head)[1])
            return
        for rule, fact in self._facts():
            if self.game.information is Information.COMPLETE or signature(fact) != _SEES:
                yield from self._make(rule, fact)
            elif args_of(fact)[0] != NATURE:
                yield from self._make(rule, Compound(SEES, args_of(fact)[1:]))

    def actions(self) -> Iterator[Template]:
        """Yield the templates of the moves of all players; those of chance are nobody's choice."""
        for rule in self.game.rules:
            if signature(rule.head) == ('legal', 2) and args_of(rule.head)[0] != NATURE:
                yield from self._make(rule, args_of(rule.head)[1])

    def _facts(self) -> Iterator[tuple[Rule, Term]]:
        for rule in self.game.rules:
            if signature(rule.head) in _STATE:
                yield rule, args_of(rule.head)[0]

    def _make(self, rule: Rule, term: Term) -> Iterator[Template]:
        if isinstance(term, Symbol):
            yield Template((term.name, ()), (), (rule,))
            return
        for shape, domains in self._alternatives(rule, term):
            if shape is not None:
                yield Template(shape, domains, (rule,))
            else:
                yield from self._whole(domains[0], rule)

    def _whole(self, domain: Domain, rule: Rule) -> Iterator[Template]:
        """Yield templates for a fact or move that is one annotated variable."""
        names = [value for value in domain.values if isinstance(value, Symbol)]
        for name in names:
            yield Template((name.name, ()), (), (rule,))
        if len(names) < len(domain):
            rest = self.domains.of_values(v for v in domain.values if not isinstance(v, Symbol))
            yield Template(None, (rest,), (rule,))

    def _alternatives(self, rule: Rule, term: Term) -> Iterator[tuple[Shape, tuple[Domain, ...]]]:
        """Yield the shapes a term can have: more than one only where types hold compounds."""
        if isinstance(term, Compound):
            parts = [list(self._alternatives(rule, arg)) for arg in self._arguments(term)]
            for choice in product(*parts):
                shape = term.name, tuple(shape for shape, _ in choice)
                yield shape, tuple(domain for _, domains in choice for domain in domains)
        elif isinstance(term, Typed):
            yield from self._of_type(term.type)
        elif isinstance(term, Variable):
            yield from self._of_variable(rule, term)
        else:
            yield None, (self.domains.of_values([term]),)

    def _arguments(self, term: Compound) -> tuple[Term, ...]:
        """Return the arguments; a role of `sees` that is not written stands for each player."""
        if signature(term) == _SEES and isinstance(term.args[0], Variable):
            return (_PLAYERS, *term.args[1:])
        return term.args

    def _of_variable(
        self, rule: Rule, variable: Variable
    ) -> Iterator[tuple[Shape, tuple[Domain, ...]]]:
        if variable is _PLAYERS:
            players = (role for role in self.game.roles if role != NATURE)
            yield None, (self.domains.of_values(players),)
            return
        type_ = variable_types(rule).get(variable.name)
        if type_ is None:
            line, column = self.game.source.position((variable.span or rule.span).start)
            raise EncodingError(
                f'{self.game.source.name}:{line}:{column}: {variable} has no type, so that the'
                f' values of {rule.head} are not known; write one before it, as [1,8]:{variable}'
            )
        yield from self._of_type(type_)

    def _of_type(self, type_: Type) -> Iterator[tuple[Shape, tuple[Domain, ...]]]:
        if type_ not in self._alternatives_of:
            self._alternatives_of[type_] = list(self._split(self.domains.of_type(type_)))
        yield from self._alternatives_of[type_]

    @cached_property
    def _alternatives_of(self) -> dict[Type, list[tuple[Shape, tuple[Domain, ...]]]]:
        return {}

    def _split(self, domain: Domain) -> Iterator[tuple[Shape, tuple[Domain, ...]]]:
        """Yield plain values as they are, and compounds as templates within the template."""
        compounds = [value for value in domain.values if isinstance(value, Compound)]
        if not compounds:
            yield None, (domain,)
            return
        if len(compounds) < len(domain):
            yield None, (self.domains.subtract(domain, self.domains.of_values(compounds)),)
        boxes, _ = merge(map(self._constant, compounds), self.domains)
        yield from ((box.shape, box.domains) for box in boxes)

    def _constant(self, value: Term) -> Template:
        shape = shape_of(value, is_whole=False)
        values = leaves(value, shape) or []
        return Template(shape, tuple(self.domains.of_values([v]) for v in values))


# Stands for the role of `sees` where a rule leaves it open.
_PLAYERS = Variable('*players')
