"""What the rules say about the next two moves, and that a network learns it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.dqn.value_trainer import ALL, ValueTrainer
from gdl_agents.learning.game_properties.tactical_hints import AdviceBook, Advisor
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.state_file import from_bytes, to_bytes
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game

pytestmark = pytest.mark.torch


def test_wins_and_losses_of_tictactoe() -> None:
    game = load_game(find_game('tictactoe'))
    environment = Environment(open_lanes(game, 2), Options(2))
    advisor = Advisor(environment.info())
    # In lane 0, x has two in the first row; in lane 1, o has two there, and x has none.
    for actions in ((0, 8), (4, 0), (1, 7), (5, 1)):
        (question,) = environment.questions(only_decisions=True)
        answer = Answer(question.tick, question.role, 'test', np.array(actions, np.int32))
        environment.step({question.role: answer})
    (question,) = environment.questions(only_decisions=True)
    wins, losses = advisor.find_decisive_actions(question)
    # x: 0, 1; o: 4, 5; x wins by 2. Otherwise o wins by 3.
    assert np.flatnonzero(wins[0]).tolist() == [2]
    assert np.flatnonzero(losses[0]).tolist() == [6, 7, 8]
    # x: 8, 7; o: 0, 1; x wins by 6, and loses elsewhere unless it blocks.
    assert np.flatnonzero(wins[1]).tolist() == [6]
    assert np.flatnonzero(losses[1]).tolist() == [3, 4, 5]


def test_a_book_keeps_the_latest_that_say_something() -> None:
    book = AdviceBook(4, 1, 1)
    seen = np.arange(10, dtype=np.uint8)[:, None]
    wins = np.zeros((10, 3), np.bool_)
    losses = np.zeros((10, 3), np.bool_)
    wins[[1, 4], 2] = True
    losses[[4, 6, 7, 8], 0] = True
    book.add(seen, wins, losses)
    again = AdviceBook(4, 1, 1)
    again.restore(from_bytes(to_bytes(book.to_tree())))
    for held in (book, again):
        observation, won, lost = held.draw(200, np.random.default_rng(1))
        assert set(observation[:, 0].tolist()) == {4, 6, 7, 8}
        assert (won[observation == 4] == 0b100).all() and (won[observation != 4] == 0).all()
        assert (lost == 1).all()


def test_a_network_learns_what_the_rules_say() -> None:
    learner = {'advice': 32, 'batch': 32, 'updates': 0.2, 'warm_up': 50, 'noisy': False}
    told = {'game': 'tictactoe', 'mode': 'together', 'episodes': 300, 'lanes': 16, 'snapshots': 1}
    told |= {'evaluation_games': 1, 'network': 'small', 'learner': learner}
    trainer = ValueTrainer(load_game(find_game('tictactoe')), make_config(told))
    taught = trainer.learners[ALL]
    losses = []
    while not trainer.is_done:
        trainer.tick()
        if len(taught.teaching.book):
            loss = taught._teach(1, np.random.default_rng(1))
            losses.append(float(loss.detach()))
    assert losses[-1] < 0.5 * losses[0]
