"""A folder of public games with what another reasoner found about them, and recorded matches.

INDEX.tsv has a row for each game: number of initial facts, whether the initial state is terminal,
the legal moves of each role there, and the number of move sequences of length 1, 2, 3, …; an empty
column says nothing. The files of `matches` have one JSON object a match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import csv
from dataclasses import dataclass
import json
from pathlib import Path
from time import monotonic

from gdl_env.engine.contract import Engine, Role
from gdl_env.engine.perft import perft
from gdl_env.engine.recordings.recording import Ending, RecordedStep, Recording, to_term
from gdl_env.engine.recordings.replay import replay
from gdl_env.errors import RecordingError
from gdl_env.language.reader import read_role
from gdl_env.language.terms import Term

INDEX = 'INDEX.tsv'


@dataclass(frozen=True)
class CorpusGame:
    """A row of the index; None or empty for what it does not tell."""

    path: Path
    initial_facts: int | None
    is_terminal: bool | None
    legal_counts: tuple[int, ...]
    perft: tuple[int, ...]
    # A variable of a rule never gets a value: reasoners read such rules differently.
    is_unsafe: bool = False


@dataclass(frozen=True)
class VerificationLimits:
    """How far one game is verified."""

    # Seconds for all of it.
    time: float = 60.0
    # States that perft may compute.
    states: int = 2_000


@dataclass(frozen=True)
class GameFindings:
    """What verifying one game showed."""

    # What was compared, in words.
    compared: tuple[str, ...]
    # The first deviation ('' if there is none).
    deviation: str = ''
    # Whether the time was up before everything was compared.
    is_cut: bool = False


def read_index(folder: Path) -> list[CorpusGame]:
    """Read the index of a corpus. Raises RecordingError if it is missing or does not fit."""
    path = folder / INDEX
    try:
        with path.open(encoding='utf-8', newline='') as file:
            rows = list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))
        return [
            CorpusGame(
                folder / row['file'],
                int(row['init']) if row['init'] else None,
                row['terminal0'] == 'true' if row['terminal0'] else None,
                _numbers(row['legal0']),
                _numbers(row['perft']),
                'unsafe-rules' in row['oddities'],
            )
            for row in rows
        ]
    except OSError as error:
        raise RecordingError(f'{path}: {error.strerror or error}') from error
    except (KeyError, ValueError, AttributeError) as error:
        raise RecordingError(f'{path}: not an index of games: {error!r}') from error


def read_matches(folder: Path) -> dict[Path, list[Mapping[str, object]]]:
    """Return the recorded matches of a corpus as plain data, by rule file.

    Raises RecordingError for a line that is no match.
    """
    found: dict[Path, list[Mapping[str, object]]] = {}
    for path in sorted((folder / 'matches').glob('*.jsonl')):
        for number, line in enumerate(path.read_text('utf-8').split('\n'), start=1):
            if not line.strip():
                continue
            place = f'{path}:{number}'
            try:
                match = json.loads(line)
                rules = folder / match['rules']
            except (ValueError, KeyError, TypeError) as error:
                raise RecordingError(f'{place}: not a match: {error!r}') from error
            found.setdefault(rules, []).append(match | {'place': place})
    return found


def to_recording(match: Mapping[str, object], roles: Sequence[Role]) -> Recording:
    """Turn a match of the corpus into a recording; `roles` serve where it names none.

    Raises RecordingError if it does not fit together.
    """
    place = str(match.get('place', ''))
    try:
        return _convert(match, tuple(roles), place)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise RecordingError(f'{place}: not a match of a corpus: {error!r}') from error


def verify(
    engine: Engine,
    game: CorpusGame,
    matches: Sequence[Mapping[str, object]] = (),
    limits: VerificationLimits | None = None,
) -> GameFindings:
    """Compare an engine with what the corpus says about a game, up to the first deviation."""
    run = _Verification(engine, limits or VerificationLimits())
    deviation, is_cut = '', False
    try:
        deviation = run.compare_start(game) or run.compare_perft(game)
        for match in matches:
            if deviation:
                break
            deviation = run.compare_match(match)
    except _TimeUpError:
        is_cut = True
    return GameFindings(tuple(run.compared), deviation, is_cut)


class _TimeUpError(Exception):
    """The time for one game is used up."""


class _Verification:
    """One game on its way through the comparisons; each returns a deviation or ''."""

    def __init__(self, engine: Engine, limits: VerificationLimits) -> None:
        self._engine = engine
        self._limits = limits
        self._end = monotonic() + limits.time
        self.compared: list[str] = []

    def compare_start(self, game: CorpusGame) -> str:
        state = self._engine.initial_state
        legal = self._engine.legal_moves(state)
        rows: list[tuple[str, object, object]] = []
        if game.initial_facts is not None:
            rows.append(('initial facts', game.initial_facts, len(state)))
        if game.is_terminal is not None:
            rows.append(('terminal', game.is_terminal, self._engine.is_terminal(state)))
        if game.legal_counts:
            counts = tuple(len(legal[role]) for role in self._engine.roles)
            rows.append(('legal moves', game.legal_counts, counts))
        for what, expected, found in rows:
            self.compared.append(what)
            if expected != found:
                return f'{what}: expected {expected}, found {found}'
        return ''

    def compare_perft(self, game: CorpusGame) -> str:
        # The states of one length have to be computed for the numbers of the next one.
        depth, states = 0, 1
        while depth < len(game.perft) and states <= self._limits.states:
            states += game.perft[depth]
            depth += 1
        found = perft(self._engine, depth, on_state=self._check_time)
        for length, expected in enumerate(game.perft[:depth], start=1):
            count = next(found)
            self.compared.append(f'perft {length}')
            if count != expected:
                return f'perft {length}: expected {expected}, found {count}'
        return ''

    def compare_match(self, match: Mapping[str, object]) -> str:
        self._check_time()
        recording = to_recording(match, self._engine.roles)
        self.compared.append('match')
        deviation = replay(self._engine, recording)
        return '' if deviation is None else f'{recording.place}: {deviation}'

    def _check_time(self) -> None:
        if monotonic() > self._end:
            raise _TimeUpError


def _convert(match: Mapping[str, object], known: tuple[Role, ...], place: str) -> Recording:
    named = _list(match['roles']) if 'roles' in match else None
    roles = known if named is None else tuple(read_role(str(role)) for role in named)
    states = [_facts(state) for state in _list(match['states'])] if 'states' in match else []
    goals = _list(match['goals'])
    steps = []
    for number, joint in enumerate(_list(match['moves']), start=1):
        moves = [to_term(str(move)) for move in _list(joint)]
        after = states[number] if states else None
        steps.append(RecordedStep(dict(zip(roles, moves, strict=True)), after))
    return Recording(
        game=str(match['game']),
        roles=roles,
        initial=states[0] if states else None,
        steps=tuple(steps),
        ending=Ending(True, dict(zip(roles, map(_goal, goals), strict=True))),
        place=place,
    )


def _facts(texts: object) -> frozenset[Term]:
    return frozenset(to_term(str(text)) for text in _list(texts))


def _goal(value: object) -> int | None:
    if value is None or isinstance(value, int):
        return value
    raise TypeError(f'a goal is a number, not {value!r}')


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f'expected a list, got {value!r:.60}')
    return value


def _numbers(text: str) -> tuple[int, ...]:
    # A remark may follow a number: 5041!nolegal.
    return tuple(int(part.partition('!')[0]) for part in text.split(',')) if text else ()
