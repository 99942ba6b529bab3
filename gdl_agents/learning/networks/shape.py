"""What a network must know of a game."""

from __future__ import annotations

from dataclasses import dataclass, field

from gdl_agents.learning.networks.errors import NetworkError
from gdl_env.engine.mapping import Encoding, Planes
from gdl_env.language.game import Game


@dataclass(frozen=True)
class Shape:
    """The sizes of a game, its board, and how much its rules have to say.

    Raises NetworkError where there is nothing to see or to do, or a board of other observations.
    """

    observation_size: int
    action_size: int
    # None: no board, or none that is known. Holds an array, which has no equality of its own.
    planes: Planes | None = field(default=None, compare=False, repr=False)
    # The number of rules with conditions, 0 if the rules are not known. Facts do not count: they
    # are tables, and say how large a game is, which the sizes say already.
    complexity: int = 0

    def __post_init__(self) -> None:
        if self.observation_size < 1 or self.action_size < 1:
            raise NetworkError(
                f'a network needs entries to see and actions to choose from, got'
                f' {self.observation_size} and {self.action_size}'
            )
        if self.planes is not None and len(self.planes.table) != self.observation_size:
            raise NetworkError(
                f'the board places {len(self.planes.table)} entries, but an observation has'
                f' {self.observation_size}'
            )

    @classmethod
    def of(cls, game: Game, mapping: Encoding) -> Shape:
        """Return the shape of a game under a mapping."""
        complexity = sum(bool(rule.body) for rule in game.rules)
        return cls(mapping.observation_size, mapping.action_size, mapping.planes(), complexity)
