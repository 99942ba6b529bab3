"""Small complete games to start a new one from: the files in `scaffolds/`, filled in.

Each kind of game has rules and a view file. `$title`, `$players`, `$roles`, `$teams` and `$last`
in the rules are filled in: the roles with who follows whom, up to the first again where the file
has turns that go round.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from string import Template

NAMES = ('first', 'second', 'third', 'fourth', 'fifth', 'sixth')
# How many players a kind has, the usual number first; where it is not here, 2 to all.
_PLAYERS = {'puzzle': (1,), 'teams': (4, 6)}
_ANY = tuple(range(2, len(NAMES) + 1))
_TEAMS = ('red', 'blue')
_FOLDER = resources.files('gdl_env.cli').joinpath('scaffolds')
_SUFFIX = '.gdl'


def kinds() -> tuple[str, ...]:
    """Return the kinds of games there are."""
    names = (entry.name for entry in _FOLDER.iterdir() if entry.name.endswith(_SUFFIX))
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names))


def numbers_of_players(kind: str) -> tuple[int, ...]:
    """Return how many players a kind may have, the usual number first."""
    return _PLAYERS.get(kind, _ANY)


def scaffold(title: str, kind: str, players: int) -> str:
    """Return the rules of a game of a kind, in canonical layout."""
    template = _read(f'{kind}{_SUFFIX}')
    names = NAMES[:players]
    follows = list(zip(names, (*names[1:], names[0]), strict=True))
    if '$last' in template:
        # Who comes last begins no new round.
        follows.pop()
    roles = ['\n'.join(f'(role {name})' for name in names)]
    roles.append('\n'.join(f'(type player {name})' for name in names))
    if '(follows ' in template:
        roles.append('; Who comes after whom.')
        roles.append('\n'.join(f'(follows {one} {other})' for one, other in follows))
    if players == 1:
        # Nobody is to be told apart.
        del roles[1]
    teams = (f'(team {name} {_TEAMS[k % 2]})' for k, name in enumerate(names))
    return Template(template).substitute(
        title=title,
        players=', '.join(names),
        roles='\n\n'.join(roles),
        teams='\n'.join(teams),
        last=names[-1],
    )


def view(title: str, kind: str) -> str:
    """Return the view file of a game of a kind."""
    return Template(_read(f'{kind}.view.yaml')).substitute(title=title)


def training(words: Mapping[str, str]) -> str:
    """Return a file of options of training; the words are those of `gdl new`."""
    return Template(_read('training.yaml')).substitute(words)


def agent(words: Mapping[str, str]) -> str:
    """Return a player of one's own, in Python; the words are those of `gdl new`."""
    return Template(_read('agent.txt')).substitute(words)


def _read(name: str) -> str:
    return _FOLDER.joinpath(name).read_text('utf-8')
