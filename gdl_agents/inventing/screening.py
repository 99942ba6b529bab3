"""What is wrong with a game that was made by a machine: broken, endless, or not worth playing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum

from gdl_agents.inventing.measures import Measures
from gdl_env.engine.contract import NATURE, Playout
from gdl_env.engine.range_probe import probe_ranges
from gdl_env.engine.registry import open_engine
from gdl_env.errors import EngineError
from gdl_env.language.game import Game
from gdl_env.language.load import read_game
from gdl_env.language.source import Source

# Random games that are played, and steps after which one of them is endless.
_GAMES, _LONGEST = 256, 400
# Fewer steps than these are no game, at random or between players who think.
_SHORTEST = 4.0
# The largest share of random games that may end alike.
_MOST_ALIKE = 0.97
# Less than these, and a game is trivial.
_LEAST_BALANCE, _LEAST_DECISIVENESS, _LEAST_DEPTH = 0.2, 0.15, 0.1


class Fault(Enum):
    """Why a game is thrown away."""

    BROKEN = 'broken'
    ENDLESS = 'endless'
    TRIVIAL = 'trivial'


@dataclass(frozen=True)
class Rejection:
    """A fault, and how it showed."""

    fault: Fault
    words: str


def screen_rules(text: str) -> Rejection | None:
    """Return what is wrong with rules as they are written; None if nothing is."""
    source = Source(text)
    game, found = read_game(source)
    findings = [*found, *(() if found else probe_ranges(game))]
    return Rejection(Fault.BROKEN, findings[0].message) if findings else None


def screen_random_games(game: Game, seed: int = 0) -> Rejection | None:
    """Return what random games show to be wrong; None if nothing is."""
    try:
        with open_engine(game) as engine:
            playouts = list(engine.playouts(_GAMES, seed, _LONGEST))
    except EngineError as error:
        return Rejection(Fault.BROKEN, str(error))
    stuck = sum(not p.is_terminal and p.steps < _LONGEST for p in playouts)
    if stuck:
        return Rejection(Fault.BROKEN, f'{stuck} of {_GAMES} random games came to a dead end')
    endless = sum(not playout.is_terminal for playout in playouts)
    if endless:
        words = f'{endless} of {_GAMES} random games had not ended after {_LONGEST} steps'
        return Rejection(Fault.ENDLESS, words)
    results = Counter(map(_goals, playouts))
    if any(None in goals for goals in results):
        return Rejection(Fault.BROKEN, 'a game ended without a goal for one of its roles')
    mean = sum(playout.steps for playout in playouts) / _GAMES
    if mean < _SHORTEST:
        return Rejection(Fault.TRIVIAL, f'random games end after {mean:.1f} steps')
    goals, count = results.most_common(1)[0]
    if count > _MOST_ALIKE * _GAMES:
        result = ', '.join(map(str, goals))
        return Rejection(Fault.TRIVIAL, f'{count} of {_GAMES} random games end with {result}')
    return None


def screen_measures(measures: Measures) -> Rejection | None:
    """Return what games between players show to be wrong; None if nothing is."""
    if measures.turns < _SHORTEST:
        return Rejection(Fault.TRIVIAL, f'who thinks wins after {measures.turns:.1f} turns')
    if measures.balance < _LEAST_BALANCE:
        return Rejection(Fault.TRIVIAL, f'one seat nearly always wins ({measures.balance:.2f})')
    if measures.decisiveness < _LEAST_DECISIVENESS:
        words = f'nearly all games are drawn ({measures.decisiveness:.2f} are not)'
        return Rejection(Fault.TRIVIAL, words)
    if measures.depth < _LEAST_DEPTH:
        return Rejection(Fault.TRIVIAL, f'thinking wins next to nothing ({measures.depth:.2f})')
    return None


def _goals(playout: Playout) -> tuple[int | None, ...]:
    return tuple(goal for role, goal in playout.goals.items() if role != NATURE)
