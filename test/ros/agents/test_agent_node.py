"""Agents as real processes, against a scripted environment in this one."""

from collections.abc import Callable, Iterator
import os
from pathlib import Path
import pty
import signal
import subprocess
import time
from typing import Any

import numpy as np
import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(120)]

rclpy = pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Action, GameInfo, Reward, State, TeamMessage  # noqa: E402

from gdl_agents.players.draws import derive_seed  # noqa: E402
from gdl_agents.players.random import RandomAgent  # noqa: E402
from gdl_env.environment.bits import Bits  # noqa: E402
from gdl_env.environment.protocol import Answer, Feedback, MatchInfo, Question  # noqa: E402
from gdl_env.ros.launch.executables import find_executable  # noqa: E402
from gdl_env.ros.run_node import open_executor  # noqa: E402
from gdl_env.ros.transport import messages, qos  # noqa: E402

SECONDS = 40
MOVES = tuple(f'(mark {i})' for i in range(9))
NAMESPACE = 'match_1'


def make_info(lanes: int = 4, **changes: Any) -> MatchInfo:
    values: dict[str, Any] = {
        'name': 'marks',
        'rules': '',
        'roles': ('x', 'o'),
        'lanes': lanes,
        'observation_size': 0,
        'action_size': len(MOVES),
        'moves': MOVES,
    }
    return MatchInfo(**{**values, **changes})


def ask(tick: int, lanes: int = 4, role: str = 'x', *, is_decision: bool = True) -> Question:
    legal = np.random.default_rng(tick).random((lanes, len(MOVES))) < 0.5
    legal[:, tick % len(MOVES)] = True
    legal &= is_decision
    return Question(
        tick=tick,
        role=role,
        episode=np.ones(lanes, np.uint64),
        to_move=legal.any(axis=1),
        observation=None,
        legal=Bits.pack(legal),
    )


