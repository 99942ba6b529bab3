"""Which answers count."""

from __future__ import annotations

from pathlib import Path

from lane_cases import SERIAL, action_of, choose_all, opened, small
import numpy as np
import pytest

from gdl_env.environment.journal import open_journal
from gdl_env.environment.options import Illegal, Policy
from gdl_env.environment.protocol import Answer, Origin
from gdl_env.environment.referee import Referee, Verdict


@pytest.fixture
def referee() -> Referee:
    return Referee(opened('tictactoe', lanes=4))


def give(referee: Referee, topic: str = 'x', **changes: object) -> Verdict:
    told: dict[str, object] = {
        'tick': referee.environment.tick,
        'role': topic,
        'agent': '/a',
        'action': np.zeros(4, np.int32),
    }
    return referee.receive(topic, Answer(**{**told, **changes}))  # type: ignore[arg-type]


def test_first_answer_counts(referee: Referee) -> None:
    assert referee.missing == ('x',)
    assert not referee.is_complete
    assert give(referee) is Verdict.ACCEPTED
    assert referee.is_complete
    assert give(referee, action=np.ones(4, np.int32)) is Verdict.SECOND
    step = referee.play()
    assert step.feedback['x'].action.tolist() == [0] * 4
    assert (step.feedback['x'].origin == Origin.AGENT).all()


def test_late_answer(referee: Referee) -> None:
    referee.play()
    assert referee.attendance['x'].is_silent
    assert give(referee, tick=1) is Verdict.LATE
    assert referee.attendance['x'].late == 1
    assert referee.environment.tallies['x'].late == 4


@pytest.mark.parametrize(
    ('topic', 'changes'),
    [
        ('x', {'tick': 99}),
        ('x', {'role': 'o'}),
        ('o', {}),
    ],
)
def test_foreign_answers(referee: Referee, topic: str, changes: dict[str, object]) -> None:
    assert give(referee, topic, **changes) is Verdict.FOREIGN
    assert referee.attendance[topic].foreign == 1
    assert referee.missing == ('x',)


def test_only_the_agent_that_is_allowed(referee: Referee) -> None:
    referee.set_policy('x', Policy.AGENT, '/b')
    assert give(referee) is Verdict.FOREIGN
    assert give(referee, agent='/b') is Verdict.ACCEPTED


def test_role_that_the_environment_plays_is_not_asked(referee: Referee) -> None:
    give(referee)
    referee.set_policy('x', Policy.RANDOM)
    assert referee.missing == ()
    assert referee.is_complete
    assert give(referee) is Verdict.FOREIGN
    assert (referee.play().feedback['x'].origin == Origin.ENVIRONMENT).all()


@pytest.mark.parametrize('length', [0, 1, 3, 5, 1000])
@pytest.mark.parametrize('illegal', list(Illegal))
def test_answers_of_any_length_are_illegal(length: int, illegal: Illegal) -> None:
    referee = Referee(opened('tictactoe', lanes=4, illegal=illegal))
    assert give(referee, action=np.zeros(length, np.int32)) is Verdict.ACCEPTED
    step = referee.play()
    assert (step.feedback['x'].origin == Origin.ILLEGAL).all()
    assert referee.environment.tallies['x'].illegal == 4
    assert step.ended.all() == (illegal is Illegal.END)


@pytest.mark.parametrize('action', [-1, -2, 9, 2**31 - 1, -(2**31)])
def test_numbers_of_no_action(referee: Referee, action: int) -> None:
    give(referee, action=np.full(4, action, np.int32))
    wanted = Origin.LATE if action == -1 else Origin.ILLEGAL
    assert (referee.play().feedback['x'].origin == wanted).all()


def test_preference_of_another_shape_is_ignored() -> None:
    referee = Referee(opened('tictactoe', lanes=4, illegal=Illegal.BEST))
    give(referee, action=np.full(4, 99, np.int32), preference=np.ones((2, 9), np.float32))
    assert (referee.play().feedback['x'].action >= 0).all()


def test_offences_are_told(referee: Referee) -> None:
    give(referee, action=np.array([0, 99, -1, 0], np.int32))
    assert referee.play().offences == (('x', Origin.LATE), ('x', Origin.ILLEGAL))


def test_reset_forgets(referee: Referee) -> None:
    give(referee)
    give(referee)
    referee.reset(3, 8)
    assert referee.missing == ('x',)
    assert referee.attendance['x'].foreign == 0
    assert referee.environment.seed == 3
    chance = np.random.default_rng(0)
    while not referee.environment.is_finished:
        for role, answer in choose_all(referee.environment, chance).items():
            assert referee.receive(role, answer) is Verdict.ACCEPTED
        referee.play()
    assert referee.environment.tallies.finished == 8


def test_who_lost_the_race_is_not_silent() -> None:
    referee = Referee(opened(small(SERIAL), turn='first'))
    environment = referee.environment
    say = action_of(environment, 'ben', '(say no)')
    answer = Answer(environment.tick_of('ben'), 'ben', '/b', np.array([say], np.int32))
    assert referee.receive('ben', answer) is Verdict.ACCEPTED
    assert referee.is_complete
    assert referee.play().moves == ('', '(say no)')
    assert not referee.attendance['ann'].is_silent


def test_match_that_was_given_up_does_not_go_on(tmp_path: Path) -> None:
    path = tmp_path / 'match.journal'
    journal, _ = open_journal(path, opened('tictactoe'))
    referee = Referee(opened('tictactoe'), journal)
    referee.play()
    referee.give_up()
    journal.close()
    journal, ticks = open_journal(path, opened('tictactoe'))
    journal.close()
    assert ticks == 0
