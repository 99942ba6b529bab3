"""Agents by name. To add one: one file, and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import util
import inspect
from types import ModuleType

from gdl_agents.agent import Agent
from gdl_agents.errors import UnknownAgentError
from gdl_env.importing import HookError, load_module

_AGENTS: Mapping[str, str] = {
    'random': 'gdl_agents.random:RandomAgent',
    'legal': 'gdl_agents.legal:LegalAgent',
    'human': 'gdl_agents.human:HumanAgent',
    'external': 'gdl_agents.external:ExternalAgent',
    'uci': 'gdl_agents.uci:UciAgent',
    'lookahead': 'gdl_agents.search.lookahead:LookaheadAgent',
    'tactical': 'gdl_agents.search.tactical:TacticalAgent',
    'alphabeta': 'gdl_agents.search.alphabeta:AlphaBetaAgent',
    'mcts': 'gdl_agents.search.mcts:MctsAgent',
    'montecarlo': 'gdl_agents.search.montecarlo:MonteCarloAgent',
    'ismcts': 'gdl_agents.search.ismcts:IsmctsAgent',
    'evolution': 'gdl_agents.search.evolution:EvolutionAgent',
    'dqn': 'gdl_agents.learning.trained_agent:DqnAgent',
    'rainbow': 'gdl_agents.learning.trained_agent:RainbowAgent',
    'alphazero': 'gdl_agents.learning.alphazero:AlphaZeroAgent',
}


def agent_names() -> tuple[str, ...]:
    """Return the names an agent can be chosen by."""
    return tuple(_AGENTS)


def open_agent(text: str, detail: str = '') -> Agent:
    """Make the agent that a text names: `name`, `name:detail`, or a class of one's own.

    A class is written `module.path:Class` or `file.py:Class`, and may have a detail too:
    `file.py:Class:detail`. It takes no argument, or one: the detail, '' if none is given.
    Raises UnknownAgentError if there is no such agent, AgentError if its detail makes no sense.
    """
    name, _, rest = text.partition(':')
    if name in _AGENTS:
        place = _AGENTS[name]
    elif rest and _looks_like_module(name):
        class_name, _, rest = rest.partition(':')
        place = f'{name}:{class_name}'
    else:
        raise UnknownAgentError(_explain_unknown(text, name))
    return _make(text, _load(place), rest or detail)


def _make(text: str, found: type[Agent], detail: str) -> Agent:
    takes_detail = bool(inspect.signature(found).parameters)
    if detail and not takes_detail:
        raise UnknownAgentError(
            f'agent {text!r}: {found.__name__} takes no detail, got {detail!r}'
        )
    return found(detail) if takes_detail else found()  # type: ignore[call-arg]


def _load(place: str) -> type[Agent]:
    """Load `module:Class`. Raises UnknownAgentError, with the reason, if that fails."""
    module_name, _, class_name = place.rpartition(':')
    try:
        module = load_module(module_name)
    except HookError as error:
        raise UnknownAgentError(f'agent {place!r}: {error}') from error
    found = getattr(module, class_name, None)
    if not inspect.isclass(found) or not issubclass(found, Agent) or inspect.isabstract(found):
        known = ', '.join(_classes(module)) or 'none'
        raise UnknownAgentError(
            f'agent {place!r}: {class_name!r} is not a class that implements '
            f'gdl_agents.agent.Agent; classes in {module_name} that do: {known}'
        )
    return found


def _classes(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, Agent) and not inspect.isabstract(value)
    ]


def _looks_like_module(name: str) -> bool:
    """Tell a module from a misspelled agent: one without dots must exist."""
    if name.endswith('.py'):
        return True
    if not all(part.isidentifier() for part in name.split('.')):
        return False
    return '.' in name or util.find_spec(name) is not None


def _explain_unknown(text: str, name: str) -> str:
    similar = get_close_matches(name, _AGENTS, n=1)
    hint = f'; did you mean {similar[0]}?' if similar else ''
    return (
        f'no agent named {text!r}{hint}; agents: {", ".join(_AGENTS)}, '
        'or a class as module.path:Class or file.py:Class'
    )
