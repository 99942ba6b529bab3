"""The options of AlphaZero: how it searches, plays against itself and learns."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_agents.learning.errors import ConfigError

PRECISIONS = ('auto', 'float32', 'bfloat16')


@dataclass(frozen=True)
class AlphaZeroConfig:
    """How AlphaZero learns. Where nothing else is said, as Danihelka et al. (2022) do it."""

    # ---- search

    # Descents for a move that is learned from, each with one judgement of the network at most.
    playouts: int = 32
    # The same for a move that is only made, and the share of such moves [0 to 1] (playout cap
    # randomisation): they make games, and so outcomes, cheap.
    quick_playouts: int = 8
    quick_share: float = 0.5
    # Moves of a role that are considered at a root; each phase of the search keeps half of them.
    considered: int = 16
    # What chance adds to the logarithms of priors at a root, times Gumbel noise; 0 is nothing.
    noise: float = 1.0
    # What values, 0 to 1, count beside logarithms of priors: this, times the visits of the most
    # visited move and `value_visits` more.
    value_scale: float = 0.25
    value_visits: float = 50.0
    # Positions with up to this many moves of the one who decides are looked at for a move that
    # wins at once, before the network is asked; 0 is never. Only in games that compile.
    win_moves: int = 32

    # ---- games

    # The share of games that begin with random moves [0 to 1]; and up to which part of the length
    # that games had so far they last [0 to 1].
    opening_share: float = 0.5
    opening_part: float = 0.5

    # ---- what is learned

    # The share of the value that search found in the target of values; the rest is how the game
    # ended [0 to 1]. What search has proved is learned as it is.
    value_mix: float = 0.5
    # Learn from mirrored and turned boards, too, where that changes nothing.
    symmetries: bool = True

    # ---- learning

    # How often each position is learned from, on average.
    replay_ratio: float = 4.0
    # Positions in a step of the optimiser.
    batch: int = 128
    learning_rate: float = 2e-3
    # In the second half of training it falls in a line, to this share of it [0 to 1].
    learning_rate_end: float = 0.05
    # What weights lose in a step of the optimiser, times the learning rate.
    weight_decay: float = 1e-4
    # Longer gradients are cut to this length; 0 is never.
    gradient_norm: float = 10.0
    # Positions that are kept, and that must be there before learning begins.
    capacity: int = 100_000
    warm_up: int = 512
    # How the network is computed while it plays: auto (compiled, on processors and with layers for
    # which that is possible), or by PyTorch in numbers of this kind: float32 or bfloat16.
    precision: str = 'auto'

    def __post_init__(self) -> None:
        """Check the values. Raises ConfigError."""
        for name in ('playouts', 'quick_playouts', 'batch', 'capacity', 'warm_up'):
            self._require(name, getattr(self, name) >= 1, '1 or more')
        self._require('considered', self.considered >= 2, '2 or more')
        for name in ('quick_share', 'opening_share', 'opening_part', 'value_mix'):
            self._require(name, 0 <= getattr(self, name) <= 1, 'from 0 to 1')
        self._require('learning_rate_end', 0 <= self.learning_rate_end <= 1, 'from 0 to 1')
        for name in ('value_scale', 'replay_ratio', 'learning_rate'):
            self._require(name, getattr(self, name) > 0, 'above 0')
        for name in ('noise', 'value_visits', 'win_moves', 'weight_decay', 'gradient_norm'):
            self._require(name, getattr(self, name) >= 0, '0 or more')
        self._require('precision', self.precision in PRECISIONS, ', '.join(PRECISIONS))

    def _require(self, name: str, is_right: bool, text: str) -> None:
        if not is_right:
            raise ConfigError(f'{name} must be {text}, not {getattr(self, name)}')
