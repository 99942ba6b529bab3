"""Every tick's answers as JSON lines: a match that was killed resumes from them.

    {"type": "journal", "version": 2, "game": "tictactoe", …, "options": {…}}
    {"type": "reset", "seed": 7, "episodes": 200}
    {"type": "policy", "role": "x", "policy": "random"}
    {"type": "tick", "tick": 1, "answers": {"x": {"agent": "/x", "action": [4]}}}
    {"type": "tick", "tick": 1, "cohort": 1, "answers": …}
    {"type": "end"}

Chance belongs to (seed, tick), so the answers are all there is to know. Lines are only ever added,
and given to the system as they are written; one that was cut off by the end of its program did not
happen.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
import io
import json
import os
from pathlib import Path
from typing import Any
import zlib

import numpy as np

from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Policy
from gdl_env.environment.protocol import Answer
from gdl_env.errors import GdlError

# 2: chance is drawn otherwise than before.
VERSION = 2

# How every journal begins.
_START = b'{"type":"journal"'

# Arrays up to this length are written as lists, for people; longer ones packed.
_LONGEST_LIST = 16


class JournalError(GdlError):
    """A journal cannot be read or written, or belongs to another match."""


class Journal:
    """An open journal. Its methods are called in the order of what happens.

    They raise JournalError if an entry cannot be written, e.g. because the disk is full. What was
    written before stays readable, and a match can resume from it.
    """

    def __init__(self, path: Path, stream: io.FileIO, playing: Iterable[int] = (0,)) -> None:
        """Continue a file; cohorts of `playing` have not played all their episodes."""
        self.path = path
        self._playing = set(playing)
        # Why the last entry could not be written, in a sentence; '' if it was.
        self.failure = ''
        self._stream = stream
        self._length = os.fstat(stream.fileno()).st_size

    def begin(self, header: Mapping[str, Any]) -> None:
        """Note which match this is."""
        self._write(header)

    def reset(self, seed: int | None, episodes: int) -> None:
        """Note a reset; without a seed chance continues."""
        self._write({'type': 'reset', 'seed': seed, 'episodes': episodes})

    def policy(self, role: str, policy: Policy) -> None:
        """Note who decides for a role from now on."""
        self._write({'type': 'policy', 'role': role, 'policy': policy.value})

    def tick(self, tick: int, answers: Mapping[str, Answer], cohort: int = 0) -> None:
        """Note the answers of a tick of a cohort, before it is played."""
        told = {role: _from_answer(answer) for role, answer in answers.items()}
        which = {'cohort': cohort} if cohort else {}
        self._write({'type': 'tick', 'tick': tick, **which, 'answers': told})

    def finish(self, cohort: int) -> None:
        """Note the end, if this is the last cohort to play all its episodes."""
        self._playing.discard(cohort)
        if not self._playing:
            self.end()

    def expect(self, cohort: int, *, is_playing: bool) -> None:
        """Set whether a cohort has episodes to play after a reset."""
        if is_playing:
            self._playing.add(cohort)
        else:
            self._playing.discard(cohort)

    def end(self) -> None:
        """Note that everything asked for was played: there is nothing to resume."""
        self._write({'type': 'end'})

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _write(self, entry: Mapping[str, Any]) -> None:
        data = json.dumps(entry, separators=(',', ':')).encode() + b'\n'
        try:
            rest = data
            # Part of it may fit; why the rest does not is said when that is tried.
            while rest:
                rest = rest[self._stream.write(rest) :]
        except OSError as error:
            # Half a line may be left.
            with suppress(OSError):
                os.truncate(self.path, self._length)
            self.failure = (
                f'the match stops, since its journal {self.path} cannot be written:'
                f' {error.strerror or error}'
            )
            raise JournalError(self.failure) from error
        self.failure = ''
        self._length += len(data)


def open_journal(
    path: Path,
    environment: Environment,
    follow: Callable[[str], None] = lambda kind: None,
    others: Sequence[Environment] = (),
) -> tuple[Journal, int]:
    """Open the journal of a match that is to begin, or go on.

    What an unfinished journal holds is played first; returns the number of ticks that were, and
    `follow` receives the type of each entry, beginning with `journal`, once it has happened.
    `others` are the cohorts of the match after the first. A
    finished one is put aside, under its name with a number. Raises JournalError if the file
    belongs to another match or is damaged (except in its last line).
    """
    cohorts = (environment, *others)
    header = _header(cohorts)
    entries: list[dict[str, Any]] = []
    length = 0
    if path.exists():
        entries, length = read_journal(path)
        if entries and entries[-1]['type'] == 'end':
            _put_aside(path)
            entries, length = [], 0
    if entries and entries[0] != header:
        raise JournalError(
            f'{path} belongs to another match ({_describe(entries[0], header)}); move it away, or'
            ' name another journal'
        )
    ticks = _replay(entries, cohorts, path, follow)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        # Half a line may be left of a program that was killed.
        os.truncate(path, length)
    # Without a buffer: what cannot be written must not be tried again when the file is closed.
    stream = path.open('ab', buffering=0)
    playing = [number for number, each in enumerate(cohorts) if not each.is_finished]
    journal = Journal(path, stream, playing)
    if not entries:
        journal.begin(header)
    elif not playing and entries[-1]['type'] == 'tick':
        # It was killed after its last tick, before it could say so.
        journal.end()
    return journal, ticks


def find_seed(path: Path) -> int | None:
    """Return the seed of the match that a journal can resume; None if there is none to resume.

    Raises JournalError as `read_journal` does.
    """
    if not path.exists():
        return None
    entries, _ = read_journal(path)
    if not entries or entries[-1]['type'] == 'end':
        return None
    options = entries[0].get('options')
    seed = options.get('seed') if isinstance(options, dict) else None
    if not isinstance(seed, int):
        raise JournalError(f'{path}, line 1: no seed')
    return seed


def _header(cohorts: Sequence[Environment]) -> dict[str, Any]:
    environment = cohorts[0]
    options = environment.options
    return {
        'type': 'journal',
        'version': VERSION,
        'game': environment.game.game.name,
        # Chance and the numbers of actions depend on them.
        'lanes': type(environment.game).__name__,
        'actions': environment.game.action_size,
        'rules_hash': environment.game.game.hash,
        'options': {
            'lanes': options.total_lanes,
            'seed': options.seed,
            'episodes': options.episodes,
            'max_steps': options.max_steps,
            'illegal': options.illegal.value,
            'turn': options.turn,
            **({'cohorts': len(cohorts)} if len(cohorts) > 1 else {}),
        },
    }


def _describe(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    for key in ('version', 'game', 'rules_hash', 'lanes', 'actions'):
        if old.get(key) != new[key]:
            return f'{key} is {old.get(key)}, not {new[key]}'
    before, now = old.get('options', {}), new['options']
    return ', '.join(
        f'{k} is {before.get(k)}, not {now.get(k)}'
        for k in dict.fromkeys((*now, *before))
        if before.get(k) != now.get(k)
    )


def read_journal(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the entries, and the number of bytes that hold them. Raises JournalError.

    Half a line at the end is left out.
    """
    data = path.read_bytes()
    # Not a byte of a file that is something else may be lost, not even of half a line.
    if data[: len(_START)] != _START[: len(data)]:
        raise JournalError(f'{path} is not a journal')
    entries: list[dict[str, Any]] = []
    length = 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        try:
            entry = json.loads(line)
            if not line.endswith(b'\n') or not isinstance(entry, dict) or 'type' not in entry:
                raise ValueError('half a line')
        except ValueError as error:
            if length + len(line) == len(data):
                break
            raise JournalError(f'{path}, line {number}: not an entry of a journal') from error
        entries.append(entry)
        length += len(line)
    return entries, length


