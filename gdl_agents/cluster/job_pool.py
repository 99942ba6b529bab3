"""The contract of pools of workers, and what all of them do: lost jobs are run again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from types import TracebackType
from typing import Any, TypeVar

from gdl_agents.cluster.errors import ClusterError, WorkerLostError
from gdl_agents.cluster.job import JobResult, run_job

# A job that takes so many workers with it is not given to another.
_MOST_LOSSES = 5

R = TypeVar('R')


class JobPool(ABC):
    """Runs functions of modules with arguments that can be pickled.

    A job may run anywhere, and more than once if its worker is lost: its result must follow from
    its arguments alone.
    """

    # Where jobs run, as in the option `--on`.
    name: str

    def __init__(self, workers: int) -> None:
        self.workers = workers
        # Jobs that were run again, since their worker was lost.
        self.repeated = 0
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix='job')

    def submit(self, function: Callable[..., R], *arguments: Any) -> Future[R]:
        """Run a job when a worker is free. The result raises ClusterError if the job failed."""
        return self._threads.submit(self._run, function, arguments)

    def map(self, function: Callable[..., R], jobs: Iterable[tuple[Any, ...]]) -> list[R]:
        """Run a job for each tuple of arguments; return the results in their order."""
        waiting = [self.submit(function, *arguments) for arguments in jobs]
        return [one.result() for one in waiting]

    def close(self) -> None:
        """End all workers; jobs that have no worker yet are dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.stop()
        self._threads.shutdown(wait=True)

    @abstractmethod
    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> JobResult:
        """Run a job on a worker, in a thread that waits for it. Raises WorkerLostError."""

    @abstractmethod
    def stop(self) -> None:
        """End all workers at once; calls that wait for them raise an error."""

    def __enter__(self) -> JobPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, function: Callable[..., R], arguments: tuple[Any, ...]) -> R:
        for _ in range(_MOST_LOSSES):
            try:
                result = self.call(function, arguments)
            except WorkerLostError:
                with self._lock:
                    self.repeated += 1
                continue
            if result.error:
                raise ClusterError(f'a job failed on its worker: {result.error}')
            value: R = result.value
            return value
        raise ClusterError(f'{_MOST_LOSSES} workers were lost with the same job: it is given up')


class InlinePool(JobPool):
    """Runs jobs in this process, one after the other, when they are submitted."""

    name = 'inline'

    def __init__(self) -> None:
        super().__init__(1)

    def submit(self, function: Callable[..., R], *arguments: Any) -> Future[R]:
        """Run a job now."""
        done: Future[R] = Future()
        try:
            done.set_result(self._run(function, arguments))
        except ClusterError as error:
            done.set_exception(error)
        return done

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> JobResult:
        """Run a job."""
        return run_job(function, arguments)

    def stop(self) -> None:
        """Do nothing: there are no workers."""
