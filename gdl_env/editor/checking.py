"""Findings of open files, some moments after the last key.

Two processes check: one for files of the usual size, which take a fraction of a second, and one
for large ones, whose check is broken off when its text changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
import logging
from typing import Any

from gdl_env.editor.document import Document
from gdl_env.editor.worker_lane import WorkerLane

_WORKER = 'gdl_env.editor.check_worker'
# Characters from which on a file is large.
LARGE = 500_000
# Seconds without a key before a text is checked.
PAUSE = 0.2
PAUSE_LARGE = 1.0
# Seconds after which a check is given up.
_LIMIT = 60.0
_LIMIT_LARGE = 600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CheckedText:
    """The result of a check of one version of a text."""

    version: int | None
    text: str
    # As `Diagnostic.to_dict` gives them.
    found: tuple[dict[str, Any], ...] = ()
    # The number of facts and moves by name and arity, where types tell it.
    sizes: dict[tuple[str, int], int] = field(default_factory=dict)


@dataclass
class _Watch:
    document: Document
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None


class Checker:
    """Checks open files whenever they have changed."""

    def __init__(self, publish: Callable[[Document, CheckedText], Awaitable[None]]) -> None:
        self._publish = publish
        self._watches: dict[str, _Watch] = {}
        self._usual = WorkerLane(_WORKER, _LIMIT)
        self._large = WorkerLane(_WORKER, _LIMIT_LARGE)

    def open(self, document: Document) -> None:
        """Check a text at once, and from now on."""
        self.close(document.uri)
        watch = self._watches[document.uri] = _Watch(document)
        watch.task = asyncio.get_running_loop().create_task(self._run(watch))

    def change(self, uri: str) -> None:
        """Check a text again, after a pause."""
        if uri in self._watches:
            self._watches[uri].changed.set()

    def close(self, uri: str) -> None:
        """Check a text no longer."""
        watch = self._watches.pop(uri, None)
        if watch is not None and watch.task is not None:
            watch.task.cancel()

    def end(self) -> None:
        """End all checks."""
        for uri in list(self._watches):
            self.close(uri)
        self._usual.end()
        self._large.end()

    async def _run(self, watch: _Watch) -> None:
        while True:
            text, version = watch.document.source, watch.document.version
            await self._check(watch, text, version)
            await watch.changed.wait()
            while watch.changed.is_set():
                watch.changed.clear()
                is_large = len(watch.document.source) > LARGE
                await asyncio.sleep(PAUSE_LARGE if is_large else PAUSE)

    async def _check(self, watch: _Watch, text: str, version: int | None) -> None:
        path = watch.document.file
        is_large = len(text) > LARGE
        lane = self._large if is_large else self._usual
        asking = asyncio.ensure_future(
            lane.ask({'text': text, 'path': str(path) if path else None})
        )
        if is_large and not await _is_first(asking, watch.changed):
            return
        try:
            answer = await asking
        except (OSError, EOFError, asyncio.TimeoutError) as error:
            _log.error('%s could not be checked: %r', watch.document.uri, error)
            return
        if watch.document.version == version:
            await self._publish(watch.document, _to_findings(answer, version, text))


async def _is_first(asking: asyncio.Future[Any], changed: asyncio.Event) -> bool:
    """Wait for an answer, and tell whether it came; a change of the text breaks the check off."""
    waiting = asyncio.ensure_future(changed.wait())
    try:
        await asyncio.wait({asking, waiting}, return_when=asyncio.FIRST_COMPLETED)
        return asking.done()
    finally:
        waiting.cancel()
        if not asking.done():
            asking.cancel()


def _to_findings(answer: dict[str, Any], version: int | None, text: str) -> CheckedText:
    sizes = {}
    for shape, size in answer['sizes'].items():
        name, _, count = shape.rpartition('/')
        sizes[name, int(count)] = size
    return CheckedText(version, text, tuple(answer['findings']), sizes)
