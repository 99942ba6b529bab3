"""Compile what a node needs before it plays, and say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from time import monotonic

from gdl_env.ros.node_protocol import Logger
from gdl_env.ros.run_node import Interruptible

# What takes longer [s] is compiled, not loaded: worth a line.
_PATIENCE = 2.0
# An evaluation plays hundreds of games: it may take longer without compiling anything [s].
_LONG_PATIENCE = 8.0


@contextmanager
def announcing_compilation(log: Logger, what: str) -> Iterator[None]:
    """Say in the log that `what` may be compiled, if it takes a while; and when it is done.

    SIGINT and SIGTERM raise KeyboardInterrupt meanwhile: nobody waits a minute for a node to end.
    """
    started = monotonic()
    timer = Timer(
        _PATIENCE,
        lambda: log.info(f'preparing {what}: after installation it compiles, for about a minute'),
    )
    timer.daemon = True
    timer.start()
    try:
        with Interruptible():
            yield
    finally:
        timer.cancel()
    seconds = monotonic() - started
    if seconds > _PATIENCE:
        log.info(f'ready to play after {seconds:.0f} s')


@contextmanager
def announcing_long_evaluation(log: Logger) -> Iterator[None]:
    """Say in the log what an evaluation does if it takes a while."""
    text = (
        'still evaluating; after installation, the first evaluation compiles for a minute or two'
    )
    timer = Timer(_LONG_PATIENCE, lambda: log.info(text))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
