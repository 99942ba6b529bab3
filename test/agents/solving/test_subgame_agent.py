"""The agent that solves the game from where it is: what it gives away, and what it goes by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
import pytest

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.random import RandomAgent
from gdl_agents.solving.exploiting.exploitability import measure_exploitability
from gdl_agents.solving.exploiting.reading_agents import read_strategy
from gdl_agents.solving.playing.subgame_agent import SubgameAgent
from gdl_agents.solving.subgames.public_belief import PublicBelief, find_layers, thin_out
from gdl_agents.solving.subgames.search import SearchLimits, SolvedSubgame, search_subgame
from gdl_agents.solving.tree.game_tree import build_tree
from gdl_agents.solving.tree.sight import open_sight
from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.language.load import open_game

# Searches each decision, though the game is small; goes by iterations, not by a clock.
SEARCHING = 'whole=0,iterations=400,nodes=3000'


def exploit(name: str, unit: float, detail: str, seed: int = 1) -> float:
    """Return NashConv of the agent in units of a game, by exact best responses."""
    tree = build_tree(open_game(name))
    read = read_strategy(tree, [SubgameAgent(detail) for _ in tree.own], seed=seed)
    assert not any(read.samples), 'it tells its probabilities'
    return measure_exploitability(tree.form, read.strategy).nash_conv / unit


@pytest.mark.parametrize('seed', [1, 2, 3])
def test_a_small_game_is_solved_whole(seed: int) -> None:
    assert exploit('kuhn_poker', 25, 'iterations=200', seed) < 0.01


@pytest.mark.parametrize(
    ('name', 'unit', 'bound'),
    [
        ('kuhn_poker', 25, 0.05),
        ('liars_dice(sides=2)', 50, 0.05),
        ('rock_paper_scissors', 50, 0.02),
        ('goofspiel(cards=3)', 50, 0.02),
    ],
)
def test_searching_each_decision_gives_little_away(name: str, unit: float, bound: float) -> None:
    # The whole rest of these games fits into a search.
    assert exploit(name, unit, SEARCHING) < bound


class Witness(Agent):
    """Plays as another does, and writes down what that does at all it has seen and done."""

    def __init__(self, agent: SubgameAgent, found: dict[bytes, NDArray[np.float64]]) -> None:
        self._agent = agent
        self._found = found
        self._seen: dict[int, bytes] = {}

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        self._agent.begin(info, roles, 7)

    def notice(self, question: Question) -> None:
        self._agent.notice(question)

    def choose(self, question: Question) -> Answer:
        likely = self._agent.policy(question)
        answer = self._agent.choose(question)
        assert likely is not None and answer.action is not None
        assert question.observation is not None
        for lane in np.flatnonzero(question.to_move).tolist():
            episode = str(question.episode[lane]).encode()
            before = self._seen.get(lane, b'')
            if not before.startswith(episode):
                before = episode
            shown = before + question.observation.data[lane].tobytes()
            key = question.role.encode() + shown[len(episode) :]
            np.testing.assert_array_equal(self._found.setdefault(key, likely[lane]), likely[lane])
            assert likely[lane, answer.action[lane]] > 0
            self._seen[lane] = shown + bytes([answer.action[lane]])
        return answer


def test_only_its_own_view_counts() -> None:
    # Other matches, other cards of the others, other lanes beside it: what it does belongs to what
    # it has seen and done.
    found: dict[bytes, NDArray[np.float64]] = {}
    for lanes, seed in ((1, 1), (1, 2), (8, 3)):
        arena = Arena(open_game('kuhn_poker'), lanes)
        seats = {role: Witness(SubgameAgent(SEARCHING), found) for role in arena.roles}
        arena.play(seats, 40, seed)
        arena.close()
    assert len(found) == 12


def test_what_others_may_think_is_followed() -> None:
    sight = open_sight(open_game('kuhn_poker'), 'rotate')
    belief = PublicBelief(sight, 1000)
    begun = belief.begin()
    assert begun is not None and len(begun) == 6
    roots = belief.make_roots(begun, None, b'', (100, 1000), (), 1)
    assert roots.histories.chance == pytest.approx(np.full(6, 1 / 6))


def test_nobody_gets_less_than_promised() -> None:
    sight = open_sight(open_game('kuhn_poker'), 'rotate')
    belief = PublicBelief(sight, 1000)
    begun = belief.begin()
    assert begun is not None
    limits = SearchLimits(iterations=1000)

    def search(promised: dict[bytes, float]) -> SolvedSubgame:
        roots = belief.make_roots(begun, None, b'', (100, 1000), (promised, {}), 1)
        return search_subgame(sight, roots, limits, 1, 0.0)

    def value(found: SolvedSubgame) -> float:
        return measure_exploitability(found.form, found.strategy).values[0]

    # Alice loses an eighteenth of a chip, and gets that from her three cards.
    free = search({})
    assert value(free) == pytest.approx(50 - 25 / 18, abs=0.1)
    promises = free.promises(0)
    firsts = {free.tree.own[0].digest_at(number) for number in free.tree.decisions_of_roots(0)}
    worth = {digest: promises[digest] for digest in firsts}
    assert len(worth) == 3
    assert np.mean(list(worth.values())) == pytest.approx(50 - 25 / 18, abs=0.1)
    # She takes what is better than playing on, card by card, and only that.
    assert value(search(dict.fromkeys(worth, 100.0))) == pytest.approx(100, abs=0.1)
    assert value(search(dict.fromkeys(worth, 0.0))) == pytest.approx(50 - 25 / 18, abs=0.1)
    more = {digest: goal + 3 for digest, goal in worth.items()}
    assert value(search(more)) == pytest.approx(53 - 25 / 18, abs=0.1)
    # What she does after all of that is known nevertheless.
    likely = search(dict.fromkeys(worth, 100.0)).behaviour(0)
    assert all(digest in likely for digest in firsts)


def test_layers_and_samples_of_histories() -> None:
    # Two players with numbers for what they know: 0 and 0, 0 and 1, 1 and 1, 1 and 2, 5 and 5.
    paths = np.array([[0, 0], [0, 1], [1, 1], [1, 2], [5, 5]])
    layers = find_layers(paths, np.array([True, True, False, False, False]))
    assert layers.tolist() == [0, 0, 1, 2, -1]
    chance = np.random.default_rng(1)
    near = np.repeat([0, 1], 500)
    kept, weight = thin_out(near, np.full(1000, 1e-3), 100, chance)
    assert len(kept) == 100
    assert (near[kept] == 0).sum() == 50
    # Each layer weighs what it did.
    assert weight[near[kept] == 0].sum() == pytest.approx(0.5)
    assert weight.sum() == pytest.approx(1)


def test_it_draws_from_what_it_finds() -> None:
    game = open_game('rock_paper_scissors')
    match = Environment.open(game)
    agent = SubgameAgent(SEARCHING)
    agent.begin(match.info(), match.roles, 1)
    asked = next(question for question in match.questions() if question.is_decision)
    drawn = []
    for tick in range(1, 91):
        answer = agent.choose(replace(asked, tick=tick, episode=asked.episode + np.uint64(tick)))
        assert answer.action is not None
        drawn.append(int(answer.action[0]))
    assert np.bincount(drawn).min() >= 15
    match.close()


def test_the_same_seed_gives_the_same_match() -> None:
    arena = Arena(open_game('simultaneous_krieg_tictactoe'), 2)
    detail = 'iterations=60,nodes=1500,states=60'
    scores = []
    for _ in range(2):
        agent = SubgameAgent(detail)
        scores.append(arena.play({arena.roles[0]: agent, arena.roles[1]: RandomAgent()}, 6, 1))
        assert agent.report_status()['blind_decisions'] == 0
    assert scores[0] == scores[1]
    arena.close()


class CountingClock:
    """A clock that goes on by a hundredth of a second whenever it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now


@pytest.mark.parametrize('name', ['goofspiel(cards=6)', 'krieg_tictactoe'])
def test_it_stops_when_the_time_is_up(name: str) -> None:
    match = Environment.open(open_game(name))
    clock = CountingClock()
    agent = SubgameAgent('whole=0,time=0.5,prepare=0')
    agent.clock = clock
    agent.begin(match.info(), match.roles, 1)
    for _ in range(2):
        answers = {}
        for question in match.questions():
            if question.is_decision:
                started = clock.now
                answers[question.role] = agent.choose(question)
                assert clock.now - started < 0.6
            else:
                agent.notice(question)
        match.step(answers)
    match.close()


def test_without_any_limit_it_refuses() -> None:
    match = Environment.open(open_game('krieg_tictactoe'))
    agent = SubgameAgent('whole=0,time=0,prepare=0')
    agent.begin(match.info(), match.roles, 1)
    asked = next(question for question in match.questions() if question.is_decision)
    with pytest.raises(AgentError, match='would think for ever'):
        agent.choose(asked)
    match.close()
