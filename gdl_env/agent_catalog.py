"""Agents by name, as installed packages register them; and how an agent is written.

A package registers an agent with one line of its metadata, an entry point of group
`gdl_env.agents`: `mine = my_package.mine:MyAgent`. Only metadata is read here: listing agents
imports none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
import re

from gdl_env.errors import GdlError
from gdl_env.requirements import OF_EXTRAS, Package

GROUP = 'gdl_env.agents'
# The name of this project's own package.
OWN = 'gdl_env'

# file.py:Class[:detail]. A colon within the path is allowed where it cannot be anything else.
_FILE = re.compile(r'(?P<file>(?:[^:]*|[/.~].*?)\.py)(?::(?P<rest>.*))?', re.DOTALL)


class AgentNameError(GdlError):
    """A text names no agent, or more than one."""


@dataclass(frozen=True)
class RegisteredAgent:
    """One agent that an installed package registers."""

    name: str
    # The class: module.path:Class.
    place: str
    # Name and version of the package that registers it.
    distribution: str
    # The extras of that package without which it cannot play: its optional dependencies.
    extras: tuple[str, ...] = ()

    @property
    def packages(self) -> tuple[Package, ...]:
        """Return what an agent of this package cannot be imported without."""
        if self.distribution.partition(' ')[0] != OWN:
            return ()
        return tuple(package for extra in self.extras for package in OF_EXTRAS.get(extra, ()))


@dataclass(frozen=True)
class ChosenAgent:
    """An agent as a user chose it: a class, and the detail it is given."""

    # The registered name, or the class as module.path:Class or /absolute/file.py:Class.
    name: str
    # The class in full.
    place: str
    # What it means is up to the agent.
    detail: str = ''
    # The package that registers it; None if the class itself was named.
    registered: RegisteredAgent | None = None

    @property
    def packages(self) -> tuple[Package, ...]:
        """Return what it is known to need beyond the dependencies of every install."""
        return self.registered.packages if self.registered is not None else ()

    @property
    def label(self) -> str:
        """Return a short name: that of the agent, or of its class."""
        return self.name.rpartition(':')[2]

    def __str__(self) -> str:
        return f'{self.name}:{self.detail}' if self.detail else self.name


def list_agents() -> list[RegisteredAgent]:
    """Return the agents of all installed packages, sorted by name; a name may occur twice."""
    # By identity: describing a package reads its metadata, once instead of once an agent.
    owners: dict[int, str] = {}
    found = []
    for entry in entry_points(group=GROUP):
        if id(entry.dist) not in owners:
            owners[id(entry.dist)] = _describe_owner(entry)
        found.append(_registered(entry, owners[id(entry.dist)]))
    return sorted(found, key=lambda agent: (agent.name, agent.distribution))


def agent_names() -> tuple[str, ...]:
    """Return the names by which agents can be chosen, sorted."""
    return tuple(dict.fromkeys(agent.name for agent in list_agents()))


def choose_agent(text: str) -> ChosenAgent:
    """Return the agent that a text names, without loading it.

    Written `name[:detail]`, `file.py:Class[:detail]` or `module.path:Class[:detail]`. A relative
    path starts at the working directory. Raises AgentNameError if there is no such agent, or if
    several packages register one of that name.
    """
    text = text.strip()
    known = list_agents()
    name, _, detail = text.partition(':')
    same = [agent for agent in known if agent.name == name]
    if len(same) > 1:
        raise AgentNameError(_explain_several(name, same))
    if same:
        return ChosenAgent(name, same[0].place, detail, same[0])
    if match := _FILE.fullmatch(text):
        return _choose_class(text, _absolute(text, match['file']), match['rest'] or '')
    if detail and _looks_like_module(name):
        return _choose_class(text, name, detail)
    raise AgentNameError(_explain_unknown(name, (agent.name for agent in known)))


def add_detail(agent: ChosenAgent, detail: str) -> ChosenAgent:
    """Return the agent with a detail that was given apart. Raises AgentNameError for two."""
    if agent.detail and detail and agent.detail != detail:
        raise AgentNameError(
            f'agent {str(agent)!r} has a detail already, and cannot have {detail!r} as well'
        )
    return replace(agent, detail=agent.detail or detail)


def _registered(entry: EntryPoint, owner: str) -> RegisteredAgent:
    # The part in brackets: extras, as packaging tools write them.
    place, _, extras = entry.value.partition('[')
    return RegisteredAgent(entry.name, place.strip(), owner, tuple(re.findall(r'[\w.-]+', extras)))


def _describe_owner(entry: EntryPoint) -> str:
    owner = entry.dist
    return f'{owner.name} {owner.version}' if owner is not None else 'an unknown package'


def _choose_class(text: str, module: str, rest: str) -> ChosenAgent:
    class_name, _, detail = rest.partition(':')
    if not class_name.isidentifier():
        raise AgentNameError(f'agent {text!r} names no class; write {module}:Class')
    place = f'{module}:{class_name}'
    return ChosenAgent(place, place, detail)


def _absolute(text: str, file: str) -> str:
    """Return the path in full: who loads the class may run in another folder."""
    path = Path(file).expanduser().absolute()
    if not path.is_file():
        raise AgentNameError(f'agent {text!r}: no such file: {path}')
    return str(path)


def _looks_like_module(name: str) -> bool:
    """Tell a module from a misspelled agent: one without dots must exist."""
    if not all(part.isidentifier() for part in name.split('.')):
        return False
    return '.' in name or find_spec(name) is not None


def _explain_several(name: str, agents: list[RegisteredAgent]) -> str:
    places = ' and '.join(f'{agent.distribution} ({agent.place})' for agent in agents)
    return (
        f'agent {name!r} is registered by {places}; write the class that you mean instead: '
        f'{agents[0].place}'
    )


def _explain_unknown(name: str, known: Iterable[str]) -> str:
    names = list(dict.fromkeys(known))
    if not names:
        return (
            f'no agent named {name!r}: no installed package registers any, not even gdl_env; '
            'install it again, for example with pip install -e .'
        )
    similar = get_close_matches(name.lower(), names, n=1)
    hint = f'; did you mean {similar[0]}?' if similar else ''
    return (
        f'no agent named {name!r}{hint}; agents: {", ".join(names)}, '
        'or a class as file.py:Class or module.path:Class'
    )
