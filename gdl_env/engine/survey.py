"""Many games verified, each by itself: a game that goes wrong does not stop the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

from gdl_env.engine.comparison import Comparison
from gdl_env.engine.counterexample import to_counterexample
from gdl_env.engine.recording import to_lines
from gdl_env.engine.registry import open_engine
from gdl_env.engine.verify import verify
from gdl_env.errors import EngineLimitError, EngineUnavailableError, GameError, GdlError
from gdl_env.language.load import load_game

# Opening an engine may take long (grounding, a compiler): seconds beyond the time for comparing,
# after which a process is taken for lost.
_PATIENCE = 1200.0


class Status(Enum):
    """What came out for a game."""

    AGREE = 'agree'
    DISAGREE = 'disagree'
    CUT = 'agree, cut short'
    ALONE = 'no other engine'
    REFUSED = 'refused'
    FAILED = 'failed'


@dataclass(frozen=True)
class Task:
    """What is done with each game."""

    engine: str
    against: str
    states: int
    seed: int
    # Seconds for comparing one game, and for one question to an engine.
    seconds: float
    time_limit: float


@dataclass(frozen=True)
class GameResult:
    """What verifying one game showed."""

    path: Path
    status: Status
    # The engine it got, and those that could not run it, with their reasons.
    engine: str = ''
    passed_over: tuple[tuple[str, str], ...] = ()
    states: int = 0
    seconds: float = 0.0
    remark: str = ''
    # The counterexample, if there is one.
    recording: tuple[str, ...] = ()


def survey(paths: Sequence[Path], task: Task, jobs: int) -> Iterator[GameResult]:
    """Verify games in several processes; yield results as they come."""
    workers: SimpleQueue[_Worker] = SimpleQueue()
    started = [_Worker(task) for _ in range(jobs)]
    for worker in started:
        workers.put(worker)

    def run(path: Path) -> GameResult:
        worker = workers.get()
        try:
            return worker.verify(path)
        finally:
            workers.put(worker)

    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(run, path) for path in paths]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in started:
                worker.stop()


def verify_game(path: Path, task: Task) -> GameResult:
    """Verify one game in this process."""
    start = monotonic()
    try:
        game = load_game(path)
    except GdlError as error:
        return GameResult(path, Status.REFUSED, remark=str(error))
    try:
        with (
            open_engine(game, task.engine, time_limit=task.time_limit) as first,
            open_engine(game, task.against, time_limit=task.time_limit) as second,
        ):
            known = path, first.name, first.passed_over
            if first.name == second.name:
                return _result(known, Status.ALONE, start)
            found = verify(first, second, task.states, task.seed, task.seconds)
            if found.disagreement is None:
                status = Status.CUT if found.cut else Status.AGREE
                return _result(known, status, start, found.states, found.cut)
            comparison = Comparison(first, second)
            shown = to_counterexample(comparison, found.disagreement)
            lines = tuple(to_lines(shown.recording))
            words = describe(comparison, found.disagreement)
            return _result(known, Status.DISAGREE, start, found.states, words, lines)
    except EngineUnavailableError as error:
        return GameResult(path, Status.ALONE, passed_over=((task.engine, str(error)),))
    except EngineLimitError as error:
        return GameResult(path, Status.CUT, seconds=monotonic() - start, remark=str(error))
    except (GdlError, MemoryError) as error:
        words = f'{type(error).__name__}: {error}'
        return GameResult(path, Status.FAILED, seconds=monotonic() - start, remark=words)
