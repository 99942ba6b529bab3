"""Tree search: proofs, chance, many players, budgets, trees that are kept."""

from itertools import count

import numpy as np
import pytest
from search_games import LOTTERY, MATRIX, THREE, WEIGHTED, game_of, play, rules_of
from test_lookahead import chosen

from gdl_agents.errors import AgentError
from gdl_agents.registry import open_agent
from gdl_agents.search.game.simulation import Simulation
from gdl_agents.search.players.mcts import MctsAgent, choose_rows
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.tree.forest import Forest
from gdl_agents.search.tree.forest_arrays import ForestArrays
from gdl_agents.search.tree.tree_options import TreeOptions
from gdl_agents.search.tree.tree_records import ENTRIES
from gdl_agents.search.tree.tree_room import COPY_SECONDS
from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.registry import open_engine
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.errors import EngineError


def grown(name: str, playouts: int, state: np.ndarray | None = None, **options: object) -> Forest:
    rules = rules_of(name)
    forest = Forest(rules, 1, TreeOptions(**options))
    root = forest.plant(rules.initial if state is None else state, 0)
    while forest.arrays.nodes['visits'][0] < playouts and not forest.is_solved(0):
        forest.grow(np.repeat(root, 1 + min(forest.arrays.nodes['visits'][0] // 32, 256)))
    return forest


def test_proves_what_tictactoe_is_worth() -> None:
    forest = grown('tictactoe', 200_000)
    assert forest.is_solved(0)
    assert forest.arrays.solved[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize('agent', ['mcts:playouts=200', 'montecarlo:playouts=700'])
def test_wins_and_blocks(agent: str) -> None:
    assert chosen(agent, 'connect_four', '1 2 1 2 1 3', tries=4) == {'(drop 1)'}
    assert chosen(agent, 'connect_four', '1 2 1 2 1', tries=4) == {'(drop 1)'}


def test_finds_a_win_three_moves_ahead() -> None:
    # Two in the bottom row with free ends: a third one beside them cannot be stopped.
    assert chosen('mcts:playouts=3000', 'connect_four', '4 4 5 5', tries=2) <= {
        '(drop 3)',
        '(drop 6)',
    }
    forest = grown('connect_four', 30_000, _state('4 4 5 5'))
    assert forest.is_solved(0)
    assert forest.arrays.solved[0].tolist() == [1.0, 0.0]


def test_sharp_random_games_see_what_must_be_blocked() -> None:
    sharp, plain = (
        grown('connect_four', 50, _state('1 2 1 2 1'), is_sharp=x) for x in (True, False)
    )
    # The first column must be blocked; every other move loses at once.
    losing = [forest.root_moves(0, 1).means[1:] for forest in (sharp, plain)]
    assert (losing[0] == 0).all()
    assert (losing[1] > 0).any()
    assert sharp.root_moves(0, 1).means[0] > 0


def _state(columns: str) -> np.ndarray:
    simulation = Simulation(rules_of('connect_four'))
    for ply, column in enumerate(columns.split()):
        role = simulation.rules.roles[ply % 2]
        move = next(m for m in simulation.choices(role) if str(m.args[0]) == column)
        simulation.do({role: move})
    return simulation.rules.from_state(simulation.state)


def test_values_are_what_children_say() -> None:
    """Visits add up, and nothing is left pending."""
    forest = grown('connect_four', 3_000)
    arrays = forest.arrays
    assert (arrays.arms['pending'] == 0).all()
    moves = forest.root_moves(0, 0)
    assert moves.visits.sum() == arrays.nodes['visits'][0]
    assert ((moves.means > 0) & (moves.means < 1)).all()
    children = arrays.arms['child'][forest.arms_of(0, 0)]
    assert (arrays.nodes['visits'][children] == moves.visits).all()


@pytest.mark.parametrize('family', [0, 64])
def test_both_ways_of_growing_play_well(family: int) -> None:
    scores = play('connect_four', (f'mcts:playouts=100,family={family}', 'lookahead'), 24)
    assert scores['red'].wins >= 16


def test_chance_is_drawn() -> None:
    # Three blanks and a prize are worth less than 40; three prizes and a blank more than 60.
    assert _preferred(LOTTERY, 4_000) == 'safe'
    assert _preferred(WEIGHTED, 4_000) == '(draw urn)'


def _preferred(name: str, playouts: int) -> str:
    forest = grown(name, playouts)
    (best,) = choose_rows([forest.root_moves(0, 0)])
    return str(rules_of(name).legal_move(int(best))[1])


def test_several_decide_at_once() -> None:
    forest = grown(MATRIX, 20_000)
    moves = forest.root_moves(0, 0)
    # Each plays mixed; the value of this game lies between 30 and 40.
    mean = (moves.visits * moves.means).sum() / moves.visits.sum()
    assert 0.28 < mean < 0.42


def test_three_players_each_for_itself() -> None:
    assert _preferred(THREE, 2_000) == '(pick 2)'


def test_the_same_seed_and_playouts_give_the_same_moves() -> None:
    def moves(seed: int) -> list[int]:
        environment = Environment.open(game_of('connect_four'), Options(seed=1, episodes=1))
        agents = {role: open_agent('mcts:playouts=150') for role in environment.roles}
        for role, agent in agents.items():
            agent.begin(environment.info(), (role,), seed)
        found = []
        while not environment.is_finished:
            (question,) = environment.questions(only_decisions=True)
            answer = agents[question.role].choose(question)
            assert answer.action is not None
            found.append(int(answer.action[0]))
            environment.step({question.role: answer})
        return found

    assert moves(3) == moves(3)
    assert moves(3) != moves(4)


def test_the_tree_is_kept() -> None:
    environment = Environment.open(game_of('connect_four'), Options(seed=1, episodes=1))
    agent, other = MctsAgent('playouts=500'), open_agent('legal')
    agent.begin(environment.info(), ('red',), 1)
    other.begin(environment.info(), ('yellow',), 1)
    counts = []
    for _ in range(6):
        (question,) = environment.questions(only_decisions=True)
        player = agent if question.role == 'red' else other
        answer = player.choose(question)
        if player is agent:
            forest, roots = agent._trees[0]
            (root,) = (place[1] for place in roots.values())
            counts.append(int(forest.arrays.nodes['visits'][root]))
            # All that hangs below the root is whole.
            reached = forest.arrays.counts[0]
            nodes = forest.arrays.nodes[:reached]
            assert (nodes['parent'][1:] >= 0).all()
            assert (nodes['child'] < reached).all()
            assert (nodes['sibling'] < reached).all()
        environment.step({question.role: answer})
    # Visits of the tree before are there from the start.
    assert max(counts[1:]) > 520


def test_time_is_kept() -> None:
    from time import monotonic

    environment = Environment.open(game_of('connect_four'))
    agent = open_agent('mcts:time=0.3')
    agent.begin(environment.info(), ('red',), 1)
    (question,) = environment.questions(only_decisions=True)
    agent.choose(question)
    agent.begin(environment.info(), ('red',), 1)
    started = monotonic()
    agent.choose(question)
    assert 0.25 < monotonic() - started < 3


@pytest.mark.parametrize('name', ['mcts', 'ismcts', 'montecarlo', 'alphabeta'])
def test_time_is_told_by_a_clock_that_can_be_given(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count()
    monkeypatch.setattr(SearchAgent, 'clock', staticmethod(lambda: float(next(ticks))))
    environment = Environment.open(game_of('connect_four'))
    agent = open_agent(f'{name}:time=6' + (',depth=60' if name == 'alphabeta' else ''))
    agent.begin(environment.info(), ('red',), 1)
    (question,) = environment.questions(only_decisions=True)
    agent.choose(question)
    assert 3 <= next(ticks) <= 20


@pytest.mark.parametrize('name', ['mcts', 'ismcts', 'montecarlo'])
def test_thinking_for_ever_is_refused(name: str) -> None:
    environment = Environment.open(game_of('tictactoe'))
    agent = open_agent(f'{name}:time=0')
    agent.begin(environment.info(), ('x',), 1)
    (question,) = environment.questions(only_decisions=True)
    with pytest.raises(AgentError, match=f'{name} would think for ever'):
        agent.choose(question)


def test_families_of_any_size_find_room() -> None:
    forest = grown('tictactoe', 50, family=10_000)
    assert forest.arrays.nodes['visits'][0] >= 50


def test_large_trees_of_joint_moves_are_kept() -> None:
    rules = rules_of('lazerbike(size=6)')
    forest = Forest(rules, 1)
    root = forest.plant(rules.initial, 0)
    arrays = forest.arrays
    # More children than the smallest table has room for.
    for _ in range(400):
        if arrays.counts[ENTRIES] <= 1 << 14:
            forest.grow(np.repeat(root, 256))
    other = ForestArrays(rules, arrays.most_nodes)
    arrays.keep(np.array([0]), other, int(arrays.counts[0]))
    assert other.counts[ENTRIES] == arrays.counts[ENTRIES] > 1 << 14
    assert 2 * other.counts[ENTRIES] <= len(other.table)


def test_nodes_can_be_limited() -> None:
    forest = grown('connect_four', 20_000, most_nodes=500)
    assert forest.arrays.counts[0] <= 500
    assert forest.root_moves(0, 0).visits.argmax() == 3


def grow_in(forest: Forest, root: np.ndarray, descents: int) -> np.ndarray:
    for _ in range(descents // 64):
        root = forest.make_room(root)
        forest.grow(np.repeat(root, 64))
    return root


def test_full_trees_forget_what_was_visited_least_and_grow_on() -> None:
    rules = rules_of('connect_four')
    forest = Forest(rules, 1, TreeOptions(most_nodes=3_000))
    root = grow_in(forest, forest.plant(rules.initial, 0), 30_000)
    arrays = forest.arrays
    count = int(arrays.counts[0])
    assert count <= 3_000
    # What was seen of the moves of the root is as before, and there are as many as it has.
    moves = forest.root_moves(int(root[0]), 0)
    assert moves.visits.sum() == arrays.nodes['visits'][root[0]] > 20_000
    assert len(moves.rows) == 7
    assert moves.visits.argmax() == 3
    assert (arrays.arms['pending'][: arrays.counts[1]] == 0).all()
    # Parents and children know of each other.
    nodes = arrays.nodes[:count]
    assert sorted(forest.arrays.list_tree(int(root[0])).tolist()) == list(range(count))
    own = np.flatnonzero(nodes['parent'] >= 0)
    assert (nodes['visits'][nodes['parent'][own]] >= nodes['visits'][own]).all()


def test_little_time_keeps_what_was_visited_most() -> None:
    forest = grown('connect_four', 40_000)
    assert forest.arrays.counts[0] > 20_000
    visits = forest.root_moves(0, 0).visits
    # The time in which 8,000 nodes can be copied, with seven arms at most.
    other = Forest(rules_of('connect_four'), 2)
    [root] = forest.hand_over(np.array([0]), [0], other, 8_000 * COPY_SECONDS)
    assert 100 < other.arrays.counts[0] <= 8_000
    assert (other.root_moves(int(root), 0).visits == visits).all()
    other.grow(np.repeat(root, 256))
    assert other.arrays.nodes['visits'][root] >= visits.sum() + 256


def test_a_search_without_time_to_forget_ends() -> None:
    rules = rules_of('connect_four')
    forest = Forest(rules, 1, TreeOptions(most_nodes=3_000))
    root = forest.plant(rules.initial, 0)
    while not forest.room.is_short(forest.arrays):
        forest.grow(np.repeat(root, 64))
    assert forest.room.lacks_time(forest.arrays, seconds=1e-6)
    assert not forest.room.lacks_time(forest.arrays, seconds=1.0)
    forest.make_room(root, seconds=1.0)
    assert forest.arrays.counts[0] <= 1_500
    assert not forest.room.lacks_time(forest.arrays, seconds=1e-6)


def test_full_trees_of_joint_moves_and_draws() -> None:
    for name in (MATRIX, LOTTERY, 'lazerbike(size=6)'):
        rules = rules_of(name)
        forest = Forest(rules, 1, TreeOptions(most_nodes=2_000))
        root = grow_in(forest, forest.plant(rules.initial, 0), 6_000)
        assert forest.arrays.counts[0] <= 2_000
        visits = forest.arrays.nodes['visits'][root[0]]
        assert forest.root_moves(int(root[0]), 0).visits.sum() == visits > 5_000


def test_trees_can_be_limited_by_memory() -> None:
    rules = rules_of('connect_four')
    forest = Forest(rules, 1, TreeOptions(most_bytes=1 << 20))
    root = grow_in(forest, forest.plant(rules.initial, 0), 30_000)
    # Limited between batches.
    assert forest.arrays.memory < 2 << 20
    assert forest.root_moves(int(root[0]), 0).visits.argmax() == 3


def test_thinking_ahead_helps_with_the_next_move() -> None:
    environment = Environment.open(game_of('connect_four'), Options(seed=1, episodes=1))
    agent = MctsAgent('time=0.05')
    agent.begin(environment.info(), ('yellow',), 1)
    # Red moves first: yellow is shown the position all the same.
    question = environment.question('yellow')
    left = iter(range(30))
    agent.ponder(question, lambda: next(left, None) is not None)
    forest, roots = agent._trees[1]
    visits = int(forest.arrays.nodes['visits'][roots[0][1]])
    assert visits > 30
    (asked,) = environment.questions(only_decisions=True)
    legal = sorted(np.flatnonzero(asked.legal.row(0)).tolist())
    environment.step({'red': Answer(asked.tick, 'red', 'me', np.array(legal[3:4], np.int32))})
    (asked,) = environment.questions(only_decisions=True)
    agent._grow = lambda forest, roots, *rest: roots
    agent.choose(asked)
    forest, roots = agent._trees[1]
    assert forest.arrays.nodes['visits'][roots[0][1]] > 5


def test_random_games_tell_what_was_done() -> None:
    rules = rules_of('tictactoe')
    states = np.repeat(rules.initial, 200, axis=0)
    goals, traces = rules.traced_playouts(states, 3, 100)
    assert (goals == rules.playouts(states, 3, 100)).all()
    done = np.unpackbits(traces.view(np.uint8), axis=1, bitorder='little')
    roles = np.array([rules.does_move(row)[0] for row in range(18)])
    moves = np.array([str(rules.does_move(row)[1]) for row in range(18)])
    lines = [{f'(mark {i} {j})' for j in (1, 2, 3)} for i in (1, 2, 3)]
    lines += [{f'(mark {j} {i})' for j in (1, 2, 3)} for i in (1, 2, 3)]
    lines += [{f'(mark {j} {j})' for j in (1, 2, 3)}, {f'(mark {j} {4 - j})' for j in (1, 2, 3)}]
    for goal, row in zip(goals, done, strict=True):
        by_role = [set(moves[(roles == role) & (row[:18] == 1)]) for role in (0, 1)]
        assert not by_role[0] & by_role[1]
        assert len(by_role[0]) - len(by_role[1]) in (0, 1)
        for role in (0, 1):
            assert (goal[role] == 100) == any(line <= by_role[role] for line in lines)
    # Games that are over before they begin have none.
    assert not rules.traced_playouts(_final_state(), 3, 100)[1].any()


def _final_state() -> np.ndarray:
    simulation = Simulation(rules_of('tictactoe'))
    while not simulation.is_terminal:
        simulation.do({role: m[0] for role, m in simulation.all_choices().items() if m})
    return simulation.rules.from_state(simulation.state)


def test_all_moves_as_first() -> None:
    """What is done later counts for arms of all nodes above, and nothing else changes."""
    forest = grown('connect_four', 2_000, rave=300)
    arrays = forest.arrays
    assert (arrays.arms['pending'] == 0).all()
    visits, late_visits, late_sums = (
        arrays.arms[name][:7] for name in ('visits', 'late_visits', 'late_sum')
    )
    # A column that is chosen is played in that game; others may be played later.
    assert (late_visits >= visits).all()
    assert (late_visits > visits).any()
    assert ((late_sums >= 0) & (late_sums <= late_visits)).all()
    assert forest.root_moves(0, 0).visits.argmax() == 3
    # Kept trees keep it.
    other = ForestArrays(rules_of('connect_four'), arrays.most_nodes)
    arrays.keep(np.array([0]), other, int(arrays.counts[0]))
    assert (other.arms['late_visits'][:7] == late_visits).all()


def test_all_moves_as_first_in_a_match() -> None:
    scores = play('connect_four', ('mcts:playouts=100,rave=300', 'lookahead'), 24)
    assert scores['red'].wins >= 16
    # Games that do not tell what random games did are played without.
    rules = EngineBatch(open_engine(game_of('tictactoe')))
    forest = Forest(rules, 1, TreeOptions(rave=300))
    root = forest.plant(rules.initial, 0)
    for _ in range(20):
        forest.grow(root)
    assert forest.arrays.nodes['visits'][0] >= 20
    with pytest.raises(EngineError, match='does not tell'):
        rules.traced_playouts(rules.initial, 1, 10)
    with pytest.raises(AgentError, match='one random game a node'):
        open_agent('mcts:rave=10,rollouts=4')


def test_beats_alphabeta() -> None:
    scores = play('connect_four', ('alphabeta', 'mcts:playouts=400'), 24)
    assert scores['yellow'].wins >= 15
