"""What would follow from moves, as part of the network: wins at once, and what allows them.

The gates of the game are built again on other inputs: on the facts of now and one move, and on the
facts that follow. Equal gates are shared, so a move that changes little costs little.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.build import Building, Circuit
from gdl_env.engine.circuit.network.logic import (
    ANDNOT,
    FALSE,
    INPUT,
    KIND,
    LEFT,
    OR,
    RIGHT,
    TRUE,
    XOR,
    Literals,
    Network,
    and2,
    choose,
    or2,
    or_all,
    xor2,
)
from gdl_env.engine.contract import Role
from gdl_env.language.game import Turns

# The goal of who has won.
_WON = 100


@dataclass(frozen=True)
class WinningMoves:
    """What is known of the legal moves of a game, by their rows."""

    # bool: it may win at once.
    can_win: NDArray[np.bool_]
    # bool: whenever it is legal, it does.
    always_wins: NDArray[np.bool_]
    # Whether moves that let another role win at once are avoided, too.
    sees_replies: bool


@compile_kernel()
def substitute(gates, wanted, values, net):
    """Build some gates of a network in another one, on what their inputs are there.

    - gates: of the network; wanted: (gates) bool, which of them are built
    - values: int32 (gates), the literals of inputs in `net`; gets those of gates
    """
    for node in range(gates.shape[0]):
        kind = gates[node, KIND]
        if kind == INPUT or not wanted[node]:
            continue
        a, b = values[gates[node, LEFT]], values[gates[node, RIGHT]]
        if kind == OR:
            values[node] = or2(net, a, b)
        elif kind == XOR:
            values[node] = xor2(net, a, b)
        elif kind == ANDNOT:
            values[node] = and2(net, a, b ^ 1)
        else:
            values[node] = and2(net, a, b)


@compile_kernel()
def find_cone(gates, literals):
    """Tell which gates some literals depend on."""
    wanted = np.zeros(gates.shape[0], np.bool_)
    for literal in literals:
        wanted[literal >> 1] = True
    for node in range(gates.shape[0] - 1, -1, -1):
        if wanted[node] and gates[node, KIND] != INPUT:
            wanted[gates[node, LEFT]] = True
            wanted[gates[node, RIGHT]] = True
    return wanted


class Foresight:
    """Builds what follows from moves into a network that is being built."""

    def __init__(
        self, circuit: Circuit, building: Building, moves: WinningMoves, turns: Turns
    ) -> None:
        self._net: Network = building.net
        self._moves = moves
        self._vocabulary = circuit.vocabulary
        self._budget = circuit.budget
        self._is_serial = turns is Turns.SERIAL
        net, self._wiring = circuit.wire()
        self._gates = net.nodes.copy()
        wiring = self._wiring
        won = [row for row, (_, value) in enumerate(self._vocabulary.goals) if value == _WON]
        self._won = {self._vocabulary.goals[row][0]: int(wiring.goals[row]) for row in won}
        ends = [wiring.terminal, *self._won.values()]
        self._next_cone = find_cone(self._gates, wiring.next)
        self._end_cone = find_cone(self._gates, np.array(ends, np.int32))
        self._look_cone = find_cone(self._gates, np.append(wiring.legal, np.int32(ends[0])))
        done = {pair: row for row, pair in enumerate(self._vocabulary.does)}
        self._done = [done.get(pair, -1) for pair in self._vocabulary.legal]
        self._now = building.wiring

    def sharpen(self) -> Literals:
        """Return for each legal move the literal that says that it is among those to choose from.

        These are moves that win at once, if there are any; else moves that let no other role win
        at once, if that is looked at and there are any; else all.
        """
        legal = self._now.legal
        sharp: Literals = legal.copy()
        for role in self._vocabulary.roles:
            rows = self._rows_of(role)
            wins = {row: self._win(self._now.facts, legal, row) for row in rows}
            safe = {row: int(legal[row]) for row in rows}
            if self._moves.sees_replies and len(rows) > 1:
                safe = {row: self._keep_safe(row) for row in rows}
            some_win = self._any(wins.values())
            some_safe = self._any(safe.values())
            for row in rows:
                calm = choose(self._net, some_safe, safe[row], legal[row])
                sharp[row] = choose(self._net, some_win, wins[row], calm)
        return sharp

    def _keep_safe(self, row: int) -> int:
        """Return the literal that says that a move is legal and lets no other role win at once."""
        self._budget.check('looking ahead')
        role = self._vocabulary.legal[row][0]
        facts = self._play(self._now.facts, self._now.legal, row)
        legal = self._look(facts)
        threats = [
            self._win(facts, legal, other)
            for other, (who, _) in enumerate(self._vocabulary.legal)
            if self._is_against(who, role)
        ]
        return int(and2(self._net, self._now.legal[row], self._any(threats) ^ 1))

    def _is_against(self, other: Role, role: Role) -> bool:
        """Tell whether another role can win, and this one does not win with it."""
        return other in self._won and self._won[other] != self._won.get(role)

    def _win(self, facts: Literals, legal: Literals, row: int) -> int:
        """Return the literal that says that a legal move wins at once."""
        role = self._vocabulary.legal[row][0]
        if not self._moves.can_win[row] or legal[row] == FALSE or role not in self._won:
            return FALSE
        if self._moves.always_wins[row]:
            return int(legal[row])
        self._budget.check('looking ahead')
        values = self._values(self._play(facts, legal, row))
        substitute(self._gates, self._end_cone, values, self._net)
        won = and2(self._net, _read(values, self._wiring.terminal), _read(values, self._won[role]))
        return int(and2(self._net, legal[row], won))

    def _play(self, facts: Literals, legal: Literals, row: int) -> Literals:
        """Return the facts after a move; others do what they can, which must be one thing."""
        role = self._vocabulary.legal[row][0]
        does = np.zeros(len(self._vocabulary.does), np.int32)
        for other, (who, _) in enumerate(self._vocabulary.legal):
            if who != role and self._done[other] >= 0 and not self._is_serial:
                does[self._done[other]] = legal[other]
        does[self._done[row]] = TRUE
        values = self._values(facts)
        values[self._wiring.does >> 1] = does
        substitute(self._gates, self._next_cone, values, self._net)
        return _read_all(values, self._wiring.next)

    def _look(self, facts: Literals) -> Literals:
        """Return what is legal while the game is not over."""
        values = self._values(facts)
        substitute(self._gates, self._look_cone, values, self._net)
        going = _read(values, self._wiring.terminal) ^ 1
        legal = _read_all(values, self._wiring.legal)
        return np.array([and2(self._net, literal, going) for literal in legal], np.int32)

    def _values(self, facts: Literals) -> Literals:
        values = np.zeros(len(self._gates), np.int32)
        # Facts that are always or never true are no inputs.
        own = self._wiring.facts > TRUE
        values[self._wiring.facts[own] >> 1] = facts[own]
        return values

    def _rows_of(self, role: Role) -> list[int]:
        return [row for row, (who, _) in enumerate(self._vocabulary.legal) if who == role]

    def _any(self, literals: Iterable[int]) -> int:
        array = np.array([int(x) for x in literals], np.int32)
        return int(or_all(self._net, array, len(array)))


def _read(values: Literals, literal: int) -> int:
    return int(values[literal >> 1]) ^ (int(literal) & 1)


def _read_all(values: Literals, literals: Literals) -> Literals:
    found: Literals = values[literals >> 1] ^ (literals & 1)
    return found
