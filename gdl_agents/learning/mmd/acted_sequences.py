"""Sequences that actors collect: in place of a collector of the trainer's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdl_agents.learning.actors.rounds import ActorRounds
from gdl_agents.learning.mmd.actor import PlayedSequences
from gdl_agents.learning.mmd.networks import PolicyNetwork
from gdl_agents.learning.mmd.sequences import Sequences, join_sequences


class ActedSequences:
    """Has actors play, and holds what they have played until it is taken."""

    def __init__(
        self, rounds: ActorRounds[PlayedSequences], count_updates: Callable[[], int]
    ) -> None:
        self._rounds = rounds
        self._count_updates = count_updates
        self._ended: list[Sequences] = []
        self._rewards: list[float] = []

    @property
    def waiting(self) -> int:
        """Return the decisions of games that have ended and were not taken yet."""
        return sum(games.decisions for games in self._ended)

    def tick(self, network: PolicyNetwork) -> None:
        """Take what actors have played in a round."""
        for part in self._rounds.play(dict(network.state_dict()), self._count_updates()):
            self._rewards += part.rewards
            if part.games is not None:
                self._ended.append(part.games)

    def take_rewards(self, *, is_row: bool) -> list[float]:
        """Return what the first role got since the last row of metrics; forget it with a row."""
        rewards = self._rewards
        if is_row:
            self._rewards = []
        return rewards

    def take(self) -> Sequences:
        """Return all games that have ended, and forget them."""
        found = join_sequences(self._ended)
        self._ended = []
        return found

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are."""
        ended = [join_sequences(self._ended)] if self._ended else []
        return {
            'rounds': self._rounds.to_tree(),
            'ended': [vars(one) for one in ended],
            'rewards': list(self._rewards),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self._rounds.restore(tree['rounds'])
        self._ended = [Sequences(**one) for one in tree['ended']]
        self._rewards = list(tree['rewards'])
