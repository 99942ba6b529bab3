"""Why a move is illegal: the rules that could allow it, and the literals in them that fail.

The answer is drawn from the whole state. Where roles do not see all of it, it is for whoever may
see everything: authors and referees, not players.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from gdl_env.engine.contract import Move, Role
from gdl_env.engine.explanation.state_evaluator import StateEvaluator
from gdl_env.language.body_evaluation import Bindings, fill, match
from gdl_env.language.dependencies import Relation
from gdl_env.language.formulas import Atom, Formula, Not, formula_variables, terms_of, walk
from gdl_env.language.game import Game, Rule
from gdl_env.language.ordering import names
from gdl_env.language.source import Span
from gdl_env.language.terms import (
    Compound,
    Term,
    args_of,
    erase_types,
    name_of,
    signature,
    variables,
)

# How far a failing literal is followed into the rules behind it, and how many of them are shown.
_DEPTH = 5
_MOST_RULES = 3
# What each literal of an explanation takes from the progress of its rule.
_COST = 0.01
# Ways through one body that are tried.
_MOST_WAYS = 5_000
# Rules one behind the other in a proof: paths over a board are long.
_LONGEST_PROOF = 120
_STATE = frozenset({'true', 'does'})


@dataclass(frozen=True)
class FailedLiteral:
    """A literal that fails, with the values its variables have, and why."""

    text: str
    line: int
    # The rules behind it, which fail in turn; what makes it true, if it may not be.
    rules: tuple[FailedRule, ...] = ()
    because: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f'{self.text} fails'


@dataclass(frozen=True)
class FailedRule:
    """A rule that does not apply: its head, where it stands, and the literals that fail."""

    head: str
    line: int
    literals: tuple[FailedLiteral, ...]
    # The share of its body that holds.
    progress: float = 0.0


@dataclass(frozen=True)
class MoveExplanation:
    """Whether a move is legal; if it is not, the rules that could have allowed it."""

    role: str
    move: str
    is_legal: bool
    rules: tuple[FailedRule, ...] = ()
    # The moves that rules know at all, where none is of this form.
    known_moves: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the explanation as indented text."""
        if self.is_legal:
            yield f'{self.move} is legal for {self.role}'
            return
        yield f'{self.move} is illegal for {self.role}:'
        if not self.rules:
            yield f'  no rule allows a move of this form; known: {", ".join(self.known_moves)}'
        for rule in self.rules:
            yield from _lines(rule, '  ')


def explain_move(game: Game, state: Iterable[Term], role: Role, move: Move) -> MoveExplanation:
    """Explain why a role may not play a move. Raises EngineLimitError or RuleError."""
    explainer = _Explainer(game, state)
    question = Compound('legal', (role, move))
    if explainer.facts.holds(question):
        return MoveExplanation(str(role), str(move), is_legal=True)
    found = explainer.failures(question)
    heads = (rule.head for rule in explainer.facts.rules_of(('legal', 2)))
    known = dict.fromkeys(str(erase_types(args_of(head)[1])) for head in heads)
    return MoveExplanation(str(role), str(move), False, found, tuple(known))


def explain_best(
    game: Game, state: Iterable[Term], role: Role, moves: Iterable[Move]
) -> MoveExplanation | None:
    """Explain, of several illegal moves, the one closest to being legal; the first, if several."""
    explainer = _Explainer(game, state)
    illegal = []
    for move in moves:
        question = Compound('legal', (role, move))
        if not explainer.facts.holds(question):
            rules = explainer.failures(question)
            illegal.append(MoveExplanation(str(role), str(move), is_legal=False, rules=rules))
    return max(illegal, key=lambda one: _measure_closeness(one.rules), default=None)


def _measure_closeness(rules: tuple[FailedRule, ...]) -> float:
    """Return how far the best rule gets; a simpler answer counts as a little further."""
    best = max((rule.progress for rule in rules), default=-1.0)
    return best - _COST * _count_literals(rules)


def _count_literals(rules: tuple[FailedRule, ...]) -> int:
    return sum(1 + _count_literals(one.rules) for rule in rules for one in rule.literals)


def supporting_facts(game: Game, state: Iterable[Term], question: Term) -> tuple[Term, ...]:
    """Return facts of the state from which a question follows, by the first rules that give it.

    Raises EngineLimitError or RuleError.
    """
    proof = _Explainer(game, state).proof(question, _LONGEST_PROOF)
    found = dict.fromkeys(answer for answer in proof if name_of(answer) == 'true')
    return tuple(args_of(answer)[0] for answer in found)


