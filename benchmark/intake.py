"""How many steps of others a learner takes in: messages of two actors in, memory out.

    .venv/bin/python benchmark/intake.py                     tic-tac-toe, 1,024 and 8,192 lanes
    .venv/bin/python benchmark/intake.py connect_four --lanes 1024

Two matches are played at random, and the bytes of their messages kept. Then they are unpacked,
put in order and learned from as `learner_node` does, by turns, without updates of the network.
Times are those of the processor: other programs do not count.
"""

from __future__ import annotations

import argparse
from time import process_time
from typing import Any

from machine import describe_machine
from rclpy.serialization import deserialize_message, serialize_message


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('game', nargs='?', default='tictactoe')
    parser.add_argument('--lanes', type=int, nargs='+', default=[1024, 8192])
    parser.add_argument('--ticks', type=int, default=60)
    parser.add_argument('--actors', type=int, default=2)
    options = parser.parse_args()
    print(describe_machine())
    for lanes in options.lanes:
        rates = [measure(options, lanes) for _ in range(3)]
        shown = ', '.join(f'{rate:,.0f}' for rate in rates)
        print(f'{options.game}, {lanes:,} lanes, {options.actors} actors: {shown} steps/s')


def measure(options: Any, lanes: int) -> float:
    """Return how many steps a second are taken in."""
    from gdl_msgs.msg import Reward, State

    from gdl_agents.learning.dqn.learning_agent import LearningAgent
    from gdl_agents.ros.learning.intake import Intake
    from gdl_agents.ros.learning.learner_ticks import Ticks
    from gdl_env.ros.transport.messages import from_reward, from_state

    info, played = play(options.game, lanes, options.ticks, options.actors)
    agent = LearningAgent('updates=1e-9,capacity=1000000')
    agent.begin(info, info.roles, 1)
    learner = agent.learner
    assert learner is not None
    intake = Intake()
    names = [f'actor_{number}/' for number in range(options.actors)]
    together = [info.roles] if learner.is_zero_sum else [(role,) for role in info.roles]
    ticks = {
        (name, role): found
        for name in names
        for part in together
        for found in [Ticks(part, name, lambda feedback, role: None, intake)]
        for role in part
    }
    start = process_time()
    for tick in zip(*played, strict=True):
        for name, messages in zip(names, tick, strict=True):
            for is_question, data in messages:
                if is_question:
                    question = from_state(deserialize_message(data, State), info)
                    ticks[name, question.role].add_question(question, learner)
                else:
                    feedback = from_reward(deserialize_message(data, Reward), info)
                    ticks[name, feedback.role].add_feedback(feedback, learner)
    passed = process_time() - start
    assert intake.lost == 0
    # A step of a lane is counted once for all roles that learn from it together.
    return intake.taken / len(together) / passed


def play(
    game: str, lanes: int, ticks: int, actors: int
) -> tuple[Any, list[list[list[tuple[bool, bytes]]]]]:
    """Return what a match is about, and by actor and tick: whether it is a question, its bytes."""
    from gdl_agents.registry import open_agent
    from gdl_env.environment.environment import Environment
    from gdl_env.environment.options import Options
    from gdl_env.language.load import open_game
    from gdl_env.ros.transport.cdr import pack_question
    from gdl_env.ros.transport.messages import to_reward

    found = []
    for actor in range(actors):
        environment = Environment.open(open_game(game), Options(lanes=lanes, seed=actor))
        info = environment.info()
        agent = open_agent('random')
        agent.begin(info, info.roles, actor)
        rows = []
        for _ in range(ticks):
            questions = environment.questions(only_decisions=True)
            step = environment.step({each.role: agent.choose(each) for each in questions})
            messages = [(True, pack_question(each, stamp=1)) for each in questions]
            for role in step.concerned:
                messages.append((False, serialize_message(to_reward(step.feedback[role]))))
            rows.append(messages)
        found.append(rows)
    return info, found


if __name__ == '__main__':
    main()
