"""Histories that agree with what a role was shown, where much is dealt."""

from __future__ import annotations

from collections.abc import Iterator

from hidden_games import BLINDFOLDED, SHAPES
import numpy as np
from numpy.typing import NDArray
import pytest

from gdl_agents.players.random import RandomAgent
from gdl_agents.search.belief.histories import Histories
from gdl_agents.search.belief.knowledge import Knowledge
from gdl_agents.search.belief.known import Glance, Known, ViewLog
from gdl_agents.search.belief.tracker import Tracker
from gdl_agents.search.game.match_table import MatchTable, open_table
from gdl_agents.search.game.random_moves import sample_moves
from gdl_agents.search.game.turns import TurnOrder
from gdl_env.engine.batch.contract import NO_MOVE, Look, States
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Question
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, open_game

# Eight cards for two; the second has to follow. Who cannot has shown what it does not hold.
CARDS = """
(role random) (role one) (role two)
(card c1 red) (card c2 red) (card c3 red) (card c4 red)
(card c5 black) (card c6 black) (card c7 black) (card c8 black)
(after one two) (after two one)
(init (turn one))
(<= (init (sees random (deck ?c))) (card ?c ?colour))
(<= dealing (true (sees random (deck ?c))))
(<= (legal random (deal ?c)) (true (sees random (deck ?c))))
(<= (next (sees random (deck ?c))) (true (sees random (deck ?c))) (not (does random (deal ?c))))
(<= (next (sees ?p (hand ?c))) (does random (deal ?c)) (true (turn ?p)))
(<= (next (sees ?p (hand ?c))) (true (sees ?p (hand ?c))) (not (does ?p (play ?c))))
(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
(<= (next (table ?p ?c)) (or (does ?p (play ?c)) (true (table ?p ?c))))
(<= (next (led ?colour)) (does one (play ?c)) (card ?c ?colour))
(<= (follows ?c) (true (turn two)) (true (led ?colour)) (card ?c ?colour))
(<= can_follow (true (sees two (hand ?c))) (follows ?c))
(<= (legal one (play ?c)) (not dealing) (true (turn one)) (true (sees one (hand ?c))))
(<= (legal two (play ?c)) (not dealing) (true (sees two (hand ?c))) (follows ?c))
(<= (legal two (play ?c)) (not dealing) (true (turn two)) (true (sees two (hand ?c)))
    (not can_follow))
(<= terminal (count 6 (true (table ?p ?c))))
(goal one 50) (goal two 50)
"""

TURNS = '(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))'
# One puts a card away, which two does not see, before cards are played.
PUT_AWAY = (
    CARDS.replace('(not dealing)', '(not dealing) (true done)')
    + """
(<= (legal one (put ?c)) (not dealing) (not (true done)) (true (sees one (hand ?c))))
(<= (next done) (or (does one (put ?c)) (true done)))
(<= (next (sees one (aside ?c))) (or (does one (put ?c)) (true (sees one (aside ?c)))))
"""
).replace('(not (does ?p (play ?c))))', '(not (does ?p (play ?c))) (not (does ?p (put ?c))))')
PUT_AWAY = PUT_AWAY.replace(
    TURNS,
    """(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q) (not putting))
(<= (next (turn ?p)) (true (turn ?p)) putting)
(<= putting (does one (put ?c)))""",
)

# One says something before the cards are dealt.
SAID_FIRST = (
    CARDS.replace('(legal random (deal ?c))', '(legal random (deal ?c)) (true (said ?w))').replace(
        '(<= dealing (true (sees random (deck ?c))))',
        '(<= dealing (not (true started)))\n(<= dealing (true (sees random (deck ?c))))',
    )
    + """
(word yes) (word no)
(<= (legal one (say ?w)) (not (true started)) (word ?w))
(<= (next (said ?w)) (or (does one (say ?w)) (true (said ?w))))
(<= (next started) (or (does one (say ?w)) (true started)))
(<= (next (turn ?p)) (true (turn ?p)) (not (true started)))
"""
).replace(TURNS, f'{TURNS[:-1]} (true started))')


