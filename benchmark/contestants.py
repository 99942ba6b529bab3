"""Who takes part. To add a contestant, add a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

from measure import Contestant
from rows import Row

# Between the name of a contestant and its number of lanes.
_LANES = '@'


@dataclass(frozen=True)
class Entry:
    """A contestant by name, and where to find it."""

    name: str
    title: str
    module: str
    factory: str
    # Ours, or another program: that may be missing, and may need a Python of its own.
    is_ours: bool
    # How many copies of the game it runs; 0: it chooses.
    lanes: int = 0

    def make(self, row: Row) -> Contestant:
        """Make the contestant ready for a game. Raises NotAvailableError."""
        factory: Callable[..., Contestant] = getattr(import_module(self.module), self.factory)
        return factory(row, self.lanes) if self.lanes else factory(row)

    def with_lanes(self, lanes: int) -> Entry:
        """Return the same contestant with this many lanes; its name says so."""
        return replace(self, name=f'{self.name}{_LANES}{lanes}', lanes=lanes)


ENTRIES = (
    Entry('circuit', 'ours: circuit', 'ours', 'Circuit', True),
    Entry('firstorder', 'ours: first-order C++', 'ours', 'first_order', True),
    Entry('prolog', 'ours: Prolog', 'ours', 'prolog', True),
    Entry('spiel', 'open_spiel, C++ rollouts', 'spiel', 'Rollouts', False),
    Entry('spiel-python', 'open_spiel, Python loop', 'spiel', 'PythonLoop', False),
    Entry('pgx', 'pgx on the CPU', 'pgx_peer', 'Pgx', False),
)

# One state at a time.
SINGLE = (
    Entry('circuit-pairs', 'circuit: do and undo, compiled', 'single', 'CompiledPairs', True),
    Entry('circuit-search', 'circuit: do and undo, from Python', 'single', 'Pairs', True),
    Entry('circuit-walks', 'circuit: contract, from Python', 'single', 'circuit_walks', True),
    Entry(
        'firstorder-walks',
        'first-order: contract, from Python',
        'single',
        'first_order_walks',
        True,
    ),
)

# On Doppelkopf, see `doppelkopf.py`.
CARD_GAMES = (
    *(entry for entry in ENTRIES if entry.name in {'circuit', 'prolog'}),
    Entry('doudizhu', 'rlcard, Dou Dizhu', 'rlcard_peer', 'Doudizhu', False),
)

# As an environment for learners, see `environment.py`.
LANES = Entry('lanes', 'ours', 'environment_players', 'AllLanes', True)
PGX_LANES = Entry('pgx-lanes', 'pgx', 'pgx_environment', 'PgxEnvironment', False)
VECTOR = Entry('gymnasium', 'Gymnasium', 'environment_players', 'GymnasiumVector', True)
ONE_LANE = Entry('one-lane', 'one lane', 'environment_players', 'OneLane', True)
PARALLEL = Entry('pettingzoo', 'PettingZoo', 'environment_players', 'PettingZooParallel', True)
_ENVIRONMENTS = (LANES, PGX_LANES, VECTOR, ONE_LANE, PARALLEL)

# What the others are compared with.
REFERENCE = 'spiel'


def entry_named(name: str) -> Entry:
    """Return a contestant by its name. Raises KeyError."""
    known = {entry.name: entry for entry in (*ENTRIES, *SINGLE, *CARD_GAMES, *_ENVIRONMENTS)}
    plain, _, lanes = name.partition(_LANES)
    return known[plain].with_lanes(int(lanes)) if lanes else known[plain]
