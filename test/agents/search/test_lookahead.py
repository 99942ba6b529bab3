"""The lookahead player keeps its rule; so does the tactical one."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from search_games import game_of, play, rules_of

from gdl_agents.errors import AgentError
from gdl_agents.registry import open_agent
from gdl_agents.search.game.random_moves import sample_moves
from gdl_agents.search.game.turns import TurnOrder
from gdl_agents.search.players.lookahead import LookaheadAgent
from gdl_agents.search.players.task import SearchTask
from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer, Question
from gdl_env.errors import GdlError

# Columns, in the order they are played; then the column to be chosen.
CONNECT_FOUR = (
    # Red has three in column 1 and wins there.
    ('1 2 1 2 1 3', 1),
    # Red has three in column 1; yellow must not let it.
    ('1 2 1 2 1', 1),
)


def ask(name: str, moves: str, seed: int = 1) -> tuple[Environment, Question]:
    """Play moves, given by their last argument, and return the next question."""
    environment = Environment.open(game_of(name), Options(seed=seed))
    table = environment.info().moves
    for move in moves.split():
        (question,) = environment.questions(only_decisions=True)
        action = next(i for i, text in enumerate(table) if text.endswith(f' {move})'))
        chosen = np.array([action], np.int32)
        answer = Answer(question.tick, question.role, 'test', action=chosen)
        environment.step({question.role: answer})
    (question,) = environment.questions(only_decisions=True)
    return environment, question


def chosen(agent: str, name: str, moves: str, tries: int = 24) -> set[str]:
    """Return all moves that an agent chooses, under several seeds."""
    environment, question = ask(name, moves)
    found = set()
    for seed in range(tries):
        player = open_agent(agent)
        player.begin(environment.info(), (question.role,), seed)
        answer = player.choose(question)
        assert answer.action is not None
        found.add(environment.info().moves[int(answer.action[0])])
    return found


@pytest.mark.parametrize('agent', ['lookahead', 'tactical', 'alphabeta:depth=2'])
@pytest.mark.parametrize(('moves', 'column'), CONNECT_FOUR)
def test_wins_and_does_not_lose_at_once(agent: str, moves: str, column: int) -> None:
    assert chosen(agent, 'connect_four', moves) == {f'(drop {column})'}


def test_any_move_where_all_is_lost() -> None:
    # Three in the bottom row, both ends free.
    found = chosen('lookahead', 'connect_four', '3 3 4 4 5', tries=60)
    assert found == {f'(drop {column})' for column in range(1, 8)}


def by_the_rule(engine: Engine, state: State, role: Role, depth: int) -> set[Move]:
    """Return what the rule allows, found step by step on an engine."""

    def has_won(after: State, who: Role) -> bool:
        goals = engine.goals(after)
        others = [goals[other] or 0 for other in engine.roles if other != who]
        return engine.is_terminal(after) and (goals[who] or 0) > max(others)

    legal = engine.legal_moves(state)
    after = {}
    for move in legal[role]:
        forced = {other: moves[0] for other, moves in legal.items() if moves and other != role}
        after[move] = engine.next_state(state, {**forced, role: move})
    wins = {move for move, reached in after.items() if has_won(reached, role)}
    if wins or depth == 1:
        return wins or set(after)
    safe = set()
    for move, reached in after.items():
        next_legal = {} if engine.is_terminal(reached) else engine.legal_moves(reached)
        acting = {other: moves for other, moves in next_legal.items() if moves}
        replies = [
            engine.next_state(reached, dict(zip(acting, moves, strict=True)))
            for moves in product(*acting.values())
        ]
        if not any(has_won(r, o) for r in replies for o in engine.roles if o != role):
            safe.add(move)
    return safe or set(after)


@pytest.mark.parametrize('name', ['connect_four', 'tictactoe'])
@pytest.mark.parametrize('depth', [1, 2])
def test_chooses_exactly_by_the_rule(name: str, depth: int) -> None:
    rules, agent = rules_of(name), LookaheadAgent(f'depth={depth}')
    chance = np.random.default_rng(5)
    kept, states = [], np.repeat(rules.initial, 24, axis=0)
    for _ in range(20):
        look = rules.look(states)
        going = states[~look.terminal]
        kept.append(going)
        look = rules.look(going)
        legal = sample_moves(
            rules, look, TurnOrder().find_acting(rules, look, None, chance), chance
        )
        states = rules.step(going, rules.plain(legal))
    states = np.concatenate(kept)
    look = rules.look(states)
    restricted = 0
    for role in rules.players:
        own = np.flatnonzero(look.counts()[:, role] > 1)
        own = own[chance.choice(len(own), 60, replace=False)]
        every = np.arange(len(own))
        ones = np.ones(len(own))
        episode = np.ones(len(own), np.uint64)
        task = SearchTask(rules, role, every, episode, states[own], every, ones, 1, float('inf'))
        choices = agent.evaluate_moves(task)
        for lane, i in enumerate(own):
            found = {rules.legal_move(int(r))[1] for r in choices.row[choices.lane == lane]}
            state = rules.to_state(states[i])
            assert found == by_the_rule(rules.engine, state, rules.roles[role], depth)
            restricted += len(found) < look.counts()[i, role]
    assert restricted > 3


def test_many_lanes_are_answered_as_one_is() -> None:
    environment = Environment.open(game_of('connect_four'), Options(lanes=300, seed=3))
    random, ahead = open_agent('random'), open_agent('lookahead')
    for agent in (random, ahead):
        agent.begin(environment.info(), environment.roles, 5)
    for _ in range(12):
        answers = {q.role: random.choose(q) for q in environment.questions(only_decisions=True)}
        environment.step(answers)
    for question in environment.questions(only_decisions=True):
        answer = ahead.choose(question)
        assert question.legal is not None
        legal = question.legal.unpack()
        lanes = np.flatnonzero(question.to_move)
        assert answer.action is not None
        assert legal[lanes, answer.action[lanes]].all()
        again = open_agent('lookahead')
        again.begin(environment.info(), environment.roles, 5)
        assert (again.choose(question).action == answer.action).all()
        # Asked again, it is answered alike.
        assert ahead.choose(question) is answer


@pytest.mark.parametrize(
    ('agents', 'wins', 'losses'),
    [
        (('random', 'random'), 563, 434),
        (('random', 'lookahead:depth=1'), 288, 712),
        (('lookahead:depth=1', 'random'), 842, 158),
        (('lookahead:depth=1', 'lookahead:depth=1'), 594, 406),
    ],
)
def test_published_results(agents: tuple[str, str], wins: int, losses: int) -> None:
    """1,000 games each were published: ours must lie within three standard errors of them.

    They are those of a player that wins at once if it can, and looks no further.
    """
    games = 10_000
    score = play('connect_four', agents, games)['red']
    for count, known in ((score.wins, wins), (score.losses, losses)):
        share = known / 1_000
        error = sqrt(share * (1 - share) * (1 / 1_000 + 1 / games))
        assert abs(count / games - share) < 3 * error


def test_the_whole_rule_is_stronger() -> None:
    assert play('connect_four', ('lookahead', 'random'), 400)['red'].wins > 370
    assert play('connect_four', ('random', 'tactical'), 400)['yellow'].wins > 370


def test_rules_that_are_kept_back() -> None:
    environment = Environment.open(game_of('tictactoe'))
    with pytest.raises(AgentError, match='keeps its rules back'):
        LookaheadAgent().begin(environment.info(with_rules=False), ('x',), 1)


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('lookahead:dept=1', 'did you mean depth'),
        ('alphabeta:depth=many', 'a whole number'),
        ('mcts:time=-1', '0 or more'),
        ('mcts:reuse=perhaps', 'true or false'),
        ('alphabeta:eval=nowhere:nothing', 'nowhere'),
        ('evolution:', 'needs the file'),
    ],
)
def test_options_that_make_no_sense(text: str, said: str) -> None:
    with pytest.raises(GdlError, match=said):
        open_agent(text)
