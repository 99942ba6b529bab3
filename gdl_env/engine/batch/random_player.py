"""Random play from given states: the engine's tapes, or machine code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import States
from gdl_env.engine.batch.playout_kernels import play_states
from gdl_env.engine.circuit.network.build import Circuit
from gdl_env.engine.circuit.network.chance import add_random_play
from gdl_env.engine.circuit.network.vocabulary import RowVocabulary
from gdl_env.engine.circuit.playouts.playouts import PlayoutTapes, prepare_play
from gdl_env.engine.circuit.tape.tape import make_tape
from gdl_env.engine.grounding.outside import PlayFailure, describe_failure
from gdl_env.engine.grounding.pipeline import ground_game
from gdl_env.errors import EngineError
from gdl_env.language.game import Game


def trace_moves(game: Game, vocabulary: RowVocabulary, tapes: PlayoutTapes) -> PlayoutTapes:
    """Return tapes whose last outputs tell what is done in a step, in the order of `does`.

    The game is ground again, since compiled games do not keep what tells this. Raises EngineError
    if that comes out otherwise than it was.
    """
    circuit = Circuit(ground_game(game))
    if circuit.vocabulary != vocabulary:
        raise EngineError(f'{game.name} was compiled otherwise: remove it from the cache')
    play = add_random_play(circuit, game)
    wiring, net = play.building.wiring, play.building.net
    goals = wiring.goals if len(tapes.eager) else wiring.goals[:0]
    told = np.concatenate([goals, wiring.does])
    inputs = np.concatenate([wiring.facts, play.random])
    step = make_tape(net, inputs, [play.ends, play.next, told], wiring.loops)
    _, after, others = step.outputs
    return replace(tapes, step=step, next=after, eager=others[: len(goals)])


class RandomPlayer:
    """Plays random games; with `moves`, the last outputs of a step tell what is done in it."""

    def __init__(self, game: Game, tapes: PlayoutTapes, roles: int, moves: int = 0) -> None:
        self._game = game
        self._program = prepare_play(tapes, roles, moves)
        self._failures = tapes.failures
        self._roles = roles

    def play(self, states: States, key: int, limit: int) -> tuple[NDArray[np.int32], States]:
        """Return goals, -1 where there is none, and what was done, if the tapes tell.

        Raises ExhaustedError where a move draws from an experiment without events, RangeError
        where a value leaves its range.
        """
        goals = np.full((len(states), self._roles), -1, np.int32)
        traces = np.zeros((len(states), -(-len(self._program.moves) // 64)), np.uint64)
        seeds = np.random.Generator(np.random.Philox(key)).integers(
            0, 2**64, (4, self._program.step.width), np.uint64, endpoint=False
        )
        found = play_states(self._program, seeds, states, limit, goals, traces)
        if found >= 0:
            raise describe_failure(PlayFailure(str(self._failures[found])), self._game)
        return goals, traces
