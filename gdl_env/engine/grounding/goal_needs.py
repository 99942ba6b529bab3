"""What goals depend on: it matters in final states, too."""

from __future__ import annotations

from collections.abc import Iterable

from gdl_env.engine.grounding.literals import Counter, NormalRule


def find_asked(rules: Iterable[NormalRule], counters: Iterable[Counter]) -> frozenset[str]:
    """Return the relations that goals ask for, directly or not."""
    bodies: dict[str, set[str]] = {}
    for rule in rules:
        bodies.setdefault(rule.relation, set()).update(part.relation for part in rule.body)
    for counter in counters:
        bodies.setdefault(counter.relation, set()).update((counter.inner, counter.domain))
    # The state is given: how it came about does not matter any more.
    bodies.pop('true/1', None)
    asked, stack = {'goal/2'}, ['goal/2']
    while stack:
        new = bodies.get(stack.pop(), set()) - asked
        asked |= new
        stack += new
    return frozenset(asked)
