"""Check that a game can be played: by random matches, on the engine that would run it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from random import Random

from gdl_env.engine.contract import Engine
from gdl_env.engine.dead_ends import DeadEnd
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import AUTO, open_engine
from gdl_env.language.game import Game, Turns
from gdl_env.language.load import game_from_text, open_game
from gdl_env.testing.errors import ConformanceError


def check_game(
    game: Game | str,
    *,
    engine: Engine | str = AUTO,
    matches: int = 5,
    seed: int = 0,
    max_steps: int = 3000,
    sum_of_goals: int | None = None,
) -> None:
    """Play a game at random, and check what every player relies on.

    `game` is a game, or its name or path; `engine` an engine of it, or a name. Every state that is
    not terminal has a legal move, every match ends within `max_steps` steps, and every role but
    `random` then has a goal from 0 to 100; with `sum_of_goals`, the goals add up to it. The text
    of the game is the same game.
    Raises ConformanceError; GdlError if the rules have errors or no engine can run them.
    """
    game = open_game(game) if isinstance(game, str) else game
    if game_from_text(game.text) != game:
        raise ConformanceError(f'{game.name}: its text is another game than itself')
    # An engine that was handed over stays open.
    opening: AbstractContextManager[Engine] = (
        open_engine(game, engine) if isinstance(engine, str) else nullcontext(engine)
    )
    with opening as opened:
        for number in range(seed, seed + matches):
            match = _play_match(opened, number, max_steps)
            _check_goals(match, f'{game.name}, match with seed {number}', sum_of_goals)


def _play_match(engine: Engine, seed: int, max_steps: int) -> Interpreter:
    """Play at random to the end. Raises ConformanceError if there is none."""
    random = Random(seed)
    match = Interpreter(engine, seed)
    while not match.is_terminal:
        actors = match.actors()
        if not actors:
            raise ConformanceError(f'{engine.game.name}: {DeadEnd.of_match(match)}')
        if len(match.history) >= max_steps:
            raise ConformanceError(
                f'{engine.game.name}, match with seed {seed}: not over after {max_steps} steps'
            )
        if engine.game.turns is Turns.SERIAL:
            actors = (random.choice(actors),)
        match.step({role: random.choice(match.legal_moves(role)) for role in actors})
    return match


def _check_goals(match: Interpreter, where: str, total: int | None) -> None:
    goals: dict[str, int] = {}
    for role, goal in match.goals().items():
        if goal is None or not 0 <= goal <= 100:
            raise ConformanceError(f'{where}: the goal of {role} is {goal}, not 0 to 100')
        goals[str(role)] = goal
    if total is not None and sum(goals.values()) != total:
        listed = ', '.join(f'{role} {goal}' for role, goal in goals.items())
        raise ConformanceError(f'{where}: goals do not add up to {total}: {listed}')
