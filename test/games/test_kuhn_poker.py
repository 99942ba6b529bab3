"""Kuhn poker is the game that open_spiel has, and its value is the known one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from twin_tree import TwinTree
from walk import expected_goal, term, uniform

from gdl_env.engine.contract import NATURE, Engine, Move, Role, State
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.terms import args_of

pytestmark = pytest.mark.prolog

ALICE, BOB = term('alice'), term('bob')
CARDS = ('jack', 'queen', 'king')


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('kuhn_poker')


def spiel_action(move: Move) -> int:
    if args_of(move):
        return CARDS.index(str(args_of(move)[1]))
    return ('pass', 'bet').index(str(move))


def test_same_tree_as_open_spiel(engine: Engine) -> None:
    pyspiel = pytest.importorskip('pyspiel', reason='pip install open_spiel')
    start = pyspiel.load_game('kuhn_poker').new_initial_state()
    tree = TwinTree(engine, start, spiel_action, lambda value: 50 + 25 * value)
    mean = tree.walk()
    assert (tree.histories, tree.decisions, tree.ends) == (58, 24, 30)
    assert tree.has_same_information_sets()
    assert len(tree.views) == 12
    assert mean == expected_goal(engine, engine.initial_state, ALICE, uniform)


@dataclass
class Regrets:
    """Counterfactual regret minimisation (CFR+) on what the players see."""

    engine: Engine
    regret: dict[tuple[Role, State], dict[Move, float]] = field(default_factory=dict)
    total: dict[tuple[Role, State], dict[Move, float]] = field(default_factory=dict)

    def improve(self, weight: float) -> None:
        """Play once through the tree for each player, and learn from it."""
        for learner in (ALICE, BOB):
            self._visit(self.engine.initial_state, learner, {ALICE: 1.0, BOB: 1.0}, 1.0, weight)

    def value(self, state: State) -> float:
        """Return Alice's mean goal when both play their average strategy."""
        if self.engine.is_terminal(state):
            return float(self.engine.goals(state)[ALICE] or 0)
        (actor,) = self.engine.actors(state)
        moves = self.engine.legal_moves(state)[actor]
        weights = dict.fromkeys(moves, 1.0)
        if actor != NATURE:
            weights = self.total[actor, self.engine.view(state, actor)]
        after = {m: self.value(self.engine.next_state(state, {actor: m})) for m in moves}
        return sum(weights[m] * after[m] for m in moves) / sum(weights.values())

    def _visit(
        self, state: State, learner: Role, reach: dict[Role, float], luck: float, weight: float
    ) -> float:
        if self.engine.is_terminal(state):
            return float(self.engine.goals(state)[learner] or 0)
        (actor,) = self.engine.actors(state)
        moves = self.engine.legal_moves(state)[actor]
        after = {move: self.engine.next_state(state, {actor: move}) for move in moves}
        if actor == NATURE:
            luck /= len(moves)
            values = [self._visit(s, learner, reach, luck, weight) for s in after.values()]
            return sum(values) / len(values)
        seen = actor, self.engine.view(state, actor)
        regret = self.regret.setdefault(seen, dict.fromkeys(moves, 0.0))
        total = self.total.setdefault(seen, dict.fromkeys(moves, 0.0))
        sum_of = sum(regret.values())
        policy = {m: regret[m] / sum_of if sum_of else 1 / len(moves) for m in moves}
        found = {
            m: self._visit(s, learner, reach | {actor: reach[actor] * policy[m]}, luck, weight)
            for m, s in after.items()
        }
        mean = sum(policy[m] * found[m] for m in moves)
        if actor == learner:
            (other,) = {ALICE, BOB} - {actor}
            for m in moves:
                regret[m] = max(0.0, regret[m] + luck * reach[other] * (found[m] - mean))
                total[m] += weight * reach[actor] * policy[m]
        return mean


def test_value_of_the_game(engine: Engine) -> None:
    regrets = Regrets(engine)
    for number in range(1, 301):
        regrets.improve(number)
    assert regrets.value(engine.initial_state) == pytest.approx(50 - 25 / 18, abs=0.05)
    # With the king Bob bets whatever he hears; with the jack he never calls.
    for (role, view), total in regrets.total.items():
        sure = {'(card king)': 'bet', '(card jack)': 'pass'}
        card = next((c for c in sure if any(c in str(fact) for fact in view)), '')
        if role == BOB and term('(said 1 bet)') in view and card:
            assert total[term(sure[card])] / sum(total.values()) > 0.99


@pytest.mark.parametrize('card', CARDS)
def test_nobody_sees_the_card_of_the_other(engine: Engine, card: str) -> None:
    dealt = engine.next_state(engine.initial_state, {NATURE: term(f'(deal alice {card})')})
    deals = engine.legal_moves(dealt)[NATURE]
    views = [engine.view(engine.next_state(dealt, {NATURE: deal}), ALICE) for deal in deals]
    assert len(views) == 2
    assert len(set(views)) == 1


@pytest.mark.parametrize(
    ('bids', 'shown'),
    [('pass pass', True), ('bet pass', False), ('pass bet pass', False), ('bet bet', True)],
)
def test_cards_are_shown_only_if_nobody_gives_up(engine: Engine, bids: str, shown: bool) -> None:
    match = Interpreter(engine, 1)
    for bid in bids.split():
        match.step({match.actors()[0]: term(bid)})
    assert match.is_terminal
    assert any(str(fact).startswith('(shown ') for fact in match.state) == shown
