"""Random play from given states: the engine's tapes, or machine code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.kernels.playouts import play_states
from gdl_agents.search.rules import States
from gdl_env.engine.circuit.build import Circuit
from gdl_env.engine.circuit.chance import add_random_play
from gdl_env.engine.circuit.kernel import WIDE
from gdl_env.engine.circuit.native import assemble_play, chosen_variant
from gdl_env.engine.circuit.native_machine import make_rows
from gdl_env.engine.circuit.playouts import PlayoutTapes
from gdl_env.engine.circuit.tape import make_tape
from gdl_env.engine.circuit.vocabulary import Vocabulary
from gdl_env.engine.grounding.pipeline import ground_game
from gdl_env.errors import EngineError
from gdl_env.language.game import Game


def trace_moves(game: Game, vocabulary: Vocabulary, tapes: PlayoutTapes) -> PlayoutTapes:
    """Return tapes whose last outputs tell what is done in a step, in the order of `does`.

    The game is ground again, since compiled games do not keep what tells this. Raises EngineError
    if that comes out otherwise than it was.
    """
    circuit = Circuit(ground_game(game))
    if circuit.vocabulary != vocabulary:
        raise EngineError(f'{game.name} was compiled otherwise: remove it from the cache')
    play = add_random_play(circuit, game)
    wiring, net = play.building.wiring, play.building.net
    ends = np.array([wiring.terminal, play.stuck], np.int32)
    goals = wiring.goals if len(tapes.eager) else wiring.goals[:0]
    told = np.concatenate([goals, wiring.does])
    inputs = np.concatenate([wiring.facts, play.random])
    step = make_tape(net, inputs, [ends, play.next, told], wiring.loops)
    return replace(tapes, step=step, next=step.outputs[1], eager=step.outputs[2][: len(goals)])


class RandomPlayer:
    """Plays random games; with `moves`, the last outputs of a step tell what is done in it."""

    def __init__(self, tapes: PlayoutTapes, roles: int, moves: int = 0) -> None:
        variant = chosen_variant()
        is_eager = len(tapes.eager) > 0
        machines = None
        if variant:
            machines = assemble_play(tapes.step, tapes.facts, tapes.goals, is_eager, variant)
        # Executable memory lives as long as its user.
        self._machines = machines
        step, goals = tapes.step, tapes.goals
        if machines:
            ends, after, told = machines.step.outputs
            apart = machines.goals.outputs[0] if machines.goals else after[:0]
            slots = machines.step.slots, machines.goals.slots if machines.goals else 2
            self._width = machines.step.width
            self._addresses = machines.addresses
        else:
            ends, after, told = step.outputs
            apart = goals.outputs[0]
            slots = step.slots, goals.slots
            self._width = WIDE
            self._addresses = (0, 0, 0)
        nothing = np.zeros(0, np.uint32)
        memory = [make_rows(count, self._width) for count in slots]
        self._step, self._goal = (
            (
                nothing if machines else tape.places(WIDE),
                tape.runs[: 0 if machines else len(tape.runs)],
                tape.feedback,
                rows,
            )
            for tape, rows in zip((step, goals), memory, strict=True)
        )
        eager, self._moves = np.split(told, [len(told) - moves])
        order = np.argsort(tapes.goal_value, kind='stable')
        self._rows = (
            (tapes.facts, step.inputs - tapes.facts, int(ends[0]), int(ends[1])),
            (after, eager[order] if is_eager else eager),
        )
        self._scores = (
            apart[order] if len(apart) else apart,
            tapes.goal_role[order],
            tapes.goal_value[order],
            np.zeros((0, roles), np.int32),
        )
        self._roles = roles

    def play(self, states: States, key: int, limit: int) -> tuple[NDArray[np.int32], States]:
        """Return goals, -1 where there is none, and what was done, if the tapes tell."""
        goals = np.full((len(states), self._roles), -1, np.int32)
        traces = np.zeros((len(states), -(-len(self._moves) // 64)), np.uint64)
        seeds = np.random.Generator(np.random.Philox(key)).integers(
            0, 2**64, (4, self._width), np.uint64, endpoint=False
        )
        nothing = np.zeros(0, np.int32)
        numbers, arrays = self._rows
        play_states(
            self._addresses,
            self._width,
            self._step,
            self._goal,
            (*numbers, limit, *arrays),
            self._scores,
            seeds,
            states,
            (nothing, nothing.astype(np.bool_), goals),
            self._moves,
            traces,
        )
        return goals, traces
