"""What goes wrong with workers."""

from __future__ import annotations

from gdl_agents.errors import AgentError


class ClusterError(AgentError):
    """Workers cannot be had, or a job failed on them."""


class WorkerLostError(ClusterError):
    """A worker was lost before its job was done."""
