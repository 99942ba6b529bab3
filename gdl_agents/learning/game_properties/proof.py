"""Every game that a network can play: what it does is fixed, what others do is anything.

In small games that is a proof of what the network can lose, instead of an estimate: all positions
that it can meet on a seat are visited once, level by level, all decisions of a level in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from gdl_agents.learning.dqn.model import Model, values_of
from gdl_agents.learning.dqn.policy import choose_actions
from gdl_agents.learning.errors import LearningError
from gdl_env.engine.contract import NATURE, Engine, Move, Role, State
from gdl_env.engine.mapping import Encoding, open_encoding
from gdl_env.engine.registry import open_engine
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Question
from gdl_env.language.game import Game, Information
from gdl_env.language.reader import read_role
from gdl_env.play.outcome import outcome_of
from gdl_env.play.reward_scale import to_reward

# Positions, and moves in a row, after which a game is too large to be played out.
MOST = 2_000
_LONGEST = 200


@dataclass(frozen=True)
class Proof:
    """What can come of all games on one seat, against every play of the others."""

    role: str
    # Different positions that were visited, and final ones that are lost.
    positions: int
    losses: int
    # The moves of a shortest lost game; empty if there is none.
    lost_game: tuple[str, ...]
    # What random players would make of it: exact shares of games.
    won: float
    drawn: float
    lost: float
    # The mean goal against random players.
    goal: float

    @property
    def never_loses(self) -> bool:
        """Tell whether no play of the others wins."""
        return not self.losses

    @property
    def reward(self) -> float:
        """Return the mean reward against random players."""
        return to_reward(self.goal)

    def __str__(self) -> str:
        shares = f'{self.won:.2%} won, {self.lost:.2%} lost against random players'
        if self.never_loses:
            told = f'never loses (all {self.positions} positions it can meet were visited)'
        else:
            told = f'can lose in {self.losses} ways, such as {" ".join(self.lost_game)}'
        return f'{self.role} {told}; {shares}'


def prove(
    game: Game, model: Model, role: str, most: int = MOST, mapping: str = 'auto'
) -> Proof | None:
    """Play all games on a seat; None if there are too many, or if chance or secrets decide.

    Raises LearningError if the model plays another game.
    """
    # Games in which one role moves at a time all hide something: no turn rule matters here.
    if game.information is not Information.COMPLETE:
        return None
    with open_engine(game) as engine:
        if NATURE in engine.roles:
            return None
        encoding = open_encoding(game, mapping)
        return _Search(engine, encoding, model, read_role(role), most).run()


def is_proved(proofs: Sequence[Proof]) -> bool:
    """Tell whether there are proofs, and none of them shows a loss."""
    return bool(proofs) and all(proof.never_loses for proof in proofs)


class Prover:
    """Proves models of one game, until that turns out to be too large for it."""

    def __init__(self, game: Game, mapping: str = 'auto') -> None:
        self._game = game
        self._mapping = mapping
        self._is_too_large = False

    def prove(self, model: Model, roles: Sequence[str]) -> list[Proof]:
        """Return what can come of all games on these seats; empty if there are too many."""
        found: list[Proof] = []
        for role in roles:
            proof = None
            if not self._is_too_large:
                proof = prove(self._game, model, role, mapping=self._mapping)
            if proof is None:
                self._is_too_large = True
                return []
            found.append(proof)
        return found


class _Search:
    def __init__(
        self, engine: Engine, mapping: Encoding, model: Model, role: Role, most: int
    ) -> None:
        self._engine = engine
        self._mapping = mapping
        self._model = model
        sizes = self._mapping.observation_size, self._mapping.action_size
        if (model.shape.observation_size, model.shape.action_size) != sizes:
            raise LearningError(f'the model plays {model.about.game}, not {engine.game.name}')
        self._network = model.build().eval()
        self._role = role
        self._most = most

    def run(self) -> Proof | None:
        """Visit all positions, level by level."""
        first = self._engine.initial_state
        seen: set[State] = {first}
        # Positions, with a game that leads to each, and how likely random players go there.
        level: dict[State, tuple[tuple[str, ...], float]] = {first: ((), 1.0)}
        shares = [0.0, 0.0, 0.0]
        losses = levels = 0
        goal = 0.0
        lost: tuple[str, ...] = ()
        while level:
            going = {}
            for state, (moves, chance) in level.items():
                if not self._engine.is_terminal(state):
                    going[state] = moves, chance
                    continue
                worth, own = self._outcome(state)
                shares[worth] += chance
                goal += chance * own
                if worth == 0:
                    losses += 1
                    lost = lost or moves
            level = {}
            for state, choices in zip(going, self._choices(list(going)), strict=True):
                moves, chance = going[state]
                joint_moves = list(product(*choices.values()))
                for joint in joint_moves:
                    after = self._engine.next_state(state, dict(zip(choices, joint, strict=True)))
                    told = (*moves, ' '.join(map(str, joint)))
                    way, so_far = level.get(after, (told, 0.0))
                    level[after] = way, so_far + chance / len(joint_moves)
            seen.update(level)
            levels += 1
            if len(seen) > self._most or levels > _LONGEST:
                return None
        found = shares[2], shares[1], shares[0], goal
        return Proof(str(self._role), len(seen), losses, lost, *found)

    def _outcome(self, state: State) -> tuple[int, int]:
        """Return 0, 1 or 2 (lost, drawn, won) and the goal."""
        goals = self._engine.goals(state)
        own = goals[self._role] or 0
        others = (goals[r] or 0 for r in goals if r != self._role)
        return 1 + outcome_of(own, others), own

    def _choices(self, states: list[State]) -> list[Mapping[Role, tuple[Move, ...]]]:
        """Return what may be played in states: anything by others, one move by the network."""
        legal = [
            {role: moves for role, moves in self._engine.legal_moves(state).items() if moves}
            for state in states
        ]
        asked = [n for n, moves in enumerate(legal) if len(moves.get(self._role, ())) > 1]
        if not asked:
            return list(legal)
        mapping, role = self._mapping, self._role
        views = [self._engine.view(states[n], role) for n in asked]
        rows = Bits.pack(mapping.observe_batch(views, role))
        allowed = np.array([mapping.action_mask(role, legal[n][role]) for n in asked])
        everywhere = np.ones(len(asked), np.bool_)
        question = Question(
            1, str(role), np.ones(len(asked), np.uint64), everywhere, rows, Bits.pack(allowed)
        )
        seen = self._model.seen(question).observation
        assert seen is not None
        values = values_of(self._network, seen.unpack(), self._model.support)
        action = choose_actions(values, allowed, 0.0, np.random.default_rng(0))
        for n, chosen in zip(asked, action, strict=True):
            legal[n][role] = (mapping.move(role, int(chosen)),)
        return list(legal)
