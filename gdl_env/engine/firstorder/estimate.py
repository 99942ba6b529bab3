"""Guesses of how many answers a literal has, for the order in which a body asks.

Facts are counted; the answers of rules are multiplied up from what their bodies ask.
"""

from __future__ import annotations

from functools import cache

from gdl_env.engine.firstorder.clause import Clause
from gdl_env.engine.firstorder.program import INIT, ClauseProgram
from gdl_env.language.dependencies import DOES, TRUE, Relation
from gdl_env.language.formulas import And, Atom, Count, Formula, Or, atoms, formula_variables, walk
from gdl_env.language.ordering import Names, names, order
from gdl_env.language.terms import Range, Term, Variable, args_of, signature, variables

# Rows of a kind of fact that the initial state does not have, answers of a relation that depends
# on itself, what it costs to derive one, what a test costs, and how often one holds.
_SMALL = 16
_LARGE = 200
_DERIVED = 2.0
_TEST = 0.5
_HOLDS = 0.5
_MOST = 1e6
_FEW = 4

Known = tuple[bool, ...]


class Estimate:
    """Tells which atom to ask first."""

    def __init__(self, program: ClauseProgram) -> None:
        self._program = program
        self._initial: dict[Relation, list[tuple[Term, ...]]] = {}
        for args in program.facts.get(INIT, ()):
            self._initial.setdefault(signature(args[0]), []).append(args_of(args[0]))
        self._stored = cache(self._count_stored)
        self._derived: dict[tuple[Relation, Known], float] = {}

    def cost(self, atom: Atom, bound: Names) -> float:
        """Estimate how dear an atom is, once these variables are known."""
        answers = self.answers(atom, bound)
        # What must be derived costs something even where it has one answer.
        return answers + (0 if self._is_stored(signature(atom.term)) else _DERIVED)

    def answers(self, atom: Atom, bound: Names) -> float:
        """Estimate how many answers an atom has."""
        relation, args = signature(atom.term), args_of(atom.term)
        if relation == DOES:
            return 0
        if relation == TRUE and isinstance(args[0], Variable):
            return _LARGE if args[0].name not in bound else _TEST
        if self._program.is_type(relation) and isinstance(args[0], Range):
            return args[0].high - args[0].low + 1.0 if _free(args[1], bound) else _TEST
        shape = args[0] if relation == TRUE else atom.term
        known = tuple(not _free(slot, bound) for slot in args_of(shape))
        if all(known):
            return _TEST
        if relation == TRUE:
            return self._stored(TRUE, signature(shape), known)
        facts = self._stored(relation, relation, known)
        return facts if self._is_stored(relation) else facts + self._derive(relation, known)

    def is_cheap(self, relation: Relation, mode: str) -> bool:
        """Tell whether a test by rules is a few lookups, so that nothing need be remembered."""
        known = tuple(letter == 'b' for letter in mode)
        clauses = self._program.clauses[relation]
        return len(clauses) <= _FEW and all(self._is_short(clause, known) for clause in clauses)

    def _is_short(self, clause: Clause, known: Known) -> bool:
        if len(clause.body) > _FEW or self._multiply(clause, known) > _FEW:
            return False
        used = (signature(atom.term) for formula in clause.body for atom, _ in atoms(formula))
        return all(map(self._is_stored, used)) and not any(
            isinstance(inner, Count) for formula in clause.body for inner in walk(formula)
        )

    def _is_stored(self, relation: Relation) -> bool:
        return relation in {TRUE, DOES} or self._program.is_stored(relation)

    def _count_stored(self, kind: Relation, relation: Relation, known: Known) -> float:
        """Return how many rows there are for one value of the known columns."""
        is_fluent = kind == TRUE
        rows = (
            self._initial.get(relation, ()) if is_fluent else self._program.facts.get(relation, ())
        )
        if is_fluent and len(rows) < _SMALL:
            return _guess(_SMALL, known)
        keys = {tuple(v for v, k in zip(row, known, strict=True) if k) for row in rows}
        return len(rows) / len(keys) if keys else 0

    def _derive(self, relation: Relation, known: Known) -> float:
        key = relation, known
        if key not in self._derived:
            # While it is computed, for relations that depend on themselves.
            self._derived[key] = _guess(_LARGE, known)
            clauses = self._program.clauses[relation]
            self._derived[key] = min(sum(self._multiply(c, known) for c in clauses), _MOST)
        return self._derived[key]

    def _multiply(self, clause: Clause, known: Known) -> float:
        given = (arg for arg, is_known in zip(clause.head, known, strict=True) if is_known)
        bound = names(v for arg in given for v in variables(arg))
        head = names(v for arg in clause.head for v in variables(arg))
        result = 1.0
        for formula in order(clause.body, bound, head, self.cost).formulas:
            result = min(result * self._factor(formula, bound), _MOST)
            bound |= names(formula_variables(formula))
        return result

    def _factor(self, formula: Formula, bound: Names) -> float:
        if isinstance(formula, Atom):
            return max(self.answers(formula, bound), _HOLDS)
        if isinstance(formula, Or):
            return sum(self._factor(part, bound) for part in formula.parts)
        if isinstance(formula, And):
            return min((self._factor(part, bound) for part in formula.parts), default=1.0)
        return 1.0 if _binds(formula, bound) else _HOLDS


def _binds(formula: Formula, bound: Names) -> bool:
    return not names(formula_variables(formula)) <= bound


def _free(term: Term, bound: Names) -> bool:
    return not names(variables(term)) <= bound


def _guess(size: float, known: Known) -> float:
    free = known.count(False)
    return float(size ** (free / len(known))) if free else _TEST
