"""The options of mmd: how it plays against itself and learns."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_agents.learning.errors import ConfigError


@dataclass(frozen=True)
class MmdConfig:
    """How mmd learns. Values are in units of how much the results of random games vary."""

    # ---- the magnet

    # How strongly play is drawn to the magnet, at first and at the end: the more, the steadier and
    # slower it learns.
    temperature: float = 0.2
    temperature_end: float = 0.1
    # The magnet follows what is learned; so much of all training it lags behind [above 0, to 1].
    # It is what snapshots play.
    lag: float = 0.1
    # The share of any legal move in the magnet, at first and at the end [0 to 1]: the more, the
    # more moves are tried and mixed, and the further play is from an equilibrium.
    spread: float = 0.5
    spread_end: float = 0.1

    # ---- steps

    # How far a policy moves from one batch to the next: its step along the advantages, at first
    # and at the end.
    step: float = 0.5
    step_end: float = 0.05
    # Decisions of finished games in a batch: they are played, learned from and forgotten.
    batch: int = 2048
    # How often each batch is learned from, in how many parts.
    epochs: int = 1
    parts: int = 4
    learning_rate: float = 4e-3
    # It falls in a line, to this share of it [0 to 1].
    learning_rate_end: float = 0.05
    # Longer gradients are cut to this length; 0 is never.
    gradient_norm: float = 1.0

    # ---- values

    # What the value of the next own decision counts beside what followed in the game [0 to 1]:
    # 1 takes what followed alone.
    trace: float = 0.9
    # How far a result counts beyond what the critic expected of a move: at most so many times.
    correction: float = 3.0
    # The width of the two layers of the critic. It sees the whole state, in training only.
    critic_width: int = 128
    critic_learning_rate: float = 2e-3
    # Team-mates, who learn from the mean of their rewards: `north+south east+west`; '': none.
    teams: str = ''

    # ---- exploitability

    # Histories of a game at most for its exploitability to be measured at each snapshot; 0: never.
    tree_nodes: int = 100_000

    def __post_init__(self) -> None:
        """Check the values. Raises ConfigError."""
        for name in ('batch', 'epochs', 'parts', 'critic_width'):
            self._require(name, getattr(self, name) >= 1, '1 or more')
        for name in ('lag', 'spread', 'spread_end', 'trace', 'learning_rate_end'):
            self._require(name, 0 <= getattr(self, name) <= 1, 'from 0 to 1')
        for name in ('step', 'step_end', 'learning_rate', 'critic_learning_rate', 'lag'):
            self._require(name, getattr(self, name) > 0, 'above 0')
        for name in (
            'temperature',
            'temperature_end',
            'gradient_norm',
            'correction',
            'tree_nodes',
        ):
            self._require(name, getattr(self, name) >= 0, '0 or more')

    def _require(self, name: str, is_right: bool, text: str) -> None:
        if not is_right:
            raise ConfigError(f'{name} must be {text}, not {getattr(self, name)}')
