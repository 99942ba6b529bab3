"""Options of verbs whose work is shared by workers: how many there are, and where."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import positive_count
from gdl_env.cli.verb import UsageError

if TYPE_CHECKING:
    from gdl_agents.cluster.job_pool import JobPool

# As in gdl_agents.cluster.open_pool, which is imported late.
_PROCESSES, _RAY = 'processes', 'ray'


def add_pool(parser: ArgumentParser) -> None:
    """Add the options that say where workers are."""
    parser.add_argument(
        '--on',
        choices=(_PROCESSES, _RAY),
        help='where the workers are: processes of this machine (default), or a Ray cluster',
    )
    parser.add_argument(
        '--ray-address',
        metavar='ADDRESS',
        help='the Ray cluster to join, such as 10.0.0.5:6379 (default: RAY_ADDRESS, or a new one'
        ' on this machine)',
    )


def add_workers(parser: ArgumentParser, what: str) -> None:
    """Add the options of a verb that is no training: how many workers there are, and where."""
    parser.add_argument(
        '--actors', type=positive_count, default=0, metavar='N', help=f'let N workers play {what}'
    )
    add_pool(parser)


def enter_pool(options: Namespace, workers: int, stack: ExitStack) -> JobPool | None:
    """Return the workers, which end with the stack; None if there are none.

    Raises UsageError for options that would do nothing.
    """
    on = options.on or (_RAY if options.ray_address else _PROCESSES)
    if options.ray_address and on != _RAY:
        raise UsageError(f'--ray-address is for --on {_RAY}, not for --on {on}')
    if not workers:
        if options.on or options.ray_address:
            raise UsageError(f'--{"on" if options.on else "ray-address"} needs --actors N')
        return None
    from gdl_agents.cluster.open_pool import open_pool

    return stack.enter_context(open_pool(workers, on, options.ray_address or ''))
