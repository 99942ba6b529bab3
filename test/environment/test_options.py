"""Illegal answers, broken-off episodes, quotas, policies; and options that make no sense."""

from __future__ import annotations

from lane_cases import (
    FORCED,
    SERIAL,
    SHORT_OR_LONG,
    action_of,
    answer,
    choose_all,
    opened,
    small,
)
import numpy as np
import pytest

from gdl_env.engine.mapping import EncodingError
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Illegal, Options, OptionsError, Policy
from gdl_env.environment.protocol import Answer, Origin
from gdl_env.importing import HookError


def take_centre(environment: Environment) -> int:
    """Let x take a field, and return its action: illegal from now on."""
    action = action_of(environment, 'x', '(mark 2 2)')
    environment.step(answer(environment, 'x', action))
    return action


def test_illegal_answer_ends_the_game() -> None:
    environment = opened('tictactoe', illegal=Illegal.END)
    step = environment.step(answer(environment, 'o', take_centre(environment)))
    assert step.feedback['o'].terminated.all()
    assert step.feedback['o'].origin[0] == Origin.ILLEGAL
    assert step.feedback['o'].reward[0] == -10
    assert step.feedback['x'].reward[0] == 0
    assert step.feedback['x'].goal[0] == 255
    assert environment.tallies.unscored == environment.tallies.finished == 1
    assert environment.tallies['o'].illegal == 1
    assert environment.episode[0] == 2


@pytest.mark.parametrize('illegal', [Illegal.RANDOM, Illegal.BEST])
def test_illegal_answer_becomes_a_random_move(illegal: Illegal) -> None:
    environment = opened('tictactoe', lanes=64, illegal=illegal)
    mark = action_of(environment, 'x', '(mark 2 2)')
    environment.step(answer(environment, 'x', *[mark] * 64))
    step = environment.step(answer(environment, 'o', *[mark] * 64))
    played = step.feedback['o'].action
    assert mark not in played
    assert len(set(played.tolist())) > 4
    assert (step.feedback['o'].origin == Origin.ILLEGAL).all()
    assert not step.feedback['o'].reward.any()


def test_illegal_answer_becomes_what_the_agent_prefers() -> None:
    environment = opened('tictactoe', illegal=Illegal.BEST)
    illegal = take_centre(environment)
    worth = np.arange(9, dtype=np.float32)[None, :].copy()
    worth[0, illegal] = 100
    worth[0, 8] = np.nan
    given = answer(environment, 'o', illegal, preference=worth)
    assert environment.step(given).feedback['o'].action[0] == 7


def test_replaced_move_at_a_broken_off_end_is_no_loss() -> None:
    environment = opened('tictactoe', max_steps=2)
    step = environment.step(answer(environment, 'o', take_centre(environment)))
    assert step.feedback['o'].truncated.all()
    assert step.feedback['o'].reward[0] == 0


@pytest.mark.parametrize('lanes', [1, 70])
def test_episodes_are_broken_off(lanes: int) -> None:
    environment = opened('connect_four', lanes=lanes, max_steps=3)
    chance = np.random.default_rng(0)
    for tick in range(1, 10):
        step = environment.step(choose_all(environment, chance))
        feedback = next(iter(step.feedback.values()))
        assert feedback.truncated.all() == (tick % 3 == 0)
        assert not feedback.terminated.any()
        assert (feedback.final_observation is not None) == (tick % 3 == 0)
    assert environment.tallies.unscored == 3 * lanes
    assert environment.tallies.steps == 9 * lanes


@pytest.mark.parametrize(('episodes', 'shares'), [(10, [3, 3, 2, 2]), (3, [1, 1, 1, 0])])
def test_each_lane_plays_its_share(episodes: int, shares: list[int]) -> None:
    environment = opened(small(SHORT_OR_LONG), lanes=4, episodes=episodes, seed=3)
    ended = np.zeros(4, np.int64)
    while not environment.is_finished:
        ended += environment.step({}).ended
    assert ended.tolist() == shares
    assert environment.tallies.finished == episodes
    assert not environment.awaited
    step = environment.step({})
    assert not step.ended.any()
    assert environment.tallies.finished == episodes


def test_short_games_are_not_favoured() -> None:
    environment = opened(small(SHORT_OR_LONG), lanes=500, episodes=1000)
    environment.set_policy('r', Policy.RANDOM)
    while not environment.is_finished:
        environment.step({})
    # One game in three stops at once, the others take six steps.
    mean = environment.tallies.steps / 1000
    assert mean == pytest.approx((1 + 2 * 6) / 3, abs=0.25)


