"""Small games are solved, and networks learn the solution."""

from __future__ import annotations

from functools import reduce
from operator import xor

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.dqn.value_trainer import ValueTrainer
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.game_properties.solution import UNKNOWN, solve_game
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.derived_options import derive_options
from gdl_env.cli.game_options import load
from gdl_env.engine.mapping import open_encoding
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_term

pytestmark = pytest.mark.torch

# Two states that lead to each other, and a way out: who leaves loses.
CIRCLE = """
(role a) (role b)
(init (at 1)) (init (control a))
(<= (legal ?p stay) (true (control ?p)))
(<= (legal ?p leave) (true (control ?p)) (true (at 2)))
(<= (next (at 2)) (true (at 1)) (not left))
(<= (next (at 1)) (true (at 2)) (not left))
(<= left (does ?p leave))
(<= (next (out ?p)) (does ?p leave))
(<= (next (control b)) (true (control a)))
(<= (next (control a)) (true (control b)))
(<= terminal (true (out ?p)))
(<= (goal ?p 0) (true (out ?p)))
(<= (goal ?p 100) (role ?p) (not (true (out ?p))))
"""


def test_tictactoe_is_a_draw() -> None:
    solution = solve_game(load('tictactoe'))
    assert solution is not None
    assert solution.visited == 5_478
    first = solution.goal[0]
    assert solution.roles[solution.seat[0]] == 'x' and (first == 50).all()
    # After a corner, only the centre keeps the draw.
    mapping = open_encoding(load('tictactoe'))
    names = [mapping.observation_name(n) for n in range(mapping.observation_size)]
    corner = names.index('(cell 1 1 x)')
    blanks = [n for n, name in enumerate(names) if name.endswith(' b)')]
    place = np.flatnonzero(
        solution.observation[:, corner] & (solution.observation[:, blanks].sum(axis=1) == 8)
    )
    (answers,) = solution.goal[place]
    assert [mapping.move(None, a) for a in np.flatnonzero(answers == 50)] == [
        read_term('(mark 2 2)')
    ]


@pytest.mark.parametrize('heaps', [(1, 3, 5, 7), (2, 2, 3)])
def test_nim_is_what_bouton_said(heaps: tuple[int, ...]) -> None:
    game = load(f'nim(heaps={" ".join(map(str, heaps))})')
    solution = solve_game(game)
    assert solution is not None
    mapping = open_encoding(game)
    names = [mapping.observation_name(n) for n in range(mapping.observation_size)]
    entries = [(n, name.strip('()').split()) for n, name in enumerate(names) if 'heap' in name]
    for row in range(len(solution)):
        left = [int(words[2]) for n, words in entries if solution.observation[row, n]]
        is_won = solution.goal[row].max() == 100
        assert is_won == bool(reduce(xor, left))


def test_circles_that_decide_nothing_stay_unknown() -> None:
    solution = solve_game(game_from_text(CIRCLE, 'circle'))
    assert solution is not None
    # At 1 there is no choice; at 2, to leave loses, and to stay never ends.
    mapping = open_encoding(game_from_text(CIRCLE, 'circle'))
    leave, stay = (mapping.action_index(None, read_term(name)) for name in ('leave', 'stay'))
    assert len(solution) == 1
    assert (solution.goal[0, leave], solution.goal[0, stay]) == (0, UNKNOWN)
    assert not solution.find_questions().any()


@pytest.mark.parametrize('name', ['connect_four', 'krieg_tictactoe', 'pig', 'rock_paper_scissors'])
def test_others_are_not_solved(name: str) -> None:
    assert solve_game(load(name)) is None
    config = make_config({'game': name, 'lanes': 2, 'learner': {'exact': 8}})
    with pytest.raises(ConfigError, match='is not solved'):
        ValueTrainer(load(name), config)


def test_the_solution_is_learned() -> None:
    game = load('nim(heaps=1 2 3)')
    sources = {'game': game.name, 'seed': 3, 'evaluation_games': 10}
    derivation = derive_options(game, sources)
    trainer = ValueTrainer(game, make_config(derivation.options(), sources))
    taken = {}
    while not trainer.is_done:
        taken = trainer.tick() or taken
    (model,) = taken.values()
    assert model.about.proved and model.about.right == 1
    asked = trainer.examine(dict.fromkeys(trainer.roles, model))
    assert all(right.right == right.asked > 0 for right in asked.values())
    assert trainer.episodes < trainer.config.episodes
    trainer.close()


def test_a_game_without_any_decision_is_said_to_have_nothing_to_learn() -> None:
    forced = """
    (role a) (init (at 1)) (legal a go)
    (<= (next (at 2)) (true (at 1))) (<= terminal (true (at 2))) (goal a 100)
    """
    game = game_from_text(forced, 'forced')
    trainer = ValueTrainer(game, make_config(derive_options(game).options()))
    while not trainer.is_done:
        models = trainer.tick()
    assert models is not None and trainer.episodes < 1_000
    found = trainer.gather_findings({'a': models['a']})
    assert any('nothing to learn' in text for text in found.sentences)
    trainer.close()
