"""Test what ./gdl does around the command it runs, with stand-ins for all it would install."""

from collections.abc import Callable
import contextlib
import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import time

import pytest

pytestmark = pytest.mark.timeout(60)

ROOT = Path(__file__).parents[2]

# All the script may find; what a test takes away is really missing.
REAL_TOOLS = (
    'bash cat dirname echo env flock grep mkdir mv readlink rm sha256sum sleep uname xargs'
)
FAKE_TOOLS = 'cmake c++ make swipl'

# Plays python3 and, copied into the environment, its python and gdl. Writes down how it is called.
FAKE_PYTHON = """#!/usr/bin/env bash
name=${0##*/}
echo "$name $*" >>"$GDL_LOG"
case "$name $*" in
  *ensurepip*) [[ -z ${NO_VENV-} ]] ;;
  *sysconfig*) echo "$INCLUDE" ;;
  *'-m venv '*)
    mkdir -p "${@: -1}/bin"
    cat "$0" >"${@: -1}/bin/python"
    cat "$0" >"${@: -1}/bin/gdl"
    cp_mode "${@: -1}/bin/python" "${@: -1}/bin/gdl" ;;
  *'-m pip '*)
    # What it was to install is removed after set-up.
    for last; do :; done
    [[ $last != */pins-* ]] || cat "$last" >"$PINS/${last##*/}"
    sleep "${PIP_SECONDS:-0}"; [[ -z ${PIP_FAILS-} ]] ;;
  *gdl_build.missing*) echo "${MISSING-}" ;;
esac
"""


