"""What chance made of a tick, found from the rules and the states before and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.engine.explanation.drawn_moves import Steps, find_drawn_steps
from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, open_game
from gdl_env.language.reader import read_role, read_term

GAMES = Path(__file__).parents[3] / 'games'
TOSS = """(role one) (random coin 1 heads) (random coin 3 tails)
(init (left 1)) (legal one (toss coin)) (<= (next (shown ?side)) (does one (toss ?side)))
(<= terminal (true (shown ?side))) (goal one 100)"""
# Whatever comes of it, the state is the same.
BLIND = TOSS.replace('(next (shown ?side))', '(next (shown something))')


def find(game: Game, before: list[str], moves: dict[str, str], after: list[str]) -> list[object]:
    """Return the steps as text."""
    named = {read_role(role): read_term(move) for role, move in moves.items()}
    steps = find_drawn_steps(game, map(read_term, before), named, map(read_term, after))
    return as_text(steps)


def as_text(steps: Steps) -> list[object]:
    return [{str(role): str(move) for role, move in step.items()} for step in steps]


@pytest.mark.parametrize(
    ('rules', 'after', 'drawn'),
    [
        (TOSS, '(shown heads)', '(toss heads)'),
        (TOSS, '(shown tails)', '(toss tails)'),
        (BLIND, '(shown something)', '(toss coin)'),
        (TOSS, '(shown nothing)', '(toss coin)'),
        (TOSS.replace('random', 'chances'), '(shown coin)', '(toss coin)'),
    ],
)
def test_one_experiment(rules: str, after: str, drawn: str) -> None:
    game = game_from_text(rules, 'toss')
    assert find(game, ['(left 1)'], {'one': '(toss coin)'}, [after]) == [{'one': drawn}]


def test_forced_moves_are_followed() -> None:
    game = open_game('pig')
    recording = next(iter(read_recordings(GAMES / 'pig.recording.jsonl')))
    steps = recording.steps[:40]
    holds = [n for n, step in enumerate(steps[:-1]) if 'hold' in map(str, step.moves.values())]
    assert holds
    for number in holds[:4]:
        # Whoever is next has to roll, and is not asked.
        tick = [{str(r): str(m) for r, m in s.moves.items()} for s in steps[number : number + 2]]
        before, after = (list(map(str, steps[n].state or ())) for n in (number - 1, number + 1))
        assert find(game, before, tick[0], after) == tick
