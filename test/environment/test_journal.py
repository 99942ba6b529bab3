"""A match that was killed resumes as if nothing had happened."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lane_cases import SERIAL, asked, choose, opened, small, told
import numpy as np
import pytest

from gdl_env.environment.environment import Environment
from gdl_env.environment.journal import JournalError, open_journal, read_journal
from gdl_env.environment.options import Illegal, Policy
from gdl_env.environment.protocol import Answer
from gdl_env.environment.referee import Referee
from gdl_env.language.game import Game

LANES = 3
EPISODES = 9
SMALL = small(SERIAL)


def open_match(game: Game | str = 'tictactoe') -> Environment:
    return opened(
        game, lanes=LANES, episodes=EPISODES, seed=11, max_steps=40, illegal=Illegal.BEST
    )


def decide(environment: Environment, role: str) -> Answer | None:
    """Answer by (tick, role) alone, as agents do: legally, or not, or not at all."""
    chance = np.random.default_rng([environment.tick, len(role), ord(role[0])])
    question = environment.question(role)
    if chance.random() < 0.15:
        return None
    answer = choose(question, chance)
    assert answer.action is not None
    worth = None
    if chance.random() < 0.3:
        answer.action[:] = int(chance.integers(0, environment.game.action_size))
        worth = chance.random((LANES, environment.game.action_size)).astype(np.float32)
    return Answer(question.tick, role, f'/{role}', answer.action, preference=worth)


def play(referee: Referee) -> list[tuple[object, object]]:
    """Play to the end; return what was asked and told at each tick."""
    environment = referee.environment
    found = []
    while not environment.is_finished:
        question = asked(environment)
        for role in environment.awaited:
            if (answer := decide(environment, role)) is not None:
                referee.receive(role, answer)
        found.append((question, told(referee.play())))
        if environment.tick == 6:
            referee.set_policy(environment.roles[1], Policy.RANDOM)
        if environment.tick == 12:
            referee.set_policy(environment.roles[1], Policy.AGENT)
    return found


@pytest.fixture(scope='module')
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[tuple[object, object]]]:
    """Return the journal of an uninterrupted match, and its ticks."""
    path = tmp_path_factory.mktemp('whole') / 'match.journal'
    environment = open_match()
    journal, ticks = open_journal(path, environment)
    assert ticks == 0
    referee = Referee(environment, journal)
    found = play(referee)
    journal.close()
    return path.read_bytes(), found


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_killed_at_any_byte(
    tmp_path: Path, whole: tuple[bytes, list[tuple[object, object]]], data: st.DataObject
) -> None:
    text, ticks = whole
    cut = data.draw(st.integers(0, len(text) - 1))
    path = tmp_path / 'match.journal'
    path.write_bytes(text[:cut])
    environment = open_match()
    journal, done = open_journal(path, environment)
    assert environment.tick == done + 1
    assert environment.is_finished == (done == len(ticks))
    referee = Referee(environment, journal)
    mend_policy(referee, text[:cut], done)
    assert play(referee) == ticks[done:]
    journal.close()
    uninterrupted = open_match()
    play(Referee(uninterrupted))
    assert environment.tallies == uninterrupted.tallies
    assert read_journal(path)[0] == lines(text)
    path.unlink()


def mend_policy(referee: Referee, text: bytes, done: int) -> None:
    """Repeat a change of policy that was cut off: whoever asked for it would ask again."""
    for tick, policy in ((6, Policy.RANDOM), (12, Policy.AGENT)):
        is_noted = f'"policy":"{policy.value}"'.encode() + b'}\n' in text
        if done + 1 == tick and not is_noted:
            referee.set_policy(referee.environment.roles[1], policy)


def lines(text: bytes) -> list[object]:
    return [json.loads(line) for line in text.splitlines()]


def test_cut_after_the_last_tick_is_finished(
    tmp_path: Path, whole: tuple[bytes, list[tuple[object, object]]]
) -> None:
    path = tmp_path / 'match.journal'
    path.write_bytes(whole[0].removesuffix(b'{"type":"end"}\n'))
    environment = open_match()
    journal, _ = open_journal(path, environment)
    journal.close()
    assert environment.is_finished
    assert path.read_bytes() == whole[0]


def test_finished_journal_is_put_aside(
    tmp_path: Path, whole: tuple[bytes, list[tuple[object, object]]]
) -> None:
    path = tmp_path / 'match.journal'
    for number in (1, 2):
        path.write_bytes(whole[0])
        journal, ticks = open_journal(path, open_match())
        journal.close()
        assert ticks == 0
        assert (tmp_path / f'match.{number}.journal').read_bytes() == whole[0]
        assert len(read_journal(path)[0]) == 1


def test_match_after_a_finished_one_in_the_same_journal(tmp_path: Path) -> None:
    path = tmp_path / 'match.journal'
    environment = open_match(SMALL)
    journal, _ = open_journal(path, environment)
    referee = Referee(environment, journal)
    play(referee)
    referee.reset(None, 4)
    referee.play()
    referee.reset(5, 6)
    referee.play()
    journal.close()
    again = open_match(SMALL)
    open_journal(path, again)[0].close()
    assert asked(again) == asked(environment)
    assert again.tallies == environment.tallies


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'seed': 12}, 'seed is 11, not 12'),
        ({'lanes': 2}, 'lanes is 3, not 2'),
        ({'illegal': Illegal.END}, 'illegal is best, not end'),
        ({'turn': 'priority'}, 'turn is rotate, not priority'),
    ],
)
def test_journal_of_other_options(
    tmp_path: Path,
    whole: tuple[bytes, list[tuple[object, object]]],
    options: dict[str, object],
    message: str,
) -> None:
    path = tmp_path / 'match.journal'
    text = whole[0][: len(whole[0]) // 2]
    path.write_bytes(text)
    wanted = {
        'lanes': LANES,
        'episodes': EPISODES,
        'seed': 11,
        'max_steps': 40,
        'illegal': Illegal.BEST,
    }
    with pytest.raises(JournalError, match=f'belongs to another match .*{message}'):
        open_journal(path, opened('tictactoe', **{**wanted, **options}))
    assert path.read_bytes() == text


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (b'precious notes', 'is not a journal'),
        (b'{"type":"tick"}\n', 'is not a journal'),
        (b'{"type":"journal"}\nrubbish\n{"type":"end"}\n', 'line 2: not an entry'),
        (b'{"type":"journal","version":0}\n', 'version is 0, not 2'),
    ],
)
def test_files_that_are_no_journal_of_this_match(
    tmp_path: Path, text: bytes, message: str
) -> None:
    path = tmp_path / 'match.journal'
    path.write_bytes(text)
    with pytest.raises(JournalError, match=message):
        open_journal(path, open_match())
    assert path.read_bytes() == text


@pytest.mark.parametrize(
    'entry',
    [
        {'type': 'tick', 'tick': 7, 'answers': {}},
        {'type': 'tick', 'tick': 1},
        {'type': 'policy', 'role': 'x', 'policy': 'lazy'},
        {'type': 'joke'},
    ],
)
def test_entries_that_do_not_fit(
    tmp_path: Path, whole: tuple[bytes, list[tuple[object, object]]], entry: dict[str, object]
) -> None:
    path = tmp_path / 'match.journal'
    header = whole[0].splitlines(keepends=True)[0]
    path.write_bytes(header + json.dumps(entry).encode() + b'\n')
    with pytest.raises(JournalError, match=str(path)):
        open_journal(path, open_match())


def test_answers_of_every_shape_come_back(tmp_path: Path) -> None:
    given = [
        {'action': np.arange(LANES, dtype=np.int32)},
        {'action': np.arange(100, dtype=np.int32)},
        {'moves': ('(mark 1 1)', '', ')')},
        {'moves': ('', 'x', ''), 'preference': np.ones((LANES, 9), np.float32)},
        {'action': np.zeros(LANES, np.int32), 'preference': np.full((LANES, 9), np.nan, 'f4')},
        {'action': np.zeros(LANES, np.int32), 'preference': np.ones(4, np.float32)},
        {'action': np.zeros((LANES, 1), np.int32)},
        {},
    ]
    path = tmp_path / 'match.journal'
    first = open_match()
    journal, _ = open_journal(path, first)
    referee = Referee(first, journal)
    for more in given:
        role = first.awaited[0]
        referee.receive(role, Answer(first.tick, role, 'test', **more))
        referee.play()
    journal.close()
    second = open_match()
    open_journal(path, second)[0].close()
    assert asked(second) == asked(first)
    assert second.tallies == first.tallies
