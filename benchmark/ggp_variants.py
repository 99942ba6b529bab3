"""Matches of two of our own players against each other at equal processor time."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from time import process_time

from arena_cells import interval
from ggp_matches import play_match
from parts import Row
from rows import corpus

from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.registry import open_agent
from gdl_agents.search.players.player import SearchAgent
from gdl_env.language.game import Game
from gdl_env.language.load import load_game, open_game

GAMES = (
    'breakthrough',
    'connect_four',
    'hex',
    'othello',
    'checkers',
    'breakthroughSmall',
    'pentago',
    'knightThrough',
)
# Steps of the match that warms both up.
_WARM = 4


def measure_variants(options: Namespace, keep: Callable[[Row], None]) -> None:
    """Play as many matches, on both seats by turns; results are kept after each."""
    # What else runs on the machine takes nothing from either.
    SearchAgent.clock = process_time
    first, second = options.players
    for name in options.only or GAMES:
        game = _find_game(name)
        if game is None:
            continue
        row: Row = {'part': 'variants', 'game': game.name, 'players': f'{first} {second}'}
        row |= {'result': [0, 0, 0], 'seconds': [0.0, 0.0], 'moves': [0, 0]}
        arena = Arena(game, 1, max_steps=_WARM)
        warm = [open_agent(first), open_agent(second)]
        arena.play({role: warm[k % 2] for k, role in enumerate(arena.roles)}, 1, 0)
        for number in range(options.games):
            play_match(game, number, (first, second), row)
            wins, draws, losses = row['result']
            row['interval'] = interval(wins, losses, wins + draws + losses)
            keep(row)


def _find_game(name: str) -> Game | None:
    """Return a game of the corpus, or one of ours; None if the corpus is not there."""
    path = next(iter(sorted((corpus() / 'games').glob(f'{name}-*.kif'))), None)
    if path is not None:
        return load_game(path)
    return open_game(name) if name == name.lower() else None
