"""Which texts name code or a program to run, told from their form alone: nothing is loaded.

Whoever reads such a text from a file or a page asks here before anything is run.
"""

from __future__ import annotations

import re

from gdl_env.agent_catalog import agent_names

# Agents whose detail is a command line, or an address that the machine connects to.
_PROGRAMS = frozenset({'external', 'ggp', 'uci'})
# Agents whose detail is another agent.
_WITH_AGENTS = frozenset({'robot'})
# Code of this project, which is installed and run anyway.
_OWN = re.compile(r'(?:gdl_env|gdl_agents)(?:\.\w+)*')
_WORDS = re.compile(r'[\s,;]+')


def names_foreign_code(hook: str) -> bool:
    """Tell whether a text is `module:name` or `file.py:name`, and the code not our own."""
    place, colon, _ = hook.rpartition(':')
    return bool(colon) and _OWN.fullmatch(place) is None


def has_foreign_code(options: str) -> bool:
    """Tell whether one of several `name=value` names code that is not our own."""
    pairs = (word.partition('=') for word in _WORDS.split(options))
    return any(names_foreign_code(value) for _, equals, value in pairs if equals)


def starts_program(agent: str) -> bool:
    """Tell whether an agent is a program, a class of one's own, or is given code by its detail.

    Agents that installed packages register by name are none of these.
    """
    name, colon, detail = agent.strip().partition(':')
    if name in _PROGRAMS:
        return True
    if name in _WITH_AGENTS:
        return starts_program(detail)
    # A mere name is that of a registered agent, or of none; to look them up takes a moment.
    if not colon:
        return False
    return has_foreign_code(detail) if name in agent_names() else True
