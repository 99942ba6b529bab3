"""Which rules a step came from: those that allowed the moves, and those that changed the state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gdl_env.engine.contract import Moves
from gdl_env.engine.explanation.state_evaluator import StateEvaluator
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import Compound, Symbol, Term, Variable, signature


@dataclass(frozen=True)
class FiredRule:
    """A rule that applied: what follows from it, and where it stands in the file."""

    head: str
    first_line: int
    last_line: int


def find_fired_rules(
    game: Game, before: Iterable[Term], moves: Moves, after: Iterable[Term]
) -> tuple[FiredRule, ...]:
    """Return the rules behind a step, each once, in the order of the file.

    Facts that were there before follow from frame rules, which are left out. At the end of a game
    the rules of `terminal` and of the goals count as well. Raises EngineLimitError or RuleError.
    """
    old = list(before)
    new = list(after)
    step = StateEvaluator(game, old, moves)
    found: dict[int, FiredRule] = {}
    asked: list[tuple[StateEvaluator, Term]] = [
        (step, Compound('legal', (role, move))) for role, move in moves.items()
    ]
    known = set(old)
    asked += [(step, Compound('next', (fact,))) for fact in new if fact not in known]
    end = StateEvaluator(game, new)
    if end.holds(Symbol('terminal')):
        asked += [(end, Symbol('terminal'))]
        asked += [(end, goal) for goal in _find_goals(game, end)]
    for facts, question in asked:
        for rule in _find_rules(facts, question):
            found.setdefault(id(rule), _describe(game, rule, question))
            break
    return tuple(sorted(found.values(), key=lambda rule: rule.first_line))


def _find_rules(facts: StateEvaluator, question: Term) -> Iterator[Rule]:
    """Yield the rules that give an answer."""
    for rule in facts.rules_of(signature(question)):
        bindings = facts.bind_head(rule, question)
        if bindings is None:
            continue
        body = facts.ordered(rule, frozenset(bindings))
        if next(facts.evaluator.solve_all(body, bindings), None) is not None:
            yield rule


def _find_goals(game: Game, facts: StateEvaluator) -> Iterator[Term]:
    """Yield the goals of the roles at the end."""
    for role in game.roles:
        question = Compound('goal', (role, Variable('value')))
        yield from dict.fromkeys(facts.ask(question))


def _describe(game: Game, rule: Rule, question: Term) -> FiredRule:
    source = game.source
    first = source.position(rule.span.start)[0]
    last = source.position(max(rule.span.start, rule.span.end - 1))[0]
    return FiredRule(str(question), first, last)
