"""The random and the legal agent: legal, reproducible, fair."""

from contextlib import nullcontext
from unittest import mock

from agent_questions import MOVES, ask, ask_one, ask_text, make_info, make_text_info
from hypothesis import given, settings
from hypothesis.extra.numpy import array_shapes, arrays
from hypothesis.strategies import integers
import numpy as np
import pytest

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.players import picking
from gdl_agents.players.draws import derive_seed
from gdl_agents.players.legal import LegalAgent
from gdl_agents.players.picking import pick_first, pick_random, pick_random_rows
from gdl_agents.players.random import RandomAgent
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import NO_ACTION
from gdl_env.play.plain_chance import draw_below


def begun(agent: Agent, seed: int = 1) -> Agent:
    agent.begin(make_info(), ('x',), seed)
    return agent


def no_kernels(module: str, rows: int) -> None:
    """Do as if numba were not worth it."""


masks = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=40))


@pytest.mark.parametrize('is_compiled', [True, False])
@settings(deadline=None)  # the first call may compile
@given(legal=masks, key=integers(0, 2**64 - 1))
def test_picks_agree_with_a_plain_loop(legal: np.ndarray, key: int, is_compiled: bool) -> None:
    question = ask(legal)
    rows = [np.flatnonzero(row) for row in legal]
    first = [row[0] if len(row) else NO_ACTION for row in rows]
    drawn = [
        row[draw_below(key, lane, len(row))] if len(row) else -1 for lane, row in enumerate(rows)
    ]
    # Without numba, as a node with few lanes picks.
    patch = (
        nullcontext() if is_compiled else mock.patch.object(picking, 'find_kernels', no_kernels)
    )
    with patch:
        assert pick_first(question).tolist() == first
        assert pick_random(question, key).tolist() == drawn
        assert pick_random_rows(Bits.pack(legal), key).tolist() == drawn


@pytest.mark.parametrize('size', [63, 64, 65, 71, 72, 128, 200, 1_030])
def test_every_action_of_a_long_mask_is_as_likely(size: int) -> None:
    rows = np.zeros((30_000, size), np.bool_)
    legal = [0, size // 2, size - 2, size - 1]
    rows[:, legal] = True
    picked, counts = np.unique(pick_random_rows(Bits.pack(rows), 5), return_counts=True)
    assert picked.tolist() == legal
    # Five standard deviations.
    assert abs(counts - 7_500).max() < 5 * 75


@pytest.mark.parametrize('size', [65, 100, 151, 256, 500, 512, 513])
def test_picks_of_long_masks_agree_with_a_plain_loop(size: int) -> None:
    legal = np.random.default_rng(size).random((300, size)) < 0.1
    legal[7] = False
    drawn = [
        row[draw_below(3, place, len(row))] if len(row) else -1
        for place, row in enumerate(map(np.flatnonzero, legal))
    ]
    assert pick_random_rows(Bits.pack(legal), 3).tolist() == drawn


def test_rows_that_do_not_lie_side_by_side() -> None:
    legal = Bits.pack(np.eye(70, dtype=np.bool_))
    wide = np.full((140, 18), 255, np.uint8)
    wide[::2, :9] = legal.data
    picked = pick_random_rows(Bits(wide[::2, :9], 70), 1)
    assert picked.tolist() == list(range(70))


@settings(deadline=None)
@given(masks)
def test_answers_are_legal_wherever_something_is_to_be_decided(legal: np.ndarray) -> None:
    question = ask(legal)
    for agent in (begun(RandomAgent()), begun(LegalAgent())):
        answer = agent.choose(question)
        assert (answer.tick, answer.role) == (1, 'x')
        assert answer.action is not None
        assert answer.action.dtype == np.int32
        decided = answer.action != NO_ACTION
        np.testing.assert_array_equal(decided, question.to_move)
        assert legal[np.flatnonzero(decided), answer.action[decided]].all()


def test_lanes_without_a_decision_are_left_out() -> None:
    question = ask(np.ones((2, 9), np.bool_), to_move=np.array([False, True]))
    answer = begun(LegalAgent()).choose(question)
    assert answer.action is not None
    assert answer.action.tolist() == [NO_ACTION, 0]


def test_same_question_same_answer_whatever_came_before() -> None:
    questions = [ask(np.ones((50, 9), np.bool_), tick=tick) for tick in range(1, 20)]
    one, other = begun(RandomAgent()), begun(RandomAgent())
    answers = [one.choose(question).action for question in questions]
    again = [other.choose(question).action for question in reversed(questions)]
    np.testing.assert_array_equal(answers, again[::-1])


@pytest.mark.parametrize('change', ['seed', 'role', 'tick'])
def test_seed_role_and_tick_change_the_draw(change: str) -> None:
    legal = np.ones((50, 9), np.bool_)
    usual = begun(RandomAgent()).choose(ask(legal)).action
    other = begun(RandomAgent(), 2 if change == 'seed' else 1).choose(
        ask(legal, role='o' if change == 'role' else 'x', tick=2 if change == 'tick' else 1)
    )
    assert (usual != other.action).any()


def test_the_draw_of_a_lane_does_not_depend_on_others() -> None:
    legal = np.ones((50, 9), np.bool_)
    usual = begun(RandomAgent()).choose(ask(legal)).action
    legal[::2] = False
    fewer = begun(RandomAgent()).choose(ask(legal)).action
    assert usual is not None
    assert fewer is not None
    np.testing.assert_array_equal(fewer[1::2], usual[1::2])


def test_draws_are_uniform() -> None:
    """Chi-square over 7 legal actions of 20; 22.5 is passed once in a thousand seeds."""
    legal = np.zeros((8192, 20), np.bool_)
    legal[:, [0, 3, 7, 8, 12, 15, 19]] = True
    counts = np.zeros(20)
    agent = begun(RandomAgent())
    for tick in range(20):
        action = agent.choose(ask(legal, tick=tick)).action
        counts += np.bincount(action, minlength=20)
    expected = counts.sum() / 7
    assert (((counts - expected) ** 2)[legal[0]] / expected).sum() < 22.5


def test_games_without_action_table() -> None:
    question = ask_text('noop', '(mark 1 1)', '(mark 2 2)')
    first = begun(LegalAgent()).choose(question)
    assert (first.action, first.moves) == (None, ('noop',))
    agent = RandomAgent()
    agent.begin(make_text_info(), ('x',), 3)
    played = {
        agent.choose(ask_text('noop', '(mark 1 1)', '(mark 2 2)', tick=t)).moves[0]
        for t in range(40)
    }
    assert played == {'noop', '(mark 1 1)', '(mark 2 2)'}


def test_neither_mask_nor_text_is_an_error() -> None:
    with pytest.raises(AgentError, match='start the environment with text'):
        begun(LegalAgent()).choose(ask_text())


def test_one_legal_move() -> None:
    answer = begun(RandomAgent()).choose(ask_one(4))
    assert answer.action is not None
    assert MOVES[answer.action[0]] == '(mark 2 2)'


def test_derived_seeds_differ_by_name_and_fit_into_a_parameter() -> None:
    seeds = {derive_seed(seed, role) for seed in (-1, 0, 1, 2**63) for role in ('x', 'o')}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)
