"""YAML that may come from others: plain data, or one kind of error.

PyYAML builds a value of some texts with the errors of Python: `2001-99-99` is a date with a
month too large, and `!!bool q` a key that is missing. And aliases make a short text stand for
more values than any memory holds: whoever shows or compares these never ends.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from gdl_env.errors import GdlError

# Values of a text, each counted as often as an alias repeats it.
_MOST_VALUES = 1_000_000


class YamlTextError(GdlError):
    """A text is no YAML, or none that can be read."""


def read_yaml(text: str) -> Any:
    """Return the values of a text. Raises YamlTextError, and ImportError without PyYAML."""
    import yaml

    try:
        tree = yaml.safe_load(text)
        _count(tree, {})
    except RecursionError as error:
        raise YamlTextError('it is nested too deeply') from error
    except yaml.YAMLError as error:
        raise YamlTextError(str(error)) from error
    except (ValueError, LookupError, AttributeError, TypeError, OverflowError) as error:
        raise YamlTextError(f'a value cannot be read: {error}') from error
    return tree


def _count(value: object, sizes: dict[int, int]) -> int:
    """Return how many values a value holds, itself included. Raises YamlTextError."""
    if not isinstance(value, dict | list | set | tuple):
        return 1
    size = sizes.get(id(value))
    if size is None:
        # As long as it is being counted.
        sizes[id(value)] = 0
        size = 1
        for part in chain.from_iterable(value.items()) if isinstance(value, dict) else value:
            size += _count(part, sizes)
            if size > _MOST_VALUES:
                raise YamlTextError(f'its aliases stand for more than {_MOST_VALUES:,} values')
        sizes[id(value)] = size
    if not size:
        raise YamlTextError('a value contains itself')
    return size