class Environment:
    """Publishes what it is given, keeps what arrives."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('env_node', namespace=NAMESPACE, context=self.context)
        self._executor = open_executor(self.context)
        self._executor.add_node(self.node)
        self.answers: list[Action] = []
        self.said: list[TeamMessage] = []
        self.listening: dict[str, Any] = {}
        self._info = self.node.create_publisher(GameInfo, 'info', qos.info_qos())
        self._state: dict[str, Any] = {}
        self._reward: dict[str, Any] = {}
        for role in ('x', 'o'):
            self._state[role] = self.node.create_publisher(State, f'{role}/state', qos.state_qos())
            self._reward[role] = self.node.create_publisher(
                Reward, f'{role}/reward', qos.reward_qos()
            )
            self.listen(role)
        self.node.create_subscription(TeamMessage, 'team/one', self.said.append, qos.team_qos())
        self.team = self.node.create_publisher(TeamMessage, 'team/one', qos.team_qos())

    def listen(self, role: str) -> None:
        self.listening[role] = self.node.create_subscription(
            Action, f'{role}/action', self.answers.append, qos.action_qos()
        )

    def begin(self, info: MatchInfo, seed: int = 5) -> None:
        self.info = info
        self._info.publish(messages.to_game_info(info, seed))

    def await_agents(self, *roles: str) -> None:
        """Wait until roles are attached: an answer that nobody hears yet is lost."""
        self.spin(lambda: all(self.listening[role].get_publisher_count() for role in roles))

    def ask(self, question: Question) -> None:
        self._state[question.role].publish(messages.to_state(question))

    def tell(self, feedback: Feedback) -> None:
        self._reward[feedback.role].publish(messages.to_reward(feedback))

    def spin(self, until: Callable[[], bool], seconds: float = SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while not until() and time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.05)

    def await_answers(self, number: int) -> list[Answer]:
        self.spin(lambda: len(self.answers) >= number)
        # Whatever should not come would come now.
        self.spin(lambda: False, 0.1)
        found = [messages.from_action(answer, self.info) for answer in self.answers]
        self.answers.clear()
        assert len(found) == number, found
        return found

    def close(self) -> None:
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def environment(own_domain: int) -> Iterator[Environment]:
    """Make an environment in a domain of its own, on this machine only."""
    it = Environment()
    yield it
    it.close()


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(environment: Environment) -> Iterator[Start]:
    processes: list[subprocess.Popen[str]] = []

    def run(name: str, **parameters: object) -> subprocess.Popen[str]:
        command = [str(find_executable(name)), '--ros-args', '-r', f'__ns:=/{NAMESPACE}']
        for key, value in parameters.items():
            command += ['-p', f'{key}:={value}']
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        process.communicate()


def stop(process: subprocess.Popen[str], number: int = signal.SIGINT) -> str:
    process.send_signal(number)
    output = process.communicate(timeout=SECONDS)[1]
    assert process.returncode == 0, output
    return output


def test_random_agent(environment: Environment, start: Start) -> None:
    agent = start('random_agent', role='x')
    environment.begin(make_info())
    environment.await_agents('x')
    environment.ask(ask(1))
    (first,) = environment.await_answers(1)
    assert (first.tick, first.role, first.agent) == (1, 'x', f'/{NAMESPACE}/random_agent')

    # The agent on the graph is the agent without: the same seed, the same answer.
    same = RandomAgent()
    same.begin(environment.info, ('x',), derive_seed(5, 'x'))
    for tick in (2, 3):
        environment.ask(ask(tick))
        (answer,) = environment.await_answers(1)
        np.testing.assert_array_equal(answer.action, same.choose(ask(tick)).action)

    # Asked again: answered again. Older ones, and those where there is nothing to decide: not.
    environment.ask(ask(3))
    (again,) = environment.await_answers(1)
    np.testing.assert_array_equal(again.action, same.choose(ask(3)).action)
    environment.ask(ask(2))
    environment.await_answers(0)
    environment.ask(ask(4, is_decision=False))
    environment.await_answers(0)

    # An environment that started again counts from 1, and may have more lanes.
    environment.ask(ask(1, lanes=100))
    environment.await_answers(0)
    environment.begin(make_info(lanes=100))
    (again,) = environment.await_answers(1)
    assert again.action is not None
    assert (again.tick, len(again.action)) == (1, 100)

    # Rubbish does not end it.
    environment._state['x'].publish(State(tick=9, role='x', lanes=7))
    # The newest state replaces one that was not read yet.
    environment.await_answers(0)
    environment._state['x'].publish(messages.to_state(ask(9, lanes=100, role='o')))
    environment.await_answers(0)
    environment._info.publish(GameInfo(name='rubbish'))
    environment.ask(ask(2, lanes=100))
    environment.await_answers(1)
    output = stop(agent)
    assert '7 lanes, but the match has 100' in output
    assert "role 'o' came on the topic" in output


def test_answers_wait_for_a_subscriber(environment: Environment, start: Start) -> None:
    environment.node.destroy_subscription(environment.listening['x'])
    start('random_agent', role='x')
    environment.begin(make_info())
    environment.ask(ask(1))
    environment.spin(lambda: environment.node.count_publishers('x/action') > 0)
    environment.spin(lambda: False, 0.5)
    environment.listen('x')
    environment.await_answers(1)


def test_round_trips_are_quick(environment: Environment, start: Start) -> None:
    start('random_agent', role='x')
    lanes = 8192
    environment.begin(make_info(lanes=lanes))
    question = messages.to_state(ask(1, lanes=lanes))
    times = []
    for tick in range(1, 60):
        question.tick = tick
        begin = time.perf_counter()
        environment._state['x'].publish(question)
        environment.spin(lambda: bool(environment.answers))
        times.append(time.perf_counter() - begin)
        environment.answers.clear()
    # Some 2 ms on an idle machine.
    assert np.median(times) < 0.05, np.median(times)


def test_one_node_hosts_any_agent(environment: Environment, start: Start) -> None:
    agent = start('agent_node', role='x', agent='random')
    environment.begin(make_info())
    environment.ask(ask(1))
    (answer,) = environment.await_answers(1)
    assert answer.agent == f'/{NAMESPACE}/agent_node'
    same = RandomAgent()
    same.begin(environment.info, ('x',), derive_seed(5, 'x'))
    np.testing.assert_array_equal(answer.action, same.choose(ask(1)).action)
    stop(agent)


OWN = """
from gdl_agents.players.legal import LegalAgent

class Own(LegalAgent):
    wants_feedback = True

    def begin(self, info, roles, seed):
        self.seed = seed
        if info.name == 'unplayable':
            raise ValueError('too hard')

    def choose(self, question):
        if question.tick == 2:
            raise RuntimeError('no idea')
        self.tell(question.role, f'tick {question.tick} seed {self.seed}', b'ab')
        return super().choose(question)

    def hear(self, team, role, text, data):
        self.tell('x', f'heard {text} from {role} of {team}', data)

    def learn(self, feedback):
        self.tell(feedback.role, f'learned {feedback.tick} {int(feedback.goal[0])}', b'')
