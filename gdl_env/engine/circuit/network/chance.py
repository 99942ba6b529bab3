"""Random play as part of the network: who acts, which legal move, what an experiment gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gdl_env.engine.circuit.network.build import Building, Circuit
from gdl_env.engine.circuit.network.foresight import Foresight, WinningMoves
from gdl_env.engine.circuit.network.logic import FALSE, TRUE, Literals, and2, choose, or2, or_all
from gdl_env.engine.circuit.network.numbers import EXTRA_BITS, pick, random_bits
from gdl_env.engine.circuit.network.phases import Choices, find_phases, share_choices
from gdl_env.engine.contract import NATURE, Move, Role, replace
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.language.game import Game, Turns
from gdl_env.language.keywords import NOOP
from gdl_env.language.terms import Symbol, Term, symbol_names

# Gates that choosing among one more move takes at most, for the size of the network.
_GATES_A_MOVE = 80
# The same for events, for each bit of the sum of their weights; and for drawing a number below it.
_GATES_A_BIT = 16
_GATES_A_DRAW = 8
# Room for what follows from moves.
_GATES_AHEAD = 400_000
# Sums of weights with more bits are left to engines with integers of any size.
_WIDEST_SUM = 60


@dataclass(frozen=True)
class RandomPlay:
    """One step of random play: random inputs, the end of a game, and the state after it."""

    building: Building
    random: Literals
    # The game is over; it is not, but no role has a move, or an experiment no event, or a value is
    # outside its range; and then for each experiment that can run out of events that a move draws
    # from it in vain, and each mark of a value outside its range.
    ends: Literals
    # The names of these experiments, and these marks.
    failures: tuple[str, ...]
    next: Literals


def add_random_play(
    circuit: Circuit, game: Game, winning: WinningMoves | None = None
) -> RandomPlay:
    """Build a network in which every actor plays a random legal move.

    With `winning`, it is one that wins at once, or lets no other role do so: see `Foresight`.
    Raises MemoryError where that takes too many gates.
    """
    return _Player(circuit, game, winning).run()


class _Player:
    def __init__(self, circuit: Circuit, game: Game, winning: WinningMoves | None) -> None:
        self.game = game
        self.budget = circuit.budget
        self.vocabulary = circuit.vocabulary
        moves = len(self.vocabulary.legal) + len(self.vocabulary.does)
        events = self._gates_of_events() * len(self.vocabulary.roles)
        ahead = _GATES_AHEAD if winning else 0
        self.building = Building(circuit, _GATES_A_MOVE * moves + events + 8192 + ahead)
        self.net = self.building.net
        self.random: list[int] = []
        # For each experiment: a move draws from it, though none of its events can happen.
        self._failing: dict[str, int] = {}
        self._can_draw: dict[str, int] = {}
        self.phases = find_phases(circuit)
        # What roles choose from.
        self.open = self.building.wiring.legal
        if winning:
            self.open = Foresight(circuit, self.building, winning, game.turns).sharpen()

    def run(self) -> RandomPlay:
        wiring = self.building.wiring
        by_role: dict[Role, list[int]] = {role: [] for role in self.vocabulary.roles}
        for index, (role, _) in enumerate(self.vocabulary.legal):
            by_role[role].append(index)
        can_move = {role: self._any(wiring.legal[rows]) for role, rows in by_role.items()}
        chosen = self._choose(by_role, can_move)
        does = {pair: np.int32(FALSE) for pair in self.vocabulary.does}
        for role, rows in by_role.items():
            drawn = self._experiments(role)
            for row in rows:
                self.budget.check('building random play')
                self._note_failures(row, chosen[row])
                for move, condition in self._outcomes(self.vocabulary.legal[row][1], drawn):
                    pair = role, move
                    if pair in does:
                        both = and2(self.net, chosen[row], condition)
                        does[pair] = or2(self.net, does[pair], both)
        self.building.finish(np.array(list(does.values()), np.int32))
        alive = wiring.terminal ^ 1
        failing = {name: and2(self.net, alive, x) for name, x in self._failing.items()}
        failing = {name: int(x) for name, x in failing.items() if x != FALSE}
        for mark, row in zip(self.vocabulary.marks, self._mark_rows(), strict=True):
            if row != FALSE:
                failing[str(mark)] = int(row)
        stuck = self._any([self._any(can_move.values()) ^ 1, *failing.values()])
        return RandomPlay(
            self.building,
            np.array(self.random, np.int32),
            np.array([wiring.terminal, stuck, *failing.values()], np.int32),
            tuple(failing),
            self._after(does, stuck),
        )

    def _mark_rows(self) -> Literals:
        """Return the literals of the facts that say that a value has left its range."""
        return self.building.wiring.facts[len(self.vocabulary.own_facts) :]

    def _gates_of_events(self) -> int:
        """Return how many gates drawing from all experiments takes at most, for one role."""
        total = 0
        for name in self.game.experiments:
            weights = [weight for other, weight, _ in self.vocabulary.events if other == name]
            width = sum(weights).bit_length()
            if width > _WIDEST_SUM:
                raise GroundingError(f'the weights of {name} add up to 2^{_WIDEST_SUM} or more')
            total += (_GATES_A_MOVE + _GATES_A_BIT * width) * len(weights)
            total += _GATES_A_DRAW * width * (width + EXTRA_BITS)
        return total

    def _note_failures(self, row: int, chosen: int) -> None:
        """Note when a move is chosen that names an experiment without an event."""
        for name in sorted(symbol_names(self.vocabulary.legal[row][1]) & self.game.experiments):
            fails = and2(self.net, chosen, self._can_draw[name] ^ 1)
            self._failing[name] = int(or2(self.net, self._failing.get(name, FALSE), fails))

    def _choose(self, by_role: dict[Role, list[int]], can_move: dict[Role, int]) -> Literals:
        """Return for each row of legal moves the literal that says it is chosen."""
        legal = self.open
        chosen = np.zeros(len(legal), np.int32)
        plan = self._plan(by_role)
        if plan is None:
            active = self._actors(can_move)
            for role, rows in by_role.items():
                chosen[rows] = self._pick([[literal] for literal in legal[rows]], active[role])
            return chosen
        for row, phase in plan.forced:
            chosen[row] = or2(self.net, chosen[row], self._legal_in(plan, row, phase))
        for slot in plan.slots:
            # One weight for each place: that of the move which stands there in this phase.
            weights = [
                [self._any(self._legal_in(plan, row, phase) for phase, row in moves)]
                for moves in _places(slot)
            ]
            picked = self._pick(weights, TRUE)
            # Phase by phase: moves of one role get neighbouring gates, which are shared more.
            for phase, rows in slot.items():
                for place, row in zip(picked, rows, strict=False):
                    both = and2(self.net, place, self._legal_in(plan, row, phase))
                    chosen[row] = or2(self.net, chosen[row], both)
        return chosen

    def _legal_in(self, plan: Choices, row: int, phase: int) -> int:
        """Return the literal that says that a move is legal and that it is in this phase."""
        legal = self.open[row]
        return int(and2(self.net, legal, 2 * phase) if row in plan.several else legal)

    def _plan(self, by_role: dict[Role, list[int]]) -> Choices | None:
        if self.game.turns is not Turns.JOINT:
            return None
        facts, legal = self.building.wiring.facts, self.open
        nodes = [int(facts[row]) >> 1 for row in self.phases]
        return share_choices(self.net, nodes, legal, by_role) if nodes else None

    def _actors(self, can_move: dict[Role, int]) -> dict[Role, int]:
        """Return for each role the literal that says it acts in this step."""
        if self.game.turns is Turns.JOINT:
            return dict.fromkeys(can_move, TRUE)
        nature = can_move.get(NATURE, FALSE)
        others = [role for role in can_move if role != NATURE]
        free = [[and2(self.net, can_move[role], nature ^ 1)] for role in others]
        return dict(zip(others, self._pick(free, TRUE), strict=True)) | {NATURE: nature}

    def _experiments(self, role: Role) -> dict[str, list[tuple[Term, int]]]:
        """Draw each experiment once for a role; return its events and when they are drawn."""
        result: dict[str, list[tuple[Term, int]]] = {}
        events = self.vocabulary.events
        for name in sorted(self.game.experiments):
            rows = [i for i, event in enumerate(events) if event[0] == name]
            weights = [
                self._weight(events[i][1], int(self.building.wiring.events[i])) for i in rows
            ]
            drawn, self._can_draw[name] = self._draw(weights, TRUE)
            result[name] = [(events[i][2], int(x)) for i, x in zip(rows, drawn, strict=True)]
        return result

    def _weight(self, weight: int, literal: int) -> list[int]:
        return [literal if (weight >> bit) & 1 else FALSE for bit in range(weight.bit_length())]

    def _outcomes(
        self, move: Move, drawn: dict[str, list[tuple[Term, int]]]
    ) -> list[tuple[Move, int]]:
        """Return what a legal move may become, and under which condition."""
        results: list[tuple[Move, int]] = [(move, TRUE)]
        for name in sorted(symbol_names(move) & drawn.keys()):
            results = [
                (replace(m, name, event), int(and2(self.net, condition, literal)))
                for m, condition in results
                for event, literal in drawn[name]
            ]
        return results

    def _pick(self, weights: list[list[int]], active: int) -> Literals:
        return self._draw(weights, active)[0]

    def _draw(self, weights: list[list[int]], active: int) -> tuple[Literals, int]:
        """Return for each choice the literal that says it is drawn, and one that says any is."""
        self.budget.check('building random play')
        starts = np.concatenate([[0], np.cumsum([len(w) for w in weights])]).astype(np.int64)
        bits = np.array([bit for weight in weights for bit in weight], np.int32)
        inputs = np.zeros(random_bits(self.net, bits, starts), np.int32)
        drawn, is_any = pick(self.net, bits, starts, np.int32(active), inputs)
        self.random += [int(x) for x in inputs]
        return drawn, int(is_any)

    def _any(self, literals: Iterable[int]) -> int:
        array = np.array([int(x) for x in literals], np.int32)
        return int(or_all(self.net, array, len(array)))

    def _after(self, does: dict[tuple[Role, Move], np.int32], stuck: int) -> Literals:
        """Return the state after the step: the initial one where the game is over."""
        wiring = self.building.wiring
        over = or2(self.net, wiring.terminal, stuck)
        waits = np.int32(FALSE)
        if self.game.turns is Turns.SERIAL:
            for (_, move), literal in does.items():
                if move == Symbol(NOOP):
                    waits = or2(self.net, waits, literal)
        result = []
        for now, after, initial in zip(
            wiring.facts, wiring.next, self.vocabulary.initial, strict=True
        ):
            literal = choose(self.net, waits, now, after)
            result.append(
                or2(self.net, over, literal) if initial else and2(self.net, over ^ 1, literal)
            )
        return np.array(result, np.int32)


def _places(slot: dict[int, list[int]]) -> list[list[tuple[int, int]]]:
    """Return for each place of a slot its phases with the rows of their moves."""
    length = max(map(len, slot.values()))
    return [
        [(phase, rows[i]) for phase, rows in slot.items() if i < len(rows)] for i in range(length)
    ]
