"""Names of topics: roles and teams may be called what ROS does not allow."""

from __future__ import annotations

import re

_ALLOWED = re.compile(r'[A-Za-z][A-Za-z0-9_]*')


def topic_part(name: str) -> str:
    """Return a role or team as a part of a topic name.

    Ordinary names stay as they are. What ROS does not allow is spelled by its number, such as
    `player-1` by `player_x2d_1`, and what does not begin with a letter gets an `r_` in front.
    """
    if _ALLOWED.fullmatch(name) and '__' not in name and not name.endswith('_'):
        return name
    spelled = re.sub(r'[^A-Za-z0-9]+', lambda found: _spell(found.group()), name)
    if _ALLOWED.fullmatch(spelled):
        return spelled
    return f'r{spelled}' if spelled.startswith('_') else f'r_{spelled}'


def _spell(characters: str) -> str:
    return '_' + ''.join(f'x{ord(character):x}_' for character in characters)
