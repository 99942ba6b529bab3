"""What learning raises."""

from __future__ import annotations

from gdl_agents.errors import AgentError


class LearningError(AgentError):
    """Something cannot be learned, or what was learned cannot be used."""


class ConfigError(LearningError):
    """An option of training has no such value, or there is no such option."""


class RunError(LearningError):
    """The folder of a run is missing, taken, damaged or of another kind."""
