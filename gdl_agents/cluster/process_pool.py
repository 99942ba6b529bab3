"""Workers on this machine: processes, replaced when they are lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
import os
from queue import SimpleQueue
import signal
from typing import Any

from gdl_agents.cluster.errors import ClusterError, WorkerLostError
from gdl_agents.cluster.job import JobResult, run_job
from gdl_agents.cluster.job_pool import JobPool


class ProcessPool(JobPool):
    """Runs jobs in processes of their own, as many as there are workers."""

    name = 'processes'

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self._all = [_Worker() for _ in range(workers)]
        self._free: SimpleQueue[_Worker] = SimpleQueue()
        for worker in self._all:
            self._free.put(worker)
        self._is_stopped = False

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> JobResult:
        """Run a job in a process that is free. Raises WorkerLostError."""
        worker = self._free.get()
        try:
            if self._is_stopped:
                raise ClusterError('the workers were stopped')
            return worker.call(function, arguments)
        except WorkerLostError as error:
            if self._is_stopped:
                raise ClusterError('the workers were stopped') from error
            raise
        finally:
            self._free.put(worker)

    def stop(self) -> None:
        """End all processes, whatever they do."""
        self._is_stopped = True
        for worker in self._all:
            worker.kill()

    @property
    def process_ids(self) -> list[int]:
        """Return the numbers of the processes that run now."""
        return [
            worker.process.pid for worker in self._all if worker.process and worker.process.pid
        ]


class _Worker:
    """A process that runs one job after the other; a new one after it was lost."""

    def __init__(self) -> None:
        self.process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> JobResult:
        pipe = self._pipe or self._start()
        try:
            pipe.send((function, arguments))
            result: JobResult = pipe.recv()
        except (EOFError, OSError) as error:
            self._forget()
            raise WorkerLostError('a worker process has died') from error
        return result

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def _forget(self) -> None:
        assert self.process is not None and self._pipe is not None
        self._pipe.close()
        self.process.kill()
        self.process.join()
        self.process = self._pipe = None

    def _start(self) -> Connection:
        # Not a fork: threads are running here.
        context = get_context('spawn')
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        return self._pipe


def _serve(pipe: Connection) -> None:
    # Ctrl-C is for the process that waits for the results.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Workers share the cores: threads of each would wait for those of the others.
    os.environ['OMP_NUM_THREADS'] = '1'
    with suppress(EOFError, OSError):
        while True:
            function, arguments = pipe.recv()
            pipe.send(run_job(function, arguments))
