"""What a camera would say of a position: right most of the time, never sure, sometimes blind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from gdl_env.robot.perception import SeenSquares
from gdl_env.robot.positions import Place, Position


@dataclass(frozen=True)
class CameraNoise:
    """How bad a camera is."""

    # The share of squares of which nothing is known in a picture.
    blind: float = 0.0
    # The share of squares on which something else is taken for more likely than what is there.
    wrong: float = 0.0
    # How likely what is taken for right is said to be, at least.
    confidence: float = 0.9


def look_at(
    position: Position,
    places: Sequence[Place],
    pieces: Sequence[str],
    noise: CameraNoise,
    random: Random,
) -> SeenSquares:
    """Return what a camera says of a position."""
    contents = [(), *((piece,) for piece in pieces)]
    seen: dict[Place, dict[tuple[str, ...], float]] = {}
    for place in places:
        if random.random() < noise.blind:
            continue
        truth = position.get(place, ())
        others = [content for content in contents if content != truth]
        other = random.choice(others)
        confidence = random.uniform(noise.confidence, 1.0)
        if random.random() < noise.wrong:
            # It is taken for something else, but not for certain.
            confidence = random.uniform(0.1, 0.45)
        seen[place] = {truth: confidence, other: 1.0 - confidence}
    return seen
