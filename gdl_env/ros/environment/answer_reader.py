"""Answers as they arrive on a topic: unpacked and checked, before anything else reads them."""

from __future__ import annotations

from gdl_env.environment.protocol import Answer, MatchInfo
from gdl_env.ros.environment.complaints import LONGEST_NAME
from gdl_env.ros.transport.cdr import unpack_answer
from gdl_env.ros.transport.messages import WireError


def read_answer(data: bytes, info: MatchInfo) -> Answer:
    """Return the answer in a message. Raises WireError for one that cannot be read or logged."""
    answer = unpack_answer(data, info)
    if len(answer.agent) > LONGEST_NAME:
        raise WireError(f'{answer.agent[:20]}…: a name of {len(answer.agent)} characters')
    if not answer.agent.isprintable():
        raise WireError(f'{answer.agent!r}: a name that cannot be printed')
    return answer
