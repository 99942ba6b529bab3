"""Alpha-beta search in compiled code, for games on the circuit engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.alphabeta.kernels import search
from gdl_agents.search.alphabeta.position import place
from gdl_agents.search.alphabeta.records import (
    FINDINGS,
    FIRST_ROLE,
    GOAL,
    MOVE,
    PART,
    PLY,
    POSITION,
    GameTables,
    Networks,
    Plies,
    Scoring,
    Searched,
)
from gdl_agents.search.alphabeta.result import AlphaBetaResult
from gdl_agents.search.game.turns import ROTATION, TurnOrder
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import States
from gdl_env.engine.batch.layout import ONE
from gdl_env.engine.circuit.single_state.effects import Learned
from gdl_env.engine.circuit.single_state.event_network import Values

# Moves ahead at most, and positions that are remembered.
DEEPEST = 64
_TABLE = 1 << 18
# Legal moves of a position that there is room for at every depth; with more, it gets less deep.
_ROOM = 4096


class AlphaBetaSearch:
    """A position that is searched, with a table of positions that were met."""

    def __init__(
        self,
        rules: CircuitBatch,
        weights: NDArray[np.float64] | None = None,
        turns: TurnOrder = ROTATION,
        partners: Sequence[int] = (),
    ) -> None:
        """Get ready; `weights` (one a fact, and a constant) estimate what is not final.

        Partners have the same goal as the player that is searched for.
        """
        nets = rules.compiled.single
        self._rules = rules
        self._facts = len(rules.vocabulary.facts)
        self._now = Values(nets.state, nets.effects.spare)
        self._legal = Values(nets.legal)
        self._learned = Learned(nets.effects)
        while len(self._now.trail) < (DEEPEST + 2) * self._now.net.most_changes:
            self._now.reserve(len(self._now.trail))
        most, roles = len(nets.legal.outputs), len(rules.roles)
        self._game = self._prepare_game(turns)
        self._game.are_partners[list(partners)] = True
        self._scoring = self._prepare_scoring(np.zeros(0) if weights is None else weights)
        self._memory = np.zeros(_TABLE, POSITION)
        self._plies = _prepare_plies(roles, most)
        self._values = np.zeros((2, most))
        self._findings = np.zeros(1, FINDINGS)

    def run(self, state: States, player: int, depth: int, limit: int, key: int) -> AlphaBetaResult:
        """Search for a player, to a depth or until `limit` positions were met.

        What was remembered in searches with another key is not used.
        """
        self._game.marks[self._facts] = np.uint64(key & (2**64 - 1))
        self._plies.history[:] = 0
        place(self._now.address, state, self._facts)
        # Addresses change when networks get more room.
        networks = Networks(self._now.address, self._learned.address, self._legal.address)
        game = self._game._replace(player=player)
        searched = Searched(networks, game, self._scoring, self._memory, self._plies)
        search(searched, limit, min(depth, DEEPEST), self._values, self._findings)
        starts = self._plies.starts
        rows = self._plies.rows[starts[0, player] : starts[0, player + 1]].copy()
        findings = self._findings[0]
        values = self._values[0, : len(rows)].copy()
        if not findings['depth']:
            # Not even one move was looked ahead.
            values[:] = 50.0
        last = values if findings['is_cut'] else self._values[1, : len(rows)]
        return AlphaBetaResult(
            rows,
            values,
            float(np.nanmax(last)),
            int(findings['depth']),
            int(findings['nodes']),
            bool(findings['is_exact']),
            bool(findings['is_cut']),
        )

    def _prepare_game(self, turns: TurnOrder) -> GameTables:
        rules, nets = self._rules, self._rules.compiled.single
        every = np.arange(len(nets.legal.outputs), dtype=np.int32)
        moves = np.zeros(len(every), MOVE)
        moves['role'] = rules.legal_roles
        moves['does'] = rules.plain(every)
        moves['is_noop'] = rules.are_noops(every)
        chance = np.random.Generator(np.random.Philox(key=self._facts))
        return GameTables(
            after=nets.state.outputs[1:],
            legal=nets.legal.outputs,
            moves=moves,
            marks=chance.integers(0, 2**64, self._facts + 3 + len(rules.roles), np.uint64),
            terminal=int(nets.state.outputs[0]),
            nature=rules.nature,
            is_serial=rules.is_serial,
            facts=self._facts,
            rule=int(turns.rule),
            player=0,
            are_partners=np.zeros(len(rules.roles), np.bool_),
        )

    def _prepare_scoring(self, weights: NDArray[np.float64]) -> Scoring:
        tape = self._rules.compiled.score
        data = np.zeros(tape.slots, np.uint64)
        data[ONE] = np.uint64(1)
        vocabulary, roles = self._rules.vocabulary, self._rules.roles
        goals = np.zeros(len(vocabulary.goals), GOAL)
        goals['slot'] = tape.outputs[0]
        goals['role'] = [roles.index(role) for role, _ in vocabulary.goals]
        goals['value'] = [value for _, value in vocabulary.goals]
        places = tape.places(1)
        return Scoring(places, tape.runs, tape.feedback, data, goals, weights)


def _prepare_plies(roles: int, most: int) -> Plies:
    plies = DEEPEST + 2
    return Plies(
        plies=np.zeros(plies, PLY),
        parts=np.zeros((plies, FIRST_ROLE + roles), PART),
        rows=np.zeros(plies * min(most, _ROOM) + most, np.int32),
        starts=np.zeros((plies, roles + 1), np.int64),
        moves=np.zeros(roles, np.int64),
        acting=np.zeros(roles, np.bool_),
        history=np.zeros(most, np.int64),
    )
