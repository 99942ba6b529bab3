"""An engine that hands over to another one where its numbers end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from gdl_env.engine.contract import Engine, Move, Moves, Outcome, Playout, Role, State
from gdl_env.errors import NumberRangeError
from gdl_env.language.terms import Term

Answer = TypeVar('Answer')


class FallbackEngine(Engine):
    """Asks the first engine until a number is too large for it, and from then on the second.

    Engines keep no state, so the question that failed is simply asked again.
    """

    def __init__(self, first: Engine, open_second: Callable[[], Engine]) -> None:
        super().__init__(first.game)
        self.name = first.name
        self.passed_over = first.passed_over
        self._engine = first
        self._open_second: Callable[[], Engine] | None = open_second

    @property
    def roles(self) -> tuple[Role, ...]:
        return self._ask(lambda engine: engine.roles)

    @property
    def initial_state(self) -> State:
        return self._ask(lambda engine: engine.initial_state)

    def is_terminal(self, state: State) -> bool:
        return self._ask(lambda engine: engine.is_terminal(state))

    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        return self._ask(lambda engine: engine.legal_moves(state))

    def goals(self, state: State) -> Mapping[Role, int | None]:
        return self._ask(lambda engine: engine.goals(state))

    def next_state(self, state: State, moves: Moves) -> State:
        return self._ask(lambda engine: engine.next_state(state, moves))

    def percepts(self, state: State, moves: Moves) -> Mapping[Role, frozenset[Term]]:
        return self._ask(lambda engine: engine.percepts(state, moves))

    def experiments(self, state: State) -> Mapping[str, tuple[Outcome, ...]]:
        return self._ask(lambda engine: engine.experiments(state))

    def playouts(self, count: int, seed: int, max_steps: int) -> Iterator[Playout]:
        # All games by one engine: the two draw different random numbers.
        return iter(self._ask(lambda engine: list(engine.playouts(count, seed, max_steps))))

    def size(self) -> str:
        return self._engine.size()

    def close(self) -> None:
        self._engine.close()

    def _ask(self, question: Callable[[Engine], Answer]) -> Answer:
        try:
            return question(self._engine)
        except NumberRangeError as error:
            if self._open_second is None:
                raise
            second = self._open_second()
            self.passed_over = (*self.passed_over, (self._engine.name, str(error)))
            self.name = second.name
            self._engine.close()
            self._engine, self._open_second = second, None
            return question(second)
