"""Pools of workers: order, errors, and jobs whose worker was lost."""

from __future__ import annotations

import math
import os
import signal
import time

import pytest

from gdl_agents.cluster.errors import ClusterError
from gdl_agents.cluster.job_pool import InlinePool, JobPool
from gdl_agents.cluster.open_pool import open_pool
from gdl_agents.cluster.process_pool import ProcessPool
from gdl_env.language.load import open_game


@pytest.mark.parametrize('pool', [InlinePool(), ProcessPool(2)], ids=['inline', 'processes'])
def test_results_are_in_the_order_of_the_jobs_and_errors_are_told(pool: JobPool) -> None:
    with pool:
        assert pool.map(math.sqrt, [(4,), (9,), (16,)]) == [2, 3, 4]
        with pytest.raises(ClusterError, match='math domain error'):
            pool.submit(math.sqrt, -1).result()
        with pytest.raises(ClusterError, match='no game'):
            pool.submit(open_game, 'no_such_game').result()
        # The worker still works.
        assert pool.submit(math.sqrt, 1).result() == 1
        assert pool.repeated == 0


def test_jobs_of_a_killed_process_are_run_again() -> None:
    with ProcessPool(1) as pool:
        first = pool.submit(os.getpid).result()
        waiting = pool.submit(time.sleep, 0.3), pool.submit(os.getpid)
        os.kill(first, signal.SIGKILL)
        assert waiting[0].result() is None
        second = waiting[1].result()
        assert (second != first, pool.repeated, pool.process_ids) == (True, 1, [second])


def test_a_job_that_kills_its_workers_is_given_up() -> None:
    with ProcessPool(1) as pool, pytest.raises(ClusterError, match='5 workers were lost'):
        pool.submit(os._exit, 3).result()


def test_closing_ends_the_processes_and_their_jobs() -> None:
    pool = ProcessPool(1)
    number = pool.submit(os.getpid).result()
    waiting = pool.submit(time.sleep, 60)
    while not waiting.running():
        time.sleep(0.01)
    pool.close()
    with pytest.raises(ClusterError, match='stopped'):
        waiting.result()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_pools_are_named() -> None:
    with pytest.raises(ClusterError, match="no pool of workers 'moon'; known: processes, ray"):
        open_pool(1, 'moon')
    with pytest.raises(ClusterError, match='for ray, not for processes'):
        open_pool(1, 'processes', '10.0.0.5:6379')
