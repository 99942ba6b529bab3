"""From a game to its ground program."""

from __future__ import annotations

from itertools import product

from gdl_env.engine.contract import replace
from gdl_env.engine.grounding.budget import Budget, GroundingLimits
from gdl_env.engine.grounding.endless import EndlessError, locate_growth
from gdl_env.engine.grounding.errors import GroundingError, LimitError
from gdl_env.engine.grounding.grounder import DEAD, ground
from gdl_env.engine.grounding.legal_bounds import add_legal_bounds
from gdl_env.engine.grounding.literals import Literal, LiteralKind, NormalRule
from gdl_env.engine.grounding.normal import NormalProgram, normalise
from gdl_env.engine.grounding.program import GroundProgram
from gdl_env.engine.grounding.split import split_rules
from gdl_env.engine.grounding.unfold import unfold
from gdl_env.language.game import Game
from gdl_env.language.terms import Symbol, Term, Variable, symbol_names

# What an engine is asked for; all else matters only as far as these need it.
_ASKED = frozenset(
    {'role/1', 'init/1', 'next/1', 'legal/2', 'goal/2', 'terminal/0', 'sees/2', 'random/3'}
)
# How often views are unfolded to find facts that end the game.
_UNFOLDINGS = 200


# The first attempt gives up early: where it fails, another way of writing the rules may do.
_FIRST = GroundingLimits(instances=3_000_000, seconds=20.0)


def ground_game(
    game: Game, limits: GroundingLimits | None = None, budget: Budget | None = None
) -> GroundProgram:
    """Ground a game. Raises GroundingError where that is not possible or too large.

    The budget is that of the limits if none is given.
    """
    limits = limits or GroundingLimits()
    budget = budget or Budget(limits.seconds)
    program = normalise(game, budget)
    rules = _needed(program)
    if any(literal.relation.startswith('typemap/') for rule in rules for literal in rule.body):
        raise GroundingError('a condition asks for a typemap')
    try:
        return _ground_either_way(rules, program, game, limits, budget)
    except EndlessError as error:
        bounded = add_legal_bounds(rules)
        if bounded == rules:
            raise locate_growth(error, game) from None
    try:
        return _ground_either_way(bounded, program, game, limits, budget)
    except EndlessError as error:
        raise locate_growth(error, game) from None


def _ground_either_way(
    rules: list[NormalRule],
    program: NormalProgram,
    game: Game,
    limits: GroundingLimits,
    budget: Budget,
) -> GroundProgram:
    try:
        return _ground(rules, program, game, _FIRST, budget.part(_FIRST.seconds))
    except LimitError:
        keep = _ASKED.union(*((c.inner, c.domain, c.relation) for c in program.counters))
        return _ground(unfold(rules, keep, budget), program, game, limits, budget)


def _ground(
    rules: list[NormalRule],
    program: NormalProgram,
    game: Game,
    limits: GroundingLimits,
    budget: Budget,
) -> GroundProgram:
    rules = [*split_rules(rules), *_dead_rules(rules), *_connections(rules, game)]
    while True:
        found = ground(rules, program.counters, limits, budget)
        drawing = _missing_draws(found, game)
        if not drawing:
            return found
        # These may lead to more states, and those to more moves.
        rules = [*rules, *drawing]


def _needed(program: NormalProgram) -> list[NormalRule]:
    """Return the rules that the answers of an engine depend on."""
    users: dict[str, list[NormalRule]] = {}
    for rule in program.rules:
        users.setdefault(rule.relation, []).append(rule)
    counters = {counter.relation: counter for counter in program.counters}
    needed, stack = set(_ASKED), list(_ASKED)
    while stack:
        relation = stack.pop()
        used = {lit.relation for rule in users.get(relation, ()) for lit in rule.body}
        if relation in counters:
            used |= {counters[relation].inner, counters[relation].domain}
        for name in used - needed:
            needed.add(name)
            stack.append(name)
    program.counters = [c for c in program.counters if c.relation in needed]
    return [rule for rule in program.rules if rule.relation in needed]


def _connections(rules: list[NormalRule], game: Game) -> list[NormalRule]:
    """Return rules that say what can be true and what can be done."""
    fact = Variable('fact')
    result = [
        NormalRule('true/1', (fact,), (Literal(LiteralKind.CAN_HOLD, source, (fact,)),))
        for source in ('init/1', 'next/1')
    ]
    for args in dict.fromkeys(rule.args for rule in rules if rule.relation == 'legal/2'):
        result.append(_doing(args, game))
    return result


def _doing(args: tuple[Term, ...], game: Game) -> NormalRule:
    """Return the rule for moves of one shape; names of experiments give way to their events."""
    role, move = args
    body = [Literal(LiteralKind.CAN_HOLD, 'legal/2', args)]
    for name in sorted(symbol_names(move) & game.experiments):
        event = Variable(f'*{name}')
        weight = Variable(f'*weight of {name}')
        body.append(Literal(LiteralKind.CAN_HOLD, 'random/3', (Symbol(name), weight, event)))
        move = replace(move, name, event)
    return NormalRule('does/2', (role, move), tuple(body))


def _missing_draws(program: GroundProgram, game: Game) -> list[NormalRule]:
    """Return rules for moves that name an experiment only by the value of a variable."""
    if not game.experiments:
        return []
    events: dict[str, list[Term]] = {}
    for _, (experiment, _, event) in program.atoms('random/3'):
        events.setdefault(str(experiment), []).append(event)
    done = {args for _, args in program.atoms('does/2')}
    found = []
    for _, (role, move) in program.atoms('legal/2'):
        names = sorted(symbol_names(move) & game.experiments)
        for combination in product(*(events.get(name, ()) for name in names)):
            played = move
            for name, event in zip(names, combination, strict=True):
                played = replace(played, name, event)
            if (role, played) not in done:
                found.append(_doing((role, move), game))
                break
    return found


def _dead_rules(rules: list[NormalRule]) -> list[NormalRule]:
    """Return rules for facts that end the game by themselves: nothing follows from them.

    Without these, a game that ends at step 200 would be ground for steps without end.
    """
    by_relation: dict[str, list[NormalRule]] = {}
    for rule in rules:
        by_relation.setdefault(rule.relation, []).append(rule)
    static = _static(by_relation)
    found: list[NormalRule] = []
    work = [rule.body for rule in by_relation.get('terminal/0', ())]
    for _ in range(_UNFOLDINGS):
        if not work:
            break
        body = work.pop()
        changing = [
            lit
            for lit in body
            if lit.kind is LiteralKind.FAILS
            or (lit.kind is LiteralKind.HOLDS and lit.relation not in static)
        ]
        if len(changing) != 1 or changing[0].kind is LiteralKind.FAILS:
            continue
        (only,) = changing
        if only.relation == 'true/1':
            found.append(NormalRule(DEAD, only.args, tuple(body)))
        elif not only.args:
            # A view without arguments can be unfolded without unification.
            rest = tuple(lit for lit in body if lit is not only)
            work += [(*rest, *rule.body) for rule in by_relation.get(only.relation, ())]
    return found


def _static(by_relation: dict[str, list[NormalRule]]) -> frozenset[str]:
    """Return the relations that do not depend on the state or on moves."""
    changing = {'true/1', 'does/2'}
    grown = True
    while grown:
        grown = False
        for relation, rules in by_relation.items():
            if relation not in changing and any(
                lit.relation in changing for rule in rules for lit in rule.body
            ):
                changing.add(relation)
                grown = True
    return frozenset(by_relation.keys() - changing)
