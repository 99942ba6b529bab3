"""The verifier on event networks and on the effects of moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from verified_game import GAME

from gdl_env.engine.circuit import verifier
from gdl_env.engine.circuit.compiled import CompiledGame, compile_game
from gdl_env.engine.circuit.network.logic import AND
from gdl_env.engine.circuit.single_state import columns as single
from gdl_env.engine.circuit.single_state.effects import Effects
from gdl_env.engine.circuit.single_state.event_network import EventNet
from gdl_env.engine.circuit.verifier import VerifierError
from gdl_env.engine.grounding.budget import GroundingLimits
from gdl_env.language.load import game_from_text


@cache
def compiled() -> CompiledGame:
    return compile_game(game_from_text(GAME), GroundingLimits())


def copied(net: EventNet) -> EventNet:
    names = ('gates', 'use_start', 'uses', 'loops', 'feedback', 'outputs')
    return replace(net, **{name: getattr(net, name).copy() for name in names})


def first_gate(net: EventNet) -> int:
    return int(np.flatnonzero(net.gates[:, single.TRUTH])[0])


BROKEN_EVENT_NETWORKS: dict[str, tuple[Callable[[EventNet], object], str]] = {
    'truth table': (
        lambda net: net.gates.__setitem__((first_gate(net), single.TRUTH), 77),
        'has the truth table 77',
    ),
    'order': (
        lambda net: net.gates.__setitem__((first_gate(net), single.RIGHT), len(net.gates) - 1),
        'comes before its child',
    ),
    'nothing sets': (
        lambda net: net.feedback.__setitem__((0, single.FED_NODE), 1),
        'which nothing sets',
    ),
    'outputs': (lambda net: net.outputs.__setitem__(0, -2), 'output 0 is literal -2'),
    'feedback': (
        lambda net: net.feedback.__setitem__((0, single.FED_LITERAL), 10**6),
        'feedback 0 is literal 1000000',
    ),
    'users': (
        lambda net: net.uses.__setitem__((0, single.USER), len(net.gates) - 1),
        'table of uses: row',
    ),
    'starts': (
        lambda net: net.use_start.__setitem__(-1, 0),
        'table of uses has another length than the network',
    ),
    'words': (
        lambda net: net.loops.__setitem__((0, single.END_WORD), 0),
        'border of cycles 1 is word 0, before the last one',
    ),
    'cycles': (
        lambda net: net.loops.__setitem__((0, single.FIRST_FED), 1),
        'begins its feedback at row 1, not 0',
    ),
}


@pytest.mark.parametrize(
    ('change', 'text'), BROKEN_EVENT_NETWORKS.values(), ids=BROKEN_EVENT_NETWORKS
)
def test_broken_event_networks(change: Callable[[EventNet], object], text: str) -> None:
    net = copied(compiled().single.state)
    assert len(net.loops)
    verifier.verify_event_network(net)
    change(net)
    with pytest.raises(VerifierError, match='event network') as error:
        verifier.verify_event_network(net)
    assert text in str(error.value)


def test_broken_effects() -> None:
    effects = compiled().single.effects
    assert effects.moves
    verifier.verify_effects(effects)

    def broken(name: str, place: object, value: int) -> Effects:
        array = getattr(effects, name).copy()
        array[place] = value
        return replace(effects, **{name: array})

    last = len(effects.gates) - 1
    for wrong, text in (
        (broken('gates', (last, single.OPERATION), 7), f'node {last} has the unknown kind 7'),
        (broken('gates', (0, single.OPERATION), AND), 'node 0 must be a move, or a gate'),
        (broken('gates', (last, single.FIRST_OPERAND), 2 * last), f'node {last} has the operand'),
        (broken('base', 0, -1), 'literal without moves 0 is literal -1'),
        (broken('next', (0, single.NEXT_NODE), 10**6), 'next fact 0 has slot 1000000'),
        (broken('always', (0, single.CHANGED_LITERAL), -1), 'other fact 0 is literal -1'),
    ):
        with pytest.raises(VerifierError, match='effects of moves') as error:
            verifier.verify_effects(wrong)
        assert text in str(error.value)
