"""The standalone program of a game under plain `swipl`: its replies beside those of an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
import shutil
import subprocess
from tempfile import TemporaryDirectory

from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.typed import TypedEncoding
from gdl_env.engine.prolog.transpile import transpile
from gdl_env.engine.verification.comparison import differ_in_words
from gdl_env.errors import EngineError, EngineLimitError, RuleError
from gdl_env.language.game import Game, Information, Turns
from gdl_env.language.reader import read_role, read_term

_EPISODES, _STEPS = 2, 6
_OVER = 'the game is over'


@dataclass
class _Transcript:
    """What a program replied, command by command."""

    replies: Iterator[tuple[str, list[str]]]
    complaints: str

    def read(self, command: str) -> list[str]:
        """Return the next reply, which must be that to this command."""
        asked, lines = next(self.replies)
        assert asked == command, f'{asked} instead of {command}'
        return lines


def compare_standalone(engine: Engine, seed: int, seconds: float) -> str:
    """Play random games with the program and with the engine; return what differs, or ''.

    Raises EngineLimitError.
    """
    game = engine.game
    roles = tuple(str(role) for role in engine.roles)
    questions = ['state', 'terminal', 'legal', 'goal', *(f'state {role}' for role in roles)]
    encoding = _encoding(game)
    if encoding is not None:
        questions.append('vector')
    commands = ['reset', *[*questions, 'random 1'] * _STEPS] * _EPISODES
    transcript = _run(game, commands, roles, seed, seconds)
    for _ in range(_EPISODES):
        found = _Episode(engine, encoding, transcript).compare(questions)
        if found:
            return found
    return ''


def _encoding(game: Game) -> TypedEncoding | None:
    if not game.is_typed:
        return None
    try:
        return TypedEncoding(game)
    except EncodingError:
        return None


def _run(
    game: Game, commands: list[str], roles: tuple[str, ...], seed: int, seconds: float
) -> _Transcript:
    swipl = shutil.which('swipl')
    assert swipl is not None, 'asked for only where it is installed'
    # Roles never fail to be told: they end each reply, and what chance did before the first one.
    text = ''.join(f'{command}\nroles\n' for command in ('', *commands))
    with TemporaryDirectory(prefix='gdl_') as folder:
        path = Path(folder) / 'game.pl'
        path.write_text(transpile(game), 'utf-8')
        try:
            done = subprocess.run(
                [swipl, path, '--seed', str(seed)],
                input=text.encode(),
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise EngineLimitError(f'the program ran for more than {seconds:g} s') from None
    mark = ''.join(f'{role} ' for role in roles)
    parts: list[list[str]] = [[]]
    for line in done.stdout.decode().splitlines():
        if line == mark:
            parts.append([])
        else:
            parts[-1].append(line)
    complaints = done.stderr.decode(errors='replace')
    if len(parts) != len(commands) + 2:
        raise EngineError(f'the program broke off: {complaints[-1000:]}')
    return _Transcript(iter(zip(commands, parts[1:-1], strict=True)), complaints)


class _Episode:
    """One game from its beginning."""

    def __init__(
        self, engine: Engine, encoding: TypedEncoding | None, transcript: _Transcript
    ) -> None:
        self._engine = engine
        self._encoding = encoding
        self._transcript = transcript
        self._state: State = engine.initial_state
        self._percepts = {role: frozenset[str]() for role in map(str, engine.roles)}
        self._steps: list[str] = []

    def compare(self, questions: list[str]) -> str:
        self._follow(self._transcript.read('reset'))
        found = ''
        for _ in range(_STEPS):
            for question in questions:
                reply = self._transcript.read(question)
                found = found or self._compare(question, reply)
            played = self._transcript.read('random 1')
            if found:
                return found
            self._follow([line for line in played if line != _OVER])
        return ''

    def _follow(self, lines: list[str]) -> None:
        """Make the steps that the program has made."""
        moves = [_read_move(line) for line in lines]
        is_serial = self._engine.game.turns is Turns.SERIAL
        for step in [[move] for move in moves] if is_serial else [moves]:
            if step:
                self._steps += [f'{role} {move}' for role, move in step]
                seen = self._engine.percepts(self._state, dict(step))
                self._percepts = {str(r): frozenset(map(str, p)) for r, p in seen.items()}
                self._state = self._engine.next_state(self._state, dict(step))

    def _compare(self, question: str, reply: list[str]) -> str:
        try:
            expected = list(self._answer(question))
        except EngineLimitError:
            raise
        except RuleError:
            # The program says so on the other stream, after as much as it could tell.
            return '' if self._transcript.complaints else f'{question}: no complaint'
        return differ_in_words(f'standalone: {question}', reply, expected, self._steps)

    def _answer(self, question: str) -> Iterable[str]:
        engine, state = self._engine, self._state
        ask: dict[str, Callable[[], Iterable[str]]] = {
            'state': lambda: map(str, state),
            'terminal': lambda: ['yes' if engine.is_terminal(state) else 'no'],
            'legal': lambda: [
                ' '.join((f'{role}:', *map(str, moves)))
                for role, moves in engine.legal_moves(state).items()
            ],
            'goal': lambda: [
                f'{role} {"none" if goal is None else goal}'
                for role, goal in engine.goals(state).items()
            ],
            'vector': self._vector,
        }
        if question in ask:
            return ask[question]()
        role = question.partition(' ')[2]
        if engine.game.information is Information.PERCEPTS:
            return self._percepts[role]
        return map(str, engine.view(state, read_role(role)))

    def _vector(self) -> Iterable[str]:
        assert self._encoding is not None
        try:
            vector = self._encoding.state_vector(self._state)
        except EncodingError as error:
            raise RuleError(str(error)) from None
        return [''.join(f'{bit} ' for bit in vector.tolist())]


def _read_move(line: str) -> tuple[Role, Move]:
    role, _, move = line.partition(' ')
    return read_role(role), read_term(move)
