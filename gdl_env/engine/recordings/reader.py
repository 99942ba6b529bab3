"""JSON lines → recorded matches, with file and line in every complaint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
import json
from pathlib import Path

from gdl_env.engine.contract import Role, State
from gdl_env.engine.recordings.bag_reader import is_bag, read_bag
from gdl_env.engine.recordings.recording import VERSION, Ending, RecordedStep, Recording, to_term
from gdl_env.errors import RecordingError
from gdl_env.language.reader import read_role
from gdl_env.language.terms import Term


def read_recordings(path: Path) -> Iterator[Recording]:
    """Yield the matches of a file of JSON lines, or of a bag (a folder, or its MCAP file).

    A match without its end is given as unfinished; a last line that was cut off is left out and
    said so in the note of its match, if that has begun. Raises RecordingError for anything else
    that does not fit.

    A bag may begin inside a match, where a restarted recorder or `ros2 bag` began it. What it
    holds of that match is left out; the note of the next match says so.
    """
    if is_bag(path):
        for lines in read_bag(path).values():
            yield from _read_lines(path, lines, is_part=True)
        return
    try:
        file = path.open('rb')
    except OSError as error:
        raise RecordingError(f'{path}: {error.strerror or error}') from error
    with file:
        yield from _read_lines(path, file)


def _read_lines(
    path: Path, lines: Iterable[bytes], *, is_part: bool = False
) -> Iterator[Recording]:
    run = _RecordingPass(path, is_part)
    for number, data in enumerate(lines, start=1):
        run.number = number
        if data.strip():
            yield from run.read(data)
    yield from run.finish()


@dataclass
class _RecordingPass:
    """One pass over one file."""

    path: Path
    # Whether the first lines may belong to a match that began before.
    is_part: bool
    number: int = 0
    start: _Line | None = None
    start_number: int = 0
    steps: list[RecordedStep] = field(default_factory=list)
    note: str = ''
    skipped: int = 0

    def read(self, data: bytes) -> Iterator[Recording]:
        """Take in one line; yield the match it completes, if it does."""
        try:
            value = json.loads(data)
        except ValueError as error:
            if self.start_number and not data.endswith(b'\n'):
                self.note = f'{self._place()}: the last line is cut off and was left out'
                return
            raise self._error(f'this is not JSON: {error}') from error
        except RecursionError as error:
            raise self._error('this is nested too deeply') from error
        if not isinstance(value, dict):
            raise self._error('expected a JSON object in braces')
        line = _Line(value, self._place())
        kind = line.text('type')
        if kind == 'match':
            yield from self.finish()
            self._start(line)
        elif kind not in {'step', 'undo', 'end'}:
            raise self._error(f"unknown type '{kind}'; known are match, step, undo and end")
        elif self.is_part and not self.start_number:
            self.skipped += 1
        elif self.start is None:
            raise self._error(f"a line of type '{kind}' before any line of type 'match'")
        elif kind == 'step':
            states = [step.state for step in self.steps[-1:]] or [self.start.terms('initial')]
            self.steps.append(line.step(states[0]))
        elif kind == 'undo':
            self._undo(line)
        else:
            yield self._match(line.ending())

    def finish(self) -> Iterator[Recording]:
        """Yield the match that is still open, as unfinished."""
        if self.start is not None:
            yield self._match(None)

    def _start(self, line: _Line) -> None:
        version = line.values.get('version')
        if version != VERSION:
            raise self._error(f'version {version} of recordings is unknown here; known: {VERSION}')
        self.start, self.start_number = line, self.number
        self.steps, self.note = [], ''
        if self.skipped:
            self.note = f'{self.path} begins inside a match: {self.skipped} lines are left out'
            self.skipped = 0

    def _undo(self, line: _Line) -> None:
        count = line.values.get('steps')
        if not isinstance(count, int) or not 0 < count <= len(self.steps):
            raise self._error(f'cannot take back {count} of {len(self.steps)} steps')
        del self.steps[-count:]

    def _match(self, ending: Ending | None) -> Recording:
        line = self.start
        assert line is not None
        self.start = None
        seed = line.values.get('seed')
        return Recording(
            game=line.text('game'),
            roles=line.roles(),
            initial=line.terms('initial'),
            steps=tuple(self.steps),
            ending=ending,
            rules_hash=line.text('rules_hash'),
            seed=seed if isinstance(seed, int) else None,
            place=f'{self.path}:{self.start_number}',
            note=self.note,
        )

    def _place(self) -> str:
        return f'{self.path}:{self.number}'

    def _error(self, message: str) -> RecordingError:
        return RecordingError(f'{self._place()}: {message}')


@dataclass(frozen=True)
class _Line:
    """One line as plain data; each method reads one field and complains with the place."""

    values: Mapping[str, object]
    place: str

    def text(self, name: str) -> str:
        value = self._required(name)
        if not isinstance(value, str):
            raise self._error(name, 'a text')
        return value

    def roles(self) -> tuple[Role, ...]:
        value = self._required('roles')
        if not isinstance(value, list) or not all(isinstance(role, str) for role in value):
            raise self._error('roles', 'a list of names')
        return tuple(self._role('roles', role) for role in value)

    def terms(self, name: str) -> frozenset[Term]:
        return self._terms(name, self._required(name))

    def step(self, before: State | None) -> RecordedStep:
        chosen = self._moves('chosen') if 'chosen' in self.values else None
        percepts: dict[Role, frozenset[Term]] | None = None
        if 'percepts' in self.values:
            seen = self._mapping('percepts')
            percepts = {role: self._terms('percepts', terms) for role, terms in seen.items()}
        if before is None or not {'removed', 'added'} & self.values.keys():
            state = self.terms('state')
        else:
            state = (before - self.terms('removed')) | self.terms('added')
        return RecordedStep(self._moves('moves'), state, chosen, percepts, self.place)

    def ending(self) -> Ending:
        goals: dict[Role, int | None] = {}
        for role, goal in self._mapping('goals').items():
            if goal is not None and (not isinstance(goal, int) or isinstance(goal, bool)):
                raise self._error('goals', 'a number or null for each role')
            goals[role] = goal
        return Ending(self._required('terminal') is True, goals, self.place)

    def _moves(self, name: str) -> dict[Role, Term]:
        return {role: self._term(name, text) for role, text in self._mapping(name).items()}

    def _mapping(self, name: str) -> dict[Role, object]:
        value = self._required(name)
        if not isinstance(value, dict):
            raise self._error(name, 'an object with a value for each role')
        return {self._role(name, role): inner for role, inner in value.items()}

    def _role(self, name: str, text: str) -> Role:
        if not text.isprintable():
            raise self._error(name, f'names that can be printed, unlike {text[:80]!r}')
        return read_role(text)

    def _terms(self, name: str, value: object) -> frozenset[Term]:
        if not isinstance(value, list):
            raise self._error(name, 'a list of terms')
        return frozenset(self._term(name, text) for text in value)

    def _term(self, name: str, text: object) -> Term:
        if not isinstance(text, str):
            raise self._error(name, 'terms written as texts')
        try:
            return to_term(text)
        except ValueError as error:
            raise RecordingError(f"{self.place}: in '{name}': {error}") from error

    def _required(self, name: str) -> object:
        if name not in self.values:
            raise RecordingError(f"{self.place}: '{name}' is missing")
        return self.values[name]

    def _error(self, name: str, wanted: str) -> RecordingError:
        return RecordingError(f"{self.place}: '{name}' should be {wanted}")
