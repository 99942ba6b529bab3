"""The facts that a message to spectators holds."""

from __future__ import annotations

from gdl_msgs.msg import Spectator
import numpy as np

from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term


def read_spectator(seen: Spectator, facts: list[Term]) -> list[Term]:
    """Return the facts of lane 0: as text, or else by the table of `info`."""
    if seen.facts:
        return [read_term(text) for text in seen.facts]
    width = -(-len(facts) // 8)
    row = np.frombuffer(seen.observation, np.uint8)[:width]
    bits = np.unpackbits(row, bitorder='little')[: len(facts)]
    return [facts[index] for index in np.flatnonzero(bits)]
