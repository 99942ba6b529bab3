"""N copies of one game: the contract between the environment and the engines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import NATURE, Role, State
from gdl_env.engine.mapping import Mapping
from gdl_env.environment.bits import Bits
from gdl_env.environment.chance import Chance
from gdl_env.environment.trace import Trace
from gdl_env.language.game import Game, Information
from gdl_env.language.terms import name_of

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Look:
    """What is possible now. Rows are the players in order and, last, `random`; columns lanes."""

    terminal: Mask
    # Has a legal move; has more than one; has one besides `noop`.
    has: Mask
    many: Mask
    real: Mask


def public_part(state: State, game: Game) -> State:
    """Return the facts that nobody is denied."""
    if game.information is Information.COMPLETE:
        return state
    if game.information is Information.PERCEPTS:
        return frozenset()
    return frozenset(fact for fact in state if name_of(fact) != 'sees')


class LaneGame(ABC):
    """States of N copies of a game, and nothing else: no turns, no rewards, no episodes.

    Players are counted in the order of the rules, without `random`. Moves are actions of the
    mapping; in a game without a mapping they are places in the list of legal moves.
    """

    def __init__(
        self, game: Game, roles: tuple[Role, ...], mapping: Mapping | None, lanes: int
    ) -> None:
        self.game = game
        self.mapping = mapping
        self.lanes = lanes
        self.roles = roles
        self.players = tuple(role for role in roles if role != NATURE)
        # Where to tell what happens, step by step; None for nowhere.
        self.trace: Trace | None = None
        # What tick_kernel.py needs to play whole ticks: rules and lanes. None if it cannot.
        self.arrays: tuple[Any, Any] | None = None

    @cached_property
    def observation_size(self) -> int:
        """Return the length of an observation, 0 without a mapping."""
        return self.mapping.observation_size if self.mapping else 0

    @cached_property
    def action_size(self) -> int:
        """Return the number of actions, 0 without a mapping."""
        return self.mapping.action_size if self.mapping else 0

    @abstractmethod
    def restart(self, lanes: Mask) -> None:
        """Put lanes back to the initial state."""

    @abstractmethod
    def look(self) -> Look:
        """Return what is possible now, in every lane."""

    @abstractmethod
    def play(self, acting: Mask, action: NDArray[np.int32], chance: Chance) -> None:
        """Play a step in all lanes where somebody acts; the others stay as they are.

        `acting` has the rows of a Look. `action` has a row for each player and says what it plays,
        or is negative: then it is drawn from the legal moves, as it is for `random`. The drawn
        ones are written into `action`. All draws come from `chance`.
        """

    @abstractmethod
    def legal(self, player: int) -> Bits:
        """Return the legal actions of a player: lanes by actions (see `action_size`)."""

    @abstractmethod
    def observe(self, player: int | None) -> Bits:
        """Return what a player sees: lanes by entries. None sees what all may see."""

    @abstractmethod
    def forget(self, player: int, lanes: Mask) -> None:
        """Begin to collect the percepts of a player anew; without percepts there is nothing to."""

    @abstractmethod
    def goals(self) -> NDArray[np.int16]:
        """Return goal values: players by lanes, -1 where the rules give none."""

    # ---- going on later

    @abstractmethod
    def snapshot(self) -> dict[str, Any]:
        """Return the states of all lanes: arrays, lists and text only."""

    @abstractmethod
    def restore(self, held: dict[str, Any]) -> None:
        """Go back to what `snapshot` returned, of the same game and number of lanes."""

    # ---- one lane, for people

    @abstractmethod
    def view(self, player: int | None, lane: int) -> State:
        """Return the facts that a player sees. None sees what all may see."""

    def view_texts(self, player: int | None, lane: int) -> tuple[str, ...]:
        """Return the facts that a player sees as text, sorted."""
        return tuple(sorted(map(str, self.view(player, lane))))

    @abstractmethod
    def state(self, lane: int) -> State:
        """Return all facts, hidden ones too."""

    @abstractmethod
    def moves(self, player: int, lane: int) -> dict[str, int]:
        """Return the legal moves of a player as text, with their actions, in order."""

    def move_texts(self, player: int, lane: int) -> tuple[str, ...]:
        """Return the legal moves of a player as text, in order."""
        return tuple(self.moves(player, lane))

    @abstractmethod
    def move_text(self, player: int, lane: int, action: int) -> str:
        """Return an action as text; '' for a negative one.

        In a game without a mapping this must be asked before the step is played.
        """

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what is held."""
