"""Processes under the supervisor: small scripts stand in for nodes."""

from __future__ import annotations

from collections.abc import Callable
import io
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from gdl_env.errors import GdlError
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.prefixed_output import PrefixedOutput
from gdl_env.ros.launch.supervisor import Supervisor

pytestmark = pytest.mark.timeout(60)


class Stage:
    """A folder of scripts, and a supervisor that finds them there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stream = io.StringIO()

    def add(self, name: str, code: str) -> None:
        path = self.folder / name
        path.write_text(f'#!{sys.executable} -S\n{textwrap.dedent(code)}')
        path.chmod(0o755)

    def resolve(self, name: str) -> Path:
        path = self.folder / name
        if not path.exists():
            raise GdlError(f'{name} is not installed')
        return path

    def run(self, *nodes: NodeSpec, patience: float = 5.0) -> int:
        output = PrefixedOutput([node.name for node in nodes], self.stream)
        return Supervisor(nodes, resolve=self.resolve, output=output, patience=patience).run()

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path)
    stage.add('good', 'print("done")')
    stage.add('bad', 'import sys; sys.exit(3)')
    stage.add('sleeper', 'import time; time.sleep(60)')
    stage.add('slow_good', 'import time; time.sleep(0.3)')
    return stage


def spec(name: str, **fields: object) -> NodeSpec:
    return NodeSpec(name, name, **fields)  # type: ignore[arg-type]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        return Path(f'/proc/{pid}/stat').read_text().split(') ')[1][0] != 'Z'
    except FileNotFoundError:
        return False


def test_ends_when_all_have_ended(stage: Stage) -> None:
    assert stage.run(spec('good')) == 0
    assert '[good] done' in stage.lines


def test_leader_ends_all(stage: Stage) -> None:
    start = time.monotonic()
    assert stage.run(spec('sleeper'), spec('slow_good', is_leader=True)) == 0
    assert time.monotonic() - start < 5


def test_exit_code_is_the_leaders(stage: Stage) -> None:
    assert stage.run(spec('sleeper'), spec('bad', is_leader=True)) == 3


def test_failure_of_any_node_is_a_failure(stage: Stage) -> None:
    assert stage.run(spec('sleeper'), spec('bad'), spec('good')) == 3
    assert any('bad failed with exit code 3' in line for line in stage.lines)


def test_death_by_signal_is_told_as_shells_do(stage: Stage) -> None:
    stage.add('shot', 'import os; os.kill(os.getpid(), 9)')
    assert stage.run(spec('shot', is_leader=True)) == 137


def test_failed_node_is_started_again(stage: Stage) -> None:
    stage.add(
        'second_time',
        f"""
        import pathlib, sys
        mark = pathlib.Path({str(stage.folder / 'mark')!r})
        if not mark.exists():
            mark.touch()
            sys.exit(1)
        print('here again')
        """,
    )
    assert stage.run(spec('second_time', respawn=True, respawn_delay=0.1)) == 0
    assert '[second_time] here again' in stage.lines


def test_node_that_ended_well_is_not_started_again(stage: Stage) -> None:
    assert stage.run(spec('good', respawn=True, respawn_delay=0.0)) == 0
    assert stage.lines.count('[good] done') == 1


def test_node_that_always_fails_is_given_up(stage: Stage) -> None:
    node = spec('bad', respawn=True, respawn_delay=0.0, max_respawns=2)
    assert stage.run(spec('sleeper'), node) == 3
    assert sum('bad started' in line for line in stage.lines) == 3


def test_node_that_was_given_what_is_wrong_is_not_tried_again(stage: Stage) -> None:
    stage.add('wrong', 'import os; raise SystemExit(os.EX_CONFIG)')
    node = spec('wrong', respawn=True, respawn_delay=0.0, max_respawns=2)
    assert stage.run(spec('sleeper'), node) == os.EX_CONFIG
    assert sum('wrong started' in line for line in stage.lines) == 1


def test_restarts_of_long_ago_do_not_count(stage: Stage) -> None:
    stage.add(
        'fifth_time',
        f"""
        import pathlib, sys, time
        mark = pathlib.Path({str(stage.folder / 'mark')!r})
        times = len(mark.read_text()) if mark.exists() else 0
        mark.write_text('x' * (times + 1))
        time.sleep(0.5)
        sys.exit(times < 4)
        """,
    )
    node = spec('fifth_time', respawn=True, respawn_delay=0.0, max_respawns=2, respawn_window=1.0)
    assert stage.run(node) == 0
    assert sum('fifth_time started' in line for line in stage.lines) == 5


@pytest.mark.parametrize(('end', 'starts', 'code'), [('kill', 2, 0), ('fail', 1, 3)])
def test_killed_leader_is_restarted(stage: Stage, end: str, starts: int, code: int) -> None:
    """Its own exit code says how all ended; a signal does not."""
    mark = stage.folder / 'mark'
    stage.add(
        'leader',
        f"""
        import os, pathlib, signal, sys
        mark = pathlib.Path({str(mark)!r})
        if mark.exists():
            sys.exit(0)
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL) if {end!r} == 'kill' else sys.exit(3)
        """,
    )
    node = spec('leader', is_leader=True, respawn=True, respawn_delay=0.0, max_respawns=2)
    assert stage.run(node) == code
    assert sum('leader started' in line for line in stage.lines) == starts


def test_stubborn_node_is_killed(stage: Stage) -> None:
    stage.add(
        'stubborn',
        """
        import signal, time
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        print('ready', flush=True)
        time.sleep(60)
        """,
    )
    start = time.monotonic()
    assert stage.run(spec('stubborn'), spec('slow_good', is_leader=True), patience=0.3) == 0
    assert 0.5 < time.monotonic() - start < 10
    assert any('stubborn does not stop; sending SIGKILL' in line for line in stage.lines)


def test_children_of_nodes_are_not_left_behind(stage: Stage) -> None:
    stage.add(
        'parent',
        f"""
        import subprocess
        child = subprocess.Popen(['sleep', '60'])
        open({str(stage.folder / 'child')!r}, 'w').write(str(child.pid))
        """,
    )
    assert stage.run(spec('parent')) == 0
    child = int((stage.folder / 'child').read_text())
    wait_for(lambda: not is_alive(child))


def test_missing_program_is_told_before_anything_starts(stage: Stage) -> None:
    with pytest.raises(GdlError, match='ghost is not installed'):
        stage.run(spec('good'), spec('ghost'))
    assert stage.lines == []


def test_output_is_passed_on_whole(stage: Stage) -> None:
    stage.add(
        'talker',
        """
        import os, sys
        os.write(2, 'grüße\\n'.encode() + b'\\xff\\n')
        for i in range(3000): print(i, 'x' * 50)
        sys.stdout.write('no end of line')
        """,
    )
    assert stage.run(spec('talker')) == 0
    lines = [line for line in stage.lines if line.startswith('[talker]')]
    assert lines[:2] == ['[talker] grüße', '[talker] \ufffd']
    assert lines[-1] == '[talker] no end of line'
    assert len(lines) == 3003


def test_arguments_and_parameters_arrive(stage: Stage, tmp_path: Path) -> None:
    stage.add(
        'echo',
        """
        import json, sys
        path = sys.argv[sys.argv.index('--params-file') + 3]
        print(json.dumps([sys.argv[1:], path, json.load(open(path))]))
        """,
    )
    file = tmp_path / 'my.yaml'
    file.write_text('{}')
    values = {'text': '007', 'yes': 'true', 'odd': 'a: "b" \\ é {}', 'list': ['1', '2'], 'n': 1.0}
    node = NodeSpec(
        'echo', 'me', 'a/b', values, parameter_files=(file,), log_level='warn', is_leader=True
    )
    assert stage.run(node) == 0
    (text,) = (line for line in stage.lines if line.startswith('[me] '))
    arguments, path, parameters = json.loads(text.removeprefix('[me] '))
    assert arguments == [
        *('--ros-args', '-r', '__node:=me', '-r', '__ns:=/a/b'),
        *('--params-file', str(file), '--params-file', path, '--log-level', 'warn'),
    ]
    assert parameters == {'/a/b/me': {'ros__parameters': values}}
    assert not Path(path).exists(), 'it is removed at the end'


def test_temporary_files_are_removed(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / 'journal'
    file.touch()
    stage.run(spec('good', temporary_files=(file, tmp_path / 'never_made')))
    assert not file.exists()


def test_works_outside_the_main_thread(stage: Stage) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(stage.run(spec('good'))))
    thread.start()
    thread.join()
    assert codes == [0]


PROGRAM = """
import sys
from pathlib import Path
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.supervisor import Supervisor
folder = Path(sys.argv[1])
nodes = [NodeSpec(name, name, needs_terminal=name == 'person') for name in sys.argv[2:]]
sys.exit(Supervisor(nodes, resolve=lambda name: folder / name).run())
"""


def start(stage: Stage, *names: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, '-c', PROGRAM, str(stage.folder), *names],
        stdout=subprocess.PIPE,
        text=True,
        **options,  # type: ignore[call-overload]
    )


def pids(stage: Stage, process: subprocess.Popen[str], count: int) -> list[int]:
    """Return the nodes of a supervisor, once that many have started."""
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(count)]
    return [int(line.split()[-1]) for line in lines]


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_all(stage: Stage, number: signal.Signals) -> None:
    process = start(stage, 'sleeper', 'sleeper')
    nodes = pids(stage, process, 2)
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert not any(map(is_alive, nodes))


def test_killed_supervisor_takes_its_nodes_along(stage: Stage) -> None:
    # Its temporary folder stays, too.
    process = start(stage, 'sleeper', env={**os.environ, 'TMPDIR': str(stage.folder)})
    (node,) = pids(stage, process, 1)
    time.sleep(0.3)
    process.kill()
    process.communicate()
    wait_for(lambda: not is_alive(node))


def test_terminal_is_handed_over(stage: Stage) -> None:
    stage.add('person', 'import os; print(input().upper(), os.isatty(0), flush=True)')
    ours, theirs = os.openpty()
    process = start(stage, 'person', stdin=theirs)
    os.write(ours, b'hello\n')
    output, _ = process.communicate(timeout=20)
    os.close(ours)
    os.close(theirs)
    # Not behind its name: it writes by itself.
    assert 'HELLO True' in output.splitlines()
    assert process.returncode == 0
