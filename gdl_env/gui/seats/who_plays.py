"""Who plays the roles of a match, in words: as chosen at its table, else as the graph tells."""

from __future__ import annotations

from collections.abc import Container, Mapping

from gdl_msgs.msg import RoleStatus, Status

from gdl_env.gui.player_names import describe_player
from gdl_env.gui.tables import ME
from gdl_env.gui.texts import list_names, text

# What the nodes of pages are called: they answer for people.
PERSON = 'gui_node'
_WORDS = {
    RoleStatus.AGENT_STATE_UNKNOWN: 'agent.environment',
    RoleStatus.AGENT_STATE_MISSING: 'agent.missing',
    RoleStatus.AGENT_STATE_SILENT: 'agent.silent',
}


def is_person(agent: str) -> bool:
    """Tell whether an agent is a page, which a person looks at."""
    return agent.rpartition('/')[2].startswith(PERSON)


def name_agent(status: RoleStatus | None, chosen: str) -> str:
    """Return who plays a role; `chosen` is the player of an own table, '' elsewhere."""
    if status is None:
        return ''
    if status.agent_state == RoleStatus.AGENT_STATE_MISSING and chosen:
        return text('agent.invited') if chosen == ME else _name_starting(chosen)
    agent = str(status.agent) or str(status.owner)
    name = text('agent.person') if is_person(agent) else agent
    kind = agent.rpartition('/')[2].removeprefix(f'{status.role}_')
    if chosen and chosen.partition(':')[0] == kind:
        # With its level, which the name of the node does not tell.
        name = describe_player(chosen)
    if status.agent_state == RoleStatus.AGENT_STATE_ATTACHED:
        return name or text('agent.attached')
    words = text(_WORDS.get(status.agent_state, 'agent.unknown'))
    is_silent = status.agent_state == RoleStatus.AGENT_STATE_SILENT
    return f'{name} ({words})' if name and is_silent else words


def describe_missing(
    status: Status,
    chosen: Mapping[str, str],
    words: Mapping[str, str],
    seated: Container[str] = (),
) -> str:
    """Say whom a match waits for before it continues; '' if no player is missing.

    `chosen` are the players of an own table by role, `words` the display names of roles, and
    `seated` the roles that are played on pages of this server.
    """
    missing = [
        str(role.role)
        for role in status.roles
        if role.agent_state == RoleStatus.AGENT_STATE_MISSING
    ]
    people = [role for role in missing if chosen.get(role) == ME]
    key = 'banner.needs_agent'
    names = [words.get(role, role) for role in missing]
    if unheard := [words.get(role, role) for role in missing if role in seated]:
        key, names = 'banner.joining', unheard
    elif people:
        key, names = 'banner.needs_person', [words.get(role, role) for role in people]
    elif missing and all(role in chosen for role in missing):
        key = 'banner.starting'
        names = [f'{words.get(role, role)} ({describe_player(chosen[role])})' for role in missing]
    return text(key, names=list_names(names)) if missing else ''


def _name_starting(player: str) -> str:
    return text('agent.starting', name=describe_player(player))


def tally_of(status: RoleStatus | None) -> str:
    """Return how many games a role has won, drawn and lost; '' before the first."""
    if status is None or not status.wins + status.draws + status.losses:
        return ''
    return f'{status.wins}-{status.draws}-{status.losses}'