class Checkout:
    """A copy of the scripts with a machine of stand-ins around it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / 'a checkout'
        self.log = folder / 'log'
        self.tools = folder / 'bin'
        self.include = folder / 'include'
        self.pin_folder = folder / 'pins'
        made = (self.root / 'tools' / 'gdl_build', self.tools, self.include, self.pin_folder)
        for path in made:
            path.mkdir(parents=True)
        for name in ('gdl', 'tools/bootstrap.bash', 'setup.py', 'setup.cfg', 'pyproject.toml'):
            shutil.copy(ROOT / name, self.root / name)
        for name in ('constraints.txt', 'package.xml', 'tools/gdl_build/missing.py'):
            shutil.copy(ROOT / name, self.root / name)
        shutil.copytree(ROOT / 'msg', self.root / 'msg')
        (self.include / 'Python.h').touch()
        for name in REAL_TOOLS.split():
            (self.tools / name).symlink_to(shutil.which(name) or name)
        for name in FAKE_TOOLS.split():
            self.add_tool(name, '#!/bin/sh\n')
        self.add_tool('cp_mode', f'#!/bin/sh\nexec {shutil.which("chmod")} +x "$@"\n')
        self.add_tool('apt-get', '#!/bin/sh\necho "apt-get $*" >>"$GDL_LOG"\nexit 1\n')
        self.add_tool('python3', FAKE_PYTHON)

    def add_tool(self, name: str, text: str) -> None:
        """Put a program on the machine."""
        path = self.tools / name
        path.write_text(text)
        path.chmod(0o755)

    def start(
        self, *arguments: str, output: int = subprocess.PIPE, **variables: str
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [variables.pop('script', self.root / 'gdl'), *arguments],
            env={
                'PATH': str(self.tools),
                'GDL_LOG': str(self.log),
                'INCLUDE': str(self.include),
                'PINS': str(self.pin_folder),
                **variables,
            },
            cwd='/',
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str, **variables: str) -> tuple[int, str]:
        """Return exit code and output."""
        process = self.start(*arguments, **variables)
        output = process.communicate(timeout=30)[0]
        return process.returncode, output

    @property
    def pins(self) -> dict[str, str]:
        """Return what pip was to install without resolving, by the name of its file."""
        return {path.name: path.read_text('utf-8') for path in self.pin_folder.iterdir()}

    def calls(self, text: str) -> list[str]:
        """Return what was called, of that which contains `text`."""
        return [line for line in self.log.read_text().splitlines() if text in line]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_first_call_sets_up_and_runs(checkout: Checkout) -> None:
    code, output = checkout.run('check', 'my game')
    assert code == 0, output
    assert 'setting up' in output
    assert checkout.calls('')[-1] == 'gdl check my game'
    assert not checkout.calls('apt-get')


def test_second_call_installs_nothing(checkout: Checkout) -> None:
    checkout.run()
    checkout.log.write_text('')
    assert checkout.run('info') == (0, '')
    assert checkout.calls('') == ['gdl info']


def test_second_call_costs_little(checkout: Checkout) -> None:
    checkout.run()

    def measure() -> float:
        start = time.perf_counter()
        checkout.run()
        return time.perf_counter() - start

    # Some tens of milliseconds on an idle machine; the best of a few on a busy one.
    assert min(measure() for _ in range(10)) < 0.25


def test_docs_are_built_strictly(checkout: Checkout) -> None:
    assert checkout.run('docs', '--quiet')[0] == 0
    assert checkout.calls('mkdocs') == ['python -m mkdocs build --strict --quiet']


def test_options_of_test(checkout: Checkout) -> None:
    assert checkout.run('test', '--all', '--coverage', '-k', 'readme')[0] == 0
    (call,) = checkout.calls('-m pytest')
    # An empty selection of markers: slow tests, too.
    assert '-m  ' in call and ' --cov ' in call and call.endswith('-k readme')


def test_bytecode_is_kept_where_python_is_to_write_none(checkout: Checkout) -> None:
    checkout.run()
    gdl = checkout.root / '.venv' / 'bin' / 'gdl'
    gdl.write_text('#!/bin/sh\necho "${PYTHONDONTWRITEBYTECODE-none} $PYTHONPYCACHEPREFIX"\n')
    folder = checkout.root / '.venv' / 'bytecode'
    assert checkout.run(PYTHONDONTWRITEBYTECODE='1')[1] == f'none {folder}\n'
    # Otherwise it lies where it always does.
    assert checkout.run()[1] == 'none \n'


def test_works_through_a_symlink(checkout: Checkout, tmp_path: Path) -> None:
    link = tmp_path / 'link'
    link.symlink_to(checkout.root / 'gdl')
    assert checkout.run('info', script=str(link))[0] == 0
    assert (checkout.root / '.venv').is_dir()


@pytest.mark.parametrize('name', ['setup.cfg', 'constraints.txt', 'msg/msg/State.msg'])
def test_changed_install_is_renewed(checkout: Checkout, name: str) -> None:
    checkout.run()
    with (checkout.root / name).open('a') as file:
        file.write('# changed\n')
    checkout.log.write_text('')
    code, output = checkout.run()
    assert (code, 'renewing' in output) == (0, True), output
    assert checkout.calls('-m pip') and not checkout.calls('-m venv')


def test_moved_checkout_is_set_up_again(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run()
    checkout.root = checkout.root.rename(tmp_path / 'elsewhere')
    checkout.log.write_text('')
    assert checkout.run()[0] == 0
    assert len(checkout.calls('-m venv')) == 1


def test_failed_setup_is_not_trusted(checkout: Checkout) -> None:
    code, output = checkout.run(PIP_FAILS='1')
    assert code != 0
    assert 'next call tries again' in output
    assert not checkout.calls('gdl ')
    assert checkout.run()[0] == 0
    assert len(checkout.calls('-m venv')) == 2


def test_steps_are_numbered_and_timed(checkout: Checkout) -> None:
    lines = checkout.run()[1].splitlines()
    assert [line[5:10] for line in lines[1:-1]] == [f'[{number}/6]' for number in range(1, 7)]
    assert re.fullmatch(r'gdl: ready after \d+ s', lines[-1])


def test_a_terminal_sees_each_step_in_one_line(checkout: Checkout) -> None:
    terminal, output = os.openpty()
    process = checkout.start(output=output, PIP_SECONDS='0.5')
    os.close(output)
    seen = b''
    # The other end is closed when the last process has ended.
    with contextlib.suppress(OSError):
        while data := os.read(terminal, 1000):
            seen += data
    os.close(terminal)
    assert process.wait(30) == 0
    lines = seen.decode().splitlines(keepends=True)
    assert any(re.search(r'\[2/6\] .*: \d+ s, \d+ packages so far', line) for line in lines)
    # Each is finished with a line of its own.
    finished = [line for line in lines if re.search(r'/6\] .*: \d+ s\r?\n$', line)]
    assert len(finished) == 6


def test_compilers_wait_for_the_engine_only(checkout: Checkout) -> None:
    checkout.run()
    order = [
        next(index for index, line in enumerate(checkout.calls('')) if text in line)
        for text in ('--editable', '-m gdl_build ', '-m gdl_env.warm')
    ]
    assert order[0] < min(order[1:])


def test_pins_are_installed_as_they_are_in_two_parts(checkout: Checkout) -> None:
    assert checkout.run()[0] == 0
    calls = checkout.calls('-m pip')
    assert all('--no-deps' in call for call in calls), calls
    engine, rest = (checkout.pins[name].splitlines() for name in ('pins-engine', 'pins-rest'))
    assert not {*engine} & {*rest}
    pins = (ROOT / 'constraints.txt').read_text('utf-8').splitlines()
    wanted = {line for line in pins if '==' in line and not line.startswith(('#', 'lark-parser'))}
    assert {*engine, *rest} == wanted


def test_what_pins_leave_open_is_resolved(checkout: Checkout) -> None:
    assert checkout.run(MISSING='contourpy>=1')[0] == 0
    (*_, last) = checkout.calls('-m pip')
    assert '--no-deps' not in last and '--constraint' in last and '--requirement' in last


def test_interrupted_setup_leaves_no_process(checkout: Checkout) -> None:
    process = checkout.start(PIP_SECONDS='29')
    wait_for(lambda: checkout.log.exists() and bool(checkout.calls('-m pip')))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=15)
    assert process.returncode == 130
    # A pip that lived on would hold the lock.
    code, output = checkout.run()
    assert (code, 'waiting' in output) == (0, False), output


def test_killed_setup_is_not_trusted(checkout: Checkout) -> None:
    process = checkout.start(PIP_SECONDS='1')
    wait_for(lambda: checkout.log.exists() and bool(checkout.calls('-m pip')))
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
    # The orphaned pip still holds the lock; the next call waits for it rather than race it.
    code, output = checkout.run()
    assert code == 0, output
    assert len(checkout.calls('-m venv')) == 2


def test_first_calls_at_the_same_time_set_up_once(checkout: Checkout) -> None:
    processes = [checkout.start('info', PIP_SECONDS='0.2') for _ in range(4)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, outputs
    assert len(checkout.calls('-m venv')) == 1
    assert len(checkout.calls('gdl info')) == 4


def test_without_prolog_all_else_works(checkout: Checkout) -> None:
    (checkout.tools / 'swipl').unlink()
    code, output = checkout.run()
    assert code == 0
    assert 'sudo apt-get install swi-prolog-nox' in output
    assert 'Prolog engine is disabled' in output
    assert checkout.run() == (0, ''), 'it is said once'


def test_prolog_installed_later_is_noticed(checkout: Checkout) -> None:
    (checkout.tools / 'swipl').unlink()
    checkout.run()
    (checkout.tools / 'swipl').symlink_to(checkout.tools / 'make')
    assert 'renewing' in checkout.run()[1]


@pytest.mark.skipif(os.geteuid() != 0, reason='only root installs system packages')
def test_missing_prolog_is_installed_once(checkout: Checkout) -> None:
    (checkout.tools / 'swipl').unlink()
    install = 'echo "apt-get $*" >>"$GDL_LOG"\ncat "${0%/*}/make" >"${0%/*}/swipl"\n'
    checkout.add_tool('apt-get', f'#!/bin/sh\n{install}cp_mode "${{0%/*}}/swipl"\n')
    code, output = checkout.run()
    assert code == 0
    assert 'installing system packages: swi-prolog-nox' in output
    assert 'disabled' not in output
    assert checkout.run() == (0, '')


@pytest.mark.parametrize('tool', ['c++', 'cmake', 'make'])
def test_without_build_tools_the_messages_are_left_out(checkout: Checkout, tool: str) -> None:
    (checkout.tools / tool).unlink()
    code, output = checkout.run()
    assert code == 0
    assert 'ROS nodes are disabled' in output
    assert not checkout.calls('-m gdl_build ')


def test_without_venv_module_it_names_the_package(checkout: Checkout) -> None:
    code, output = checkout.run(NO_VENV='1')
    assert code == 1
    assert 'sudo apt-get install python3-venv' in output
    if os.geteuid() == 0:
        assert checkout.calls('apt-get -qq update')


def test_sourced_ros_is_used(checkout: Checkout, tmp_path: Path) -> None:
    ros = tmp_path / 'ros'
    (ros / 'share' / 'rclpy').mkdir(parents=True)
    (ros / 'setup.bash').write_text('export ROS_DISTRO=jazzy\n')
    sourced = {'ROS_DISTRO': 'jazzy', 'AMENT_PREFIX_PATH': str(ros)}
    code, output = checkout.run(**sourced)
    assert code == 0, output
    assert checkout.calls('--system-site-packages')
    assert checkout.calls('gdl_build.missing dev docs rl learn export data gui')
    # What a sourced ROS brings is not installed beside it.
    assert not re.search('^(ros-|empy|numpy)', checkout.pins['pins-engine'], re.MULTILINE)
    assert checkout.run(**sourced) == (0, '')
    assert checkout.run() == (0, ''), 'in another shell it sources ROS by itself'


def test_ros_from_pypi_gives_way_to_a_sourced_one(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run()
    assert checkout.calls('gdl_build.missing ros')
    (tmp_path / 'share' / 'rclpy').mkdir(parents=True)
    checkout.run(ROS_DISTRO='jazzy', AMENT_PREFIX_PATH=str(tmp_path))
    assert len(checkout.calls('-m venv')) == 2
