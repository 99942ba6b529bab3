"""Results of a survey as JSON lines, written as they come: one that was stopped resumes from them.

The first line says what is done with each game. Half a line at the end, from a process that was
killed, is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
import json
from pathlib import Path
from typing import Any

from gdl_env.engine.verification.survey import GameResult, SurveyStatus, SurveyTask
from gdl_env.errors import GdlError


class SurveyLog:
    """A file of results that grows by a line each game."""

    def __init__(self, path: Path, task: SurveyTask) -> None:
        """Open a log, an existing one to resume it.

        Raises GdlError if the file cannot be used, or holds the log of another task.
        """
        self._path = path
        self.results: tuple[GameResult, ...] = ()
        header = json.dumps(asdict(task))
        try:
            whole = path.read_bytes() if path.exists() else b''
            lines = whole[: whole.rfind(b'\n') + 1].decode().splitlines()
            if lines and lines[0] != header:
                raise GdlError(f'{path} is not the log of this task: it begins with {lines[0]}')
            self.results = tuple(_read_result(line, path) for line in lines[1:])
            with path.open('r+b' if whole else 'wb') as file:
                file.truncate(sum(len(line.encode()) + 1 for line in lines))
            if not lines:
                self._append(header)
        except (OSError, UnicodeDecodeError) as error:
            raise GdlError(f'cannot use {path} as a log: {error}') from error

    def missing(self, paths: Iterable[Path]) -> list[Path]:
        """Return the paths without a result."""
        done = {result.path for result in self.results}
        return [path for path in paths if path not in done]

    def append(self, result: GameResult) -> None:
        """Write a result. Raises GdlError if that fails."""
        self.results += (result,)
        self._append(json.dumps(to_dict(result)))

    def _append(self, line: str) -> None:
        try:
            with self._path.open('a', encoding='utf-8') as file:
                file.write(f'{line}\n')
        except OSError as error:
            raise GdlError(f'cannot write {self._path}: {error.strerror or error}') from error


def to_dict(result: GameResult) -> dict[str, Any]:
    """Return a result as plain data."""
    return {
        'file': str(result.path),
        'result': result.status.value,
        'engine': result.engine,
        'passed_over': dict(result.passed_over),
        'states': result.states,
        'seconds': round(result.seconds, 2),
        'remark': result.remark,
        'recording': list(result.recording),
    }


def _read_result(line: str, path: Path) -> GameResult:
    try:
        data: Mapping[str, Any] = json.loads(line)
        return GameResult(
            Path(data['file']),
            SurveyStatus(data['result']),
            data['engine'],
            tuple(data['passed_over'].items()),
            data['states'],
            data['seconds'],
            data['remark'],
            tuple(data['recording']),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GdlError(f'{path} is damaged: {line[:80]}') from error
