"""Agents by name. To add one: one file, and one line in the entry points of a package.

The lines of this package are in setup.cfg, group `gdl_env.agents`.
"""

from __future__ import annotations

from dataclasses import dataclass
import inspect
from types import ModuleType

from gdl_agents.agent import Agent
from gdl_agents.errors import UnknownAgentError
from gdl_env import agent_catalog
from gdl_env.agent_catalog import AgentNameError, ChosenAgent
from gdl_env.importing import HookError, load_module
from gdl_env.requirements import require


@dataclass(frozen=True)
class LoadedAgent:
    """The class of an agent, and the detail it is given."""

    chosen: ChosenAgent
    kind: type[Agent]

    def open(self) -> Agent:
        """Make the agent. Raises UnknownAgentError or AgentError if its detail makes no sense."""
        detail = self.chosen.detail
        takes_detail = bool(inspect.signature(self.kind).parameters)
        if detail and not takes_detail:
            raise UnknownAgentError(
                f'agent {str(self.chosen)!r}: {self.kind.__name__} takes no detail, got {detail!r}'
            )
        return self.kind(detail) if takes_detail else self.kind()  # type: ignore[call-arg]


def agent_names() -> tuple[str, ...]:
    """Return the names by which agents can be chosen."""
    return agent_catalog.agent_names()


def open_agent(text: str, detail: str = '') -> Agent:
    """Make the agent that a text names: `name`, `name:detail`, or a class of one's own.

    A class is written `module.path:Class` or `file.py:Class`, and may have a detail too:
    `file.py:Class:detail`. It takes no argument, or one: the detail, '' if none is given.
    Raises UnknownAgentError if there is no such agent, AgentError if its detail makes no sense,
    MissingPackageError if it needs a package that is not installed.
    """
    return load_agent(text, detail).open()


def load_agent(text: str, detail: str = '') -> LoadedAgent:
    """Load the class that a text names.

    Raises UnknownAgentError, with the reason, or MissingPackageError.
    """
    try:
        chosen = agent_catalog.add_detail(agent_catalog.choose_agent(text), detail)
    except AgentNameError as error:
        raise UnknownAgentError(str(error)) from error
    require(f'agent {chosen.name!r}', *chosen.packages)
    return LoadedAgent(chosen, _load(chosen))


def _load(chosen: ChosenAgent) -> type[Agent]:
    module_name, _, class_name = chosen.place.rpartition(':')
    if not module_name:
        raise UnknownAgentError(f'{_describe(chosen)}: {chosen.place!r} is not module.path:Class')
    try:
        module = load_module(module_name)
    except HookError as error:
        raise UnknownAgentError(f'{_describe(chosen)}: {error}{_advise(chosen)}') from error
    found = getattr(module, class_name, None)
    if not inspect.isclass(found) or not issubclass(found, Agent) or inspect.isabstract(found):
        known = ', '.join(_classes(module)) or 'none'
        raise UnknownAgentError(
            f'{_describe(chosen)}: {class_name!r} is not a class that implements '
            f'gdl_agents.agent.Agent; classes in {module_name} that do: {known}'
        )
    return found


def _describe(chosen: ChosenAgent) -> str:
    owner = chosen.registered
    return f'agent {chosen.name!r}' + (f' of package {owner.distribution}' if owner else '')


def _advise(chosen: ChosenAgent) -> str:
    """Return how to install what an agent needs beyond its package, if it needs anything."""
    owner = chosen.registered
    if owner is None or not owner.extras:
        return ''
    package = owner.distribution.partition(' ')[0]
    return f"; it needs: pip install '{package}[{','.join(owner.extras)}]'"


def _classes(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, Agent) and not inspect.isabstract(value)
    ]
