"""Install the package both ways, pip and colcon, into empty places, and run what was installed."""

import os
from pathlib import Path
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
rclpy.init()
node = rclpy.create_node('probe')
node.create_publisher(State, 'state', 1)
node.create_service(LegalMoves, 'legal_moves', lambda request, response: response)
rclpy.shutdown()
"""


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Return the output of a command that must succeed."""
    environment = {key: value for key, value in os.environ.items() if key not in OWN_VARIABLES}
    result = subprocess.run(
        command,
        cwd=cwd,
        env=environment | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert result.returncode == 0, f'{command}\n{result.stdout}'
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


def test_pip_install_without_ros(sources: Path, environment: Path, tmp_path: Path) -> None:
    run(environment / 'bin' / 'pip', 'install', '-c', 'constraints.txt', '.', cwd=sources)

    assert run(environment / 'bin' / 'gdl', '--version', cwd=tmp_path)
    assert 'tictactoe' in run(environment / 'bin' / 'gdl', 'games', cwd=tmp_path)
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
def test_pip_install_with_ros(sources: Path, environment: Path, tmp_path: Path) -> None:
    pip = environment / 'bin' / 'pip'
    # The commands of the README, with the versions that are known to work.
    run(pip, 'install', '-c', 'constraints.txt', '.[ros]', cwd=sources)
    again = ('--no-deps', '--force-reinstall', 'lark', '.')
    run(pip, 'install', '-c', 'constraints.txt', *again, cwd=sources, GDL_ENV_MESSAGES='require')

    run(environment / 'bin' / 'python', '-c', USE_MESSAGES, cwd=tmp_path)
    assert 'tictactoe' in run(environment / 'bin' / 'gdl', 'games', cwd=tmp_path)
    assert (environment / 'share/ament_index/resource_index/rosidl_interfaces/gdl_msgs').is_file()


@pytest.mark.slow
def test_source_distribution_is_complete(sources: Path, environment: Path, tmp_path: Path) -> None:
    run(sys.executable, 'setup.py', '-q', 'sdist', '-d', tmp_path, cwd=sources)
    (archive,) = tmp_path.glob('gdl_env-*.tar.gz')
    pip = environment / 'bin' / 'pip'
    run(pip, 'install', '-c', sources / 'constraints.txt', archive, cwd=tmp_path)
    assert 'tictactoe' in run(environment / 'bin' / 'gdl', 'games', cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.ros
def test_colcon_build(tmp_path: Path) -> None:
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    copy_sources(tmp_path / 'src' / 'gdl_env')
    # ROS as the tests have it: from PyPI in their own environment, or sourced.
    ros = {
        name: os.pathsep.join([str(PREFIX), *filter(None, [os.environ.get(name)])])
        for name in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH')
    }
    path = f'{PREFIX / "bin"}{os.pathsep}{os.environ["PATH"]}'
    run('colcon', 'build', cwd=tmp_path, PATH=path, VIRTUAL_ENV=str(PREFIX), **ros)

    install = tmp_path / 'install' / 'gdl_env'
    index = install / 'share/ament_index/resource_index'
    assert {entry.name for entry in (index / 'packages').iterdir()} == {'gdl_env', 'gdl_msgs'}
    assert (index / 'rosidl_interfaces' / 'gdl_msgs').is_file()
    for name in ('launch', 'config', 'games'):
        assert (install / 'share' / 'gdl_env' / name).is_dir()

    script = f"""
        source install/local_setup.bash
        gdl --version && gdl games
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
