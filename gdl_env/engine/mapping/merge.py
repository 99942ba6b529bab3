"""Merging templates to a minimal set that covers the same facts or moves, each of them once.

1. A template whose every place is contained in another's is absorbed by it.
2. Templates that differ at one place only become one, which has the values of all there.
3. What is left may still overlap; then the smaller one keeps what the larger one does not have.

No step loses a term or adds one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gdl_env.engine.mapping.domain import Domains
from gdl_env.engine.mapping.template import Shape, Template
from gdl_env.language.game import Rule


@dataclass(frozen=True)
class Merge:
    """One step: which templates became which, and why."""

    before: tuple[Template, ...]
    after: tuple[Template, ...]
    reason: str


def merge(templates: Iterable[Template], domains: Domains) -> tuple[list[Template], list[Merge]]:
    """Return the minimal set, in the order of the rules, and the steps that led to it."""
    merger = _Merger(domains, [])
    kept = merger.absorb([template for template in templates if template.size])
    size = 0
    while size != len(kept):
        size = len(kept)
        kept = merger.absorb(merger.unite(kept))
    kept = merger.unite(merger.part(kept))
    kept.sort(key=lambda template: template.rules[0].span.start if template.rules else 0)
    return kept, merger.steps


@dataclass(frozen=True)
class _Merger:
    domains: Domains
    steps: list[Merge]

    def absorb(self, templates: list[Template]) -> list[Template]:
        """Return the templates that no other one contains."""
        groups: dict[object, list[Template]] = {}
        for template in templates:
            groups.setdefault(template.key, []).append(template)
        ranked = sorted(groups.values(), key=lambda group: _rank(group[0]))
        kept: dict[Shape, list[Template]] = {}
        inside: dict[int, list[list[Template]]] = {}
        for group in ranked:
            first = group[0]
            known = kept.setdefault(first.shape, [])
            # What counts no more terms, and sorts no numbers, cannot contain it.
            larger = (t for t in known if t.size > first.size or t.has_maps)
            home = next((template for template in larger if template.contains(first)), first)
            if home is first:
                known.append(first)
                inside[id(first)] = [group[1:]] if group[1:] else []
            else:
                inside[id(home)].append(group)
        return [
            self._absorb_into(template, inside[id(template)])
            for templates in kept.values()
            for template in templates
        ]

    def _absorb_into(self, home: Template, groups: list[list[Template]]) -> Template:
        whole = replace(home, rules=_rules([home, *(t for group in groups for t in group)]))
        for group in groups:
            self.steps.append(Merge((home, *group), (whole,), _containment(home, group[0])))
        return whole

    def unite(self, templates: list[Template]) -> list[Template]:
        while True:
            places = max((len(t.domains) for t in templates), default=0)
            before = len(templates)
            for place in range(places):
                templates = self._unite_at(place, templates)
            if len(templates) == before:
                return templates

    def _unite_at(self, place: int, templates: list[Template]) -> list[Template]:
        groups: dict[object, list[Template]] = {}
        for number, template in enumerate(templates):
            keys = template.key[1]
            is_long = place < len(keys)
            key = (template.shape, *keys[:place], *keys[place + 1 :]) if is_long else number
            groups.setdefault(key, []).append(template)
        result = []
        for group in groups.values():
            if len(group) == 1:
                result += group
                continue
            domain = self.domains.unite(template.domains[place] for template in group)
            whole = replace(group[0].with_domain(place, domain), rules=_rules(group))
            labels = dict.fromkeys(str(template.domains[place]) for template in group)
            reason = f'differ at place {place + 1} only: {" + ".join(labels)} = {domain}'
            self.steps.append(Merge(tuple(group), (whole,), reason))
            result.append(whole)
        return result

    def part(self, templates: list[Template]) -> list[Template]:
        """Return templates without a term in common."""
        result: list[Template] = []
        for template in sorted(templates, key=_rank):
            pieces = [template]
            for known in [t for t in result if t.shape == template.shape]:
                rest = [r for piece in pieces for r in self._subtract(piece, known)]
                if rest != pieces:
                    reason = f'overlaps {known}, and keeps the rest'
                    self.steps.append(Merge((template, known), tuple(rest), reason))
                pieces = rest
            result += pieces
        return result

    def _subtract(self, whole: Template, part: Template) -> list[Template]:
        pairs = zip(whole.domains, part.domains, strict=True)
        if any(mine.is_disjoint(its) for mine, its in pairs):
            return [whole]
        common, pieces = whole, []
        for place, domain in enumerate(part.domains):
            mine = whole.domains[place]
            rest = self.domains.subtract(mine, domain)
            if len(rest):
                pieces.append(common.with_domain(place, rest))
            common = common.with_domain(place, self.domains.intersect(mine, domain))
        return pieces


def _rank(template: Template) -> tuple[int, int]:
    """Put larger templates first, and before them those that sort numbers into classes."""
    return -sum(len(domain.maps) for domain in template.domains), -template.size


def _rules(templates: Iterable[Template]) -> tuple[Rule, ...]:
    found = {id(rule): rule for template in templates for rule in template.rules}
    return tuple(sorted(found.values(), key=lambda rule: rule.span.start))


def _containment(whole: Template, part: Template) -> str:
    if whole == part:
        return 'the same'
    words = [
        f'{its} is in {mine}'
        for mine, its in zip(whole.domains, part.domains, strict=True)
        if mine.key != its.key
    ]
    return ', '.join(dict.fromkeys(words)) or 'the same values in another order'
