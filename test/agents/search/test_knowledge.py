"""What players know is what all histories that look the same leave open."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

from hidden_games import SHAPES
import numpy as np
import pytest
from search_games import game_of, play

from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_agents.search.belief.knowledge import Knowledge
from gdl_agents.search.players.lookahead import LookaheadAgent
from gdl_env.engine.batch.contract import NO_MOVE
from gdl_env.engine.contract import NATURE, Engine, Move, Role, State
from gdl_env.engine.registry import open_engine
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.environment.undo import UndoHistory
from gdl_env.language.game import Turns
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term


@dataclass
class Event:
    """What a role was shown, and what it played then."""

    view: frozenset[Term]
    is_asked: bool
    move: Move | None = None


class Enumeration:
    """All histories that agree with what a role was shown, one by one on an engine."""

    def __init__(self, engine: Engine, role: Role) -> None:
        self.engine = engine
        self.role = role

    def run(self, events: list[Event]) -> dict[State, float]:
        # States with what the role perceived since it last acted.
        known = self.settle([(self.engine.initial_state, frozenset(), 1.0)])
        known = [entry for entry in known if self.shows(entry, events[0])]
        for before, event in pairwise(events):
            move, reached = before.move, []
            unseen = Event(before.view, False)
            while known:
                known = self.settle([a for entry in known for a in self.steps(entry, move)])
                reached += [entry for entry in known if self.shows(entry, event)]
                known = [
                    entry
                    for entry in known
                    if not self.shows(entry, event) and self.shows(entry, unseen)
                ]
                move = None
            known = reached
        found: dict[State, float] = {}
        total = sum(weight for _, _, weight in known)
        for state, _, weight in known:
            found[state] = found.get(state, 0.0) + weight / total
        return found

    def shows(self, entry, event: Event) -> bool:
        state, percepts, _ = entry
        legal = self.engine.legal_moves(state)
        is_asked = len(legal[self.role]) > 1
        if self.engine.game.turns is Turns.SERIAL:
            is_asked = is_asked and event.is_asked
        view = percepts or self.engine.view(state, self.role)
        return view == event.view and is_asked == event.is_asked

    def steps(self, entry, move: Move | None):
        """Return all that one step may lead to; the role makes its move, if there is one."""
        state, percepts, weight = entry
        legal = dict(self.engine.legal_moves(state))
        if self.engine.game.turns is Turns.SERIAL:
            acting = [r for r in self.engine.actors(state) if (r == self.role) == bool(move)]
            if NATURE in self.engine.actors(state):
                acting = [NATURE]
        else:
            acting = [r for r in self.engine.roles if legal[r]]
        choices = [(move,) if r == self.role and move else legal[r] for r in acting]
        count = 1
        for options in choices:
            count *= len(options)
        for moves in product(*choices):
            played = dict(zip(acting, moves, strict=True))
            told = self.engine.percepts(state, played).get(self.role, frozenset())
            kept = frozenset() if self.role in acting else percepts
            yield self.engine.next_state(state, played), kept | told, weight / count

    def settle(self, known):
        """Play on where nobody has a decision."""
        done = []
        while known:
            entry = known.pop()
            state = entry[0]
            if self.engine.is_terminal(state):
                continue
            legal = self.engine.legal_moves(state)
            nature = self.engine.game.turns is Turns.SERIAL and bool(legal.get(NATURE))
            if not nature and any(len(m) > 1 for r, m in legal.items() if r != NATURE):
                done.append(entry)
            else:
                known += [
                    (after, entry[1] | told, weight)
                    for after, told, weight in self.steps((state, frozenset(), entry[2]), None)
                ]
        return done


@pytest.mark.parametrize(
    ('name', 'role', 'decisions'),
    [
        ('krieg_tictactoe', 'x', 3),
        ('krieg_tictactoe', 'o', 2),
        ('simultaneous_krieg_tictactoe', 'x', 3),
        ('simultaneous_krieg_tictactoe', 'o', 3),
        ('monty_hall', 'candidate', 2),
        *((shape, role, 3) for shape in SHAPES for role in ('one', 'two')),
    ],
)
@pytest.mark.parametrize('seed', [1, 2, 3])
def test_known_states_are_all_that_are_possible(
    name: str, role: str, decisions: int, seed: int
) -> None:
    game = game_of(SHAPES.get(name, name))
    engine = open_engine(game)
    environment = Environment.open(game, Options(seed=seed, episodes=1))
    player = environment.roles.index(role)
    agents = {r: RandomAgent() for r in environment.roles}
    agents[role] = LookaheadAgent()
    for name_, agent in agents.items():
        agent.begin(environment.info(), (name_,), seed)
    events: list[Event] = []
    checked = 0
    while not environment.is_finished and checked < decisions:
        answers = {}
        for question in environment.questions():
            agent = agents[question.role]
            if question.is_decision:
                answers[question.role] = agent.choose(question)
            else:
                agent.notice(question)
            if question.role == role:
                view = environment.game.view(player, 0)
                events.append(Event(view, question.is_decision))
        if role in answers:
            tracker = agents[role]._trackers[role]
            known = tracker.known(0)
            rules = agents[role].table.rules
            found = {
                rules.to_state(state): weight
                for state, weight in zip(known.states, known.weight, strict=True)
            }
            expected = Enumeration(engine, next(r for r in engine.roles if str(r) == role))
            wanted = expected.run(events)
            assert found.keys() == wanted.keys()
            for state, weight in wanted.items():
                assert found[state] == pytest.approx(weight)
            assert environment.game.state(0) in found
            assert known.is_complete
            action = answers[role].action
            assert action is not None
            events[-1].move = read_term(environment.info().moves[int(action[0])])
            checked += 1
        environment.step(answers)
    assert checked


@pytest.mark.parametrize(
    'agent', ['lookahead', 'mcts:playouts=50,states=16', 'ismcts:playouts=60']
)
def test_switching_wins_two_times_out_of_three(agent: str) -> None:
    score = play('monty_hall', (agent,), 300)['candidate']
    assert score.wins / score.games == pytest.approx(2 / 3, abs=0.09)


def test_a_sample_stands_for_many_states() -> None:
    """Few particles lead to states that are possible, about as likely as they are."""
    environment = Environment.open(game_of('krieg_tictactoe'), Options(seed=4))
    agent, other = LookaheadAgent(), RandomAgent()
    agent.begin(environment.info(), ('x',), 1)
    other.begin(environment.info(), ('o',), 1)
    for _ in range(4):
        answers = {}
        for question in environment.questions():
            if question.role == 'o' and question.is_decision:
                answers['o'] = other.choose(question)
            elif question.is_decision:
                answers['x'] = agent.choose(question)
            elif question.role == 'x':
                agent.notice(question)
        environment.step(answers)
    for question in environment.questions():
        if question.role == 'x':
            agent._track(question)
    log = agent._trackers['x']._lanes[0].log
    role = agent.table.role('x')
    chance = np.random.default_rng(1)
    exact = Knowledge(agent.table, role).consistent_states(log, chance)
    drawn = Knowledge(agent.table, role, most=4, particles=3_000).consistent_states(log, chance)
    assert exact.is_complete
    assert not drawn.is_complete
    weights = {s.tobytes(): w for s, w in zip(exact.states, exact.weight, strict=True)}
    error = 0.0
    for state, weight in zip(drawn.states, drawn.weight, strict=True):
        error += abs(weights.pop(state.tobytes()) - weight)
    assert error + sum(weights.values()) < 0.3
    assert NO_MOVE in log.played


@pytest.mark.parametrize(
    ('name', 'share'), [('simultaneous_krieg_tictactoe', 0.6), ('krieg_tictactoe', 0.7)]
)
def test_lookahead_beats_random_players(name: str, share: float) -> None:
    score = play(name, ('lookahead', 'random'), 150)['x']
    assert score.wins / score.games > share
    assert score.losses / score.games < 0.3


def test_information_sets_beat_random_players() -> None:
    score = play('krieg_tictactoe', ('ismcts:playouts=150', 'random'), 60)['x']
    assert score.wins > 42


def test_tree_search_goes_by_what_is_known_where_something_is_hidden() -> None:
    by_states = play('krieg_tictactoe', ('random', 'mcts:playouts=150,states=16'), 60)['o']
    by_default = play('krieg_tictactoe', ('random', 'mcts:playouts=150'), 60)['o']
    assert by_default.wins > by_states.wins + 5
    assert by_default == play('krieg_tictactoe', ('random', 'ismcts:playouts=150'), 60)['o']


def test_percepts_are_followed_in_many_lanes() -> None:
    """Lanes end and begin at different times; what is known of one must not leak into others."""
    score = play('simultaneous_krieg_tictactoe', ('lookahead', 'lookahead'), 60)['x']
    assert score.games == 60
    environment = Environment.open(
        game_of('simultaneous_krieg_tictactoe'), Options(lanes=8, seed=2)
    )
    agents = {'x': open_agent('lookahead'), 'o': RandomAgent()}
    for role, agent in agents.items():
        agent.begin(environment.info(), (role,), 3)
    for _ in range(12):
        answers = {}
        for question in environment.questions():
            answers[question.role] = agents[question.role].choose(question)
            if question.role == 'x':
                tracker = agents['x']._trackers['x']
                rules = agents['x'].table.rules
                for lane in range(8):
                    row = rules.from_state(environment.game.state(lane))[0]
                    assert (tracker.known(lane).states == row).all(axis=1).any()
        environment.step(answers)


class Watched:
    """A match in which the knowledge of one role is followed, and moves can be taken back."""

    def __init__(self, name: str, role: str) -> None:
        self.environment = Environment.open(game_of(name), Options(seed=1))
        self.role = role
        self.undo_history = UndoHistory(100)
        self.agent = LookaheadAgent()
        self.agent.begin(self.environment.info(), (role,), 1)
        self.see()

    def see(self) -> None:
        for question in self.environment.questions():
            if question.role == self.role:
                self.agent._track(question)

    def play(self, role: str, move: str) -> None:
        environment = self.environment
        self.undo_history.remember_tick(environment)
        action = environment.info().moves.index(move)
        if role == self.role:
            row = self.agent.table.row_of(self.agent.table.role(role), action)
            self.agent._trackers[role].note_move(0, row)
        given = Answer(environment.tick_of(role), role, 'me', moves=(move,))
        environment.step({role: given})
        self.see()

    def take_back(self, role: str) -> None:
        assert self.undo_history.take_back(self.environment, role)
        self.see()

    def known(self) -> set[State]:
        rules = self.agent.table.rules
        tracker = self.agent._trackers[self.role]
        return {rules.to_state(state) for state in tracker.known(0).states}


@pytest.mark.parametrize('role', ['x', 'o'])
@pytest.mark.parametrize('taker', ['x', 'o'])
@pytest.mark.parametrize('times', [1, 2])
def test_moves_that_are_taken_back_are_forgotten(role: str, taker: str, times: int) -> None:
    """What is known then is what is known in a match in which they were never made."""
    moves = [('x', '(mark 1 1)'), ('o', '(mark 2 2)'), ('x', '(mark 3 3)'), ('o', '(mark 1 2)')]
    other = {'x': '(mark 3 1)', 'o': '(mark 2 3)'}
    match = Watched('krieg_tictactoe', role)
    for move in moves:
        match.play(*move)
    for _ in range(times):
        match.take_back(taker)
    left = moves[: [i for i, (r, _) in enumerate(moves) if r == taker][-times]]
    twin = Watched('krieg_tictactoe', role)
    for move in left:
        twin.play(*move)
    for player in (taker, 'o' if taker == 'x' else 'x'):
        assert match.environment.awaited == (player,)
        match.play(player, other[player])
        twin.play(player, other[player])
    assert match.environment.game.state(0) == twin.environment.game.state(0)
    assert match.environment.game.state(0) in match.known()
    assert match.known() == twin.known()


def test_the_end_of_a_game_can_be_taken_back() -> None:
    match = Watched('krieg_tictactoe', 'o')
    for number, place in enumerate(('1 1', '2 1', '1 2', '2 2', '1 3')):
        match.play('xo'[number % 2], f'(mark {place})')
    assert int(match.environment.episode[0]) == 2
    match.take_back('x')
    match.play('x', '(mark 3 3)')
    assert match.environment.game.state(0) in match.known()
