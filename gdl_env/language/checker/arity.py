"""Names with two numbers of arguments, and names that are relation and function at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from gdl_env.language.checker.report import Report, arguments, see
from gdl_env.language.game import Game, Rule
from gdl_env.language.keywords import KEYWORDS
from gdl_env.language.occurrences import Occurrences
from gdl_env.language.terms import Compound, Term, args_of, signature, subterms

# The first place of each name with each number of arguments.
Places = dict[str, dict[int, Term]]


def check_arity(game: Game, misplaced: Sequence[Rule], report: Report) -> None:
    """Compare all uses of each name."""
    core = frozenset(name for name, word in KEYWORDS.items() if not word.can_be_redefined)
    occurrences = game.occurrences
    heads = _places(terms[0] for terms in occurrences.heads.values())
    relations = _places(terms[0] for _, terms in occurrences.relations())
    if misplaced:
        left_out = set(map(id, misplaced))
        placed = (rule for rule in game.rules if id(rule) not in left_out)
        occurrences = Occurrences.of_rules(placed)
    functions = _places(_functions(occurrences))
    # A body that asks with a wrong number is another finding: the relation is undefined there.
    _report_conflicts('relation', heads, KEYWORDS.keys() - game.redefined, report)
    _report_conflicts('function', functions, core, report)
    for name in functions:
        if name in relations and name not in core:
            _report_both(name, relations[name], functions[name], report)


def _places(terms: Iterable[Term]) -> Places:
    places: Places = {}
    for term in terms:
        name, count = signature(term)
        counts = places.setdefault(name, {})
        first = counts.setdefault(count, term)
        if first is not term and _start(term) < _start(first):
            counts[count] = term
    return places


def _functions(occurrences: Occurrences) -> Iterator[Term]:
    outer = (args_of(term) for _, terms in occurrences.relations() for term in terms)
    for term in chain(occurrences.compared, chain.from_iterable(outer)):
        if isinstance(term, Compound):
            yield from (inner for inner in subterms(term) if isinstance(inner, Compound))


def _report_conflicts(
    kind: str, places: Places, exempt: frozenset[str] | set[str], report: Report
) -> None:
    for name, counts in places.items():
        if name in exempt:
            continue
        (first_count, first), *others = sorted(counts.items(), key=lambda item: _start(item[1]))
        for count, term in others:
            report.warning(
                'arity-conflict',
                f"the {kind} '{name}' has {arguments(count)} here and {first_count or 'none'}"
                f' elsewhere: two {kind}s that have nothing to do with each other',
                term.span,
                f"the same number of arguments everywhere, or another name than '{name}'",
                see(first, f"'{name}' with {arguments(first_count)}"),
            )


def _report_both(
    name: str, relations: dict[int, Term], functions: dict[int, Term], report: Report
) -> None:
    function = min(functions.values(), key=_start)
    relation = min(relations.values(), key=_start)
    report.note(
        'relation-and-function',
        f"'{name}' is a function here and a relation elsewhere; the two are not connected",
        function.span,
        'two names, if they are different things',
        see(relation, f"'{name}' as a relation"),
    )


def _start(term: Term) -> int:
    return term.span.start if term.span is not None else 0
