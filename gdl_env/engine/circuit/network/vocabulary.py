"""What the rows of a circuit mean: facts, moves, goals, percepts and events, in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gdl_env.engine.contract import Move, Role
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.grounding.outside import is_mark
from gdl_env.engine.grounding.program import GroundProgram
from gdl_env.language.game import is_goal_value, is_role_name
from gdl_env.language.terms import Number, Term, name_of, sort_key

# Atoms that are always, or never, true.
ALWAYS, NEVER = -1, -2


@dataclass(frozen=True)
class RowVocabulary:
    """The meaning of each row. Moves are sorted by role and then as terms are.

    The last facts are the marks of values outside their range, see `grounding/outside.py`.
    """

    roles: tuple[Role, ...]
    facts: tuple[Term, ...]
    initial: tuple[bool, ...]
    legal: tuple[tuple[Role, Move], ...]
    # What can be done: legal moves, with events in place of the names of experiments.
    does: tuple[tuple[Role, Move], ...]
    goals: tuple[tuple[Role, int], ...]
    percepts: tuple[tuple[Role, Term], ...]
    # Experiment, weight and event.
    events: tuple[tuple[str, int, Term], ...]

    @cached_property
    def marks(self) -> tuple[Term, ...]:
        """Return the facts that say that a value has left its range."""
        return tuple(fact for fact in self.facts if is_mark(fact))

    @cached_property
    def own_facts(self) -> tuple[Term, ...]:
        """Return the facts of the game itself."""
        return self.facts[: len(self.facts) - len(self.marks)]


@dataclass(frozen=True)
class VocabularyAtoms:
    """The atom of the ground program behind each entry of a vocabulary, or ALWAYS or NEVER."""

    facts: list[int]
    next: list[int]
    does: list[int]
    legal: list[int]
    goals: list[int]
    percepts: list[int]
    events: list[int]
    terminal: int


def read_vocabulary(program: GroundProgram) -> tuple[RowVocabulary, VocabularyAtoms]:
    """Read off what a ground program talks about."""
    named = (args[0] for _, args in program.atoms('role/1'))
    roles = tuple(role for role in named if is_role_name(role))
    facts = sorted(
        program.atoms('true/1'), key=lambda atom: (is_mark(atom[1][0]), sort_key(atom[1][0]))
    )
    initial = {args[0] for _, args in program.atoms('init/1')}
    after = {args[0]: atom for atom, args in program.atoms('next/1')}
    legal = _of_roles(program, 'legal/2', roles)
    does = _of_roles(program, 'does/2', roles)
    percepts = _of_roles(program, 'sees/2', roles)
    goals = [g for g in _of_roles(program, 'goal/2', roles) if is_goal_value(g[2])]
    events = program.atoms('random/3')
    terminal = program.atoms('terminal/0')
    return (
        RowVocabulary(
            roles,
            tuple(args[0] for _, args in facts),
            tuple(args[0] in initial for _, args in facts),
            tuple((role, move) for _, role, move in legal),
            tuple((role, move) for _, role, move in does),
            tuple((role, _value(value)) for _, role, value in goals),
            tuple((role, percept) for _, role, percept in percepts),
            tuple((name_of(args[0]), _weight(args[1]), args[2]) for _, args in events),
        ),
        VocabularyAtoms(
            [atom for atom, _ in facts],
            [after.get(args[0], NEVER) for _, args in facts],
            [atom for atom, _, _ in does],
            [atom for atom, _, _ in legal],
            [atom for atom, _, _ in goals],
            [atom for atom, _, _ in percepts],
            [atom for atom, _ in events],
            terminal[0][0] if terminal else NEVER,
        ),
    )


def _of_roles(
    program: GroundProgram, relation: str, roles: tuple[Role, ...]
) -> list[tuple[int, Role, Term]]:
    """Return the atoms (role, something) of roles that exist, in order."""
    rank = {role: index for index, role in enumerate(roles)}
    found = [
        (atom, role, what)
        for atom, (role, what) in program.atoms(relation)
        if is_role_name(role) and role in rank
    ]
    return sorted(found, key=lambda entry: (rank[entry[1]], sort_key(entry[2])))


def _value(term: Term) -> int:
    if not isinstance(term, Number):
        raise GroundingError(f'{term} is not a number')
    return term.value


def _weight(term: Term) -> int:
    weight = _value(term)
    if weight < 0:
        # Perhaps the game never comes there: an engine that does tells.
        raise GroundingError(f'{term} as a weight: it must be an integer from 0 up')
    return weight
