"""Matches as JSON lines: a line for the start of a match, one for each step, one for its end.

    {"type": "match", "version": 1, "game": "tictactoe", "rules_hash": "…", "roles": ["x", "o"],
     "seed": 7, "initial": ["(cell 1 1 b)", …]}
    {"type": "step", "moves": {"x": "(mark 2 2)"}, "state": ["(cell 1 1 b)", …]}
    {"type": "end", "terminal": true, "goals": {"x": 100, "o": 0}}

A step may hold `removed` and `added` instead of `state`: the facts that it changes. It may also
hold `chosen` (the moves before their experiments were drawn, where they differ) and `percepts`.
`{"type": "undo", "steps": 1}` takes steps back. Lines are only ever added, so a match whose
program was killed is still there, without its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
import json
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from gdl_env.engine.contract import Fact, Move, Role, State
from gdl_env.engine.interpreter import InterpretedStep, Interpreter
from gdl_env.errors import RecordingError
from gdl_env.language.game import Game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term, sort_key

VERSION = 1


@dataclass(frozen=True)
class RecordedStep:
    """One step of a recorded match; None for what the recording does not tell."""

    moves: Mapping[Role, Move]
    state: State | None = None
    chosen: Mapping[Role, Move] | None = None
    percepts: Mapping[Role, frozenset[Term]] | None = None
    # File and line, for messages.
    place: str = field(default='', compare=False)


@dataclass(frozen=True)
class Ending:
    """How a recorded match ended: whether by the rules, and the goals (None: not told)."""

    is_terminal: bool
    goals: Mapping[Role, int | None] | None
    # File and line, for messages.
    place: str = field(default='', compare=False)


@dataclass(frozen=True)
class Recording:
    """One recorded match."""

    game: str
    roles: tuple[Role, ...] | None
    initial: frozenset[Fact] | None
    steps: tuple[RecordedStep, ...]
    # None: the match was not finished.
    ending: Ending | None
    rules_hash: str = ''
    seed: int | None = None
    # File and line of its start, for messages.
    place: str = ''
    # What a reader should know, such as a last line that was cut off.
    note: str = field(default='', compare=False)


class RecordingWriter:
    """Adds matches to a file, line by line; each line is on its way to the disk before the next.

    `follow` is called after every change of a match and writes what is new. Of states, short
    recordings hold what each step changes. Raises RecordingError if the file cannot be written.
    """

    def __init__(
        self, path: Path, *, is_short: bool = False, final_path: Path | None = None
    ) -> None:
        """Open a file; errors name the one that it will become, if there is one."""
        self.path = final_path or path
        self._is_short = is_short
        self._written: list[InterpretedStep] = []
        try:
            _mend_tail(path)
            self._file: BinaryIO = path.open('ab', buffering=0)
        except OSError as error:
            raise RecordingError(f'{self.path}: {error.strerror or error}') from error

    def start(self, match: Interpreter, seed: int | None = None) -> None:
        """Write the start of a match, and the steps that chance has played already."""
        engine = match.engine
        self._written = []
        self.write(start_line(engine.game, engine.roles, engine.initial_state, seed))
        self.follow(match)

    def follow(self, match: Interpreter) -> None:
        """Write the steps that were played, or taken back, since the last call."""
        same = 0
        for written, played in zip(self._written, match.history, strict=False):
            if written is not played:
                break
            same += 1
        if same < len(self._written):
            self.write(undo_line(len(self._written) - same))
        for number, step in enumerate(match.history[same:], same):
            before = match.history[number - 1].state if number else match.engine.initial_state
            self.write(step_line(step, before if self._is_short else None))
        self._written = list(match.history)

    def end(self, match: Interpreter) -> None:
        """Write the end of a match: by the rules, or because it was stopped."""
        self.follow(match)
        self.write(end_line(match.goals(), is_terminal=match.is_terminal))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> RecordingWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, line: str) -> None:
        """Add a line as it is, without its end."""
        data = line.encode() + b'\n'
        try:
            # A raw file may take only a part, on a full disk for example.
            while data:
                data = data[self._file.write(data) or 0 :]
        except OSError as error:
            raise RecordingError(f'{self.path}: {error.strerror or error}') from error


def to_lines(recording: Recording) -> Iterator[str]:
    """Yield a recording whose states are all told as lines, without line ends."""
    yield _to_json(
        {
            'type': 'match',
            'version': VERSION,
            'game': recording.game,
            'rules_hash': recording.rules_hash,
            'roles': [str(role) for role in recording.roles or ()],
            'seed': recording.seed,
            'initial': to_texts(recording.initial or ()),
        }
    )
    for step in recording.steps:
        played = InterpretedStep(step.chosen or step.moves, step.moves, step.state or frozenset())
        yield step_line(replace(played, percepts=step.percepts or {}))
    if recording.ending is not None:
        yield end_line(recording.ending.goals or {}, is_terminal=recording.ending.is_terminal)


def start_line(game: Game, roles: Iterable[Role], initial: State, seed: int | None) -> str:
    """Return the line with which a match begins."""
    return _to_json(
        {
            'type': 'match',
            'version': VERSION,
            'game': game.name,
            'rules_hash': game.hash,
            'roles': [str(role) for role in roles],
            'seed': seed,
            'initial': to_texts(initial),
        }
    )


def end_line(goals: Mapping[Role, int | None] | None, *, is_terminal: bool = True) -> str:
    """Return the line with which a match ends; None: it was broken off, and has no goals."""
    told = {str(role): goal for role, goal in (goals or {}).items()}
    return _to_json({'type': 'end', 'terminal': is_terminal and goals is not None, 'goals': told})


def undo_line(steps: int) -> str:
    """Return the line that takes steps back."""
    return _to_json({'type': 'undo', 'steps': steps})


def to_texts(terms: Iterable[Term]) -> list[str]:
    """Return terms as texts, in the order of terms."""
    return [str(term) for term in sorted(terms, key=sort_key)]


@lru_cache(maxsize=100_000)
def to_term(text: str) -> Term:
    """Return the term a text of a recording stands for. Raises ValueError if it is none."""
    return read_term(text)


def step_line(step: InterpretedStep, before: State | None = None) -> str:
    """Return the line of a step; with the state before, only of what it changes."""
    line: dict[str, object] = {'type': 'step', 'moves': _to_moves(step.played)}
    if dict(step.chosen) != dict(step.played):
        line['chosen'] = _to_moves(step.chosen)
    if before is None:
        line['state'] = to_texts(step.state)
    else:
        line['removed'] = to_texts(before - step.state)
        line['added'] = to_texts(step.state - before)
    percepts = {str(role): to_texts(seen) for role, seen in step.percepts.items() if seen}
    if percepts:
        line['percepts'] = percepts
    return _to_json(line)


def _to_json(line: Mapping[str, object]) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(',', ':'))


def _to_moves(moves: Mapping[Role, Move]) -> dict[str, str]:
    return {str(role): str(move) for role, move in moves.items()}


def _mend_tail(path: Path) -> None:
    """Make a recording end with a line end: drop a last line that a kill has cut off.

    Raises RecordingError if the file is something else than a recording.
    """
    if not path.is_file() or path.stat().st_size == 0:
        return
    with path.open('rb') as file:
        first = file.readline()
        file.seek(-1, os.SEEK_END)
        is_whole = file.read() == b'\n'
    if not first.startswith(b'{"type":"match"'):
        raise RecordingError(f'{path} exists and is no recording; nothing is added to it')
    if is_whole:
        return
    data = path.read_bytes()
    start = data.rfind(b'\n') + 1
    if _is_json(data[start:]):
        with path.open('ab') as file:
            file.write(b'\n')
    else:
        os.truncate(path, start)


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True
