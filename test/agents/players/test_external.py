"""Programs as players: good ones, and those that die, hang or write garbage."""

from collections.abc import Callable, Iterator
import json
from pathlib import Path
import shutil
import sys
from time import monotonic

from agent_questions import MOVES, ask, ask_one, ask_text, give_feedback, make_info, make_text_info
import numpy as np
import pytest

from gdl_agents.errors import AgentError, LateError
from gdl_agents.players.external import ExternalAgent
from gdl_env.environment.protocol import MatchInfo

EXAMPLES = Path(__file__).parents[3] / 'doc' / 'examples'
Open = Callable[..., ExternalAgent]

HEAD = """
import json, sys, time
def say(**answer): print(json.dumps(answer), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'ask':
        """


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Open]:
    agents: list[ExternalAgent] = []

    def open_program(text: str, info: MatchInfo | None = None) -> ExternalAgent:
        if '\n' in text or ' ' not in text:
            path = tmp_path / f'player{len(agents)}.py'
            path.write_text(text)
            text = f'{sys.executable} {path}'
        agent = ExternalAgent(text)
        agents.append(agent)
        agent.begin(info or make_info(), ('x',), 7)
        return agent

    yield open_program
    for agent in agents:
        agent.end()


def actions(agent: ExternalAgent, question: object) -> list[int]:
    answer = agent.choose(question)  # type: ignore[arg-type]
    assert answer.action is not None, answer
    return answer.action.tolist()


def test_example_in_python(start: Open) -> None:
    agent = start(f'{sys.executable} {EXAMPLES / "last_move.py"}')
    assert actions(agent, ask_one(2, 4, 8)) == [8]
    assert actions(agent, ask_one(1, 2)) == [2]


def test_example_in_shell(start: Open) -> None:
    agent = start(f'sh {EXAMPLES / "first_move.sh"}')
    assert actions(agent, ask_one(2, 4, 8)) == [2]
    assert actions(agent, ask_one(1, 2)) == [1]


def test_example_in_javascript(start: Open) -> None:
    if shutil.which('node') is None:
        pytest.skip('Node.js is not installed')
    agent = start(f'node {EXAMPLES / "first_move.js"}')
    assert actions(agent, ask_one(2, 4, 8)) == [2]
    assert actions(agent, ask_one(1, 2)) == [1]


def test_text_only_game(start: Open) -> None:
    agent = start(f'sh {EXAMPLES / "first_move.sh"}', make_text_info())
    assert agent.choose(ask_text('(put 3)', 'noop')).moves == ('(put 3)',)


def test_every_lane_is_asked(start: Open) -> None:
    agent = start(HEAD + "say(action=message['actions'][0])", make_info(lanes=3))
    legal = np.zeros((3, 9), np.bool_)
    legal[0, 4] = legal[2, 5] = True
    assert actions(agent, ask(legal)) == [4, -1, 5]


def test_what_is_sent(start: Open, tmp_path: Path) -> None:
    log = tmp_path / 'log'
    agent = start(f"import sys\nopen({str(log)!r}, 'w').writelines(map(str, sys.stdin))\n")
    with pytest.raises(LateError):
        agent.choose(ask_one(0, time_left=0.2))
    agent.learn(give_feedback())
    agent.end()
    messages = [json.loads(line) for line in log.read_text().splitlines()]
    assert [message['type'] for message in messages] == ['start', 'ask', 'tell', 'end']
    begin, asked, told, _ = messages
    assert begin['protocol'] == 1
    assert (begin['game'], begin['you'], begin['roles']) == ('tictactoe', ['x'], ['x', 'o'])
    assert begin['rules'].startswith('(role x)')
    assert (asked['moves'], asked['actions']) == ([MOVES[0]], [0])
    assert len(asked['facts']) == 9
    assert 0 < asked['time_left'] <= 0.2
    assert (told['move'], told['goal'], told['over'], told['reward']) == (MOVES[0], 100, True, 1)


def test_moves_are_read_loosely(start: Open) -> None:
    agent = start(HEAD + "say(move=' (MARK  1 2) ')")
    assert actions(agent, ask_one(0, 1)) == [1]


def test_illegal_moves_reach_the_match(start: Open) -> None:
    agent = start(HEAD + "say(move='(mark 9 9)')")
    answer = agent.choose(ask_one(0, 1))
    assert (answer.action, answer.moves) == (None, ('(mark 9 9)',))


def test_a_missing_program_is_refused() -> None:
    agent = ExternalAgent('/no/such/program --fast')
    with pytest.raises(AgentError, match=r"cannot start program '/no/such/program --fast'"):
        agent.begin(make_info(), ('x',), 1)


def test_a_program_that_died_is_named_and_started_again(start: Open) -> None:
    agent = start(HEAD + "say(action=0) if message['moves'][0] == '(mark 1 1)' else sys.exit(3)")
    assert actions(agent, ask_one(0)) == [0]
    with pytest.raises(AgentError, match=r'player0.py.* ended with code 3'):
        agent.choose(ask_one(1))
    assert actions(agent, ask_one(0)) == [0]


def test_a_killed_program_is_told_so(start: Open) -> None:
    agent = start(HEAD + 'import os; os.kill(os.getpid(), 9)')
    with pytest.raises(AgentError, match='ended by SIGKILL'):
        agent.choose(ask_one(1))


@pytest.mark.parametrize('with_id', [True, False])
def test_late_answers_are_not_taken_for_the_next_question(start: Open, with_id: bool) -> None:
    extra = ", id=message['id']" if with_id else ''
    agent = start(
        HEAD + "time.sleep(0.5 if message['tick'] == 1 else 0)\n"
        f"        say(action=message['actions'][0]{extra})"
    )
    # Python itself takes a while to start.
    assert actions(agent, ask_one(3, tick=2)) == [3]
    begin = monotonic()
    with pytest.raises(LateError, match='did not answer in time'):
        agent.choose(ask_one(4, tick=1, time_left=0.1))
    assert monotonic() - begin < 0.4
    assert actions(agent, ask_one(4, 5, tick=2, time_left=20.0)) == [4]
    assert actions(agent, ask_one(6, tick=3)) == [6]


@pytest.mark.parametrize('garbage', ['hello', '[1]', '{}', '{"move": 3}', '{"action": 99}', '"x"'])
def test_garbage_is_shown(start: Open, garbage: str) -> None:
    agent = start(
        HEAD + f"print({garbage!r} if message['tick'] == 1 else json.dumps({{'action': 2}}))\n"
        '        sys.stdout.flush()'
    )
    with pytest.raises(AgentError) as caught:
        agent.choose(ask_one(2))
    assert f'wrote {garbage!r}' in str(caught.value)
    assert 'player0.py' in str(caught.value)
    assert actions(agent, ask_one(2, tick=2)) == [2]


def test_a_program_that_does_not_read_holds_up_nobody(start: Open) -> None:
    agent = start('import time\ntime.sleep(60)\n', make_info(rules='(role x)' * 100_000))
    begin = monotonic()
    with pytest.raises(LateError):
        agent.choose(ask_one(1, time_left=0.1))
    agent.learn(give_feedback())
    agent.end()
    assert monotonic() - begin < 5


def test_stderr_is_passed_on(start: Open, capfd: pytest.CaptureFixture[str]) -> None:
    agent = start(HEAD + "print('thinking', file=sys.stderr, flush=True); say(action=0)")
    agent.choose(ask_one(0))
    assert 'thinking' in capfd.readouterr().err
