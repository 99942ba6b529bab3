"""What a worker does: run a function, and say what went wrong in a form that travels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import traceback
from typing import Any

from gdl_env.errors import GdlError


@dataclass(frozen=True)
class JobResult:
    """The result of a job: a value, or an error in words.

    Exceptions themselves do not travel: not all of them can be rebuilt in another process.
    """

    value: Any = None
    error: str = ''


def run_job(function: Callable[..., Any], arguments: tuple[Any, ...]) -> JobResult:
    """Run a job. Never raises."""
    try:
        return JobResult(function(*arguments))
    except GdlError as error:
        return JobResult(error=str(error) or type(error).__name__)
    except Exception:
        return JobResult(error=traceback.format_exc())
