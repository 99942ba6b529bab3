"""Players of the arena by name, and runs of learned ones."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from gdl_agents.learning.levels.reward_levels import list_snapshots, strongest
from gdl_agents.learning.training.run_folder import RunFolder

# Judgements of its network that a player has for each move, if it searches.
_JUDGEMENTS = 100


def learned_players(runs: list[Path]) -> dict[str, str]:
    """Return players by game. Raises RunError for what is no run."""
    found = {}
    for path in runs:
        config = RunFolder.open(path).config
        detail = f' playouts={_JUDGEMENTS}' if config.algorithm == 'alphazero' else ''
        found[config.game] = f'{config.algorithm}:{path}{detail}'
    return found


def label_of(player: str) -> str:
    """Return a player without the folder of its run."""
    path = _run_of(player)
    if not path:
        return player
    name = player.partition(':')[0]
    options = player.partition(' ')[2]
    return f'{name}:{options}' if options else name


def runs_of(*players: str) -> dict[str, str]:
    """Return what the players that have learned are from: label to a few words."""
    return {label_of(player): _describe(path) for player in players if (path := _run_of(player))}


@lru_cache
def _describe(path: str) -> str:
    folder = RunFolder.open(path)
    config = folder.config
    best = strongest(list_snapshots(folder))
    # Runs differ by what they have learned, whatever they are called.
    mark = blake2b(best.path.read_bytes(), digest_size=4).hexdigest()
    learned = f'{best.about.episodes:,} of {config.episodes:,} episodes, seed {config.seed}'
    return f'{learned}, network {mark}'


def _run_of(player: str) -> str:
    path = player.partition(':')[2].split(' ')[0]
    return path if path and '=' not in path else ''
