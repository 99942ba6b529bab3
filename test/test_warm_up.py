"""After the warm-up nothing is left to compile, whatever answers come."""

from __future__ import annotations

import subprocess
import sys

import pytest

COUNT = """
import gc
from numba.core.dispatcher import Dispatcher

def count():
    kernels = [found for found in gc.get_objects() if isinstance(found, Dispatcher)]
    total = {}
    for found in kernels:
        name = f'{found.py_func.__module__}.{found.py_func.__qualname__}'
        total[name] = total.get(name, 0) + len(found.overloads)
    return {name: n for name, n in total.items() if n}
"""

ENVIRONMENT = """
import numpy as np
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.environment.warm_up import warm_up
from gdl_env.language.load import open_game

game, options = open_game('tictactoe'), Options(lanes=LANES, seed=1)
warm_up(game, options)
before = count()
environment = Environment.open(game, options)
for kind in ('fresh', 'from a message', 'late', 'illegal'):
    answers = {}
    for question in environment.questions():
        if question.is_decision and kind != 'late':
            action = question.legal.unpack().argmax(axis=1).astype(np.int32)
            if kind == 'illegal':
                action[:] = 8 - action
            action = np.frombuffer(action.tobytes(), np.int32) if 'mess' in kind else action
            answers[question.role] = Answer(question.tick, question.role, 'me', action)
    environment.step(answers)
assert count() == before, {name: n for name, n in count().items() if n != before.get(name, 0)}
"""

SEARCH = """
from gdl_agents.registry import open_agent
from gdl_env.environment.environment import Environment
from gdl_env.language.load import open_game

environment = Environment.open(open_game('tictactoe'))
info = environment.info()
agent = open_agent('AGENT')
agent.warm_up(info, info.roles)
before = count()
agent.begin(info, info.roles, 1)
# Too few for the match to end, which is the affair of the environment.
for _ in range(4):
    answers = {}
    for question in environment.questions():
        if question.is_decision:
            answers[question.role] = agent.choose(question)
        else:
            agent.notice(question)
    environment.step(answers)
found = {name: n for name, n in count().items() if n != before.get(name, 0)}
assert not found, found
"""


def run(text: str) -> None:
    """Run a program in a process that has loaded no kernel yet."""
    done = subprocess.run([sys.executable, '-c', COUNT + text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize('lanes', [1, 16])
def test_no_answer_makes_a_match_compile(lanes: int) -> None:
    run(ENVIRONMENT.replace('LANES', str(lanes)))


@pytest.mark.parametrize('agent', ['mcts:playouts=20', 'alphabeta:depth=2'])
def test_a_search_is_compiled_before_the_first_question(agent: str) -> None:
    run(SEARCH.replace('AGENT', agent))