def test_policies() -> None:
    environment = opened('tictactoe', lanes=3)
    environment.set_policy('x', Policy.LEGAL)
    environment.set_policy('o', Policy.RANDOM)
    assert environment.awaited == ()
    step = environment.step({})
    assert step.feedback['x'].action.tolist() == [0, 0, 0]
    assert (step.feedback['x'].origin == Origin.ENVIRONMENT).all()
    environment.step({})
    environment.set_policy('x', Policy.AGENT)
    assert environment.awaited == ('x',)
    while environment.tallies.finished == 0:
        environment.step(choose_all(environment, np.random.default_rng(1)))
    assert environment.tallies['o'].strikes == 0


def test_answers_as_text() -> None:
    environment = opened('tictactoe', lanes=2)
    moves = ('(MARK  1 1)', '')
    step = environment.step({'x': Answer(environment.tick_of('x'), 'x', 'test', moves=moves)})
    assert step.moves[0] == '(mark 1 1)'
    assert step.feedback['x'].origin.tolist() == [Origin.AGENT, Origin.LATE]
    moves = ('(mark 1 1)', ')')
    step = environment.step({'o': Answer(environment.tick_of('o'), 'o', 'test', moves=moves)})
    assert step.feedback['o'].origin.tolist() == [Origin.ILLEGAL, Origin.ILLEGAL]


def test_games_without_decisions_are_played_one_a_tick() -> None:
    environment = opened(small(FORCED), lanes=50)
    assert environment.awaited == ()
    goals = []
    for _ in range(20):
        step = environment.step({})
        assert step.ended.all()
        goals.append(step.feedback['r'].goal)
    assert 0.3 < (np.concatenate(goals) == 100).mean() < 0.7


def test_view_of_those_who_wait_is_told_when_it_changed() -> None:
    environment = opened('tictactoe')
    assert [q.role for q in environment.questions()] == ['x', 'o']
    assert [q.role for q in environment.questions()] == ['x']
    environment.step(choose_all(environment, np.random.default_rng(0)))
    # Who decides comes first.
    assert [(q.role, q.is_decision) for q in environment.questions()] == [
        ('o', True),
        ('x', False),
    ]
    assert [q.role for q in environment.questions(only_decisions=True)] == ['o']


@pytest.mark.parametrize(
    ('options', 'error', 'message'),
    [
        ({'lanes': 0}, OptionsError, 'lanes must be 1 or more, not 0'),
        ({'seed': -1}, OptionsError, 'seed must be 0 or more'),
        ({'episodes': -1}, OptionsError, 'episodes must be'),
        ({'max_steps': -5}, OptionsError, 'max_steps must be'),
        ({'reward': 'gold'}, HookError, "no reward 'gold'; rewards: goal"),
        ({'reward': 'no_such_module:f'}, HookError, 'no_such_module'),
        ({'reward': 'math:no_such_name'}, HookError, 'there is no no_such_name in math'),
        ({'reward': 'math:pi'}, HookError, 'neither a Reward nor a function'),
        ({'turn': 'left'}, HookError, "no turn rule 'left'; rules: rotate"),
        ({'turn': 'math:pi'}, HookError, 'cannot be called'),
        ({'turn': ':'}, HookError, 'names no code'),
    ],
)
def test_options_that_make_no_sense(
    options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        opened('tictactoe', **options)


def test_game_without_a_mapping_is_played_by_text_in_one_lane(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(game: object, name: str) -> None:
        raise EncodingError('no table')

    monkeypatch.setattr('gdl_env.environment.lanes.open_lanes.open_encoding', refuse)
    game = small(SERIAL)
    with pytest.raises(OptionsError, match='can only be played in one lane, not 2: no table'):
        open_lanes(game, 2)
    with pytest.raises(EncodingError):
        open_lanes(game, 1, mapping='typed')
    environment = Environment.open(game, Options(illegal=Illegal.END))
    question = environment.question('ann', with_text=True)
    assert question.observation is None
    assert set(question.legal_moves) == {'(say yes)', '(say no)', 'noop'}
    given = Answer(environment.tick_of('ann'), 'ann', 'test', moves=('(say no)',))
    step = environment.step({'ann': given})
    assert step.moves == ('(say no)', '')
    assert '(said ann 0)' in environment.question('ben', with_text=True).facts
    step = environment.step({})
    assert step.feedback['ben'].origin[0] == Origin.LATE
    assert step.moves[1] in {'(say yes)', '(say no)', 'noop'}
    environment.reset()
    environment.step({})
    given = Answer(environment.tick_of('ben'), 'ben', 'test', moves=('(say maybe)',))
    assert environment.step({'ben': given}).feedback['ben'].reward[0] == -10


def test_number_of_lanes_must_fit() -> None:
    with pytest.raises(OptionsError, match='3 lanes wanted, 2 opened'):
        Environment(open_lanes(small(SERIAL), 2), Options(lanes=3))
