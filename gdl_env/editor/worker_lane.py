"""A process beside the server that answers questions, and that is ended if it takes too long.

On standard input and output: four bytes with a length, then as many bytes of JSON.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
import json
import struct
import sys
from typing import Any, BinaryIO

LENGTH = struct.Struct('>I')


@dataclass
class WorkerLane:
    """A process that answers one question after another."""

    # The module that is run.
    module: str
    # An answer that takes longer ends it [s].
    limit: float
    _process: Process | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a question. Raises OSError, TimeoutError, EOFError."""
        async with self._lock:
            try:
                return await asyncio.wait_for(self._ask(question), self.limit)
            except BaseException:
                # It may be in the middle of an answer.
                await self.close()
                raise

    async def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        process = await self._start()
        assert process.stdin is not None and process.stdout is not None
        data = json.dumps(question).encode()
        process.stdin.write(LENGTH.pack(len(data)) + data)
        await process.stdin.drain()
        (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        answer: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
        return answer

    async def _start(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            command = (sys.executable, '-m', self.module)
            self._process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        return self._process

    async def close(self) -> None:
        """End the process, and wait until it has ended."""
        process = self._process
        self.end()
        if process is not None:
            await process.wait()

    def end(self) -> None:
        """End the process; the next question starts another."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        self._process = None


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Be such a process: answer until standard input ends."""
    answers = sys.stdout.buffer
    # Whatever prints by mistake must not come between answers.
    sys.stdout = sys.stderr
    with suppress(KeyboardInterrupt, BrokenPipeError):
        while (question := _read(sys.stdin.buffer)) is not None:
            data = json.dumps(answer(question)).encode()
            answers.write(LENGTH.pack(len(data)) + data)
            answers.flush()


def _read(stream: BinaryIO) -> Any | None:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return json.loads(stream.read(LENGTH.unpack(head)[0]))
