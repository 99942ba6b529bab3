"""Players as people call them: `mcts:time=1` is 'mcts, 1 s'."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
import re

from gdl_env.gui.tables import ME, playable_agents
from gdl_env.gui.texts import text
from gdl_env.gui.training.runs import ALGORITHMS, list_runs

# Levels of the agents that take as long as they are given, and the one to begin with.
LEVELS = ('mcts:time=0.1', 'mcts:time=1', 'mcts:time=5')
USUAL = 'mcts:time=1'
_OPTIONS = {'time': 'player.seconds', 'playouts': 'player.playouts', 'depth': 'player.depth'}


def describe_player(player: str) -> str:
    """Return who plays, in words."""
    if player == ME:
        return text('player.you')
    name, _, detail = player.partition(':')
    if '/' in detail:
        run, _, level = detail.partition('@')
        run = Path(run).name
        words = [run if run.startswith(name) else f'{name} {run}']
        return ', '.join([*words, *([text('player.level', level=level)] if level else [])])
    words = [name]
    for word in filter(None, re.split(r'[\s,;]+', detail)):
        option, _, value = word.partition('=')
        words.append(text(_OPTIONS[option], value=value) if option in _OPTIONS else word)
    return ', '.join(words)


def describe_players(players: Mapping[str, str]) -> str:
    """Return who plays whom: 'you against mcts, 1 s'."""
    names = [describe_player(player) for player in players.values()]
    you = text('player.you')
    if len(names) > 1 and all(name == you for name in names):
        return text('player.people')
    names.sort(key=lambda name: name != you)
    if len(set(names)) > 1:
        names = list(dict.fromkeys(names))
    return text('player.against').join(names[:2] if len(set(names)) == 1 else names)


def offer_players(folder: Path, game: str, *, allows_programs: bool = False) -> dict[str, str]:
    """Return the agents that can play a game, as they are written, and their names."""
    agents = playable_agents(allows_programs=allows_programs)
    known = [name for name in agents if name not in ALGORITHMS]
    known += [level for level in LEVELS if level.partition(':')[0] in agents]
    runs = {run.player: text('player.trained', name=run.name) for run in list_runs(folder, game)}
    return {**{player: describe_player(player) for player in known}, **runs}
