"""A process that rates positions: `gdl study --pipe`, for one page, ended with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
import json
from pathlib import Path
import shutil
import sys
import tempfile
from typing import Any

from gdl_env.language.families.designation import Designation
from gdl_env.ros.launch.node_process import die_with_parent

# Searched at most [s].
_SECONDS = 2.0
_PATIENCE = 5.0


class StudyProcess:
    """Asks for ratings; `on_rating` is called with each answer, an object of `gdl study`."""

    def __init__(
        self, game: str, rules: str, agent: str, on_rating: Callable[[dict[str, Any]], None]
    ) -> None:
        """Rate positions of a game, as a match names it, by an agent."""
        self._game = Designation.read(game)
        self._rules = rules
        self._agent = agent
        self._on_rating = on_rating
        self._process: asyncio.subprocess.Process | None = None
        self._folder: Path | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process. Raises OSError."""
        self._folder = Path(tempfile.mkdtemp(prefix='gdl_study_'))
        # The rules as the match has them: their file may be on another machine.
        path = self._folder / f'{Path(self._game.game).stem}.gdl'
        path.write_text(self._rules)
        game = str(Designation(str(path), self._game.options))
        self._process = await asyncio.create_subprocess_exec(
            *die_with_parent(),
            *(sys.executable, '-m', 'gdl_env.cli.main', 'study', game, '--pipe'),
            *('--seconds', str(_SECONDS), '--agent', self._agent),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._reading = asyncio.create_task(self._read())

    def ask(self, number: int, facts: Sequence[str]) -> None:
        """Have a position rated, in place of the last one."""
        if self._process is not None and self._process.stdin is not None:
            line = json.dumps({'id': number, 'facts': list(facts)})
            with suppress(ConnectionError, RuntimeError):
                self._process.stdin.write(f'{line}\n'.encode())

    async def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._reading is not None:
            self._reading.cancel()
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), _PATIENCE)
            except TimeoutError:
                with suppress(ProcessLookupError):
                    process.kill()

    async def _read(self) -> None:
        said = ''
        assert self._process is not None and self._process.stdout is not None
        while line := await self._process.stdout.readline():
            text = line.decode('utf-8', 'replace').strip()
            if text.startswith('{'):
                with suppress(ValueError):
                    self._on_rating(json.loads(text))
            elif text:
                said = text
        if said:
            self._on_rating({'error': said})
