"""What data is to be made: the order, as it is written beside the data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
import shlex
from typing import Any

from gdl_agents.data.errors import DataError

THOROUGH, RANDOMISED, BATTLE, IMITATION = 'thorough', 'randomised', 'battle', 'imitation'
HOWS = (THOROUGH, RANDOMISED, BATTLE, IMITATION)
PARQUET, NPZ = 'parquet', 'npz'
FORMATS = (NPZ, PARQUET)

_PLAYED = (RANDOMISED, BATTLE, IMITATION)
# Options that do not fit every way of making data, with those they fit.
FITS: Mapping[str, tuple[str, ...]] = {
    'agents': (BATTLE, IMITATION),
    'number': _PLAYED,
    'endings': _PLAYED,
    'wins': (BATTLE, IMITATION),
    'extra': (IMITATION,),
    'role': (BATTLE, IMITATION),
    'lanes': _PLAYED,
    'max_steps': _PLAYED,
    'seed': _PLAYED,
    'sequences': (THOROUGH,),
    'nodes': (THOROUGH,),
}
# How many endings are tried for each that was asked for, if wins are missing.
MOST_TRIES = 10


@dataclass(frozen=True)
class DataJob:
    """An order for data. Raises DataError where a number is out of range."""

    # As it was named, and the hash of its rules.
    game: str
    rules_hash: str
    how: str
    # Decides all chance.
    seed: int = 0
    # Random states, or games (X).
    number: int = 1_000
    # Final states that are reached from each (Y).
    endings: int = 1
    # Wins of the learning player that are to be among them (Z); more endings are tried, if needed.
    wins: int = 0
    # How likely a random move is tried beside that of a player (W).
    extra: float = 0.0
    agents: tuple[str, ...] = ()
    # The role of the learning player; '': every role in turn.
    role: str = ''
    # Games at the same time.
    lanes: int = 1_024
    # Steps after which a game is broken off.
    max_steps: int = 1_000
    mapping: str = 'auto'
    # Whether all games are listed (thorough), and states or games at most.
    sequences: bool = False
    nodes: int = 5_000_000
    # Random states, games or (thorough) rows in a file; 0: what suits the players.
    shard: int = 0
    formats: tuple[str, ...] = (NPZ,)

    def __post_init__(self) -> None:
        if self.how not in HOWS:
            raise DataError(f'there is no way {self.how!r} to make data: {", ".join(HOWS)}')
        for name, low in (('number', 1), ('endings', 1), ('lanes', 1), ('max_steps', 1)):
            if getattr(self, name) < low:
                raise DataError(f'{name} must be {low} or more, not {getattr(self, name)}')
        if not 0 <= self.extra <= 1:
            raise DataError(f'extra is a probability, from 0 to 1, not {self.extra:g}')
        if self.how == IMITATION and self.extra and self.endings == 1:
            raise DataError(
                'one ending of each game leaves no room for extra moves: ask for more endings,'
                ' or for extra moves with probability 0'
            )
        if self.wins > self.endings:
            raise DataError(f'of {self.endings} endings no {self.wins} can be wins')
        if self.how in FITS['agents'] and not self.agents:
            raise DataError(f'{self.how} needs players: name one agent or more (see gdl agents)')
        for name in self.formats:
            if name not in FORMATS:
                raise DataError(f'there is no format {name!r}: {", ".join(FORMATS)}')

    @property
    def most_endings(self) -> int:
        """Return how many endings a random state or game can have."""
        return self.endings * (MOST_TRIES if self.wins else 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the order for JSON; only what matters to this way of making data."""
        held = asdict(self)
        for name, hows in FITS.items():
            if self.how not in hows:
                del held[name]
        return held

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> DataJob:
        """Return the order that `to_dict` described. Raises DataError."""
        known = {field.name for field in fields(cls)}
        try:
            lists = {n: tuple(held[n]) for n in ('agents', 'formats') if n in held}
            return cls(**{**{k: v for k, v in held.items() if k in known}, **lists})
        except TypeError as error:
            raise DataError(f'this is no order for data: {error}') from error

    def to_command(self) -> str:
        """Return a command that makes the same data; where it is written is left out."""
        words = ['gdl', 'data', self.game, *self.agents, '--how', self.how]
        for name, value in self.to_dict().items():
            if name in ('game', 'rules_hash', 'how', 'agents', 'formats', 'role', 'mapping'):
                continue
            option = f'--{name.replace("_", "-")}'
            if isinstance(value, bool):
                words += [option] * value
            elif value or name in ('seed', 'extra'):
                words += [option, f'{value:g}' if isinstance(value, float) else str(value)]
        words += ['--role', self.role] if self.role else []
        words += ['--mapping', self.mapping] if self.mapping != 'auto' else []
        words += ['--format', 'both' if len(self.formats) > 1 else self.formats[0]]
        return shlex.join(words)


def check_fits(how: str, given: Collection[str]) -> None:
    """Raise DataError if an option was given that does not fit this way of making data."""
    for name in given:
        hows = FITS.get(name, HOWS)
        if how not in hows:
            shown = 'AGENT' if name == 'agents' else f'--{name.replace("_", "-")}'
            raise DataError(f'{shown} does not fit --how {how}: it is for {" and ".join(hows)}')