class _Explainer:
    def __init__(self, game: Game, state: Iterable[Term]) -> None:
        self.game = game
        self.facts = StateEvaluator(game, state)

    def failures(
        self, question: Term, path: frozenset[Relation] = frozenset()
    ) -> tuple[FailedRule, ...]:
        """Return the rules that could give an answer; those that come closest first.

        `path` are the relations that led here: what depends on itself is followed once.
        """
        path |= {signature(question)}
        found = []
        for rule in self.facts.rules_of(signature(question)):
            bindings = self.facts.bind_head(rule, question)
            if bindings is not None:
                found.append(self._failure(rule, bindings, path))
        found.sort(key=lambda failed: -failed.progress)
        return tuple(found[:_MOST_RULES])

    def _failure(self, rule: Rule, bindings: Bindings, path: frozenset[Relation]) -> FailedRule:
        body = self.facts.ordered(rule, frozenset(bindings))
        reached, values = self._furthest(body, bindings)
        failing = [body[reached]] if reached < len(body) else []
        for formula in body[reached + 1 :]:
            is_bound = names(formula_variables(formula)) <= frozenset(values)
            if is_bound and not self._is_true(formula, values):
                failing.append(formula)
        literals = tuple(self._literal(formula, values, path) for formula in failing)
        head = str(fill(erase_types(rule.head), values))
        # A literal whose own rules come close to holding counts as that much.
        close = (max((r.progress for r in one.rules), default=0.0) for one in literals)
        held = len(body) - len(failing) + sum(close)
        return FailedRule(head, self._line(rule.span), literals, held / max(1, len(body)))

    def _furthest(self, body: tuple[Formula, ...], bindings: Bindings) -> tuple[int, Bindings]:
        """Return how many literals can hold together, from the first on, and with which values."""
        best: tuple[int, Bindings] = (0, bindings)
        waiting: list[tuple[int, Bindings]] = [(0, bindings)]
        for _ in range(_MOST_WAYS):
            if not waiting or best[0] == len(body):
                break
            place, values = waiting.pop()
            if place > best[0]:
                best = place, values
            if place < len(body):
                found = list(self.facts.evaluator.solve_all(body[place : place + 1], values))
                waiting += [(place + 1, values) for values in reversed(found)]
        return best

    def _is_true(self, formula: Formula, values: Bindings) -> bool:
        return next(self.facts.evaluator.solve_all((formula,), values), None) is not None

    def _literal(
        self, formula: Formula, values: Bindings, path: frozenset[Relation]
    ) -> FailedLiteral:
        text, line = _text(formula, values), self._line(_span(formula))
        if isinstance(formula, Atom):
            relation = signature(formula.term)
            if relation in path or len(path) > _DEPTH:
                return FailedLiteral(text, line)
            question = fill(erase_types(formula.term), values)
            return FailedLiteral(text, line, self.failures(question, path))
        if isinstance(formula, Not) and isinstance(formula.part, Atom):
            question = fill(erase_types(formula.part.term), values)
            proof = dict.fromkeys(map(str, self.proof(question, _DEPTH)))
            return FailedLiteral(text, line, because=tuple(proof))
        return FailedLiteral(text, line)

    def proof(
        self, question: Term, depth: int, seen: frozenset[Term] = frozenset()
    ) -> Iterator[Term]:
        """Yield the answers of `true` and `does` from which a question follows."""
        if name_of(question) in _STATE:
            answers = (a for a in self.facts.ask(question) if match(question, a, {}) is not None)
            yield from islice(answers, 1)
            return
        if depth <= 0 or question in seen:
            return
        for rule in self.facts.rules_of(signature(question)):
            bindings = self.facts.bind_head(rule, question)
            if bindings is None:
                continue
            body = self.facts.ordered(rule, frozenset(bindings))
            found = next(self.facts.evaluator.solve_all(body, bindings), None)
            if found is not None:
                parts = (f.term for f in body if isinstance(f, Atom))
                for term in parts:
                    inner = fill(erase_types(term), found)
                    yield from self.proof(inner, depth - 1, seen | {question})
                return

    def _line(self, span: Span | None) -> int:
        return self.game.source.position(span.start)[0] if span is not None else 0


def _span(formula: Formula) -> Span | None:
    if not isinstance(formula, Atom) and formula.span is not None:
        return formula.span
    for inner in walk(formula):
        for term in terms_of(inner):
            if term.span is not None:
                return term.span
    return None


def _text(formula: Formula, values: Bindings) -> str:
    """Return a formula with the values of its variables."""
    text = str(formula)
    for variable in sorted(names(formula_variables(formula)), key=len, reverse=True):
        if variable in values and next(variables(values[variable]), None) is None:
            text = _replace(text, f'?{variable}', str(values[variable]))
    return text


def _replace(text: str, name: str, value: str) -> str:
    """Replace a whole word in a text of parentheses and blanks."""
    words = text.replace('(', ' ( ').replace(')', ' ) ').split(' ')
    done = ' '.join(value if word == name else word for word in words if word)
    return done.replace('( ', '(').replace(' )', ')')


def _lines(rule: FailedRule, indent: str) -> Iterator[str]:
    yield f'{indent}line {rule.line}: {rule.head}'
    for literal in rule.literals:
        place = f'line {literal.line}: ' if literal.line else ''
        yield f'{indent}  {place}{literal} here'
        for fact in literal.because:
            yield f'{indent}    because {fact}'
        for inner in literal.rules:
            yield from _lines(inner, f'{indent}    ')
