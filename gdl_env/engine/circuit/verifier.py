"""Checks between the stages of the compiler: what each stage relies on, stated once.

    ground program → network → tape → machine code
                             → event networks → programs of moves

Switched on by the environment variable GDL_VERIFY=1, for work on the compiler and for its tests;
without it nothing is checked and nothing is spent. An error names the stage, the node or
operation, and what is wrong with it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.layout import input_row
from gdl_env.engine.circuit.native.uses import FED_VALUE
from gdl_env.engine.circuit.native.values import FIRST, SECTION, TABLE, THIRD
from gdl_env.engine.circuit.network.logic import AND, ANDNOT, INPUT, KIND, LEFT, OR, RIGHT, XOR
from gdl_env.engine.circuit.single_state import columns as single
from gdl_env.engine.circuit.single_state.event_network import TRUTH_TABLES
from gdl_env.engine.circuit.tape import columns
from gdl_env.engine.circuit.tape.columns import FED_INPUT, FED_LOOP, FED_RESULT, LOOP
from gdl_env.errors import EngineError

if TYPE_CHECKING:
    from gdl_env.engine.circuit.network.build import Wiring
    from gdl_env.engine.circuit.network.logic import Network
    from gdl_env.engine.circuit.single_state.effects import Effects
    from gdl_env.engine.circuit.single_state.event_network import EventNet
    from gdl_env.engine.circuit.tape.tape import Tape

VARIABLE = 'GDL_VERIFY'
_GATES = (AND, OR, XOR, ANDNOT)

Numbers = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]


class VerifierError(EngineError):
    """A stage of the compiler has made something that the next one cannot rely on."""

    def __init__(self, stage: str, item: str, problem: str) -> None:
        self.stage, self.item, self.problem = stage, item, problem
        super().__init__(f'{stage}: {item} {problem}')


def is_verifying() -> bool:
    """Tell whether stages are to be checked. Raises EngineError for an unknown wish."""
    wish = os.environ.get(VARIABLE, '')
    if wish not in {'', '0', '1'}:
        raise EngineError(f'{VARIABLE} must be 0 or 1, not {wish!r}')
    return wish == '1'


# ---- the network


def verify_network(net: Network, wiring: Wiring) -> None:
    """Check that gates are ordered, folded and unique, and that all literals exist."""
    stage = 'network'
    gates = net.nodes
    number = np.arange(len(gates))
    kind, left, right = gates[:, KIND], gates[:, LEFT], gates[:, RIGHT]
    is_gate = kind != INPUT
    _require(stage, 'node', (kind >= AND) & (kind <= INPUT), 'has the unknown kind {}', kind)
    _require(stage, 'node', is_gate <= (number > 0), 'must be the constant')
    for child in (left, right):
        _require(stage, 'node', is_gate <= (child >= 0), 'has the child {}', child)
        _require(stage, 'node', is_gate <= (child < number), 'comes before its child {}', child)
        _require(stage, 'node', is_gate <= (child != 0), 'has the constant as a child')
    _require(stage, 'node', is_gate <= (left != right), 'has node {} as both children', left)
    is_sorted = (kind == ANDNOT) | (left < right)
    _require(
        stage, 'node', is_gate <= is_sorted, 'has children {} and {} out of order', left, right
    )
    _, first, same = np.unique(gates, axis=0, return_index=True, return_inverse=True)
    original = first[same.ravel()]
    _require(stage, 'node', is_gate <= (original == number), 'repeats node {}', original)
    found = np.bincount(net.table[net.table > 0], minlength=len(gates))[: len(gates)]
    _require(stage, 'node', found == is_gate, 'is {} times in the hash table', found)
    groups = {
        name: getattr(wiring, name)
        for name in ('facts', 'does', 'legal', 'goals', 'events', 'next', 'percepts')
    }
    groups['terminal'] = np.array([wiring.terminal])
    for name, literals in groups.items():
        _require_literals(stage, name, literals, len(gates))
    taken = _require_inputs(stage, 'facts', wiring.facts[wiring.facts > 1], kind, {})
    for index, loop in enumerate(wiring.loops):
        name = f'loop {index}, feedback'
        if len(loop.inputs) != len(loop.results):
            counts = f'{len(loop.inputs)} inputs and {len(loop.results)} results'
            raise VerifierError(stage, f'loop {index}', f'has {counts}')
        _require_literals(stage, name, loop.inputs, len(gates))
        _require_literals(stage, name, loop.results, len(gates))
        taken = _require_inputs(stage, name, loop.inputs, kind, taken)


def _require_inputs(
    stage: str, name: str, literals: Numbers, kind: Numbers, taken: dict[int, str]
) -> dict[int, str]:
    """Check that literals are inputs, as they are, and of nothing else; return all that are."""
    _require(stage, name, literals % 2 == 0, 'is the inverted literal {}', literals)
    _require(stage, name, kind[literals >> 1] == INPUT, 'is literal {}, not an input', literals)
    for literal in literals.tolist():
        if literal in taken:
            raise VerifierError(stage, name, f'shares literal {literal} with {taken[literal]}')
        taken[literal] = name
    return taken


# ---- tapes


def verify_tape(tape: Tape) -> None:
    """Check that a tape can be run, and that every value is there before it is read."""
    stage = 'tape'
    operations, feedback = tape.operations, tape.feedback
    kind, target = operations[:, columns.KIND], operations[:, columns.TARGET]
    first_free = input_row(tape.inputs)
    _require(stage, 'operation', np.isin(kind, _GATES), 'has the unknown kind {}', kind)
    for slot in (columns.TARGET, columns.LEFT, columns.RIGHT):
        _require_slots(stage, 'operation', operations[:, slot], tape.slots)
    problem = 'writes slot {}, which is a constant or an input'
    _require(stage, 'operation', target >= first_free, problem, target)
    for column in (FED_INPUT, FED_RESULT):
        _require_slots(stage, 'feedback', feedback[:, column], tape.slots)
    fed = feedback[:, FED_INPUT]
    _require(stage, 'feedback', fed >= first_free, 'goes to slot {}, which is not its own', fed)
    _, first, same = np.unique(fed, return_index=True, return_inverse=True)
    is_first = first[same] == np.arange(len(fed))
    _require(stage, 'feedback', is_first, 'goes to slot {}, as another does', fed)
    problem = 'writes slot {}, which a cycle feeds back to'
    _require(stage, 'operation', ~np.isin(target, fed), problem, target)
    ranges = _verify_runs(tape)
    written = np.full(tape.slots, len(operations))
    np.minimum.at(written, target, np.arange(len(operations)))
    written[:first_free] = -1
    # What is fed back exists from the beginning of its cycle on.
    for loop, slot in zip(feedback[:, FED_LOOP].tolist(), fed.tolist(), strict=True):
        written[slot] = ranges[loop][0] - 1
    for column in (columns.LEFT, columns.RIGHT):
        read = operations[:, column]
        is_there = written[read] < np.arange(len(operations))
        _require(stage, 'operation', is_there, 'reads slot {} before it is written', read)
    for index, (loop, _, result) in enumerate(feedback.tolist()):
        if written[result] >= ranges[loop][1]:
            raise VerifierError(stage, f'feedback {index}', f'takes slot {result} too early')
    for loop, (low, high) in ranges.items():
        _verify_cycle(tape, loop, low, high)
    for group, slots in enumerate(tape.outputs):
        _require_slots(stage, f'output group {group}, place', slots, tape.slots)
        is_there = written[slots] < len(operations)
        problem = 'is slot {}, which is never written'
        _require(stage, f'output group {group}, place', is_there, problem, slots)


def _verify_runs(tape: Tape) -> dict[int, tuple[int, int]]:
    """Check that runs cover all operations in order; return the operations of each cycle."""
    stage, runs = 'tape', tape.runs
    first, end = runs[:, columns.FIRST], runs[:, columns.END]
    _require(stage, 'run', first < end, 'is empty')
    before = np.concatenate([[0], end[:-1]]) if len(runs) else first
    _require(stage, 'run', first == before, 'begins at operation {}, not at {}', first, before)
    if int(end[-1] if len(runs) else 0) != len(tape.operations):
        raise VerifierError(stage, f'run {len(runs) - 1}', 'is not followed by all operations')
    kind = np.repeat(runs[:, columns.RUN_KIND], end - first)
    found = tape.operations[:, columns.KIND]
    _require(stage, 'operation', found == kind, 'is of kind {} in a run of kind {}', found, kind)
    ranges: dict[int, tuple[int, int]] = {}
    for index, (low, high, loop) in enumerate(
        runs[:, [columns.FIRST, columns.END, LOOP]].tolist()
    ):
        if loop in ranges and ranges[loop][1] != low:
            raise VerifierError(stage, f'run {index}', f'is cut off from the rest of cycle {loop}')
        if loop:
            ranges[loop] = ranges.get(loop, (low, high))[0], high
    known = set(tape.feedback[:, FED_LOOP].tolist())
    for loop in sorted(ranges.keys() ^ known):
        problem = 'is never run' if loop in known else 'feeds nothing back'
        raise VerifierError(stage, f'cycle {loop}', problem)
    return ranges


def _verify_cycle(tape: Tape, loop: int, low: int, high: int) -> None:
    """Check that what a cycle finds when it begins is still there when it is repeated."""
    number = np.arange(low, high)
    inside = tape.operations[low:high]
    written = np.full(tape.slots, high)
    np.minimum.at(written, inside[:, columns.TARGET], number)
    for column in (columns.LEFT, columns.RIGHT):
        read = inside[:, column]
        is_safe = (written[read] < number) | (written[read] == high)
        problem = f'reads slot {{}}, which cycle {loop} overwrites before its next pass'
        _require('tape', 'operation', is_safe, problem, read, offset=low)


# ---- machine code


def verify_machine_gates(
    gates: Numbers, base: int, cycles: Numbers, feedback: Numbers, outputs: Numbers
) -> None:
    """Check the gates that machine code is made from: see `native.values`."""
    stage = 'machine code'
    number = np.arange(len(gates))
    table, section = gates[:, TABLE], gates[:, SECTION]
    _require(stage, 'gate', (table >= 0) & (table < 256), 'has the truth table {}', table)
    for side in range(FIRST, THIRD + 1):
        value = gates[:, side]
        _require(stage, 'gate', value >= (0 if side == FIRST else -1), 'has the operand {}', value)
        _require(stage, 'gate', value < base + number, 'comes before its operand {}', value)
    _require(stage, 'gate', (section >= 0) & (section < len(cycles)), 'is in section {}', section)
    is_next = np.diff(section, prepend=section[:1]) >= 0
    _require(stage, 'gate', is_next, 'goes back to section {}', section)
    for name, values in (('feedback', feedback[:, FED_VALUE]), ('output', outputs)):
        is_known = (values >= 0) & (values < base + len(gates))
        _require(stage, name, is_known, 'is the value {}, which does not exist', values)


# ---- single states


def verify_event_network(net: EventNet) -> None:
    """Check the order of an event network, its table of uses and its cycles."""
    stage = 'event network'
    gates, count = net.gates, len(net.gates)
    number = np.arange(count)
    truth = gates[:, single.TRUTH]
    is_gate = truth != 0
    _require(stage, 'node', np.isin(truth, TRUTH_TABLES), 'has the truth table {}', truth)
    is_set = is_gate | (number < single.FIRST_INPUT_NODE + net.inputs)
    _require_literals(stage, 'feedback', net.feedback[:, single.FED_LITERAL], count)
    _require_slots(stage, 'feedback', net.feedback[:, single.FED_NODE], count)
    is_set[net.feedback[:, single.FED_NODE]] = True
    for column in (single.LEFT, single.RIGHT):
        child = gates[:, column]
        _require(stage, 'node', is_gate <= (child >= 0), 'has the child {}', child)
        _require(stage, 'node', is_gate <= (child < number), 'comes before its child {}', child)
        problem = 'has the child {}, which nothing sets'
        _require(stage, 'node', is_gate <= is_set[np.maximum(child, 0) % count], problem, child)
    _require_literals(stage, 'output', net.outputs, count)
    _verify_uses(net, np.flatnonzero(is_gate))
    words = net.loops[:, [single.FIRST_WORD, single.END_WORD]].ravel()
    fed = net.loops[:, [single.FIRST_FED, single.END_FED]]
    is_ordered = np.diff(words, prepend=0) >= 0
    _require(stage, 'border of cycles', is_ordered, 'is word {}, before the last one', words)
    if len(words) and words[-1] > count // 64 + 1:
        raise VerifierError(stage, f'cycle {len(net.loops) - 1}', f'ends at word {words[-1]}')
    ends = np.concatenate([[0], fed.ravel(), [len(net.feedback)]]).reshape(-1, 2)
    is_next = ends[:, 0] == ends[:, 1]
    _require(stage, 'cycle', is_next, 'begins its feedback at row {1}, not {0}', *ends.T)


def _verify_uses(net: EventNet, gates: NDArray[np.intp]) -> None:
    """Check that each gate is among the uses of both its inputs, and nothing else is."""
    stage, start = 'event network', net.use_start
    is_rising = np.diff(start, prepend=0) >= 0
    if len(start) != len(net.gates) + 1 or start[-1] != len(net.uses):
        raise VerifierError(stage, 'table of uses', 'has another length than the network')
    _require(stage, 'node', is_rising, 'has fewer uses than none')
    left, right = net.gates[gates, single.LEFT], net.gates[gates, single.RIGHT]
    expected = np.concatenate(
        [np.stack([left, gates, right], axis=1), np.stack([right, gates, left], axis=1)]
    )
    used = np.repeat(np.arange(len(net.gates)), np.diff(start))
    found = np.stack([used, net.uses[:, single.USER], net.uses[:, single.OTHER] >> 2], axis=1)
    if len(found) != len(expected):
        raise VerifierError(stage, 'table of uses', f'has {len(found)} of {len(expected)} uses')
    found, expected = (rows[np.lexsort(rows.T[::-1])] for rows in (found, expected))
    is_same = (found == expected).all(axis=1)
    problem = 'is node {} used by {} beside {}'
    _require(stage, 'table of uses: row', is_same, problem, *found.T)


def verify_effects(effects: Effects) -> None:
    """Check the part of a network that depends on moves."""
    stage = 'effects of moves'
    gates, states = effects.gates, effects.states
    number = np.arange(len(gates))
    kind = gates[:, single.OPERATION]
    is_gate = kind != INPUT
    _require(stage, 'node', (kind >= AND) & (kind <= INPUT), 'has the unknown kind {}', kind)
    _require(stage, 'node', is_gate == (number >= effects.moves), 'must be a move, or a gate')
    for column in (single.FIRST_OPERAND, single.SECOND_OPERAND):
        code = gates[:, column]
        most = np.where(code & 1, states, number)
        is_known = (code >= 0) & (code >> 1 < most)
        _require(stage, 'node', is_gate <= is_known, 'has the operand {}', code)
    nodes = states + len(effects.base_gates)
    _require_literals(stage, 'literal without moves', effects.base, nodes)
    made = states + np.arange(len(effects.base_gates))
    for column in (single.FIRST_OPERAND, single.SECOND_OPERAND):
        literal = effects.base_gates[:, column]
        is_known = (literal >= 0) & (literal >> 1 < made)
        _require(stage, 'gate without moves', is_known, 'has the operand {}', literal)
    _require_slots(stage, 'next fact', effects.next[:, single.NEXT_NODE], len(gates))
    _require_literals(stage, 'other fact', effects.always[:, single.CHANGED_LITERAL], states)


# ---- all


def _require_literals(stage: str, item: str, literals: Numbers, nodes: int) -> None:
    is_known = (literals >= 0) & (literals < 2 * nodes)
    _require(stage, item, is_known, f'is literal {{}} of {nodes} nodes', literals)


def _require_slots(stage: str, item: str, slots: Numbers, count: int) -> None:
    is_known = (slots >= 0) & (slots < count)
    _require(stage, item, is_known, f'has slot {{}} of {count}', slots)


def _require(
    stage: str, item: str, holds: Flags, problem: str, *values: Numbers, offset: int = 0
) -> None:
    """Raise an error for the first place where something does not hold."""
    wrong = np.flatnonzero(~np.asarray(holds, np.bool_))
    if len(wrong):
        place = int(wrong[0])
        text = problem.format(*(int(numbers[place]) for numbers in values))
        raise VerifierError(stage, f'{item} {place + offset}', text)
