"""Joint moves are listed one by one; listing them changes nothing."""

from __future__ import annotations

import pytest

from gdl_env.engine.registry import open_engine
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.move_log import JointMove, MoveLog
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.environment.trace import Trace
from gdl_env.language.load import open_game
from gdl_env.language.reader import read_term


def play(game: str, ticks: int, pattern: str) -> tuple[list[JointMove], list[bytes], int]:
    """Play the first legal moves; collect joint moves in ticks marked by the pattern."""
    lanes = open_lanes(open_game(game), 1)
    lanes.move_log = MoveLog(lanes.roles)
    environment = Environment(lanes, Options(seed=5))
    found = lanes.move_log.take()
    seen = []
    for tick in range(ticks):
        is_logged = pattern[tick % len(pattern)] == 'x'
        lanes.move_log = MoveLog(lanes.roles) if is_logged else None
        questions = environment.questions(with_text=True, only_decisions=True)
        environment.step(
            {
                q.role: Answer(q.tick, q.role, 'me', moves=(sorted(q.legal_moves)[0],))
                for q in questions
            }
        )
        found += lanes.move_log.take() if lanes.move_log is not None else []
        seen.append(environment.question(environment.roles[0], with_text=True).fingerprint())
    steps = environment.tallies.steps
    environment.close()
    return found, seen, steps


@pytest.mark.parametrize('game', ['tictactoe', 'pig', 'rock_paper_scissors', 'backgammon'])
def test_every_joint_move_of_a_tick_is_listed(game: str) -> None:
    moves, seen, steps = play(game, 60, 'x')
    assert len(moves) == steps
    assert all(len(step.moves) == len(moves[0].moves) and any(step.moves) for step in moves)
    episodes = [step.episode for step in moves]
    assert episodes[0] == 1 and episodes == sorted(episodes)
    # Whether anyone listens has no influence, and may change between ticks.
    for pattern in ('.', 'x..'):
        some, others, same = play(game, 60, pattern)
        assert (others, same) == (seen, steps)
        assert all(step in moves for step in some)


def test_draws_and_forced_moves_are_listed() -> None:
    ticks = 60
    moves, _, steps = play('backgammon', ticks, 'x')
    # Dice are thrown, and forced moves played, inside of ticks.
    assert len(moves) == steps > ticks


def test_a_trace_goes_on_beside_it() -> None:
    lanes = open_lanes(open_game('tictactoe'), 2)
    lanes.trace = Trace(lanes.game, lanes.roles, 2)
    lanes.move_log = MoveLog(lanes.roles)
    environment = Environment(lanes, Options(lanes=2, seed=1))
    environment.play(environment.draw())
    lines = [line for line in lanes.trace.take() if '"step"' in line.text]
    assert [line.lane for line in lines] == [0, 1]
    (step,) = lanes.move_log.take()
    assert all(text in lines[0].text for text in step.moves if text)
    environment.close()


def test_results_of_ticks_list_what_forced_moves_and_draws_did() -> None:
    """Whoever replays the joint moves of all ticks comes to the same state."""
    game = open_game('backgammon')
    environment = Environment(open_lanes(game, 1), Options(seed=5, log_moves=True))
    engine = open_engine(game)
    state, steps, ticks = engine.initial_state, 0, 20
    for _ in range(ticks):
        (question,) = environment.questions(with_text=True, only_decisions=True)
        move = sorted(question.legal_moves)[0]
        step = environment.step(
            {question.role: Answer(question.tick, question.role, 'me', moves=(move,))}
        )
        assert any(move in joint.moves for joint in step.joint_moves)
        for joint in step.joint_moves:
            pairs = zip(engine.roles, joint.moves, strict=True)
            moves = {role: read_term(text) for role, text in pairs if text}
            state, steps = engine.next_state(state, moves), steps + 1
    assert steps > ticks
    shown = environment.question(environment.roles[0], with_text=True).facts
    assert set(shown) == set(map(str, state))
    environment.close()


@pytest.mark.parametrize('plays_drawn', [False, True])
def test_arrays_of_a_tick_list_them_as_well(plays_drawn: bool) -> None:
    options = Options(seed=5, log_moves=True)
    environment = Environment(open_lanes(open_game('backgammon'), 1), options)
    listed = []
    for _ in range(20):
        arrays = environment.play_drawn() if plays_drawn else environment.play(environment.draw())
        assert arrays.joint_moves
        listed += arrays.joint_moves
    # What opened the first game counts as a step of its first tick.
    assert len(listed) == environment.tallies.steps
    environment.close()
