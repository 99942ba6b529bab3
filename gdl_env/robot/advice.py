"""What a person should do so that pieces stand as they should, in sentences."""

from __future__ import annotations

from collections.abc import Collection

from gdl_env.robot.piece_motions import CAPTURE, EXCHANGE, FLIP, PARK, Flips, Motion, plan_motions
from gdl_env.robot.positions import Place, Position, PositionReader
from gdl_env.robot.trays import Slot, Trays

# More sentences are not read.
_MOST = 6


class Adviser:
    """Puts the way from one position to another into words."""

    def __init__(self, reader: PositionReader, flips: Flips = ()) -> None:
        self._reader = reader
        self._flips = flips

    def advise(self, seen: Position, wanted: Position, unclear: Collection[Place] = ()) -> str:
        """Return what to put where; squares that are not clear have to be looked at."""
        trays = Trays(room=10_000, magazines=self._reader.pieces)
        plan = plan_motions(seen, wanted, trays, flips=self._flips)
        sentences = [self.describe(motion) for motion in plan.motions]
        sentences += [self._check(place, wanted) for place in sorted(unclear)]
        if len(sentences) > _MOST:
            left = len(sentences) - _MOST
            sentences = [*sentences[:_MOST], f'{left} more squares are wrong.']
        return ' '.join(sentences)

    def describe(self, motion: Motion) -> str:
        """Return a motion as an instruction."""
        piece = motion.piece
        if isinstance(motion.origin, Slot):
            return f'Put a {piece} on {self.spot(motion.target)}.'
        origin = self.spot(motion.origin)
        if motion.purpose == FLIP:
            return f'Turn the {piece} on {origin} over.'
        if motion.purpose in (CAPTURE, EXCHANGE):
            return f'Take the {piece} off {origin}.'
        if motion.purpose == PARK:
            return f'Put the {piece} on {origin} aside for a moment.'
        return f'Put the {piece} from {origin} on {self.spot(motion.target)}.'

    def spot(self, spot: Place | Slot) -> str:
        """Return the name of a square or a slot as people say it."""
        return spot.name.replace('_', ' ') if isinstance(spot, Slot) else self._reader.words(spot)

    def _check(self, place: Place, wanted: Position) -> str:
        pieces = wanted.get(place, ())
        should = f'a {" on a ".join(reversed(pieces))}' if pieces else 'nothing'
        return f'Check {self.spot(place)}, which is not clear: {should} should stand there.'
