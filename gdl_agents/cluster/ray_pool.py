"""Workers on a Ray cluster: one that exists, or one that is started on this machine."""

from __future__ import annotations

from collections.abc import Callable
import logging
import os
from typing import Any

from gdl_agents.cluster.errors import ClusterError, WorkerLostError
from gdl_agents.cluster.job import JobResult, run_job
from gdl_agents.cluster.job_pool import JobPool
from gdl_env.requirements import RAY, require

# Where a cluster is, if `--ray-address` does not say.
_ADDRESS = 'RAY_ADDRESS'


class RayPool(JobPool):
    """Runs jobs as tasks of Ray, each on a core of any machine of the cluster.

    Machines may join and leave at any time. Each needs this package, in the same version.
    """

    name = 'ray'

    def __init__(self, workers: int, address: str = '') -> None:
        """Join the cluster at an address, or start one with so many workers.

        Raises MissingPackageError without Ray, ClusterError if there is no such cluster.
        """
        require('--on ray', RAY)
        # Of a cluster that is started here: no statistics for others, and workers that give way no
        # more than this process does.
        os.environ.setdefault('RAY_USAGE_STATS_ENABLED', '0')
        os.environ.setdefault('RAY_worker_niceness', '0')
        os.environ.setdefault('RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO', '0')
        import ray

        super().__init__(workers)
        self._ray = ray
        address = address or os.environ.get(_ADDRESS, '')
        joined = {'address': address} if address else {'num_cpus': workers, 'address': 'local'}
        try:
            ray.init(
                **joined,
                include_dashboard=None if address else False,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            place = address or 'this machine'
            raise ClusterError(f'no Ray cluster at {place}: {error}') from error
        # Tasks are repeated by the pool, which counts them. They spread over all machines.
        self._task = ray.remote(run_job).options(
            num_cpus=1, max_retries=0, scheduling_strategy='SPREAD'
        )

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> JobResult:
        """Run a job on any core of the cluster. Raises WorkerLostError, ClusterError."""
        errors = self._ray.exceptions
        try:
            result: JobResult = self._ray.get(self._task.remote(function, arguments))
        except errors.RayTaskError as error:
            raise ClusterError(f'a job failed on its worker: {error}') from error
        except errors.RayError as error:
            if not self._ray.is_initialized():
                raise ClusterError('the cluster was left') from error
            raise WorkerLostError(f'a worker of the cluster was lost: {error}') from error
        return result

    def stop(self) -> None:
        """Leave the cluster, or end the one that was started."""
        self._ray.shutdown()
