"""How many steps of others a learner takes in: messages of two actors in, memory out.

    .venv/bin/python benchmark/intake.py                     tic-tac-toe, 1,024 and 8,192 lanes
    .venv/bin/python benchmark/intake.py connect_four --lanes 1024
    .venv/bin/python benchmark/intake.py --nodes             through the middleware

Two matches are played at random, and the bytes of their messages kept. Then they are unpacked,
put in order and learned from as `learner_node` does, by turns, without updates of the network.
Times are those of the processor: other programs do not count. With `--nodes`, environments, random
agents and a learner are nodes, and the time is that of all threads of the learner's process.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
import os
from pathlib import Path
import signal
import subprocess
import sys
from time import monotonic, process_time
from typing import Any

from machine import describe_machine
from rclpy.serialization import deserialize_message, serialize_message

BIN = Path(sys.executable).parent
# Reports of a learner that are not measured.
_WARM = 3


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('game', nargs='?', default='tictactoe')
    parser.add_argument('--lanes', type=int, nargs='+', default=[1024, 8192])
    parser.add_argument('--ticks', type=int, default=60)
    parser.add_argument('--actors', type=int, default=2)
    parser.add_argument('--nodes', action='store_true', help='through the middleware')
    parser.add_argument('--seconds', type=float, default=20.0, help='of a measurement, of nodes')
    options = parser.parse_args()
    print(describe_machine())
    for lanes in options.lanes:
        if options.nodes:
            print(measure_nodes(options, lanes), flush=True)
            continue
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


def measure_nodes(options: Any, lanes: int) -> str:
    """Return in words how many steps a learner that is a node takes in."""
    from gdl_env.engine.contract import NATURE
    from gdl_env.language.load import open_game

    roles = ','.join(str(role) for role in open_game(options.game).roles if role != NATURE)
    names = [f'actor_{number}' for number in range(options.actors)]
    detail = f'game={options.game},mode=together,updates=1e-9,warm_up=1000000000,capacity=1000000'
    learner = [str(BIN / 'learner_node'), '--ros-args', '-p', f'matches:=[{",".join(names)}]']
    learner += ['-p', f"detail:='{detail},episodes=1000000000,log_every=1000000000'"]
    commands = [learner]
    for number, name in enumerate(names):
        common = ['--ros-args', '-r', f'__ns:=/{name}', '-p', f'seed:={number}']
        environment = [str(BIN / 'env_node'), *common, '-p', f'game:={options.game}']
        environment += ['-p', f'lanes:={lanes}', '-p', 'episodes:=-1', '-p', 'play_clock:=0.0']
        commands.append([*environment, '-p', 'learner_lead:=32'])
        commands.append([str(BIN / 'random_agent'), *common, '-p', f'roles:=[{roles}]'])
    running: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            running.append(
                subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
        steps, processor, clock, lost = probe_nodes(running[0].pid, options.seconds)
    finally:
        for process in running:
            process.send_signal(signal.SIGINT)
        for process in running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    who = f'{options.game}, {lanes:,} lanes, {options.actors} actors'
    return (
        f"{who}: {steps / processor:,.0f} steps in a second of the learner's processor,"
        f' {steps / clock:,.0f} steps/s here, {lost} lost'
    )


def probe_nodes(number: int, seconds: float) -> tuple[int, float, float, int]:
    """Return steps that a learner took in, its processor time, the time, and steps lost."""
    from diagnostic_msgs.msg import DiagnosticArray
    import rclpy

    from gdl_env.ros.run_node import open_executor

    rclpy.init()
    node = rclpy.create_node('intake_probe')
    # Steps taken in, steps lost, processor time of the learner, and the time, now and then.
    seen: list[tuple[int, int, float, float]] = []

    def hear(message: DiagnosticArray) -> None:
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            if 'steps taken in' in values:
                counts = int(values['steps taken in']), int(values['steps lost'])
                seen.append((*counts, processor_time(number), monotonic()))

    node.create_subscription(DiagnosticArray, '/diagnostics', hear, 10)
    executor = open_executor(node.context)
    executor.add_node(node)

    def spin(until: Callable[[], bool], limit: float) -> None:
        end = monotonic() + limit
        while not until() and monotonic() < end:
            executor.spin_once(timeout_sec=0.1)

    # The first ones come while kernels are still compiled.
    spin(lambda: len(seen) >= _WARM, 300)
    spin(lambda: False, seconds)
    node.destroy_node()
    rclpy.shutdown()
    (taken, lost, processor, clock), last = seen[_WARM - 1], seen[-1]
    return last[0] - taken, last[2] - processor, last[3] - clock, last[1] - lost


def processor_time(number: int) -> float:
    """Return the processor time of a process [s]."""
    words = Path(f'/proc/{number}/stat').read_text().rpartition(')')[2].split()
    # The fields utime and stime, counted from the one behind the name.
    return sum(map(int, words[11:13])) / os.sysconf('SC_CLK_TCK')


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
    os.environ.setdefault('ROS_DOMAIN_ID', '87')
    os.environ['AMENT_PREFIX_PATH'] = str(BIN.parent)
    main()
