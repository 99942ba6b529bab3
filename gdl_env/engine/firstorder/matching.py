"""Terms in C++: a value from known variables, and a pattern compared with a value."""

from __future__ import annotations

from collections.abc import Sequence

from gdl_env.engine.firstorder.code import Env, Fresh, Lines, Then, block
from gdl_env.engine.firstorder.values import ConstantNumbers
from gdl_env.language.terms import Compound, Term, Variable, is_ground, variables


def is_known(term: Term, env: Env) -> bool:
    """Tell whether every variable of a term has a value."""
    return all(variable.name in env for variable in variables(term))


class Matching:
    """Writes terms of one function."""

    def __init__(self, values: ConstantNumbers, fresh: Fresh) -> None:
        self._values = values
        self._fresh = fresh

    def value(self, term: Term, env: Env, verb: str = 'find') -> str:
        """Return the expression of a term whose variables are known.

        `find` gives no value to a compound that was not made yet, `make` makes it.
        """
        if is_ground(term):
            return str(self._values.constant(term))
        if isinstance(term, Variable):
            return env[term.name]
        assert isinstance(term, Compound)
        functor = self._values.functor(term.name, len(term.args))
        args = ', '.join(self.value(arg, env, verb) for arg in term.args)
        return f'g.terms.{verb}({functor}, {args})'

    def match(self, term: Term, place: str, env: Env, then: Then) -> Lines:
        """Write: if the value at `place` (a name) fits the term, continue with its variables."""
        if is_known(term, env):
            return block(f'if ({place} == {self.value(term, env)})', then(env))
        if isinstance(term, Variable):
            return then({**env, term.name: place})
        assert isinstance(term, Compound)
        functor = self._values.functor(term.name, len(term.args))
        return block(
            f'if (g.terms.is({place}, {functor}))', self._match_args(term, place, env, then)
        )

    def match_all(self, pairs: Sequence[tuple[Term, str]], env: Env, then: Then) -> Lines:
        """Match several terms with as many places, one after the other."""
        if not pairs:
            return then(env)
        (term, place), *rest = pairs
        return self.match(term, place, env, lambda inner: self.match_all(rest, inner, then))

    def load(
        self, columns: Sequence[tuple[Term, str]], env: Env, wanted: set[str], then: Then
    ) -> Lines:
        """Match terms with expressions, which are read only where they matter."""
        lines: Lines = []
        pairs = []
        for term, expression in columns:
            if isinstance(term, Variable) and term.name not in env and term.name not in wanted:
                continue
            place = self._fresh('v')
            lines.append(f'const int {place} = {expression};')
            pairs.append((term, place))
        inner = self.match_all(pairs, env, then)
        return [*lines, *inner] if inner else []

    def _match_args(self, term: Compound, place: str, env: Env, then: Then) -> Lines:
        columns = [(arg, f'g.terms.arg({place}, {i})') for i, arg in enumerate(term.args)]
        return self.load(columns, env, {v.name for v in variables(term)}, then)
