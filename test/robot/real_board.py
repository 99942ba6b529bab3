"""Games on real boards, for tests: positions as the rules have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from gdl_env.engine.contract import Engine, State
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.mapping import open_encoding
from gdl_env.engine.registry import open_engine
from gdl_env.environment.match_info import describe_game
from gdl_env.language.game import Turns
from gdl_env.language.load import open_game
from gdl_env.language.reader import read_term
from gdl_env.robot.positions import PositionReader


@dataclass
class RealBoard:
    """A game with the reader of its positions."""

    engine: Engine
    reader: PositionReader

    def play(self, *moves: str, state: State | None = None) -> State:
        """Return the state after moves, each of the role whose turn it is."""
        state = self.engine.initial_state if state is None else state
        for text in moves:
            move = read_term(text)
            (role,) = (r for r, legal in self.engine.legal_moves(state).items() if move in legal)
            state = self.engine.next_state(state, {role: move})
        return state


@cache
def open_board(name: str) -> RealBoard:
    """Return a game, the same one each time: opening a large one takes seconds."""
    game = open_game(name)
    engine = open_engine(game)
    facts = describe_game(game, open_encoding(game), engine.roles).facts
    return RealBoard(engine, PositionReader(game, name, facts))


def random_steps(
    board: RealBoard, seed: int, longest: int
) -> Iterator[tuple[State, Mapping[str, str], State]]:
    """Yield states before, moves and states after, of a game of random moves."""
    match, random = Interpreter(board.engine, seed), Random(seed)
    match.reset(seed)
    for _ in range(longest):
        actors = match.actors()
        if not actors:
            return
        if board.engine.game.turns is Turns.SERIAL:
            actors = (random.choice(actors),)
        before = match.state
        step = match.step({role: random.choice(match.legal_moves(role)) for role in actors})
        yield before, {str(r): str(m) for r, m in step.played.items()}, step.state