def _replay(
    entries: list[dict[str, Any]],
    cohorts: Sequence[Environment],
    path: Path,
    follow: Callable[[str], None],
) -> int:
    ticks = 0
    for entry in entries:
        kind = entry['type']
        try:
            if kind == 'reset':
                for environment in cohorts:
                    environment.reset(entry['seed'], entry['episodes'])
            elif kind == 'policy':
                for environment in cohorts:
                    environment.set_policy(entry['role'], Policy(entry['policy']))
            elif kind == 'tick':
                environment = cohorts[entry.get('cohort', 0)]
                if entry['tick'] != environment.tick:
                    raise ValueError(f'tick {entry["tick"]} where {environment.tick} is due')
                environment.step(dict(_answers(entry, environment)))
                ticks += 1
            elif kind not in {'journal', 'end'}:
                raise ValueError(f'unknown type {kind!r}')
        except (LookupError, TypeError, ValueError) as error:
            raise JournalError(f'{path}: {error}') from error
        follow(kind)
    return ticks


def _put_aside(path: Path) -> None:
    number = 1
    while (target := path.with_name(f'{path.stem}.{number}{path.suffix}')).exists():
        number += 1
    path.rename(target)


def _answers(entry: Mapping[str, Any], environment: Environment) -> Iterator[tuple[str, Answer]]:
    for role, told in entry['answers'].items():
        action = _to_array(told.get('action'), np.int32)
        preference = _to_array(told.get('preference'), np.float32)
        if preference is not None:
            preference = preference.reshape(told['rows'], -1)
        yield (
            role,
            Answer(
                environment.tick_of(role),
                role,
                told['agent'],
                action,
                tuple(told.get('moves', ())),
                preference,
            ),
        )


def _from_answer(answer: Answer) -> dict[str, Any]:
    told: dict[str, Any] = {'agent': answer.agent}
    if answer.action is not None:
        told['action'] = _from_array(np.asarray(answer.action).astype('<i4').reshape(-1))
    if answer.moves:
        told['moves'] = list(answer.moves)
    # One of another shape is ignored where it is used.
    if answer.preference is not None and answer.preference.ndim == 2:
        told['rows'] = len(answer.preference)
        told['preference'] = _from_array(answer.preference.astype('<f4').reshape(-1))
    return told


def _from_array(values: np.ndarray[Any, Any]) -> list[float] | str:
    if len(values) <= _LONGEST_LIST:
        return list(values.tolist())
    return base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()


def _to_array(told: list[float] | str | None, dtype: type) -> Any:
    if told is None:
        return None
    if isinstance(told, str):
        return np.frombuffer(zlib.decompress(base64.b64decode(told)), dtype)
    return np.array(told, dtype)
