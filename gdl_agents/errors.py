"""What agents raise."""

from __future__ import annotations

from gdl_env.errors import GdlError


class AgentError(GdlError):
    """An agent cannot play, or cannot answer this question."""


class UnknownAgentError(AgentError):
    """There is no agent of this name, or it cannot be loaded."""


class LateError(AgentError):
    """The time to answer was up before there was an answer."""


class LeaveError(AgentError):
    """The agent leaves the match, as it was told to; that is no failure."""


class StoppedError(AgentError):
    """The agent can no longer play, such as one whose arm has failed: its node ends with 1."""


class TakeBackError(AgentError):
    """The agent wants its last move back instead of answering; that is no failure."""
