"""The rules of a game as OpenSpiel asks for them: nodes of one state, actions as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, Rows, States
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.contract import State
from gdl_env.engine.mapping import Encoding, EncodingError, open_encoding
from gdl_env.language.game import Game, Information, Turns
from gdl_env.language.load import game_from_text, open_game
from gdl_env.play.turn_order import TurnRule, find_mover
from gdl_env.play.visibility import visible_facts

# Random games that show whether goals always add up to 100, and their length at most; the steps
# in which to look for nodes at which players decide at once.
_PROBES, _LONGEST = 256, 2_000
_PROBE_STEPS = 512


@dataclass(frozen=True)
class Node:
    """A state, and what happens in it."""

    state: States
    # What was perceived since the players' last decisions, and who moved last.
    percepts: States
    last: int
    is_terminal: bool
    # Roles that act, and of the players those that have a choice: by their place in the rules.
    acting: tuple[int, ...]
    deciding: tuple[int, ...]
    # The legal moves of each role.
    legal: dict[int, list[int]]


class SpielRules:
    """One game: its nodes, and how moves and facts are numbered."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.batch: BatchGame = open_batch(game)
        self.players = self.batch.players
        self._encoding = _open_encoding(game)
        self.has_chance = self.batch.nature >= 0 or self.batch.has_experiments
        self.is_simultaneous, self.is_zero_sum, self.most_outcomes = self._probe()

    def __deepcopy__(self, memo: dict[int, Any]) -> SpielRules:
        """Return the same: states are copied, rules never change."""
        return self

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        """Travel as text: OpenSpiel copies states by writing them down."""
        return _open_text, (self.game.name, self.game.text)

    # ---- numbers

    @property
    def action_count(self) -> int:
        """Return how many actions there are at most."""
        if self._encoding is not None:
            return self._encoding.action_size
        return max(1, self.batch.known_moves)

    @property
    def observation_size(self) -> int:
        """Return the length of an observation; without a vector form, 1."""
        return self._encoding.observation_size if self._encoding is not None else 1

    def action_of(self, row: int) -> int:
        """Return the action of a legal move of a player."""
        role, move = self.batch.legal_move(row)
        if self._encoding is not None:
            return self._encoding.action_index(self.batch.roles[role], move)
        return row

    # ---- nodes

    def begin(self) -> Node:
        """Return the first node."""
        percepts = np.zeros((1, self.batch.percept_words), np.uint64)
        return self._settle(self.batch.initial, percepts, -1)

    def place(self, state: State) -> Node:
        """Return the node of a state of facts. Raises EngineError for one that cannot be."""
        percepts = np.zeros((1, self.batch.percept_words), np.uint64)
        return self._settle(self.batch.from_state(state), percepts, -1)

    def view(self, node: Node, player: int) -> State:
        """Return the facts, or percepts, that a player sees in a node."""
        role = self.players[player]
        if self.game.information is Information.PERCEPTS:
            held = node.percepts[0]
            own = self.batch.percepts_of(role).items()
            return frozenset(t for t, bit in own if int(held[bit >> 6]) >> (bit & 63) & 1)
        return visible_facts(self.game, self.batch.to_state(node.state[0]), self.batch.roles[role])

    def observe(self, node: Node, player: int) -> NDArray[np.uint8]:
        """Return what a player sees in a node as a vector."""
        if self._encoding is None:
            return np.zeros(1, np.uint8)
        role = self.batch.roles[self.players[player]]
        return self._encoding.observe(self.view(node, player), role)

    def goals(self, node: Node) -> list[float]:
        """Return the goals of players; that of a draw where the rules give none."""
        goals = self.batch.goals(node.state)[0]
        return [50.0 if goals[role] < 0 else float(goals[role]) for role in self.players]

    def list_outcomes(self, node: Node, legal: Rows) -> list[tuple[Rows, float]]:
        """Return what may be done in a node, with probabilities: chance, and experiments.

        `legal` are the rows of players' moves; NO_MOVE for those who do not act, and `random`.
        """
        choices: list[list[tuple[int, float]]] = []
        for role in range(len(legal)):
            rows = [int(legal[role])]
            if role == self.batch.nature and role in node.acting:
                rows = node.legal[role]
            drawn = [pair for row in rows for pair in self._draw(node, row, 1 / len(rows))]
            choices.append(drawn)
        found: list[tuple[list[int], float]] = [([], 1.0)]
        for drawn in choices:
            found = [([*done, row], p * q) for done, p in found for row, q in drawn]
        return [(np.array(done, np.int32), p) for done, p in found]

    def _draw(self, node: Node, row: int, share: float) -> list[tuple[int, float]]:
        if row < 0:
            return [(NO_MOVE, 1.0)]
        one = np.array([row], np.int32)
        done = int(self.batch.plain(one)[0])
        if done >= 0:
            return [(done, share)]
        outcomes = self.batch.outcomes(node.state, one)
        return [
            (int(d), share * float(w))
            for d, w in zip(outcomes.does, outcomes.weights, strict=True)
        ]

    def step(self, node: Node, legal: Rows, does: Rows) -> Node:
        """Return the node after moves; `legal` as they were chosen, `does` as they came out."""
        state, percepts = self.batch.step_and_perceive(node.state, does[None])
        held = node.percepts
        if held.shape[1]:
            held = self._forget(node) if node.deciding else held.copy()
            held |= percepts
        last = next((role for role in self.players if legal[role] >= 0), node.last)
        return self._settle(state, held, last)

    def forced(self, node: Node) -> Rows:
        """Return the moves of players who have no choice, as rows of legal moves."""
        legal = np.full(len(self.batch.roles), NO_MOVE, np.int32)
        for role in node.acting:
            if role != self.batch.nature and role not in node.deciding:
                legal[role] = node.legal[role][0]
        return legal

    # ---- inside

    def _settle(self, state: States, percepts: States, last: int) -> Node:
        look = self.batch.look(state)
        legal = {role: look.moves(0, role).tolist() for role in range(len(self.batch.roles))}
        acting = () if look.terminal[0] else self._find_acting(look, legal, last)
        deciding = tuple(
            role for role in acting if role != self.batch.nature and len(legal[role]) > 1
        )
        return Node(state, percepts, last, not acting, acting, deciding, legal)

    def _find_acting(self, look: Look, legal: dict[int, list[int]], last: int) -> tuple[int, ...]:
        able = tuple(role for role, rows in legal.items() if rows)
        if self.game.turns is not Turns.SERIAL or not able:
            return able
        if self.batch.nature in able:
            return (self.batch.nature,)
        real = look.find_real_moves(self.batch)[0]
        mask = np.array([role in able and bool(real[role]) for role in legal])
        if not mask.any():
            mask = np.array([role in able for role in legal])
        return (int(find_mover(int(TurnRule.ROTATE), mask, last, np.uint64(0))),)

    def _forget(self, node: Node) -> States:
        held: States = node.percepts.copy()
        for role in node.acting:
            if role != self.batch.nature:
                for bit in self.batch.percepts_of(role).values():
                    held[0, bit >> 6] &= ~np.uint64(1 << (bit & 63))
        return held

    def _probe(self) -> tuple[bool, bool, int]:
        """Play random games; return whether nodes are simultaneous, goals zero-sum, outcomes."""
        is_joint, most = False, self._count_chance_moves()
        chance = np.random.default_rng(0)
        node = self.begin()
        can_surprise = self.game.turns is not Turns.SERIAL or self.batch.has_experiments
        # By a number of steps, not by time: a game must have the same type every time.
        for _ in range(_PROBE_STEPS if can_surprise else 0):
            if node.is_terminal:
                node = self.begin()
                continue
            is_joint = is_joint or len(node.deciding) > 1
            legal = self.forced(node)
            for role in node.deciding:
                legal[role] = chance.choice(node.legal[role])
            outcomes = self.list_outcomes(node, legal)
            most = max(most, len(outcomes))
            node = self.step(node, legal, outcomes[chance.integers(len(outcomes))][0])
        return is_joint, self._is_zero_sum(), most

    def _is_zero_sum(self) -> bool:
        """Tell whether the goals of two players add up to 100 in all of many random games."""
        if len(self.players) != 2:
            return False
        starts = np.repeat(self.batch.initial, _PROBES, axis=0)
        goals = self.batch.playouts(starts, 0, _LONGEST)[:, list(self.players)]
        ended = goals[(goals >= 0).all(axis=1)]
        return bool((ended.sum(axis=1) == 100).all()) and len(ended) > 0

    def _count_chance_moves(self) -> int:
        """Return how many moves `random` may have at most, as far as they are known."""
        known = range(self.batch.known_moves)
        own = sum(self.batch.legal_move(row)[0] == self.batch.nature for row in known)
        return max(1, own)


def _open_encoding(game: Game) -> Encoding | None:
    try:
        return open_encoding(game)
    except EncodingError:
        return None


def open_rules(game: Game | str) -> SpielRules:
    """Open a game, or one of a name; those that were opened last are kept. Raises GdlError."""
    chosen = game if isinstance(game, Game) else open_game(game)
    return _open_text(chosen.name, chosen.text)


@lru_cache(maxsize=8)
def _open_text(name: str, text: str) -> SpielRules:
    return SpielRules(game_from_text(text, name))
