"""Trials in a process of their own: it may die, hang or ask for too much memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
import os
from pathlib import Path
import resource
from tempfile import TemporaryDirectory
from time import monotonic
from types import TracebackType

from gdl_env.engine.cache import VARIABLE
from gdl_env.engine.circuit.verifier import VARIABLE as VERIFY_VARIABLE
from gdl_env.engine.fuzzing.game_trial import run_trial
from gdl_env.engine.fuzzing.rules import GeneratedGame
from gdl_env.engine.fuzzing.trial import Trial, TrialStatus, TrialTask
from gdl_env.errors import GdlError

# Address space, most of which is never touched: compiled code and threads reserve a lot.
_MEMORY = 8 << 30
# The first trial of a process may have to compile the kernels; seconds.
_WARM_UP = 300.0
# A process is replaced after so many: what is never freed does not add up.
_MOST_TRIALS = 1000
# Beyond the time that a trial limits itself to.
_PATIENCE = 30.0
# Seconds between two looks at the processor time of a trial.
_PAUSE = 2.0


class TrialProcess:
    """Runs one trial after the other; a process that was lost is replaced.

    What engines keep on disk goes to a folder that is removed in the end: random games are of no
    use later.
    """

    def __init__(
        self,
        make: Callable[[int], GeneratedGame],
        run: Callable[[str, TrialTask], Trial] = run_trial,
    ) -> None:
        self._make = make
        self._run = run
        self._cache = TemporaryDirectory(prefix='gdl-fuzz-')
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._trials = 0

    def run(self, work: int | str, task: TrialTask) -> Trial:
        """Try a game there: one that is made from a number, or the text of one."""
        if self._trials >= _MOST_TRIALS:
            self._stop()
        pipe = self._pipe or self._start()
        limit = task.seconds + (_PATIENCE if self._trials else _WARM_UP)
        try:
            pipe.send((work, task))
            if self._wait(pipe, limit):
                result: Trial = pipe.recv()
                self._trials += 1
                return result
        except (EOFError, OSError):
            self._stop()
            remark = 'the process of the engines died'
            return Trial(TrialStatus.CRASH, signature=remark, remark=remark)
        self._stop()
        return Trial(TrialStatus.CUT, remark=f'no result after {limit:g} s')

    def _wait(self, pipe: Connection, limit: float) -> bool:
        """Wait for a result; tell whether there is one.

        The limit is processor time, since a machine may have other work, and ten times as much
        in wall-clock time, for a process that waits for ever.
        """
        assert self._process is not None and self._process.pid is not None
        number, start = self._process.pid, monotonic()
        before = _processor_time(number)
        while not pipe.poll(_PAUSE):
            if _processor_time(number) - before > limit or monotonic() - start > 10 * limit:
                return False
        return True

    def __enter__(self) -> TrialProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()
        self._cache.cleanup()

    def _stop(self) -> None:
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None

    def _start(self) -> Connection:
        context = get_context('spawn')
        self._pipe, theirs = context.Pipe()
        arguments = theirs, self._make, self._run, self._cache.name
        self._process = context.Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._trials = 0
        return self._pipe


def _processor_time(number: int) -> float:
    """Return the seconds of processor time of a process and of its children that have ended."""
    try:
        words = Path(f'/proc/{number}/stat').read_text().rpartition(')')[2].split()
    except OSError:
        # Gone: the pipe will tell.
        return 0.0
    # The fields utime, stime, cutime and cstime, counted from the one behind the name.
    return sum(map(int, words[11:15])) / os.sysconf('SC_CLK_TCK')


def _serve(
    pipe: Connection,
    make: Callable[[int], GeneratedGame],
    run: Callable[[str, TrialTask], Trial],
    cache: str,
) -> None:
    os.environ[VARIABLE] = cache
    # The stages of the circuit compiler are checked as well.
    os.environ.setdefault(VERIFY_VARIABLE, '1')
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            work, task = pipe.recv()
            try:
                text = work if isinstance(work, str) else make(work).text
            except GdlError as error:
                pipe.send(Trial(TrialStatus.INVALID, remark=str(error)))
                continue
            pipe.send(run(text, task))
