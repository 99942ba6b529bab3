"""What a verb of the command line is.

The files of `verbs` are all imported by `gdl --help`: they import rich, lark and the engines only
inside their functions.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from gdl_env.errors import GdlError


class Group(Enum):
    """The purposes by which `gdl --help` sorts verbs, in its order."""

    WRITE = 'Write a game'
    PLAY = 'Play'
    TRAIN = 'Train players'
    TEST = 'Test rules and engines'


class UsageError(GdlError):
    """The arguments of a verb do not fit together; exit code 2."""


@dataclass(frozen=True)
class Verb:
    """One verb; `run` returns the exit code."""

    name: str
    group: Group
    # One line for `gdl --help`, without a full stop.
    summary: str
    # The first paragraph and more for `gdl VERB --help`.
    description: str
    # Command lines, one a row, each with a remark after two or more blanks.
    examples: str
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
