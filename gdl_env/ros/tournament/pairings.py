"""Which agents of a tournament meet, and in which roles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
import re
import shlex

from gdl_env.ros.launch.arguments import LaunchError

# Between two agents: not one before `name=value`, which is part of a detail.
_COMMA = re.compile(r',(?![^,:]*=)')


def parse_agents(text: str) -> list[str]:
    """Return the agents of a text, separated by commas or blanks. Raises LaunchError for nonsense.

    A detail with blanks is quoted; one of settings, `mcts:playouts=500 c=1`, need not be.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LaunchError(f'agents:={text}: {error}') from None
    agents: list[str] = []
    for word in words:
        quoted = any(letter.isspace() for letter in word)
        parts = [word] if quoted else [part for part in _COMMA.split(word) if part]
        if agents and parts and '=' in parts[0].partition(':')[0]:
            agents[-1] += f' {parts.pop(0)}'
        agents += parts
    if not agents:
        raise LaunchError('agents:= names no agent; for example agents:=random,legal')
    for agent in agents:
        if agents.count(agent) > 1:
            raise LaunchError(f'{agent} is given twice; self_play:=true lets it play itself')
    return agents


def pairings(
    agents: Sequence[str], role_count: int, *, has_self_play: bool
) -> list[tuple[str, ...]]:
    """Return every way to give the roles to agents, in a fixed order.

    No agent plays two roles of a game, unless self-play is wanted. Raises LaunchError if there are
    too few agents for that.
    """
    if has_self_play:
        return list(product(agents, repeat=role_count))
    if len(agents) < role_count:
        raise LaunchError(
            f'the game has {role_count} roles, but there are {len(agents)} agents; name more, or '
            'set self_play:=true'
        )
    return list(permutations(agents, role_count))
