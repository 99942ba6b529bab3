"""Ground program → network: every fact, move, goal and percept as a literal of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.network.atoms import (
    UNKNOWN,
    GroundRules,
    body_value,
    components,
    evaluate,
    sort_bodies,
    spread,
)
from gdl_env.engine.circuit.network.counts import read_counts
from gdl_env.engine.circuit.network.logic import (
    FALSE,
    TRUE,
    Literals,
    Network,
    add_input,
    and2,
    make_network,
    or_all,
)
from gdl_env.engine.circuit.network.vocabulary import ALWAYS, NEVER, read_vocabulary
from gdl_env.engine.grounding.budget import UNLIMITED, Budget
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.grounding.program import GroundProgram

# Conditions that compiled code evaluates in one call.
_PIECE = 1_000_000


@dataclass(frozen=True)
class Loop:
    """A cycle: its feedback inputs, and what they become, until nothing changes any more."""

    inputs: Literals
    results: Literals


@dataclass
class Wiring:
    """The literals of everything in the vocabulary."""

    facts: Literals
    terminal: int
    legal: Literals
    goals: Literals
    events: Literals
    does: Literals = field(default_factory=lambda: np.zeros(0, np.int32))
    next: Literals = field(default_factory=lambda: np.zeros(0, np.int32))
    percepts: Literals = field(default_factory=lambda: np.zeros(0, np.int32))
    loops: list[Loop] = field(default_factory=list)


class Circuit:
    """A ground program, prepared for building networks of it."""

    def __init__(self, program: GroundProgram, budget: Budget = UNLIMITED) -> None:
        """Prepare a program; what is built of it must be done within the budget."""
        self.budget = budget
        budget.check('sorting its rules')
        bodies = program.bodies()
        self.vocabulary, self.atoms = read_vocabulary(program)
        self.counts = read_counts(program)
        counts = self.counts
        first, begin, literals = sort_bodies(
            bodies.head, bodies.start, bodies.literals, program.atom_count
        )
        self.rules = GroundRules(
            first,
            begin,
            literals,
            counts.group_of,
            counts.start,
            counts.members,
            counts.number,
        )
        component = components(self.rules)
        # Dependencies first; the atoms of a cycle stand together.
        self.order = np.argsort(component, kind='stable')
        self.component = component
        moving = np.zeros(program.atom_count, np.bool_)
        moving[self.atoms.does] = True
        while spread(self.order, moving, self.rules):
            budget.check('sorting its rules')
        self.depends_on_moves = moving
        self.atom_count = program.atom_count
        self.size = len(bodies.literals) + len(bodies.head) + program.atom_count
        self.size += 12 * len(counts.members) + 4096
        self.constant: dict[int, int] = {}
        self._find_constants()

    def wire(self, extra: int = 0) -> tuple[Network, Wiring]:
        """Build the network with moves as inputs; leave room for `extra` nodes."""
        building = Building(self, extra)
        building.finish(building.inputs(len(self.vocabulary.does)))
        return building.net, building.wiring

    def _find_constants(self) -> None:
        """Find facts that are always or never true: the network gets smaller without them."""
        while True:
            _, wiring = self.wire()
            found = {}
            for atom, initial, after in zip(
                self.atoms.facts, self.vocabulary.initial, wiring.next, strict=True
            ):
                if initial and after == TRUE:
                    found[atom] = TRUE
                elif not initial and after == FALSE:
                    found[atom] = FALSE
            if found.keys() <= self.constant.keys():
                return
            self.constant |= found


class Building:
    """A network in two stages: what depends on the state alone, and then what moves change."""

    def __init__(self, circuit: Circuit, extra: int = 0) -> None:
        """Build the first stage; leave room for `extra` nodes."""
        self.circuit = circuit
        atoms = circuit.atoms
        marks = len(circuit.vocabulary.marks)
        guards = marks + len(atoms.legal) + 1 if marks else 0
        self.net = make_network(circuit.size + 2 * len(atoms.does) + guards + extra)
        self._value = np.full(circuit.atom_count, UNKNOWN, np.int32)
        for atom, exact in circuit.counts.exact.items():
            self._value[atom] = TRUE if exact else FALSE
        facts = self.inputs(len(atoms.facts))
        for index, atom in enumerate(atoms.facts):
            facts[index] = circuit.constant.get(atom, facts[index])
        self._value[atoms.facts] = facts
        self._loops: list[Loop] = []
        waits = circuit.depends_on_moves[circuit.order]
        self._later = circuit.order[waits]
        self._run(circuit.order[~waits])
        self.wiring = Wiring(
            facts,
            int(self._of([atoms.terminal])[0]),
            self._of(atoms.legal),
            self._of(atoms.goals),
            self._of(atoms.events),
            loops=self._loops,
        )
        if marks:
            self._stop_at(facts[len(facts) - marks :])

    def _stop_at(self, marks: Literals) -> None:
        """Let nothing follow where a value has left its range: no end of the game, and no move.

        Loops in compiled code thus meet a dead end, which is where they look for the reason.
        """
        inside = or_all(self.net, marks.copy(), len(marks)) ^ 1
        self.wiring.terminal = int(and2(self.net, self.wiring.terminal, inside))
        for row, literal in enumerate(self.wiring.legal):
            self.wiring.legal[row] = and2(self.net, literal, inside)

    def inputs(self, count: int) -> Literals:
        """Add inputs to the network."""
        return np.array([add_input(self.net) for _ in range(count)], np.int32)

    def finish(self, does: Literals) -> None:
        """Build the second stage on moves given as literals."""
        atoms = self.circuit.atoms
        self._value[atoms.does] = does
        self._run(self._later)
        self.wiring.does = does
        self.wiring.next = self._of(atoms.next)
        self.wiring.percepts = self._of(atoms.percepts)

    def _of(self, atoms: list[int]) -> Literals:
        fixed = {ALWAYS: TRUE, NEVER: FALSE}
        return np.array([fixed[a] if a < 0 else self._value[a] for a in atoms], np.int32)

    def _run(self, order: NDArray[np.intp]) -> None:
        """Evaluate atoms in order; cycles become loops."""
        if not len(order):
            return
        component = self.circuit.component[order]
        starts = np.concatenate([[0], np.flatnonzero(np.diff(component)) + 1, [len(order)]])
        done = 0
        for index in np.flatnonzero(np.diff(starts) > 1):
            low, high = int(starts[index]), int(starts[index + 1])
            self._evaluate(order[done:low])
            self._loop(order[low:high])
            done = high
        self._evaluate(order[done:])

    def _evaluate(self, order: NDArray[np.intp]) -> None:
        rules = self.circuit.rules
        self._check()
        if not len(order):
            return
        # In pieces: compiled code neither looks at the time nor takes signals.
        begin, first = rules.begin, rules.first
        sizes = np.cumsum(1 + begin[first[order + 1]] - begin[first[order]])
        for piece in np.split(order, np.searchsorted(sizes, np.arange(_PIECE, sizes[-1], _PIECE))):
            evaluate(self.net, self._value, piece, rules)
            self._check()

    def _check(self) -> None:
        self.circuit.budget.check('wiring it')

    def _loop(self, atoms: NDArray[np.intp]) -> None:
        """Make a cycle of atoms: each is an input that the others feed until nothing changes."""
        rules = self.circuit.rules
        inside = np.zeros(self.circuit.atom_count, np.bool_)
        inside[atoms] = True
        for a in atoms:
            low, high = rules.begin[rules.first[a]], rules.begin[rules.first[a + 1]]
            uses = rules.literals[low:high]
            if rules.group_of[a] >= 0 or np.any(inside[uses >> 1] & (uses & 1).astype(bool)):
                raise GroundingError('a negation or a count depends on itself, on the ground')
        inputs = self.inputs(len(atoms))
        self._value[atoms] = inputs
        longest = int(np.diff(rules.first).max(initial=1))
        widest = int(np.diff(rules.begin).max(initial=1))
        buffers = np.empty(longest, np.int32), np.empty(widest, np.int32)
        results = []
        for a in atoms:
            self._check()
            results.append(body_value(self.net, self._value, a, rules, *buffers))
        self._loops.append(Loop(inputs, np.array(results, np.int32)))
