"""New games: designs are drawn, written as rules, screened and measured; those that pass are kept.

The same seed gives the same games with the same measures, on any machine and at any load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from gdl_agents.inventing.design import Design
from gdl_agents.inventing.design_draws import draw_design
from gdl_agents.inventing.measures import Measures, measure_game
from gdl_agents.inventing.naming import name_design
from gdl_agents.inventing.screening import (
    Rejection,
    screen_measures,
    screen_random_games,
    screen_rules,
)
from gdl_agents.inventing.writing import write_rules
from gdl_agents.players.draws import derive_seed
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text

# The games of benchmarks: 20 that no author of ours has tuned anything for.
SUITE_GAMES, SUITE_SEED = 20, 7
# Designs with a name that is taken already are drawn again, but not forever.
_REDRAWS = 40


@dataclass(frozen=True)
class Invention:
    """A game that passed all screens."""

    name: str
    # The rule file.
    text: str
    design: Design
    measures: Measures

    def load(self) -> Game:
        """Return the game."""
        return game_from_text(self.text)


@dataclass(frozen=True)
class Rejected:
    """A game that did not, and why."""

    name: str
    text: str
    finding: Rejection


def invent_games(
    count: int,
    seed: int,
    pool: int = 0,
    report: Callable[[Invention | Rejected], None] = lambda tried: None,
) -> list[Invention]:
    """Return new games, the best first: of `pool` that pass (0: as many as asked for) the best.

    `report` receives each game that was tried. Raises ValueError for numbers that make no sense.
    """
    if count < 1 or (pool and pool < count):
        raise ValueError(f'{count} games of {pool or count} cannot be kept')
    kept: list[Invention] = []
    for tried in try_games(seed):
        report(tried)
        if isinstance(tried, Invention):
            kept.append(tried)
            if len(kept) == (pool or count):
                break
    return sorted(kept, key=lambda game: -game.measures.score)[:count]


def invent_suite() -> list[Invention]:
    """Return the games that benchmarks use: always the same, and made when they are asked for."""
    return invent_games(SUITE_GAMES, SUITE_SEED)


def try_games(seed: int) -> Iterator[Invention | Rejected]:
    """Draw games without end; names are different ones."""
    names: set[str] = set()
    number = 0
    while True:
        number += 1
        name, design = _draw(Random(f'{seed} {number}'), names)
        names.add(name)
        source = f'invented by gdl invent, seed {seed}, try {number}'
        yield try_design(name, design, source, derive_seed(seed, name))


def try_design(name: str, design: Design, source: str, seed: int) -> Invention | Rejected:
    """Write the rules of a design, screen and measure them."""
    text = write_rules(design, name, source)
    finding = screen_rules(text)
    if finding is None:
        game = game_from_text(text)
        finding = screen_random_games(game, seed)
    if finding is None:
        measures = measure_game(game, seed)
        finding = screen_measures(measures)
    return (
        Invention(name, text, design, measures)
        if finding is None
        else Rejected(name, text, finding)
    )


def _draw(random: Random, taken: set[str]) -> tuple[str, Design]:
    """Return a design whose name is new; a number tells it from others where none is left."""
    for _ in range(_REDRAWS):
        design = draw_design(random)
        name = name_design(design)
        if name not in taken:
            return name, design
    number = 2
    while f'{name}_{number}' in taken:
        number += 1
    return f'{name}_{number}', design
