"""What a snapshot of a sequence player holds."""

from __future__ import annotations

from typing import ClassVar

from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.sequence.networks import SequenceNetwork, build_sequence


class SequenceModel(MmdModel):
    """A sequence network as a value; `build` makes it live."""

    kind: ClassVar[str] = 'gdl sequence'
    algorithm: ClassVar[str] = 'sequence'

    def make_network(self) -> SequenceNetwork:
        """Return a network for these weights."""
        # How sharp it plays is one of the weights.
        return build_sequence(self.spec, self.shape, len(self.roles), 0.0, seed=0)
