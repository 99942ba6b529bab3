"""Relations of compounds, split by what the compound is.

Where all rules of a relation say what kind of term an argument is, as `(legal2 ?r (move ?x ?y))`,
and bodies ask for one kind, its arguments become arguments of a relation of their own: what is
known of them when it is asked then counts. The relation itself remains, as the union of its kinds.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl_env.engine.firstorder.clause import Clause, map_atoms
from gdl_env.language.dependencies import Relation
from gdl_env.language.formulas import Atom, atoms
from gdl_env.language.terms import Compound, Term, Variable, args_of, is_ground, signature

Rows = dict[tuple[Term, ...], None]
Facts = dict[Relation, Rows]
Clauses = dict[Relation, list[Clause]]


def split_shapes(facts: Facts, clauses: Clauses) -> None:
    """Split relations in place, until none is left that can be."""
    done: set[tuple[Relation, int]] = set()
    while True:
        found = next(_candidates(facts, clauses, done), None)
        if found is None:
            return
        done.add(found)
        _split(facts, clauses, *found)


def _candidates(
    facts: Facts, clauses: Clauses, done: set[tuple[Relation, int]]
) -> Iterator[tuple[Relation, int]]:
    """Yield relations with a place where a body asks for a compound and every head has a kind."""
    for clause in (clause for listed in clauses.values() for clause in listed):
        for atom in _atoms_of(clause):
            relation = signature(atom.term)
            for place, arg in enumerate(args_of(atom.term)):
                if (
                    relation in clauses
                    and (relation, place) not in done
                    and isinstance(arg, Compound)
                    and not is_ground(arg)
                    and _has_kinds(facts, clauses, relation, place)
                ):
                    yield relation, place


def _has_kinds(facts: Facts, clauses: Clauses, relation: Relation, place: int) -> bool:
    heads = [clause.head[place] for clause in clauses[relation]]
    heads += [row[place] for row in facts.get(relation, ())]
    has_compound = any(isinstance(head, Compound) for head in heads)
    return has_compound and not any(isinstance(head, Variable) for head in heads)


def _split(facts: Facts, clauses: Clauses, relation: Relation, place: int) -> None:
    parts: dict[Relation, Relation] = {}

    def part_of(args: tuple[Term, ...]) -> Relation | None:
        return parts.get(signature(args[place])) if isinstance(args[place], Compound) else None

    for args in (*(c.head for c in clauses[relation]), *facts.get(relation, ())):
        if isinstance(args[place], Compound):
            kind = signature(args[place])
            # A blank keeps it apart from every name a game can have.
            name = f'{relation[0]} {place}:{kind[0]}/{kind[1]}'
            parts[kind] = name, relation[1] - 1 + kind[1]
    rest = []
    for clause in clauses[relation]:
        part = part_of(clause.head)
        if part is None:
            rest.append(clause)
        else:
            head = _flatten(clause.head, place)
            clauses.setdefault(part, []).append(Clause(head, clause.body))
    for row in [row for row in facts.get(relation, ()) if part_of(row) is not None]:
        del facts[relation][row]
        part = part_of(row)
        assert part is not None
        facts.setdefault(part, {})[_flatten(row, place)] = None
    clauses[relation] = rest + [
        _union(relation, place, kind, part) for kind, part in parts.items()
    ]

    def redirect(atom: Atom) -> Atom:
        args = args_of(atom.term)
        part = part_of(args) if signature(atom.term) == relation else None
        return atom if part is None else Atom(Compound(part[0], _flatten(args, place)))

    for owner, listed in clauses.items():
        clauses[owner] = [
            Clause(c.head, tuple(map_atoms(formula, redirect) for formula in c.body))
            for c in listed
        ]


def _union(relation: Relation, place: int, kind: Relation, part: Relation) -> Clause:
    head: list[Term] = [Variable(f'{i}') for i in range(relation[1])]
    head[place] = Compound(kind[0], tuple(Variable(f'{place}.{i}') for i in range(kind[1])))
    return Clause(tuple(head), (Atom(Compound(part[0], _flatten(tuple(head), place))),))


def _flatten(args: tuple[Term, ...], place: int) -> tuple[Term, ...]:
    return (*args[:place], *args_of(args[place]), *args[place + 1 :])


def _atoms_of(clause: Clause) -> Iterator[Atom]:
    for formula in clause.body:
        for atom, _ in atoms(formula):
            yield atom
