"""One server for all conversations: a process takes a second to start."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from importlib.util import find_spec
from pathlib import Path
import sys
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
if find_spec('pygls') is None:
    # An install without the extra `editor`.
    collect_ignore_glob = ['test_*.py']

if TYPE_CHECKING:
    from editor_client import Editor, Talk


@pytest.fixture(scope='session')
def talk() -> Iterator[Talk]:
    """Return a function that runs a conversation to its end."""
    from editor_client import LIMIT

    loop = asyncio.new_event_loop()

    def run(conversation: Coroutine[Any, Any, Any], limit: float = LIMIT) -> Any:
        return loop.run_until_complete(asyncio.wait_for(conversation, limit))

    yield run
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture(scope='session')
def editor(talk: Talk) -> Iterator[Editor]:
    """Return an editor with a server."""
    from editor_client import Editor, end

    async def start() -> Editor:
        editor = Editor()
        await editor.start()
        return editor

    editor = talk(start())
    yield editor
    talk(end(editor))
