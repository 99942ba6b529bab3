"""Lanes in cohorts play what they would play all together, whatever the order of the cohorts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
import pytest

from gdl_agents.players.random import RandomAgent
from gdl_agents.players.weakening import weaken
from gdl_env.environment.cohorts import (
    info_of_cohort,
    join_tallies,
    split_lanes,
    split_options,
)
from gdl_env.environment.environment import Environment
from gdl_env.environment.journal import JournalError, open_journal, read_journal
from gdl_env.environment.options import Options, OptionsError, Policy
from gdl_env.environment.protocol import Answer, Question
from gdl_env.environment.referee import Referee
from gdl_env.environment.trace import Trace
from gdl_env.language.load import open_game

# Of each tick and role: episode, reward, goal, ends, actions, origins, last observations.
Told = list[tuple[NDArray[np.generic], ...]]


def answer(environment: Environment, question: Question) -> Answer:
    """Answer at random, illegally in places, and not at all in others."""
    agent = RandomAgent()
    agent.begin(environment.info(), environment.roles, 5)
    # Where moves are hidden, how roles count ticks depends on what is played in other lanes.
    question = replace(question, tick=environment.tick)
    found = agent.choose(question)
    assert found.action is not None
    action = weaken(question, found.action, 0.5, 3)
    place = np.arange(question.lanes) + question.first_lane
    missing = (place * 7 + question.tick) % 5 == 0
    tick = environment.tick_of(question.role)
    return Answer(tick, question.role, 'a', np.where(missing, -1, action))


def play(environment: Environment, ticks: int) -> Told:
    """Play some ticks, or up to the end."""
    found: Told = []
    for _ in range(ticks):
        if environment.is_finished:
            break
        answers = {
            question.role: answer(environment, question)
            for question in environment.questions(only_decisions=True)
        }
        step = environment.step(answers)
        for role in environment.roles:
            told = step.feedback[role]
            last = np.zeros((environment.game.lanes, 1))
            if told.final_observation is not None:
                width = told.final_observation.data.shape[1]
                last = np.zeros((environment.game.lanes, width))
                last[told.is_over] = told.final_observation.data
            found.append(
                (
                    *(told.episode, told.reward, told.goal, told.terminated, told.truncated),
                    *(told.action, told.origin, last.sum(axis=1)),
                )
            )
    return found


CASES = [
    ('tictactoe', {'lanes': 7}, (1, 2, 3, 7)),
    ('tictactoe', {'lanes': 200}, (2, 4)),
    ('pig', {'lanes': 6, 'max_steps': 30}, (2, 4)),
    ('krieg_tictactoe', {'lanes': 5}, (2,)),
    ('connect_four', {'lanes': 150, 'turn': 'random'}, (3,)),
    ('leduc_poker', {'lanes': 80}, (2,)),
]


@pytest.mark.parametrize(('name', 'options', 'counts'), CASES, ids=[case[0] for case in CASES])
def test_every_lane_plays_the_same(
    name: str, options: dict[str, object], counts: tuple[int, ...]
) -> None:
    game = open_game(name)
    whole = Options(seed=9, episodes=0, **options)  # type: ignore[arg-type]
    expected = play(Environment.open(game, whole), 25)
    for count in counts:
        cohorts = [Environment.open(game, part) for part in split_options(whole, count)]
        found = [play(cohort, 25) for cohort in cohorts]
        for row, parts in zip(expected, zip(*found, strict=True), strict=True):
            for all_lanes, pieces in zip(row, zip(*parts, strict=True), strict=True):
                np.testing.assert_array_equal(np.concatenate(pieces), all_lanes)


def open_cohorts(count: int, **options: int) -> list[Environment]:
    game = open_game('tictactoe')
    return [
        Environment.open(game, part)
        for part in split_options(Options(**options), count)  # type: ignore[arg-type]
    ]


def test_cohorts_share_lanes_and_episodes() -> None:
    assert split_lanes(7, 3) == [range(2), range(2, 4), range(4, 7)]
    whole = Environment.open(open_game('tictactoe'), Options(lanes=7, episodes=17, seed=3))
    play(whole, 1_000)
    cohorts = open_cohorts(3, lanes=7, episodes=17, seed=3)
    for cohort in cohorts:
        play(cohort, 1_000)
    assert join_tallies(cohort.tallies for cohort in cohorts) == whole.tallies
    assert whole.tallies.finished == 17
    # Fewer episodes than lanes: a cohort may have none to play.
    few = open_cohorts(3, lanes=7, episodes=3, seed=3)
    assert [cohort.is_finished for cohort in few] == [False, False, True]


def test_agents_receive_the_lanes_of_their_cohort() -> None:
    info = replace(open_cohorts(1, lanes=7)[0].info(), cohorts=3)
    parts = [info_of_cohort(info, number) for number in range(3)]
    assert [(part.lanes, part.first_lane, part.cohorts) for part in parts] == [
        (2, 0, 1),
        (2, 2, 1),
        (3, 4, 1),
    ]


@pytest.mark.parametrize('cohorts', [0, 4])
def test_more_cohorts_than_lanes_are_refused(cohorts: int) -> None:
    with pytest.raises(OptionsError, match='3 lanes cannot be split'):
        split_options(Options(lanes=3), cohorts)
    with pytest.raises(OptionsError, match='not within'):
        Options(lanes=2, first_lane=2, all_lanes=3)


def test_recordings_name_the_lanes_of_the_match() -> None:
    cohort = open_cohorts(3, lanes=7, seed=1)[2]
    cohort.game.trace = Trace(cohort.game.game, cohort.game.roles, 2, cohort.options.first_lane)
    play(cohort, 2)
    assert {line.lane for line in cohort.game.trace.take()} == {4, 5}


# ---- the journal


def run(cohorts: list[Environment], path: Path, stop: int = 10_000) -> int:
    """Continue a match whose cohorts take turns unevenly, as on a graph; return ticks replayed."""
    journal, done = open_journal(path, cohorts[0], others=cohorts[1:])
    referees = [Referee(each, journal, number) for number, each in enumerate(cohorts)]
    chance = np.random.default_rng(done)
    for count in range(stop):
        playing = [each for each in referees if not each.environment.is_finished]
        if not playing:
            break
        referee = playing[int(chance.integers(len(playing)))]
        environment = referee.environment
        for question in environment.questions(only_decisions=True):
            referee.receive(question.role, answer(environment, question))
        referee.play()
        if count == 5:
            for each in referees:
                each.set_policy('o', Policy.RANDOM)
    journal.close()
    return done


def test_a_killed_match_resumes_in_all_cohorts(tmp_path: Path) -> None:
    options = {'lanes': 5, 'episodes': 12, 'seed': 4}
    path = tmp_path / 'match.journal'
    whole = open_cohorts(2, **options)
    run(whole, tmp_path / 'whole.journal')
    assert run(open_cohorts(2, **options), path, stop=7) == 0
    # Half a line is left.
    path.write_bytes(path.read_bytes()[:-3])
    again = open_cohorts(2, **options)
    assert run(again, path) == 6
    assert join_tallies(each.tallies for each in again).finished == 12
    assert [each.tallies for each in again] == [each.tallies for each in whole]
    entries, _ = read_journal(path)
    assert entries[0]['options']['cohorts'] == 2
    assert [entry['type'] for entry in entries].count('end') == 1
    assert entries[-1]['type'] == 'end'


def test_a_journal_belongs_to_its_cohorts(tmp_path: Path) -> None:
    path = tmp_path / 'match.journal'
    options = {'lanes': 5, 'episodes': 12, 'seed': 4}
    run(open_cohorts(2, **options), path, stop=3)
    with pytest.raises(JournalError, match='cohorts is 2, not None'):
        run(open_cohorts(1, **options), path)


def test_a_reset_begins_all_cohorts(tmp_path: Path) -> None:
    path = tmp_path / 'match.journal'
    cohorts = open_cohorts(2, lanes=5, episodes=5, seed=4)
    journal, _ = open_journal(path, cohorts[0], others=cohorts[1:])
    for number, each in enumerate(cohorts):
        Referee(each, journal, number).reset(8, 20)
    journal.close()
    types = [entry['type'] for entry in read_journal(path)[0]]
    assert types == ['journal', 'reset']
    again = open_cohorts(2, lanes=5, episodes=5, seed=4)
    run(again, path)
    assert join_tallies(each.tallies for each in again).finished == 20
    assert {each.seed for each in again} == {8}
