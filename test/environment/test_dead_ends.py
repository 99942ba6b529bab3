"""Episodes that come to a dead end end with an error: the rules leave nobody a move."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.errors import DeadEndError
from gdl_env.language.load import game_from_text

# Who steps into the trap has no move any more.
TRAP = """
(role walker)
(init (at start))
(<= (legal walker (go ?place)) (true (at start)) (place ?place))
(place trap) (place goal)
(<= (next (at ?place)) (does walker (go ?place)))
(<= terminal (true (at goal)))
(goal walker 100)
"""


@pytest.mark.parametrize('engine', ['circuit', 'firstorder'])
@pytest.mark.parametrize('lanes', [3, 100])
def test_a_dead_end_is_an_error(engine: str, lanes: int) -> None:
    environment = Environment.open(game_from_text(TRAP), Options(lanes=lanes, seed=1), engine)
    with pytest.raises(DeadEndError) as error:
        for _ in range(20):
            environment.play(environment.draw())
    assert str(error.value).splitlines() == [
        'text: a dead end: no role has a move, but the game is not over in the state',
        '  (at trap)',
        'which is reached by',
        '  1. walker: (go trap)',
    ]


def test_a_dead_end_is_found_however_many_episodes_were_cut_before() -> None:
    """Nearly all episodes are too long; at last one is not."""
    rules = """
    (role walker)
    (init (at start))
    (<= (legal walker wait) (true (at start)))
    (<= (legal walker fall) (true (at start)))
    (<= (next (at start)) (does walker wait))
    (<= (next (at pit)) (does walker fall))
    (<= terminal (true (at goal)))
    (goal walker 100)
    """
    environment = Environment.open(game_from_text(rules), Options(lanes=70, max_steps=1))
    moves = environment.game.moves(0, 0)
    given = np.full(70, moves['wait'], np.int32)
    for _ in range(5):
        assert environment.play(given).truncated.all()
    # The limit of steps would cut it off in the same tick.
    given[69] = moves['fall']
    with pytest.raises(DeadEndError, match=r'\(at pit\)'):
        environment.play(given)


def test_episodes_that_are_too_long_are_no_dead_ends() -> None:
    rules = TRAP.replace('(true (at start)) (place ?place)', '(place ?place)')
    environment = Environment.open(game_from_text(rules), Options(lanes=3, max_steps=2))
    cut = 0
    for _ in range(20):
        cut += int(environment.play(environment.draw()).truncated.sum())
    assert cut > 1
