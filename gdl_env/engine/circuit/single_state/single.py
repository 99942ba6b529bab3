"""The networks for single states, and a move on them.

- `state`: what holds in a state, as far as the end of the game and the next state depend on it;
- `effects`: what moves do to it;
- `legal`: the legal moves. Turning over the turn changes all of them, and many states are never
  asked: they are brought up to date when they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.build import Loop, Wiring
from gdl_env.engine.circuit.network.logic import INPUT, KIND, LEFT, RIGHT, Literals, Network
from gdl_env.engine.circuit.single_state.columns import FIRST_INPUT_NODE
from gdl_env.engine.circuit.single_state.effects import Effects, Learned, make_effects
from gdl_env.engine.circuit.single_state.event_network import EventNet, make_event_net
from gdl_env.engine.circuit.single_state.events import (
    TRAIL,
    VALUES,
    flip,
    flip_all,
    is_true,
    propagate,
)
from gdl_env.engine.circuit.single_state.programs import find_changes
from gdl_env.engine.circuit.single_state.raw import get8, get64, put32
from gdl_env.engine.grounding.budget import UNLIMITED, Budget

# Where the programs of moves have more gates than this, propagating moves takes less time.
_MOST_GATES_A_MOVE = 1000
_STEP = 'preparing it for single states'
# So many moves are tried out to see that.
_SAMPLE = 16


# Outputs of the network of the state: the end of the game, then perhaps the next facts.
TERMINAL, FIRST_NEXT = 0, 1


@dataclass(frozen=True)
class SingleNets:
    """The networks for single states.

    Inputs of both event networks are the facts. The first output of `state` is the end of the
    game. Where moves feed a cycle, or much more than facts, effects are not worked out beforehand:
    then moves are inputs of `state`, too, and the next value of each fact is among its outputs.
    """

    state: EventNet
    legal: EventNet
    effects: Effects


def make_single_nets(net: Network, wiring: Wiring, budget: Budget = UNLIMITED) -> SingleNets:
    """Prepare a network for single states."""
    budget.check(_STEP)
    gates = net.nodes
    facts, does, after = wiring.facts, wiring.does, wiring.next
    legal, _ = make_event_net(gates, facts, wiring.legal, wiring.loops)
    budget.check(_STEP)
    terminal = np.array([wiring.terminal], np.int32)
    moving, is_simple = _moving(gates, does, wiring.loops)
    if is_simple:
        below = gates[moving & (gates[:, KIND] != INPUT)][:, LEFT:].ravel()
        border = np.unique(np.concatenate([below, after >> 1]))
        outputs = np.concatenate([terminal, 2 * border[~moving[border]]]).astype(np.int32)
        state, number = make_event_net(gates, facts, outputs, wiring.loops)
        budget.check(_STEP)
        effects = make_effects(gates, moving, does, after, number, len(state.gates))
        budget.check(_STEP)
        if _gates_a_move(effects) <= _MOST_GATES_A_MOVE:
            return SingleNets(replace(state, outputs=state.outputs[:FIRST_NEXT]), legal, effects)
    inputs, outputs = np.concatenate([facts, does]), np.concatenate([terminal, after])
    state, number = make_event_net(gates, inputs, outputs, wiring.loops)
    nothing = np.zeros(0, np.int32)
    moving[:] = False
    return SingleNets(state, legal, make_effects(gates, moving, nothing, nothing, number, 0))


def _gates_a_move(effects: Effects) -> float:
    """Return how many gates the programs of some moves have on the average."""
    if not effects.moves:
        return 0.0
    learned = Learned(effects)
    sample = np.unique(np.linspace(0, effects.moves - 1, _SAMPLE).astype(np.int64))
    return float(np.mean([learned.gates_of(sample[i : i + 1]) for i in range(len(sample))]))


def _moving(
    gates: NDArray[np.int32], does: Literals, loops: list[Loop]
) -> tuple[NDArray[np.bool_], bool]:
    """Return the nodes that depend on moves, and whether no cycle does."""
    moving = np.zeros(len(gates), np.bool_)
    moving[does >> 1] = True
    _spread(gates, moving)
    return moving, not any(moving[loop.results >> 1].any() for loop in loops)


@compile_kernel()
def _spread(gates, moving):
    for node in range(gates.shape[0]):
        if gates[node, KIND] != INPUT and (
            moving[gates[node, LEFT]] or moving[gates[node, RIGHT]]
        ):
            moving[node] = True


@compile_kernel(nogil=True)
def do(frame, learned, after, count, moves):
    """Play moves (rows of the move table); return the new length of the trail.

    Takes the addresses of the frames; `after` is the literals of the next facts where moves are
    inputs, and else empty.
    """
    values, trail = get64(frame, VALUES), get64(frame, TRAIL)
    facts = after.shape[0]
    if facts == 0:
        end = find_changes(learned, values, moves, trail, count)
        flip_all(frame, count, end)
        return propagate(frame, end)
    for move in moves:
        count = flip(frame, count, FIRST_INPUT_NODE + facts + move)
    end = count = propagate(frame, count)
    for fact in range(facts):
        if is_true(values, after[fact]) != get8(values, FIRST_INPUT_NODE + fact):
            put32(trail, end, FIRST_INPUT_NODE + fact)
            end += 1
    flip_all(frame, count, end)
    for move in moves:
        end = flip(frame, end, FIRST_INPUT_NODE + facts + move)
    return propagate(frame, end)


@compile_kernel(nogil=True)
def legal_rows(frame, outputs, facts):
    """Bring the network of legal moves up to date with facts; return the rows of legal moves."""
    values = get64(frame, VALUES)
    for fact in range(facts.shape[0]):
        if facts[fact] != get8(values, FIRST_INPUT_NODE + fact):
            flip(frame, 0, FIRST_INPUT_NODE + fact)
    propagate(frame, 0)
    found = np.empty(outputs.shape[0], np.int64)
    count = 0
    for row in range(outputs.shape[0]):
        found[count] = row
        count += is_true(values, outputs[row])
    return found[:count].copy()
