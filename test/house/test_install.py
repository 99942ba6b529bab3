"""Install the package both ways, pip and colcon, into empty places, and run what was installed."""

import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import venv

import pytest

ROOT = Path(__file__).parents[2]
PREFIX = Path(sys.prefix)
PURELIB = f'lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages'

pytestmark = pytest.mark.timeout(1200)

# Variables of the environment that runs the tests, which must not reach into another one.
OWN_VARIABLES = (
    '_ROS_WHEELS_BOOTSTRAP_COMPLETE',
    'AMENT_PREFIX_PATH',
    'LD_LIBRARY_PATH',
    'PYTHONPATH',
    'VIRTUAL_ENV',
)

USE_MESSAGES = """
import rclpy
from gdl_msgs.msg import State
from gdl_msgs.srv import LegalMoves
from tf2_msgs.msg import TFMessage
rclpy.init()
node = rclpy.create_node('probe')
node.create_publisher(State, 'state', 1)
node.create_publisher(TFMessage, '/tf_static', 1)
node.create_service(LegalMoves, 'legal_moves', lambda request, response: response)
rclpy.shutdown()
"""


def readme_commands(heading: str) -> list[str]:
    """Return the commands of the first block below a heading of README.md."""
    text = (ROOT / 'README.md').read_text('utf-8').split(f'\n{heading}\n', 1)[1]
    found = re.search(r'^```bash\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1].splitlines()


def run(*command: str | Path, cwd: Path, exit_code: int = 0, **variables: str) -> str:
    """Return the output of a command that must end with an exit code."""
    environment = {key: value for key, value in os.environ.items() if key not in OWN_VARIABLES}
    result = subprocess.run(
        command,
        cwd=cwd,
        env=environment | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert result.returncode == exit_code, f'{command}\n{result.stdout}'
    return result.stdout


def copy_sources(target: Path) -> Path:
    """Copy the checkout without what was made in it, lest left-overs of a build be installed."""
    made = ('.*', 'build', 'dist', 'install', 'log', '*.egg-info', '__pycache__')
    return Path(shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*made)))


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return copy_sources(tmp_path / 'sources')


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    path = tmp_path / 'environment'
    venv.create(path, with_pip=True, symlinks=True)
    return path


@pytest.mark.slow
def test_the_language_and_the_engines_alone(
    sources: Path, environment: Path, tmp_path: Path
) -> None:
    run(environment / 'bin' / 'pip', 'install', '-c', 'constraints.txt', '.', cwd=sources)
    output = run(environment / 'bin' / 'gdl', 'random', 'tictactoe', '-n', '20', cwd=tmp_path)
    assert '20 games' in output
    output = run(
        environment / 'bin' / 'gdl', 'eval', 'tictactoe', 'legal', '-n', '20', cwd=tmp_path
    )
    assert re.search(r'^legal  random   all +40 ', output, re.MULTILINE), output


def test_pip_install_without_ros(sources: Path, environment: Path, tmp_path: Path) -> None:
    # Of what it requires, only what the commands below import: the rest is half a gigabyte.
    few = ('-c', 'constraints.txt', '--no-deps', 'lark')
    run(environment / 'bin' / 'pip', 'install', *few, '.', cwd=sources)

    assert run(environment / 'bin' / 'gdl', '--version', cwd=tmp_path)
    assert 'tictactoe' in run(environment / 'bin' / 'gdl', 'games', cwd=tmp_path)
    agents = run(environment / 'bin' / 'gdl', 'agents', cwd=tmp_path)
    assert re.search(r'^mcts +gdl_env \S+ +yes ', agents, re.MULTILINE), agents
    assert re.search(r"^dqn .* no: needs PyTorch: pip install '\.\[learn\]'", agents, re.MULTILINE)
    # What `ros2 run` would start.
    assert run(environment / 'lib' / 'gdl_env' / 'gdl', '--version', cwd=tmp_path)
    assert (environment / 'share/ament_index/resource_index/packages/gdl_env').is_file()
    assert (environment / 'share/gdl_env/package.xml').is_file()
    packages = environment / PURELIB
    assert not (packages / 'gdl_msgs').exists()
    for path in [*ROOT.glob('gdl_env/**/*.lark'), *ROOT.glob('gdl_env/**/*.pl')]:
        assert (packages / path.relative_to(ROOT)).is_file()
    for name in ('gdl_env', 'gdl_agents'):
        assert (packages / name / 'py.typed').is_file()


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(2400)
def test_readme_without_ros_ends_with_a_trained_player(
    sources: Path, environment: Path, tmp_path: Path, own_domain: int
) -> None:
    *installs, headline = readme_commands('### Without ROS')
    assert headline == 'gdl launch selfplay.launch.py'
    variables = {
        'PATH': f'{environment / "bin"}{os.pathsep}{os.environ["PATH"]}',
        'VIRTUAL_ENV': str(environment),
        'ROS_DOMAIN_ID': str(own_domain),
    }
    for command in installs:
        run('bash', '-ec', command, cwd=sources, **variables)

    run(environment / 'bin' / 'python', '-c', USE_MESSAGES, cwd=tmp_path)
    assert (environment / 'share/ament_index/resource_index/rosidl_interfaces/gdl_msgs').is_file()
    folder = tmp_path / 'run'
    few = f'{headline} episodes:=200 evaluate:=20 run:={folder}'
    output = run('bash', '-ec', few, cwd=tmp_path, **variables)
    assert 'Traceback' not in output
    assert '200 episodes: ' in output
    assert (folder / 'checkpoint.npz').is_file()

    run(environment / 'bin' / 'pip', 'uninstall', '--yes', 'torch', cwd=tmp_path)
    output = run('bash', '-c', headline, cwd=tmp_path, exit_code=1, **variables)
    remedy = "pip install '.[learn]' (in the checkout)"
    assert output == f'gdl: learner_node and evaluator_node need PyTorch: {remedy}\n'


