"""What the arena measures, cell by cell; each is done in pieces, which add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
import re
from time import process_time
from typing import Protocol

from arena_players import label_of, runs_of
from parts import Row

from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_agents.search.players.player import SearchAgent
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import open_game

SEED = 20_210_702
# Where the name of a player would be.
FAIRNESS = 'random games'
# Steps after which a match is broken off.
_LONGEST = 1_000
# Matches at a time: where budgets are counted, as many as have room in the tree of one player.
_LANES = 50


class Cell(Protocol):
    """Something to be measured."""

    @property
    def key(self) -> tuple[str, ...]:
        """Part, game and players."""

    @property
    def wanted(self) -> int:
        """How many of its pieces there should be."""

    @property
    def is_alone(self) -> bool:
        """Tell whether it should be measured while nothing else is."""

    @property
    def runs(self) -> dict[str, str]:
        """The runs that its players are from."""

    def measure(self, done: int) -> Row:
        """Continue after `done` measurements; `done` of the row counts the new ones."""


def has_clock(*players: str) -> bool:
    """Tell whether any of these has so many seconds for a move."""
    times = re.findall(r'\btime=([\d.]+)', ' '.join(players))
    return any(float(time) > 0 for time in times)


@dataclass(frozen=True)
class Match:
    """Matches of a player against others of one kind, on the first seat."""

    part: str
    game: str
    first: str
    # '' for a game that is played alone.
    second: str
    wanted: int
    lanes: int = _LANES
    max_steps: int = _LONGEST
    is_alone: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Return what the result is kept by."""
        return self.part, self.game, label_of(self.first), label_of(self.second)

    @property
    def is_timed(self) -> bool:
        """Tell whether a player thinks in wall-clock time."""
        return has_clock(self.first, self.second)

    @property
    def runs(self) -> dict[str, str]:
        """Return the runs that its players are from."""
        return runs_of(self.first, self.second)

    def measure(self, done: int) -> Row:
        """Play some matches: by the clock one, else as many as there are lanes."""
        # By processor time: what else runs on the machine takes nothing from anybody.
        SearchAgent.clock = process_time
        lanes = 1 if self.is_timed else self.lanes
        if self.is_timed:
            _warm_up(self.game, self.first, self.second)
        arena = _open_arena(self.game, lanes, self.max_steps)
        seed = derive_seed(SEED, f'{self.key} {done}')
        agents = [open_agent(self.first)]
        agents += [open_agent(self.second) for _ in arena.roles[1:]]
        games = min(lanes, self.wanted - done)
        started = process_time()
        scores = arena.play(dict(zip(arena.roles, agents, strict=True)), games, seed)
        score = scores[arena.roles[0]]
        return {
            'done': games,
            'result': [score.wins, score.draws, score.losses],
            'goals': score.goals,
            'seconds': process_time() - started,
        }


@lru_cache(maxsize=4)
def _open_arena(game: str, lanes: int, max_steps: int) -> Arena:
    return Arena(open_game(game), lanes, max_steps=max_steps)


@lru_cache
def _warm_up(game: str, *players: str) -> None:
    """Let players load what they need: no clock should count that."""
    arena = _open_arena(game, 1, 4)
    agents = [open_agent(players[min(i, 1)]) for i in range(len(arena.roles))]
    arena.play(dict(zip(arena.roles, agents, strict=True)), 1, SEED)


@dataclass(frozen=True)
class Fairness:
    """Random games, to see whether one seat wins more often than the other."""

    part: str
    game: str
    wanted: int
    is_alone: bool = False
    runs: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """Return what the result is kept by."""
        return self.part, self.game, FAIRNESS, ''

    def measure(self, done: int) -> Row:
        """Play all that are left."""
        engine = open_engine(open_game(self.game))
        assert isinstance(engine, CircuitEngine)
        wins = losses = 0
        count = self.wanted - done
        started = process_time()
        for batch in engine.play_batches(count, derive_seed(SEED, f'{self.key} {done}'), 100):
            wins += int((batch.goals[:, 0] == 100).sum())
            losses += int((batch.goals[:, 0] == 0).sum())
        seconds = process_time() - started
        return {'done': count, 'result': [wins, count - wins - losses, losses], 'seconds': seconds}


def interval(wins: int, losses: int, count: int) -> tuple[float, float, float]:
    """Return the difference of the shares of wins, and where it is with 95 % confidence."""
    difference = (wins - losses) / count
    error = 1.96 * sqrt(((wins + losses) / count - difference**2) / count)
    return difference, difference - error, difference + error


def add_rows(old: Row, new: Row) -> Row:
    """Return two pieces as one."""
    both = {**old, **new}
    for name in new.keys() & {'done', 'goals', 'seconds', 'kept', 'best'}:
        both[name] = old[name] + new[name]
    if 'result' in new:
        both['result'] = [a + b for a, b in zip(old['result'], new['result'], strict=True)]
    return both
