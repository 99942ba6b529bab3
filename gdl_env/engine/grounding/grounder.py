"""Semi-naive evaluation of rules over everything that can ever hold.

Facts of the state and moves are taken as possible as soon as one rule can make them so, and
negations of what changes during play are taken as possible too (relaxed reachability). What does
not depend on the state is evaluated exactly and disappears from the rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
import math

import numpy as np

from gdl_env.engine.grounding.budget import Budget, GroundingLimits
from gdl_env.engine.grounding.columns import CollisionError, Ids, RowTable
from gdl_env.engine.grounding.endless import EndlessError, newest_atom
from gdl_env.engine.grounding.errors import GroundingError, LargeNumberError, LimitError
from gdl_env.engine.grounding.goal_needs import find_asked
from gdl_env.engine.grounding.literals import Counter, Literal, LiteralKind, NormalRule
from gdl_env.engine.grounding.program import GroundProgram, Instances
from gdl_env.engine.grounding.rows import Rows, build, compute, join, match, test
from gdl_env.engine.grounding.split import bound_by
from gdl_env.engine.grounding.termtable import TermTable
from gdl_env.errors import RuleError
from gdl_env.language.dependencies import strong_components
from gdl_env.language.terms import Term, Variable

_JOINED = frozenset({LiteralKind.HOLDS, LiteralKind.CAN_HOLD})
# Heads whose instances cannot matter when a fact in their body ends the game.
_ALIVE_ONLY = frozenset({'next/1', 'legal/2', 'sees/2'})
DEAD = '*dead/1'
# After as many iterations a number that is too large was made from smaller ones.
_SURELY_GROWING = 4
# What is given from outside: that it is possible is known, not when it holds.
_GIVEN = frozenset({'true/1', 'does/2'})


@dataclass
class GroundRelation:
    """The rows of a relation; rows from `old` to `new` came in the last iteration."""

    table: RowTable
    old: int = 0
    new: int = 0


@dataclass
class Grounder:
    """Grounds one set of rules."""

    rules: list[NormalRule]
    counters: list[Counter]
    limits: GroundingLimits
    budget: Budget
    salt: int = 1

    def __post_init__(self) -> None:
        self.terms = TermTable(self.salt)
        self.relations: dict[str, GroundRelation] = {}
        self._instances: list[Instances] = []
        self._instance_count = 0
        self._alive_only = _ALIVE_ONLY - find_asked(self.rules, self.counters)
        self._dynamic = self._find_dynamic()
        self._dead: Ids = np.zeros(0, np.int32)

    def run(self) -> GroundProgram:
        """Ground everything. Raises GroundingError where a limit is passed."""
        for component in strong_components(self._graph()):
            self._ground(component)
        return GroundProgram(
            self.terms,
            {name: relation.table for name, relation in self.relations.items()},
            self._dynamic,
            self._instances,
            self.counters,
        )

    def _graph(self) -> dict[str, set[str]]:
        graph: dict[str, set[str]] = {}
        for rule in self.rules:
            graph.setdefault(rule.relation, set()).update(
                literal.relation
                for literal in rule.body
                if literal.kind in _JOINED | {LiteralKind.FAILS}
            )
        for counter in self.counters:
            graph.setdefault(counter.relation, set()).update((counter.inner, counter.domain))
        if DEAD in graph:
            # The facts that end the game are wanted before anything follows from them.
            for name in _ALIVE_ONLY & graph.keys():
                graph[name].add(DEAD)
        return graph

    def _find_dynamic(self) -> frozenset[str]:
        """Return the relations that depend on the state or on moves.

        Those that negate themselves count as such, too: they cannot be evaluated before they are
        complete, but on the ground, where they do not depend on themselves, they can.
        """
        graph = self._graph()
        users: dict[str, set[str]] = {}
        for relation, used in graph.items():
            for name in used:
                users.setdefault(name, set()).add(relation)
        found = {'true/1', 'does/2'} | self._negating_themselves(graph)
        stack = list(found)
        while stack:
            for user in users.get(stack.pop(), ()):
                if user not in found:
                    found.add(user)
                    stack.append(user)
        return frozenset(found)

    def _negating_themselves(self, graph: dict[str, set[str]]) -> set[str]:
        component_of = {
            name: component for component in strong_components(graph) for name in component
        }
        return {
            rule.relation
            for rule in self.rules
            for literal in rule.body
            if literal.kind is LiteralKind.FAILS
            and literal.relation in component_of.get(rule.relation, frozenset())
        }

    def _ground(self, component: frozenset[str]) -> None:
        rules = [rule for rule in self.rules if rule.relation in component]
        rules.sort(key=lambda rule: rule.relation != DEAD)
        counters = [counter for counter in self.counters if counter.relation in component]
        self._add_facts(rule for rule in rules if not rule.body)
        rules = [rule for rule in rules if rule.body]
        inside = [self._relation(name, self._width(name)) for name in sorted(component)]
        for iteration in range(self.limits.iterations):
            for counter in counters:
                self._count(counter)
            for relation in inside:
                relation.old, relation.new = relation.new, relation.table.count
            if iteration and all(relation.old == relation.new for relation in inside):
                return
            cache: dict[tuple[Literal, int, int], tuple[Rows, Ids]] = {}
            try:
                for rule in rules:
                    self._check_limits(0)
                    self._apply(rule, component, iteration, cache)
            except LargeNumberError:
                # At first it is a number of the rules, later one that grew with each iteration.
                if iteration < _SURELY_GROWING:
                    raise
                break
        grown = (n for n, r in self.relations.items() if n in component and r.table.count > r.old)
        raise EndlessError(newest_atom({n: self.relations[n].table for n in grown}, self.terms))

    def _apply(
        self,
        rule: NormalRule,
        component: frozenset[str],
        iteration: int,
        cache: dict[tuple[Literal, int, int], tuple[Rows, Ids]],
    ) -> None:
        """Find the instances of a rule that use something new."""
        joined = [i for i, literal in enumerate(rule.body) if literal.kind in _JOINED]
        recursive = [i for i in joined if rule.body[i].relation in component]
        if not recursive:
            if iteration == 0:
                self._instantiate(rule, {i: self._all(rule.body[i]) for i in joined}, None, cache)
            return
        for delta in recursive:
            ranges = {}
            for i in joined:
                relation = self._relation_of(rule.body[i])
                if i not in recursive:
                    ranges[i] = 0, relation.table.count
                elif i == delta:
                    ranges[i] = relation.old, relation.new
                else:
                    ranges[i] = 0, relation.old if i < delta else relation.new
            if all(low < high for low, high in ranges.values()):
                self._instantiate(rule, ranges, delta, cache)

    # ---- one rule

    def _instantiate(
        self,
        rule: NormalRule,
        ranges: dict[int, tuple[int, int]],
        first: int | None,
        cache: dict[tuple[Literal, int, int], tuple[Rows, Ids]],
    ) -> None:
        rows = Rows(1)
        waiting = set(range(len(rule.body)))
        negations = []
        while True:
            rows, found = self._filter(rule, waiting, rows)
            negations += found
            todo = waiting & ranges.keys()
            if not todo or not rows.count:
                break
            chosen = first if first in todo else self._cheapest(rule, todo, ranges, rows)
            first = None
            waiting.discard(chosen)
            literal = rule.body[chosen]
            selected, source = self._select(literal, *ranges[chosen], cache)
            rows = join(self.terms, rows, selected, source, chosen, self.salt)
            self._check_limits(rows.count)
        if not rows.count:
            return
        if waiting or not rule.head_variables() <= rows.columns.keys():
            raise GroundingError(f'a rule for {rule.relation} has a variable without a value')
        if rule.relation in self._alive_only and len(self._dead):
            rows = self._without_dead(rule, rows)
        self._record(rule, rows, negations)

    def _filter(
        self, rule: NormalRule, waiting: set[int], rows: Rows
    ) -> tuple[Rows, list[Literal]]:
        """Apply every test and computation that is ready; return dynamic negations found ready."""
        negations = []
        progress = True
        is_last = not any(rule.body[index].kind in _JOINED for index in waiting)
        while progress and rows.count:
            progress = False
            for index in sorted(waiting):
                literal = rule.body[index]
                if literal.kind in _JOINED:
                    continue
                free = literal.variables() - rows.columns.keys()
                if not free:
                    waiting.discard(index)
                    if literal.kind is not LiteralKind.FAILS:
                        rows = test(self.terms, literal, rows)
                    elif literal.relation in self._dynamic:
                        negations.append(literal)
                    else:
                        rows = self._absent(literal, rows)
                elif self._can_compute(literal, free, rows, is_last):
                    waiting.discard(index)
                    rows = self._compute(literal, rows)
                    progress = True
                if not rows.count:
                    break
        return rows, negations

    def _compute(self, literal: Literal, rows: Rows) -> Rows:
        try:
            return compute(self.terms, literal, rows)
        except RuleError as error:
            # It is an error only if the game ever comes there: an engine that goes there tells.
            raise GroundingError(str(error)) from error
        except OverflowError:
            raise GroundingError('numbers grow beyond 64 bits') from None

    def _can_compute(
        self, literal: Literal, free: frozenset[str], rows: Rows, is_last: bool
    ) -> bool:
        given = Literal(LiteralKind.CAN_HOLD, '', tuple(map(Variable, rows.columns)))
        return free <= bound_by((given, literal), is_last)

    def _absent(self, literal: Literal, rows: Rows) -> Rows:
        """Keep rows whose atom is not in a static relation."""
        relation = self.relations.get(literal.relation)
        if relation is None or not relation.table.count:
            return rows
        return rows.keep(relation.table.find(self._columns(literal.args, rows)) < 0)

    def _cheapest(
        self, rule: NormalRule, todo: set[int], ranges: dict[int, tuple[int, int]], rows: Rows
    ) -> int:
        def price(index: int) -> tuple[int, int, float, int]:
            names = rule.body[index].variables()
            free = len(names - rows.columns.keys())
            size = ranges[index][1] - ranges[index][0]
            share = math.log(size + 1) * free / max(1, len(names))
            return int(free > 0), -int(free < len(names)), share, size

        return min(sorted(todo), key=price)

    def _select(
        self,
        literal: Literal,
        low: int,
        high: int,
        cache: dict[tuple[Literal, int, int], tuple[Rows, Ids]],
    ) -> tuple[Rows, Ids]:
        """Return the rows of a relation that fit the pattern of a literal."""
        key = literal, low, high
        if key not in cache:
            table = self._relation_of(literal).table
            columns = [column[low:high] for column in table.columns()]
            fits, found = match(self.terms, literal.args, columns, {})
            count = int(fits.sum())
            source = np.arange(low, high, dtype=np.int32)[fits]
            cache[key] = Rows(count, {n: c[fits] for n, c in found.items()}), source
        return cache[key]

    def _without_dead(self, rule: NormalRule, rows: Rows) -> Rows:
        for index, literal in enumerate(rule.body):
            if literal.relation == 'true/1' and index in rows.used:
                facts = self.relations['true/1'].table.column(0)[rows.used[index]]
                rows = rows.keep(~np.isin(facts, self._dead))
        return rows

    def _record(self, rule: NormalRule, rows: Rows, negations: list[Literal]) -> None:
        if not rows.count:
            return
        columns = self._columns(rule.args, rows)
        head = self._relation(rule.relation, len(columns)).table.add(columns)
        if rule.relation == DEAD:
            self._dead = self.relations[DEAD].table.column(0).copy()
            return
        if rule.relation not in self._dynamic or rule.relation in _GIVEN:
            return
        positive = [
            (literal.relation, rows.used[index])
            for index, literal in enumerate(rule.body)
            if literal.kind is LiteralKind.HOLDS and literal.relation in self._dynamic
        ]
        negative = [(lit.relation, self._columns(lit.args, rows)) for lit in negations]
        self._instances.append(Instances(rule.relation, head, positive, negative))
        self._instance_count += rows.count

    # ---- counters

    def _count(self, counter: Counter) -> None:
        """Add the numbers that a count can give, as far as its solutions are known."""
        domain = self._relation(counter.domain, max(1, counter.outer)).table
        inner = self._relation(counter.inner, self._width(counter.inner)).table
        if not domain.count:
            return
        outer = [inner.column(i) for i in range(counter.outer)]
        rows = domain.find(outer) if outer else np.zeros(inner.count, np.int32)
        largest = np.bincount(rows[rows >= 0], minlength=domain.count)
        exact = counter.relation not in self._dynamic
        low = largest if exact else np.zeros_like(largest)
        numbers = np.concatenate(
            [np.arange(a, b + 1) for a, b in zip(low, largest, strict=True)]
        ).astype(np.int64)
        places = np.repeat(np.arange(domain.count), largest - low + 1)
        columns = [domain.column(i)[places] for i in range(counter.outer)]
        values = self.terms.from_values(numbers)
        self._relation(counter.relation, counter.outer + 1).table.add([*columns, values])

    # ---- small things

    def _add_facts(self, rules: Iterable[NormalRule]) -> None:
        by_relation: dict[str, list[NormalRule]] = {}
        for rule in rules:
            by_relation.setdefault(rule.relation, []).append(rule)
        for name, facts in by_relation.items():
            if any(fact.head_variables() for fact in facts):
                raise GroundingError(f'a fact {name} has a variable')
            one = Rows(1)
            built = [self._columns(fact.args, one) for fact in facts]
            columns = [np.concatenate(parts) for parts in zip(*built, strict=True)]
            rows = self._relation(name, len(columns)).table.add(columns)
            if name in self._dynamic:
                self._instances.append(Instances(name, rows, [], []))

    def _columns(self, args: tuple[Term, ...], rows: Rows) -> list[Ids]:
        """Return the columns of an atom; one without arguments has a column of zeros."""
        if not args:
            return [np.zeros(rows.count, np.int32)]
        return [build(self.terms, arg, rows) for arg in args]

    def _all(self, literal: Literal) -> tuple[int, int]:
        return 0, self._relation_of(literal).table.count

    def _relation_of(self, literal: Literal) -> GroundRelation:
        return self._relation(literal.relation, max(1, len(literal.args)))

    def _relation(self, name: str, width: int) -> GroundRelation:
        if name not in self.relations:
            self.relations[name] = GroundRelation(RowTable(width, self.salt))
        return self.relations[name]

    def _width(self, name: str) -> int:
        return max(1, int(name.rpartition('/')[2]))

    def _check_limits(self, count: int) -> None:
        if self._instance_count + count > self.limits.instances:
            raise LimitError(
                f'more than {self.limits.instances:,} rule instances: too large to ground'
            )
        self.budget.check('grounding it')


def ground(
    rules: list[NormalRule], counters: list[Counter], limits: GroundingLimits, budget: Budget
) -> GroundProgram:
    """Ground rules; starts again with other keys in the rare case that two rows share one."""
    for salt in range(1, 9):
        try:
            return Grounder(rules, counters, limits, budget, salt).run()
        except CollisionError:
            continue
    raise GroundingError('keys collide again and again')
