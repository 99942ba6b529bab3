"""A game, compiled: everything that is needed to run it, and its way to disk and back."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
import io
import json
from pathlib import Path
from typing import Any
import zipfile

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine import grounding
from gdl_env.engine.cache import code_version, read_entry, write_entry
from gdl_env.engine.circuit.network.build import Circuit
from gdl_env.engine.circuit.network.possible import GATES_A_MOVE, KINDS, add_possible
from gdl_env.engine.circuit.network.vocabulary import RowVocabulary
from gdl_env.engine.circuit.playouts.playouts import PlayoutTapes, make_playout_tapes
from gdl_env.engine.circuit.single_state.effects import Effects
from gdl_env.engine.circuit.single_state.event_network import EventNet
from gdl_env.engine.circuit.single_state.single import SingleNets, make_single_nets
from gdl_env.engine.circuit.tape.tape import Tape, make_tape
from gdl_env.engine.circuit.verifier import (
    is_verifying,
    verify_effects,
    verify_event_network,
    verify_network,
    verify_tape,
)
from gdl_env.engine.grounding.budget import Budget, GroundingLimits
from gdl_env.engine.grounding.endless import EndlessError, locate_growth
from gdl_env.engine.grounding.errors import GroundingError, TimeLimitError
from gdl_env.engine.grounding.pipeline import ground_game
from gdl_env.language.game import Game
from gdl_env.language.reader import read_role, read_term

Arrays = dict[str, NDArray[Any]]

# The parts of the networks for single states.
_SINGLE: dict[str, type[Any]] = {'state': EventNet, 'legal': EventNet, 'effects': Effects}


@dataclass(frozen=True)
class CompiledGame:
    """The vocabulary of a game, and tapes for every question."""

    vocabulary: RowVocabulary
    # State → (terminal), (legal moves), (what each role can do in short: see `possible`).
    look: Tape
    # State → (goals), (events of experiments).
    score: Tape
    # State and moves → (next state), (percepts).
    step: Tape
    playout: PlayoutTapes
    single: SingleNets


def compile_game(game: Game, limits: GroundingLimits | None = None) -> CompiledGame:
    """Compile a game, or take it from the cache. Raises GroundingError if it does not ground."""
    name = f'{game.hash[:32]}-{game.turns.value}-{_version()}.circuit'
    if limits is None:
        known = read_entry(name)
        if known is not None:
            try:
                compiled = from_bytes(known)
            except EndlessError as error:
                # Lines may differ in files with the same rules.
                raise locate_growth(error, game) from None
            if is_verifying():
                _verify(compiled)
            return compiled
    try:
        compiled = _compile(game, limits)
    except TimeLimitError:
        # Less work for the machine, or another one, and it may be ready in time.
        raise
    except GroundingError as error:
        if limits is None:
            write_entry(name, _refusal(error))
        raise
    if limits is None:
        write_entry(name, to_bytes(compiled))
    return compiled


@cache
def _version() -> str:
    return code_version(Path(__file__).parent, Path(grounding.__file__).parent)


def _compile(game: Game, limits: GroundingLimits | None) -> CompiledGame:
    budget = Budget((limits or GroundingLimits()).seconds)
    circuit = Circuit(ground_game(game, limits, budget), budget)
    net, wiring = circuit.wire(GATES_A_MOVE * len(circuit.vocabulary.legal) + KINDS)
    single = make_single_nets(net, wiring, budget)
    possible = add_possible(net, wiring, circuit.vocabulary)
    if is_verifying():
        verify_network(net, wiring)
    loops = wiring.loops
    terminal = np.array([wiring.terminal], np.int32)
    inputs = np.concatenate([wiring.facts, wiring.does])
    compiled = CompiledGame(
        circuit.vocabulary,
        make_tape(net, wiring.facts, [terminal, wiring.legal, possible], loops, budget),
        make_tape(net, wiring.facts, [wiring.goals, wiring.events], loops, budget),
        make_tape(net, inputs, [wiring.next, wiring.percepts], loops, budget),
        make_playout_tapes(circuit, game),
        single,
    )
    if is_verifying():
        _verify(compiled)
    return compiled


def _verify(compiled: CompiledGame) -> None:
    """Check everything that a compiled game consists of."""
    playout, single = compiled.playout, compiled.single
    for tape in (compiled.look, compiled.score, compiled.step, playout.step, playout.goals):
        verify_tape(tape)
    for net in (single.state, single.legal):
        verify_event_network(net)
    verify_effects(single.effects)


# ---- to disk and back: plain arrays and text, nothing that is executed on loading


def to_bytes(compiled: CompiledGame) -> bytes:
    """Return a compiled game as bytes."""
    arrays: Arrays = {}
    for name in ('look', 'score', 'step'):
        _put_tape(arrays, name, getattr(compiled, name))
    play = compiled.playout
    _put_tape(arrays, 'playout.step', play.step)
    _put_tape(arrays, 'playout.goals', play.goals)
    for field in fields(PlayoutTapes):
        if field.name not in {'step', 'goals'}:
            arrays[f'playout.{field.name}'] = np.asarray(getattr(play, field.name))
    for name, kind in _SINGLE.items():
        part = getattr(compiled.single, name)
        for field in fields(kind):
            arrays[f'{name}.{field.name}'] = np.asarray(getattr(part, field.name))
    v = compiled.vocabulary
    words = {
        'roles': [str(role) for role in v.roles],
        'facts': [str(fact) for fact in v.facts],
        'initial': list(v.initial),
        'legal': [(str(role), str(move)) for role, move in v.legal],
        'does': [(str(role), str(move)) for role, move in v.does],
        'goals': [(str(role), value) for role, value in v.goals],
        'percepts': [(str(role), str(percept)) for role, percept in v.percepts],
        'events': [(name, weight, str(event)) for name, weight, event in v.events],
    }
    arrays['words'] = np.frombuffer(json.dumps(words).encode(), np.uint8)
    return _pack(arrays)


def from_bytes(data: bytes) -> CompiledGame:
    """Return the compiled game. Raises GroundingError if it is the note of a failure."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if 'growing' in arrays:
        raise EndlessError(read_term(arrays['growing'].tobytes().decode()))
    if 'refusal' in arrays:
        raise GroundingError(arrays['refusal'].tobytes().decode())
    words = json.loads(arrays['words'].tobytes())
    vocabulary = RowVocabulary(
        tuple(map(read_role, words['roles'])),
        tuple(map(read_term, words['facts'])),
        tuple(words['initial']),
        tuple((read_role(role), read_term(move)) for role, move in words['legal']),
        tuple((read_role(role), read_term(move)) for role, move in words['does']),
        tuple((read_role(role), value) for role, value in words['goals']),
        tuple((read_role(role), read_term(percept)) for role, percept in words['percepts']),
        tuple((name, weight, read_term(event)) for name, weight, event in words['events']),
    )
    playout = PlayoutTapes(
        step=_get_tape(arrays, 'playout.step'),
        goals=_get_tape(arrays, 'playout.goals'),
        **_get_fields(arrays, 'playout', PlayoutTapes),
    )
    single = SingleNets(
        **{name: kind(**_get_fields(arrays, name, kind)) for name, kind in _SINGLE.items()}
    )
    look, score, step = (_get_tape(arrays, name) for name in ('look', 'score', 'step'))
    return CompiledGame(vocabulary, look, score, step, playout, single)


