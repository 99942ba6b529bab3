"""Properties derived from the rules: symmetries, views, zero sums, and exhaustive proofs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.dqn.model import About, Model
from gdl_agents.learning.game_properties.game_traits import find_traits, is_zero_sum
from gdl_agents.learning.game_properties.proof import Prover, is_proved, prove
from gdl_agents.learning.game_properties.symmetry import find_symmetries
from gdl_agents.learning.networks import Head, Shape, build_network, generate
from gdl_agents.learning.training.config import LearnerConfig
from gdl_env.engine.mapping import open_encoding
from gdl_env.environment.bits import Bits
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.protocol import Question
from gdl_env.language.game import Game
from gdl_env.language.library import find_game
from gdl_env.language.load import game_from_text, load_game

pytestmark = pytest.mark.torch

# Two take turns to take one or two of four matches; who takes the last wins.
MATCHES = """
(role a) (role b) (other a b) (other b a)
(init (heap 4)) (init (control a))
(left 4 1 3) (left 4 2 2) (left 3 1 2) (left 3 2 1) (left 2 1 1) (left 2 2 0) (left 1 1 0)
(<= (legal ?r (take ?k)) (true (control ?r)) (true (heap ?n)) (left ?n ?k ?m))
(<= (next (heap ?m)) (true (heap ?n)) (does ?r (take ?k)) (left ?n ?k ?m))
(<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
(<= terminal (true (heap 0)))
(<= (goal ?r 0) (true (control ?r)))
(<= (goal ?o 100) (true (control ?r)) (other ?r ?o))
"""
# A board of two rows on which only the upper one may be marked, and the middle wins: mirrored it
# is the same game, upside down it is not.
UPPER = """
(role a) (role b) (other a b) (other b a) (init (control a))
(row 1) (row 2) (column 1) (column 2) (column 3)
(succ 1 2) (succ 2 3)
(<= (init (cell ?r ?c e)) (row ?r) (column ?c))
(<= (legal ?p (mark 1 ?c)) (true (control ?p)) (true (cell 1 ?c e)))
(<= (next (cell ?r ?c ?p)) (does ?p (mark ?r ?c)))
(<= (next (cell ?r ?c ?v)) (true (cell ?r ?c ?v)) (not (marked ?r ?c)))
(<= (next (control ?o)) (true (control ?p)) (other ?p ?o))
(<= (marked ?r ?c) (does ?p (mark ?r ?c)))
(<= terminal (not open))
(<= open (true (cell 1 ?c e)))
(<= (goal ?p 100) (true (cell 1 2 ?p)) (role ?p))
(<= (goal ?p 0) (role ?p) (not (true (cell 1 2 ?p))))
"""


def named(name: str) -> Game:
    return load_game(find_game(name))


@pytest.mark.parametrize(
    ('name', 'number'),
    [('tictactoe', 8), ('connect_four', 2), ('krieg_tictactoe', 8), ('monty_hall', 1)],
)
def test_symmetries_of_games(name: str, number: int) -> None:
    assert len(find_symmetries(named(name))) == number


def test_what_is_no_symmetry_is_found_out_by_playing() -> None:
    game = game_from_text(UPPER, 'upper')
    found = find_symmetries(game)
    assert len(found) == 2
    mapping = open_encoding(game)
    names = [mapping.observation_name(i) for i in range(mapping.observation_size)]
    mirrored = [names[i] for i in found.observation[1]]
    assert mirrored[names.index('(cell 1 1 a)')] == '(cell 1 3 a)'
    assert mirrored[names.index('(cell 1 2 e)')] == '(cell 1 2 e)'
    moves = [str(mapping.move(mapping.game.roles[0], i)) for i in range(mapping.action_size)]
    assert moves[found.action[1, moves.index('(mark 1 1)')]] == '(mark 1 3)'
    # Only the goals tell that this is none.
    unequal = UPPER.replace('(cell 1 2 ?p)', '(cell 1 1 ?p)')
    assert len(find_symmetries(game_from_text(unequal, 'unequal'))) == 1
    # What is legal where goes the other way round, and back.
    assert (found.action[1][found.legal[1]] == np.arange(len(moves))).all()


@pytest.mark.parametrize(
    ('game', 'answer'),
    [
        (named('tictactoe'), True),
        (named('connect_four'), True),
        # Hidden moves; one player; both at once.
        (named('krieg_tictactoe'), False),
        (named('monty_hall'), False),
        (named('rock_paper_scissors'), False),
        (game_from_text(MATCHES, 'matches'), True),
        (game_from_text(MATCHES.replace('(goal ?r 0)', '(goal ?r 10)'), 'unequal'), False),
    ],
    ids=lambda value: value.name if isinstance(value, Game) else '',
)
def test_zero_sums(game: Game, answer: bool) -> None:
    assert is_zero_sum(open_lanes(game, 4)) is answer


def test_both_roles_see_the_same_game() -> None:
    game = named('tictactoe')
    views = find_traits(game).views
    mapping = open_encoding(game)
    names = [mapping.observation_name(i) for i in range(mapping.observation_size)]
    assert (views['x'] == np.arange(29)).all()
    assert names[views['o'][names.index('(cell 2 3 x)')]] == '(cell 2 3 o)'
    assert names[views['o'][names.index('(control x)')]] == '(control o)'
    assert names[views['o'][names.index('(cell 2 3 b)')]] == '(cell 2 3 b)'
    # Who sees it differently, or what depends on who is who, stays as it is: in hex, sides do.
    assert not find_traits(named('hex')).views
    assert not find_traits(named('krieg_tictactoe')).views
    rule = '(true (heap ?n)) (left ?n ?k ?m)'
    unequal = MATCHES.replace(f'{rule})', f'{rule} (may ?r ?k))', 1)
    unequal += '(may a 1) (may a 2) (may b 1)'
    assert not find_traits(game_from_text(unequal, 'unequal')).views


def test_traits_are_switched_off_one_by_one() -> None:
    traits = find_traits(named('tictactoe'))
    assert traits.is_zero_sum
    assert not traits.used_by(LearnerConfig(zero_sum=False)).is_zero_sum
    assert traits.used_by(LearnerConfig(symmetries=False)).symmetries is None
    assert not traits.used_by(LearnerConfig(one_view=False)).views
    assert find_traits(named('tictactoe'), shared=False).views == {}
    assert not find_traits(
        named('tictactoe'), 'gdl_agents.learning.training.rewards:PUNISHING'
    ).is_zero_sum


def make_model(game: Game, views: Any = None) -> Model:
    shape = Shape.of(game, open_encoding(game))
    spec, head = generate(shape, 'small'), Head(False, 1, False)
    weights = build_network(spec, shape, head, seed=3).state_dict()
    return Model(spec, shape, head, -10, 10, weights, About(game.name), views or {})


def test_a_model_sees_what_its_roles_are_shown() -> None:
    game = named('tictactoe')
    model = make_model(game, find_traits(game).views)
    again = Model.from_bytes(model.to_bytes())
    rows = np.random.default_rng(1).random((3, 29)) < 0.5
    everywhere = np.ones(3, np.bool_)
    legal = Bits.pack(np.ones((3, 9), np.bool_))
    for role in ('x', 'o', 'far/o'):
        question = Question(1, role, np.ones(3, np.uint64), everywhere, Bits.pack(rows), legal)
        seen = again.seen(question).observation
        assert seen is not None
        assert (seen.unpack() == rows[:, model.views[role[-1]]]).all()


def test_proofs_visit_every_game() -> None:
    game = game_from_text(MATCHES, 'matches')
    model = make_model(game)
    network = model.build()
    found = {}
    # Values that prefer to take one, or two, whatever is seen.
    for wanted in (0, 1):
        weights = {name: 0 * value for name, value in network.state_dict().items()}
        bias = next(name for name in weights if name.startswith('head.') and name.endswith('bias'))
        weights[bias][wanted] = 1
        found[wanted] = [
            prove(game, Model(model.spec, model.shape, model.head, -10, 10, weights), role)
            for role in ('a', 'b')
        ]
    # Four: a takes one and leaves three, of which none can be won by b; with two it can.
    one, two = found[0][0], found[1][0]
    assert one is not None and two is not None
    # a: one of 4; b: 1 of 3, then a takes 1 and b the last; or b: 2, and a takes the last.
    assert (one.never_loses, one.positions, one.losses) == (False, 7, 1)
    assert one.lost_game == ('(take 1)',) * 4
    assert one.won == pytest.approx(0.5)
    # a: two of 4; b takes the last two and wins, or one, and a wins.
    assert (two.never_loses, two.losses, two.lost_game) == (False, 1, ('(take 2)', '(take 2)'))
    assert two.won == two.lost == pytest.approx(0.5)
    assert str(one).startswith('a can lose in 1 ways, such as (take 1) (take 1)')
    # As b, taking two never loses: a leaves 3 or 2; b leaves 1, which a takes and wins: it can.
    assert found[1][1] is not None and not is_proved([found[1][1]])


def test_games_that_are_too_large_or_secret_are_not_proved() -> None:
    game = named('connect_four')
    prover = Prover(game)
    assert prove(game, make_model(game), 'red', most=50) is None
    prover._is_too_large = True
    assert prover.prove(make_model(game), ('red', 'yellow')) == []
    secret = named('krieg_tictactoe')
    assert prove(secret, make_model(secret), 'x') is None
    assert not is_proved([])
