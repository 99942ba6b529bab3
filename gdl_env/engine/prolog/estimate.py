"""How many answers a condition has, guessed from the rules: the fewer, the earlier it is asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
import math

from gdl_env.language.dependencies import DOES, TRUE, Relation
from gdl_env.language.formulas import Atom
from gdl_env.language.game import Game
from gdl_env.language.ordering import Names, names
from gdl_env.language.terms import Term, args_of, name_of, signature, variables

# Answers of a state relation that starts empty, answers of a derived relation, what deriving one
# costs, and what looking a known fact up costs.
_SMALL = 16
_LARGE = 200
_DERIVED = 2.0
_TEST = 0.5


@dataclass(frozen=True)
class AnswerEstimate:
    """Guesses for one game."""

    game: Game

    def cost(self, atom: Atom, bound: Names) -> float:
        """Estimate how many answers an atom has when some variables have a value."""
        relation = signature(atom.term)
        if relation == DOES:
            return 0
        shape = args_of(atom.term)[0] if relation == TRUE else atom.term
        slots = args_of(shape)
        free = sum(1 for slot in slots if names(variables(slot)) - bound)
        answers = math.pow(self._size(relation, shape), free / len(slots)) if free else _TEST
        # What must be derived costs something even where it has one answer.
        return answers + (_DERIVED if relation in self._derived else 0)

    def _size(self, relation: Relation, shape: Term) -> float:
        """Guess how many answers a relation has when nothing is known."""
        if relation == TRUE:
            return max(self._counts.get(('init', signature(shape)), 0), _SMALL)
        facts = self._counts.get(('', relation), 0)
        return facts if relation not in self._derived else max(facts, _LARGE)

    @cached_property
    def _counts(self) -> Counter[tuple[str, Relation]]:
        """Number of facts of each relation, and of initial facts of each kind."""
        counts: Counter[tuple[str, Relation]] = Counter()
        for rule in self.game.rules:
            counts['', signature(rule.head)] += 1
            if name_of(rule.head) == 'init' and args_of(rule.head):
                counts['init', signature(args_of(rule.head)[0])] += 1
        return counts

    @cached_property
    def _derived(self) -> frozenset[Relation]:
        return frozenset(signature(rule.head) for rule in self.game.rules if rule.body)
