"""Who plays which role of a match at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import traceback
from typing import TypeVar

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError, LateError, LeaveError, TakeBackError, UnknownAgentError
from gdl_agents.players.human import HumanAgent
from gdl_agents.players.terminal import STDIN
from gdl_agents.registry import open_agent
from gdl_env.cli.verb import UsageError
from gdl_env.engine.contract import NATURE
from gdl_env.errors import GdlError
from gdl_env.language.game import Game

HUMAN, RANDOM = 'human', 'random'

_Result = TypeVar('_Result')


@dataclass(frozen=True)
class SeatedAgent:
    """An agent, as it was written, and the roles that it plays."""

    text: str
    agent: Agent
    roles: tuple[str, ...]

    @property
    def is_human(self) -> bool:
        """Tell whether a person plays."""
        return isinstance(self.agent, HumanAgent)

    def call(self, work: Callable[[], _Result]) -> _Result:
        """Let the agent do something. Raises AgentError, with the reason, if it fails."""
        return _guard(f'{self.text} as {" and ".join(self.roles)}', work)


def assign_roles(
    game: Game, wanted: Sequence[str], example: str = HUMAN, *, with_person: bool = True
) -> dict[str, str]:
    """Return the agent of each role, as text: `random` where none is named.

    `with_person` gives the first free role to a person if nobody else is one. Raises UsageError,
    with an example, for what is no ROLE=AGENT.
    """
    roles = [str(role) for role in game.roles if role != NATURE]
    agents: dict[str, str] = {}
    for text in wanted:
        name, equals, agent = text.partition('=')
        name = name.lower()
        if not equals or not agent:
            shown = f'{next(iter(roles), "x")}={example}'
            raise UsageError(f'expected ROLE=AGENT, such as {shown}, got {text!r}')
        if name == str(NATURE) and NATURE in game.roles:
            raise UsageError('random is played by chance; no agent can play it')
        if name not in roles:
            raise UsageError(f'{game.name} has no role {name!r}; its roles: {", ".join(roles)}')
        if name in agents:
            raise UsageError(f'role {name} is given twice')
        agents[name] = agent
    left = [role for role in roles if role not in agents]
    has_human = any(agent.partition(':')[0] == HUMAN for agent in agents.values())
    if with_person and left and not has_human:
        agents[left[0]] = HUMAN
    return {role: agents.get(role, RANDOM) for role in roles}


def open_seats(agents: Mapping[str, str]) -> tuple[SeatedAgent, ...]:
    """Open an agent for each role; people at the same terminal share one.

    Raises UsageError if there is no such agent, AgentError if it cannot be made.
    """
    people: dict[str, list[str]] = {}
    seats = []
    for role, text in agents.items():
        if text.partition(':')[0] == HUMAN:
            people.setdefault(text, []).append(role)
        else:
            seats.append(SeatedAgent(text, open_named(text), (role,)))
    shared = [SeatedAgent(text, open_named(text), tuple(roles)) for text, roles in people.items()]
    return (*shared, *seats)


def open_named(text: str) -> Agent:
    """Open an agent by its text. Raises UsageError or AgentError."""
    try:
        # Lines that are piped in are moves, even where there is a terminal too.
        detail = STDIN if text == HUMAN else ''
        return _guard(text, lambda: open_agent(text, detail))
    except UnknownAgentError as error:
        raise UsageError(str(error)) from error


def _guard(who: str, work: Callable[[], _Result]) -> _Result:
    """Turn whatever an agent raises into one sentence, except what a match understands."""
    try:
        return work()
    except (LateError, LeaveError, TakeBackError, UnknownAgentError):
        raise
    except GdlError as error:
        raise AgentError(f'{who}: {error}') from error
    # An agent of the user's own may raise anything.
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise AgentError(
            f'{who} failed: {type(error).__name__}: {error} ({place.filename}:{place.lineno})'
        ) from error
