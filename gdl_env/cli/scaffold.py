"""Small complete games to start a new one from: a file in `scaffolds/` for each kind of game.

`$title`, `$players`, `$roles` and `$last` in it are filled in: the roles with who follows whom, up
to the first again where the file has turns that go round.
"""

from __future__ import annotations

from importlib import resources
from string import Template

NAMES = ('first', 'second', 'third', 'fourth', 'fifth', 'sixth')
_FOLDER = resources.files('gdl_env.cli').joinpath('scaffolds')
_SUFFIX = '.gdl'


def kinds() -> tuple[str, ...]:
    """Return the kinds of games there are."""
    names = (entry.name for entry in _FOLDER.iterdir() if entry.name.endswith(_SUFFIX))
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names))


def scaffold(title: str, kind: str, players: int) -> str:
    """Return the rules of a game of a kind, in canonical layout."""
    template = _FOLDER.joinpath(f'{kind}{_SUFFIX}').read_text('utf-8')
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
    return Template(template).substitute(
        title=title, players=', '.join(names), roles='\n\n'.join(roles), last=names[-1]
    )
