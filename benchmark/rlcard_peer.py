"""rlcard as a contestant: its game of Dou Dizhu, driven as its examples do.

It is not the same game as any of ours. It is the game of tricks, parties and hidden hands that
people who train players of card games use most.
"""

from __future__ import annotations

from random import Random

from measure import NotAvailableError, OneByOne
from rows import Row


class Doudizhu(OneByOne):
    """One game after the other, random legal actions, one call for each step."""

    def __init__(self, row: Row) -> None:
        super().__init__(row)
        try:
            import rlcard
        except ImportError:
            raise NotAvailableError('rlcard is not installed') from None
        self._version = rlcard.__version__
        self._env = rlcard.make('doudizhu', config={'seed': 1})
        self._random = Random(1)

    def facts(self) -> dict[str, object]:
        return {'version': f'rlcard {self._version}'}

    def play_one(self) -> tuple[int, float]:
        steps = 0
        state, _ = self._env.reset()
        while not self._env.is_over():
            state, _ = self._env.step(self._random.choice(list(state['legal_actions'])))
            steps += 1
        return steps, float(self._env.get_payoffs()[0])