@pytest.mark.slow
def test_source_distribution_is_complete(sources: Path, environment: Path, tmp_path: Path) -> None:
    run(sys.executable, 'setup.py', '-q', 'sdist', '-d', tmp_path, cwd=sources)
    (archive,) = tmp_path.glob('gdl_env-*.tar.gz')
    pip = environment / 'bin' / 'pip'
    run(pip, 'install', '-c', sources / 'constraints.txt', archive, cwd=tmp_path)
    assert 'tictactoe' in run(environment / 'bin' / 'gdl', 'games', cwd=tmp_path)


def add_dependent(folder: Path) -> None:
    """Write a package by another author: a C++ program that uses one of our messages.

    Its name sorts before ours: only the dependency can make colcon build it later.
    """
    folder.mkdir(parents=True)
    (folder / 'package.xml').write_text(
        '<package format="3"><name>a_robot</name><version>1.0.0</version>'
        '<description>Sits down</description><maintainer email="a@example.org">A</maintainer>'
        '<license>Apache-2.0</license><buildtool_depend>ament_cmake</buildtool_depend>'
        f'{documented_dependency()}<export><build_type>ament_cmake</build_type></export></package>'
    )
    (folder / 'CMakeLists.txt').write_text(
        'cmake_minimum_required(VERSION 3.16)\nproject(a_robot)\n'
        'find_package(ament_cmake REQUIRED)\nfind_package(gdl_msgs REQUIRED)\n'
        'add_executable(seat seat.cpp)\n'
        'target_link_libraries(seat gdl_msgs::gdl_msgs__rosidl_generator_cpp)\n'
        'install(TARGETS seat DESTINATION lib/a_robot)\nament_package()\n'
    )
    (folder / 'seat.cpp').write_text(
        '#include <gdl_msgs/msg/state.hpp>\n#include <iostream>\n'
        'int main() {\n  gdl_msgs::msg::State state;\n  state.role = "x";\n'
        '  std::cout << gdl_msgs::msg::to_yaml(state) << std::endl;\n}\n'
    )


def documented_dependency() -> str:
    """Return the line that doc/ros.md tells other packages to have."""
    found = re.search(r'^```xml\n(.*?)\n```$', (ROOT / 'doc/ros.md').read_text('utf-8'), re.M)
    assert found is not None
    return found[1]


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(2400)
def test_colcon_build(tmp_path: Path) -> None:
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    copy_sources(tmp_path / 'src' / 'gdl_env')
    add_dependent(tmp_path / 'src' / 'a_robot')
    # ROS as the tests have it: from PyPI in their own environment, or sourced.
    ros = {
        name: os.pathsep.join([str(PREFIX), *filter(None, [os.environ.get(name)])])
        for name in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH')
    }
    path = f'{PREFIX / "bin"}{os.pathsep}{os.environ["PATH"]}'
    built = run('colcon', 'build', cwd=tmp_path, PATH=path, VIRTUAL_ENV=str(PREFIX), **ros)
    # The tests' own environment has the messages, too: only the order shows the dependency.
    assert built.index('Finished <<< gdl_env') < built.index('Starting >>> a_robot')

    install = tmp_path / 'install' / 'gdl_env'
    index = install / 'share/ament_index/resource_index'
    packages = {entry.name for entry in (index / 'packages').iterdir()}
    # tf2_msgs is only built where ROS does not have it.
    assert packages - {'tf2_msgs'} == {'gdl_env', 'gdl_msgs'}
    assert (index / 'rosidl_interfaces' / 'gdl_msgs').is_file()
    for name in ('launch', 'config', 'games'):
        assert (install / 'share' / 'gdl_env' / name).is_dir()

    script = f"""
        source install/local_setup.bash
        gdl --version && gdl games && gdl agents
        # Its agent is the one it is named after: `random` takes no detail.
        ! install/gdl_env/lib/gdl_env/random_agent --ros-args -p detail:=x
        "$(dirname "$(command -v gdl)")/../lib/gdl_env/gdl" --version
        cd / && python -c '
import gdl_env, gdl_msgs
assert gdl_env.__file__.startswith("{install}"), gdl_env.__file__
assert gdl_msgs.__file__.startswith("{install}"), gdl_msgs.__file__
' && python -c "$USE_MESSAGES"
    """
    variables = {'PATH': path, 'USE_MESSAGES': USE_MESSAGES, **ros}
    output = run('bash', '-ec', script, cwd=tmp_path, **variables)
    assert 'tictactoe' in output
    assert re.search(r'^mcts +gdl_env \S+ +yes ', output, re.MULTILINE), output
    assert "agent 'random:x': RandomAgent takes no detail" in output

    script = """
        source install/local_setup.bash
        install/a_robot/lib/a_robot/seat
        colcon test --return-code-on-test-failure
    """
    output = run('bash', '-ec', script, cwd=tmp_path, **variables, VIRTUAL_ENV=str(PREFIX))
    assert 'role: "x"' in output
    (report,) = tmp_path.glob('build/gdl_env/test_results/gdl_env/language.xunit.xml')
    assert re.search(r'tests="[1-9]', report.read_text())
