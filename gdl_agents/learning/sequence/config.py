"""The options of sequence players: what they learn from, and how."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_agents.learning.errors import ConfigError


@dataclass(frozen=True)
class SequenceConfig:
    """How sequence players learn. Values are in units of how much results of games vary."""

    # ---- games

    # The folder of a data set of `gdl data`; '' plays against itself.
    data: str = ''
    # Decisions in a batch.
    batch: int = 4096
    # Against itself: the share of any legal move [0 to 1].
    explore: float = 0.1

    # ---- what is learned

    # What the values of moves count beside how likely they were played: a move whose value is one
    # unit higher is e to the power of this more likely. 0 imitates alone.
    sharpness: float = 200.0
    # What an error of values counts beside one of the moves that were played.
    value_weight: float = 2.0
    learning_rate: float = 2e-3
    # It falls in a line, to this share of it [0 to 1].
    learning_rate_end: float = 0.02
    # Longer gradients are cut to this length; 0 is never.
    gradient_norm: float = 1.0

    # ---- exploitability

    # Histories of a game at most for its exploitability to be measured at each snapshot; 0: never.
    tree_nodes: int = 100_000

    def __post_init__(self) -> None:
        """Check the values. Raises ConfigError."""
        self._require('batch', self.batch >= 1, '1 or more')
        for name in ('explore', 'learning_rate_end'):
            self._require(name, 0 <= getattr(self, name) <= 1, 'from 0 to 1')
        self._require('learning_rate', self.learning_rate > 0, 'above 0')
        for name in ('sharpness', 'value_weight', 'gradient_norm', 'tree_nodes'):
            self._require(name, getattr(self, name) >= 0, '0 or more')

    def _require(self, name: str, is_right: bool, text: str) -> None:
        if not is_right:
            raise ConfigError(f'{name} must be {text}, not {getattr(self, name)}')
