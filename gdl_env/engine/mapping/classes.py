"""The classes into which typemaps sort numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from gdl_env.engine.mapping.static_rules import StaticRules
from gdl_env.language.game import Game
from gdl_env.language.terms import Compound, Number, Symbol, Term, Variable, args_of


@dataclass(frozen=True)
class Classes:
    """Asks the typemap rules of a game, each question once."""

    game: Game
    _known: dict[tuple[str, Number], Term | None] = field(default_factory=dict)

    @cached_property
    def _rules(self) -> StaticRules:
        return StaticRules(self.game)

    def class_of(self, type_name: str, number: Number) -> Term | None:
        """Return the class of a number, the first in the file if it has several; None if none.

        Raises EncodingError if a rule of the typemap asks for the state.
        """
        key = type_name, number
        if key not in self._known:
            question = Compound('typemap', (Symbol(type_name), Variable('class'), number))
            answer = next(self._rules.answers(question), None)
            self._known[key] = None if answer is None else args_of(answer)[1]
        return self._known[key]