def views(game: Game, role: str, seed: int) -> Iterator[tuple[Environment, Question, int]]:
    """Play a random game; yield what a role sees, and the action it takes then, or NO_MOVE."""
    environment = Environment(open_lanes(game, 1), Options(1, seed, 1))
    agent = RandomAgent()
    agent.begin(environment.info(), environment.roles, seed)
    while not environment.is_finished:
        answers = {}
        shown = None
        for question in environment.questions():
            if question.is_decision:
                answers[question.role] = agent.choose(question)
            if question.role == role:
                shown = question
        if shown is not None:
            action = answers[role].action if shown.is_decision else None
            yield environment, shown, NO_MOVE if action is None else int(action[0])
        environment.step(answers)
    environment.close()


def glance_of(question: Question) -> Glance:
    assert question.observation is not None and question.legal is not None
    is_asked = bool(question.to_move[0])
    legal = question.legal.data[0] if is_asked else None
    return Glance(question.observation.data[0], is_asked, legal)


@pytest.mark.parametrize('seed', range(2))
@pytest.mark.parametrize('role', ['one', 'two'])
@pytest.mark.parametrize(
    'rules', [CARDS, PUT_AWAY, SAID_FIRST], ids=['cards', 'put away', 'said first']
)
def test_all_states_that_are_possible_are_found(rules: str, role: str, seed: int) -> None:
    """In a small game, compared with all states that agree."""
    game = game_from_text(rules, 'cards')
    log, last = ViewLog(), None
    table = None
    for environment, question, action in views(game, role, seed):
        table = table or open_table(environment.info())
        number = table.role(role)
        if last is not None and np.array_equal(last.observation, glance_of(question).observation):
            continue
        last = glance_of(question)
        log.glances.append(last)
        log.played.append(table.row_of(number, action) if action >= 0 else NO_MOVE)
        chance = np.random.default_rng(seed)
        exact = Knowledge(table, number).consistent_states(log, chance)
        assert exact.is_complete
        histories = Histories(table, number, 256)
        histories.follow(log, chance)
        found = {state.tobytes() for state in histories.known().states}
        assert found <= {state.tobytes() for state in exact.states}
        # Which of many are among a sample is chance; of few, all.
        assert len(found) >= min(0.7 * len(exact), 60)
    assert len(log.glances) >= 4


def logs(game: Game, role: str, seed: int) -> Iterator[tuple[MatchTable, ViewLog]]:
    """Play a random game; yield the log of a role at each of its decisions."""
    tracker, table = None, None
    for environment, question, action in views(game, role, seed):
        table = table or open_table(environment.info())
        number = table.role(role)
        tracker = tracker or Tracker(table, number, 1, 20_000, 500)
        tracker.follow_question(question)
        if action >= 0:
            yield table, tracker._lanes[0].log
            tracker.note_move(0, table.row_of(number, action))


def measure_deviation(exact: Known, drawn: Known) -> float:
    """Check that all drawn states are possible; return how far frequencies are off.

    That is chi-square, in standard deviations from its mean.
    """
    every = {state.tobytes(): number for number, state in enumerate(exact.merge_equal().states)}
    weight = exact.merge_equal().weight
    numbers = [every[state.tobytes()] for state in drawn.states]
    found = np.bincount(numbers, minlength=len(every)).astype(np.float64)
    order = np.argsort(weight)
    # States of which fewer than five are expected count together.
    bins = np.cumsum(weight[order] * len(numbers)) // 5
    expected = np.array([weight[order][bins == b].sum() for b in np.unique(bins)])
    counted = np.array([found[order][bins == b].sum() for b in np.unique(bins)])
    expected *= len(numbers)
    freedom = max(1, len(expected) - 1)
    return float((((counted - expected) ** 2 / expected).sum() - freedom) / np.sqrt(2 * freedom))


@pytest.mark.parametrize(
    ('shape', 'role'),
    [(shape, role) for shape in SHAPES for role in BLINDFOLDED.get(shape, ('one', 'two'))],
)
def test_histories_are_drawn_as_often_as_they_are_likely(shape: str, role: str) -> None:
    """Compared with all that is possible, in games that hide things in ways of their own."""
    game = game_from_text(SHAPES[shape], shape)
    checked = 0
    decisions = (decision for seed in range(8) for decision in logs(game, role, seed))
    for table, log in decisions:
        number = table.role(role)
        chance = np.random.default_rng(11)
        exact = Knowledge(table, number).consistent_states(log, chance)
        assert exact.is_complete and len(exact)
        histories = Histories(table, number, 200)
        histories.follow(log, chance)
        assert len(histories) == 200, 'no history was found'
        histories.renew(chance, 48)
        assert measure_deviation(exact, histories.known()) < 5
        checked += len(exact) > 1
        if checked == 3:
            break
    assert checked == 3


