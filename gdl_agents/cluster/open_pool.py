"""Pools of workers by name."""

from __future__ import annotations

from gdl_agents.cluster.errors import ClusterError
from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.cluster.process_pool import ProcessPool
from gdl_agents.cluster.ray_pool import RayPool

PLACES = (ProcessPool.name, RayPool.name)


def open_pool(workers: int, on: str = ProcessPool.name, address: str = '') -> JobPool:
    """Open a pool of so many workers; `address` is that of a Ray cluster.

    Raises ClusterError for an unknown name, and if there is no such cluster.
    """
    if on == RayPool.name:
        return RayPool(workers, address)
    if on != ProcessPool.name:
        raise ClusterError(f'no pool of workers {on!r}; known: {", ".join(PLACES)}')
    if address:
        raise ClusterError(f'an address of a Ray cluster is for {RayPool.name}, not for {on}')
    return ProcessPool(workers)