def _get_fields(arrays: Arrays, name: str, kind: type[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(kind):
        array = arrays.get(f'{name}.{field.name}')
        if array is not None:
            found[field.name] = int(array) if array.ndim == 0 else array
    return found


def _refusal(error: GroundingError) -> bytes:
    kind, text = 'refusal', str(error)
    if isinstance(error, EndlessError):
        kind, text = 'growing', str(error.example)
    return _pack({kind: np.frombuffer(text.encode(), np.uint8)})


def _pack(arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, np.asarray(array, order='C'), allow_pickle=False)
            # Without the time: the same game gives the same bytes.
            entry = zipfile.ZipInfo(f'{name}.npy')
            archive.writestr(entry, part.getvalue(), zipfile.ZIP_DEFLATED, 1)
    return buffer.getvalue()


def _put_tape(arrays: Arrays, name: str, tape: Tape) -> None:
    arrays[f'{name}.operations'] = tape.operations
    arrays[f'{name}.runs'] = tape.runs
    arrays[f'{name}.feedback'] = tape.feedback
    arrays[f'{name}.sizes'] = np.array([tape.slots, tape.inputs, *map(len, tape.outputs)])
    arrays[f'{name}.outputs'] = np.concatenate([*tape.outputs, np.zeros(0, np.int32)])


def _get_tape(arrays: Arrays, name: str) -> Tape:
    slots, inputs, *lengths = (int(n) for n in arrays[f'{name}.sizes'])
    cuts = np.cumsum(lengths)[:-1]
    return Tape(
        arrays[f'{name}.operations'],
        arrays[f'{name}.runs'],
        arrays[f'{name}.feedback'],
        slots,
        inputs,
        tuple(np.split(arrays[f'{name}.outputs'], cuts)),
    )
