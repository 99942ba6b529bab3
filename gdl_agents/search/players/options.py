"""Options of players, in a few words: `depth=4 time=0.5`."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
import re
from typing import TypeAlias

from gdl_agents.errors import AgentError

Value: TypeAlias = int | float | str | bool


def read_options(agent: str, detail: str, defaults: Mapping[str, Value]) -> dict[str, Value]:
    """Read `name=value` pairs, apart by blanks or commas; kinds are those of the defaults.

    Raises AgentError for what cannot be read.
    """
    options = dict(defaults)
    for word in re.split(r'[\s,;]+', detail.strip()):
        if not word:
            continue
        name, is_pair, text = word.partition('=')
        if not is_pair or name not in defaults:
            similar = get_close_matches(name, defaults, n=1)
            hint = f'; did you mean {similar[0]}?' if similar else ''
            known = ', '.join(f'{key}={value}' for key, value in defaults.items()) or 'none'
            raise AgentError(f'{agent}: no option {word!r}{hint} (options: {known})')
        options[name] = _convert(agent, name, text, defaults[name])
    return options


def _convert(agent: str, name: str, text: str, default: Value) -> Value:
    try:
        if isinstance(default, bool):
            return {'true': True, 'false': False}[text.lower()]
        if isinstance(default, int):
            value: int | float = int(text)
        elif isinstance(default, float):
            value = float(text)
        else:
            return text
    except (KeyError, ValueError):
        kind = {bool: 'true or false', int: 'a whole number', float: 'a number'}[type(default)]
        raise AgentError(f'{agent}: {name} must be {kind}, not {text!r}') from None
    if not 0 <= value < float('inf'):
        raise AgentError(f'{agent}: {name} must be 0 or more, not {text}')
    return value
