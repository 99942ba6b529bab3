"""Random walks that compare two engines wherever they come."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from gdl_env.engine.contract import Engine, Moves, State
from gdl_env.engine.verification.comparison import Comparison, Disagreement
from gdl_env.errors import EngineError, EngineLimitError
from gdl_env.language.game import Turns

# A walk that does not end by then starts again: other beginnings show more.
_LONGEST_WALK = 500


class Walker:
    """Walks at random, comparing whatever it meets."""

    def __init__(
        self, comparison: Comparison, random: Random, longest: int = _LONGEST_WALK
    ) -> None:
        self.comparison = comparison
        self.longest = longest
        # What was compared already; its steps are still different ones.
        self.seen: set[State] = set()
        self._random = random

    def run(self) -> Iterator[Disagreement | None]:
        """Walk forever; yield for each state what was found there. Raises EngineLimitError."""
        difference = self.comparison.compare_start()
        if difference is not None:
            yield Disagreement((), difference)
            return
        while True:
            yield from self.walk()

    def walk(self) -> Iterator[Disagreement | None]:
        """Walk once from the initial state, up to a disagreement or an end."""
        comparison, state = self.comparison, self.comparison.second.initial_state
        steps: tuple[Moves, ...] = ()
        while True:
            difference = None
            if state not in self.seen:
                difference = comparison.compare_state(state)
                self.seen.add(state)
            moves = None
            if difference is None and len(steps) < self.longest:
                moves = choose_step(comparison.second, state, self._random)
            if moves is not None:
                steps = (*steps, moves)
                difference = comparison.compare_step(state, moves)
            if difference is not None:
                yield Disagreement(steps, difference)
                return
            yield None
            if moves is None:
                return
            state = comparison.second.next_state(state, moves)


def choose_step(engine: Engine, state: State, random: Random) -> Moves | None:
    """Return a random step, or None where the game is over or the rules have no answer.

    Raises EngineLimitError.
    """
    try:
        if engine.is_terminal(state):
            return None
        actors = engine.actors(state)
        if not actors:
            return None
        if engine.game.turns is Turns.SERIAL:
            actors = (random.choice(actors),)
        legal = engine.legal_moves(state)
        moves = {}
        for role in actors:
            outcomes = engine.outcomes(state, random.choice(legal[role]))
            if not outcomes:
                return None
            # Rare events as often as others: they are as likely to be wrong.
            moves[role] = random.choice(outcomes).value
    except EngineLimitError:
        raise
    except EngineError:
        # Both engines cannot answer: that was compared.
        return None
    return moves