@pytest.mark.parametrize('shape', ['numbered', 'guesses'])
def test_moves_of_others_count_as_likely_as_a_model_says(shape: str) -> None:
    """A model by which others mostly make their first move is followed by both ways to know."""

    class FirstMoves:
        def find_chances(self, role: int, states: States, look: Look) -> NDArray[np.float64]:
            counts = look.counts()[:, role]
            chances = np.zeros(len(look.rows))
            for state, count in enumerate(counts.tolist()):
                first = look.starts[state, role]
                chances[first : first + count] = 0.2 / max(1, count)
                chances[first : first + min(1, count)] += 0.8
            return chances

    game = game_from_text(SHAPES[shape], shape)
    differs = False
    decisions = (decision for seed in range(8) for decision in logs(game, 'two', seed))
    for table, log in decisions:
        number = table.role('two')
        chance = np.random.default_rng(7)
        plain = Knowledge(table, number).consistent_states(log, chance)
        exact = Knowledge(table, number, model=FirstMoves()).consistent_states(log, chance)
        differs |= not np.allclose(plain.weight, exact.weight)
        histories = Histories(table, number, 200, FirstMoves())
        histories.follow(log, chance)
        histories.renew(chance, 48)
        assert measure_deviation(exact, histories.known()) < 5
        if differs:
            break
    assert differs


@pytest.mark.parametrize('name', ['doppelkopf', 'skat', 'krieg_tictactoe'])
def test_states_show_what_is_observed_of_them(name: str) -> None:
    """States of random games are compared with the observation of each of them."""
    environment = Environment(open_lanes(open_game(name), 1), Options(1, 1, 1))
    table = open_table(environment.info())
    environment.close()
    rules, chance = table.rules, np.random.default_rng(1)
    states = [np.repeat(rules.initial, 4, axis=0)]
    for _ in range(60):
        look = rules.look(states[-1])
        acting = TurnOrder().find_acting(rules, look, None, chance)
        legal = sample_moves(rules, look, acting, chance)
        states.append(rules.step(states[-1], rules.plain(legal)))
    rows = np.concatenate(states)
    percepts = np.zeros((len(rows), rules.percept_words), np.uint64)
    role = rules.players[-1]
    observed = table.observe(role, rows, percepts)
    for observation in observed:
        expected = (observed == observation[None]).all(axis=1)
        assert (table.shows(role, rows, percepts, observation) == expected).all()
    assert 20 < len(np.unique(observed, axis=0)) < len(rows)
    nowhere = np.full_like(observed[0], 255)
    assert not table.shows(role, rows, percepts, nowhere).any()


@pytest.mark.parametrize(
    ('name', 'role', 'seed'),
    [
        # The declarer, who has taken up the skat, and who plays against one.
        ('skat', 'rearhand', 0),
        pytest.param('skat', 'rearhand', 2, marks=pytest.mark.slow),
        pytest.param('doppelkopf(solos=no)', 'north', 4, marks=pytest.mark.slow),
        # All four say at once whether they want to play alone, and most of it is never shown.
        pytest.param('doppelkopf', 'east', 3, marks=pytest.mark.slow),
    ],
)
def test_dealt_cards_are_followed_to_the_end(name: str, role: str, seed: int) -> None:
    """There are states whenever the role decides, and they hold what it holds."""
    tracker = None
    asked = 0
    for environment, question, action in views(open_game(name), role, seed):
        table = open_table(environment.info())
        number = table.role(role)
        tracker = tracker or Tracker(table, number, 1, 20_000, 500)
        tracker.follow_question(question)
        if action < 0:
            continue
        known = tracker.known(0)
        assert len(known), f'no state at decision {asked}'
        assert question.observation is not None
        shown = table.observe(number, known.states, known.percepts)
        assert (shown == question.observation.data[0]).all()
        hidden = {state.tobytes() for state in known.states}
        assert asked > 6 or len(hidden) > 3, 'one deal stands for all'
        tracker.note_move(0, table.row_of(number, action))
        asked += 1
    assert asked >= 6
