"""Who plays: agents as they are written in launches, `name` or `name:detail`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gdl_env.ros.arguments import LaunchError, suggest
from gdl_env.ros.executables import AGENT_SUFFIX

# Written for a role whose agent is started elsewhere, in another terminal or on another machine.
NOBODY = 'none'
HUMAN = 'human'


@dataclass(frozen=True)
class Player:
    """An agent and what it is told; what the detail means is the agent's affair."""

    name: str
    detail: str = ''

    @property
    def executable(self) -> str:
        """Return the program that plays."""
        return f'{self.name}{AGENT_SUFFIX}'

    def __str__(self) -> str:
        return f'{self.name}:{self.detail}' if self.detail else self.name


def parse_player(text: str, executables: Collection[str]) -> Player | None:
    """Return the player of a text, or None for nobody. Raises LaunchError if unknown."""
    name, _, detail = text.strip().partition(':')
    if text == NOBODY:
        return None
    player = Player(name, detail)
    if player.executable not in executables:
        raise LaunchError(f'there is no agent {name!r}{suggest(name, agent_names(executables))}')
    return player


def agent_names(executables: Collection[str]) -> list[str]:
    """Return the agents there are, by name."""
    return sorted(
        name.removesuffix(AGENT_SUFFIX) for name in executables if name.endswith(AGENT_SUFFIX)
    )


def assign(
    roles: Sequence[str], given: Mapping[str, str], others: str, executables: Collection[str]
) -> dict[str, Player]:
    """Return who plays each role that somebody plays: as given, or `others`."""
    players = {role: parse_player(given.get(role, others), executables) for role in roles}
    return {role: player for role, player in players.items() if player is not None}
