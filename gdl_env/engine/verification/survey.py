"""Many games verified, each by itself: a game that goes wrong does not stop the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

from gdl_env.engine.contract import Engine
from gdl_env.engine.recordings.recording import to_lines
from gdl_env.engine.registry import open_engine
from gdl_env.engine.verification.comparison import Comparison
from gdl_env.engine.verification.counterexample import describe, to_counterexample
from gdl_env.engine.verification.verify import verify
from gdl_env.errors import EngineLimitError, EngineUnavailableError, GdlError
from gdl_env.language.load import load_game

# Opening an engine may take long (grounding, a compiler): seconds beyond the time for comparing,
# after which a process is taken for lost.
_PATIENCE = 1200.0


class SurveyStatus(Enum):
    """What came out for a game."""

    AGREE = 'agree'
    DISAGREE = 'disagree'
    CUT = 'cut short'
    ALONE = 'no other engine'
    REFUSED = 'refused'
    FAILED = 'failed'


@dataclass(frozen=True)
class SurveyTask:
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
    status: SurveyStatus
    # The engine it got, and those that could not run it, with their reasons.
    engine: str = ''
    passed_over: tuple[tuple[str, str], ...] = ()
    states: int = 0
    seconds: float = 0.0
    remark: str = ''
    # The counterexample, if there is one.
    recording: tuple[str, ...] = ()


def survey(paths: Sequence[Path], task: SurveyTask, jobs: int) -> Iterator[GameResult]:
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


def verify_game(path: Path, task: SurveyTask) -> GameResult:
    """Verify one game in this process."""
    start = monotonic()
    try:
        game = load_game(path)
    except GdlError as error:
        return GameResult(path, SurveyStatus.REFUSED, remark=str(error))
    result = GameResult(path, SurveyStatus.FAILED)
    try:
        with open_engine(game, task.engine, time_limit=task.time_limit) as first:
            result = replace(result, engine=first.name, passed_over=first.passed_over)
            with open_engine(game, task.against, time_limit=task.time_limit) as second:
                result = _compare(first, second, task, result)
    except EngineUnavailableError as error:
        result = replace(result, status=SurveyStatus.ALONE, remark=str(error))
    except EngineLimitError as error:
        result = replace(result, status=SurveyStatus.CUT, remark=str(error))
    except (GdlError, MemoryError) as error:
        result = replace(result, remark=f'{type(error).__name__}: {error}')
    return replace(result, seconds=monotonic() - start)


def _compare(first: Engine, second: Engine, task: SurveyTask, result: GameResult) -> GameResult:
    if first.name == second.name:
        return replace(result, status=SurveyStatus.ALONE)
    found = verify(first, second, task.states, task.seed, task.seconds)
    result = replace(result, states=found.states, remark=found.cut)
    if found.disagreement is None:
        return replace(result, status=SurveyStatus.CUT if found.cut else SurveyStatus.AGREE)
    comparison = Comparison(first, second)
    return replace(
        result,
        status=SurveyStatus.DISAGREE,
        remark=describe(comparison, found.disagreement),
        recording=tuple(to_lines(to_counterexample(comparison, found.disagreement).recording)),
    )


class _Worker:
    """A process that verifies one game after the other; a new one after it was lost."""

    def __init__(self, task: SurveyTask) -> None:
        self._task = task
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def verify(self, path: Path) -> GameResult:
        """Verify a game there; a process that dies or hangs is a failure of that game."""
        pipe = self._pipe or self._start()
        start = monotonic()
        remark = 'its process has died'
        try:
            pipe.send(path)
            if pipe.poll(self._task.seconds + _PATIENCE):
                result: GameResult = pipe.recv()
                return result
            remark = 'its process was stopped, because it took too long'
        except (EOFError, OSError):
            pass
        self.stop()
        return GameResult(path, SurveyStatus.FAILED, seconds=monotonic() - start, remark=remark)

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None

    def _start(self) -> Connection:
        # Not a fork: threads are running here.
        context = get_context('spawn')
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._task), daemon=True)
        self._process.start()
        theirs.close()
        return self._pipe


def _serve(pipe: Connection, task: SurveyTask) -> None:
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            pipe.send(verify_game(pipe.recv(), task))