"""


def test_own_agent(environment: Environment, start: Start, tmp_path: Path) -> None:
    path = tmp_path / 'own.py'
    path.write_text(OWN)
    agent = start(
        'random_agent', roles='[x, o]', agent=f'{path}:Own', seed=3, agent_name='me', delay_ms=5
    )
    environment.begin(make_info(teams={'one': ('x', 'o')}))
    environment.await_agents('x', 'o')
    environment.ask(ask(1))
    environment.ask(ask(1, role='o'))
    answers = environment.await_answers(2)
    assert {answer.role for answer in answers} == {'x', 'o'}
    assert {answer.agent for answer in answers} == {'me'}

    # Whatever an agent raises, it stays.
    environment.ask(ask(2))
    environment.await_answers(0)
    environment.ask(ask(3))
    environment.await_answers(1)

    environment.spin(lambda: environment.team.get_subscription_count() >= 2)
    environment.said.clear()
    for role, name, team in (('o', 'ally', 'one'), ('z', 'enemy', 'one'), ('x', 'me', 'one')):
        environment.team.publish(TeamMessage(team=team, role=role, agent=name, text=name))
    environment.tell(
        Feedback(
            tick=3,
            role='x',
            episode=np.ones(4, np.uint64),
            reward=np.ones(4, np.float32),
            goal=np.full(4, 70, np.uint8),
            terminated=np.zeros(4, np.bool_),
            truncated=np.zeros(4, np.bool_),
            action=np.zeros(4, np.int32),
            origin=np.ones(4, np.uint8),
            final_observation=None,
        )
    )
    environment.spin(lambda: len({m.text for m in environment.said}) >= 5, 10)
    texts = {message.text for message in environment.said}
    assert {'heard ally from o of one', 'learned 3 70'} <= texts
    assert not any('enemy' in text and 'heard' in text for text in texts)
    assert not any('heard me' in text for text in texts)

    environment.begin(make_info(name='unplayable'))
    output = agent.communicate(timeout=SECONDS)[1]
    assert agent.returncode == 1
    assert 'RuntimeError: no idea' in output
    assert 'ValueError: too hard' in output


@pytest.mark.parametrize(
    ('executable', 'parameters', 'words'),
    [
        ('random_agent', {'role': 'z'}, "marks has no role 'z'; its roles: x, o"),
        ('legal_agent', {}, 'parameter `role` is missing; marks: x, o'),
        ('external_agent', {'role': 'x'}, 'command line of the program is missing'),
        ('external_agent', {'role': 'x', 'detail': '/no/program'}, "cannot start program '/no/"),
        ('human_agent', {'role': 'x'}, 'a person plays one lane; this match has 4'),
        ('agent_node', {'role': 'x'}, 'parameter `agent` is missing; agents: alphabeta, '),
        ('agent_node', {'agent': 'legl'}, "no agent named 'legl'; did you mean legal?"),
        ('agent_node', {'agent': 'gone.py:Own'}, 'no such file: /'),
        ('agent_node', {'agent': 'human:a', 'detail': 'b'}, "'human:a' has a detail already"),
    ],
)
def test_agents_that_cannot_play_say_why(
    environment: Environment,
    start: Start,
    executable: str,
    parameters: dict[str, str],
    words: str,
) -> None:
    agent = start(executable, **parameters)
    environment.begin(make_info())
    environment.spin(lambda: agent.poll() is not None)
    output = agent.communicate(timeout=SECONDS)[1]
    assert agent.returncode == 1, output
    assert words in output


def test_a_person_who_leaves(environment: Environment, start: Start) -> None:
    agent = start('human_agent', role='x', detail='stdin')
    environment.begin(make_info(lanes=1))
    environment.ask(ask(1, lanes=1))
    environment.spin(lambda: agent.poll() is not None)
    output = agent.communicate(timeout=SECONDS)[1]
    assert agent.returncode == 0, output
    assert 'the person who played x left the match' in output


def test_a_person_who_types_and_interrupts(environment: Environment, start: Start) -> None:
    side, other = pty.openpty()
    agent = start('human_agent', role='x', detail=os.ttyname(other))
    environment.begin(make_info(lanes=1))
    environment.ask(ask(1, lanes=1))
    os.write(side, b'help\n1\n')
    (answer,) = environment.await_answers(1)
    assert answer.action is not None
    assert answer.action[0] in np.flatnonzero(ask(1, lanes=1).legal.unpack()[0])
    environment.ask(ask(2, lanes=1))
    environment.await_answers(0)
    assert 'left the match' in stop(agent)
    os.close(side)
    os.close(other)


def test_a_program_that_hangs_does_not_keep_the_node(
    environment: Environment, start: Start
) -> None:
    agent = start('external_agent', role='x', detail='sleep 100')
    environment.begin(make_info(lanes=1))
    environment.ask(ask(1, lanes=1))
    environment.spin(lambda: environment.node.count_publishers('x/action') > 0)
    environment.await_answers(0)
    stop(agent, signal.SIGTERM)
