"""Build and install the ROS 2 messages of ``msg/`` with CMake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import functools
import os
from pathlib import Path
import shutil
import subprocess
import sys
import sysconfig

# What the message generators import. ROS from apt brings them for the system's Python, ROS from
# PyPI for the environment's.
GENERATOR_MODULES = (
    'ament_package, catkin_pkg, em, lark, numpy, rosidl_adapter, rosidl_generator_py'
)

INDEX_ENTRY = Path('share/ament_index/resource_index/packages/rosidl_default_generators')

NO_ROS = (
    'no ROS 2 with message generators was found. Source a ROS 2 installation, or install ROS 2 '
    "from PyPI with: pip install '.[ros]', then run this again"
)


class MessagesUnavailableError(Exception):
    """The messages cannot be built here; the text says what is missing."""


@dataclass(frozen=True)
class Toolchain:
    """What it takes to build the messages."""

    cmake: str
    python: Path
    environment: Mapping[str, str]
    # Whether ROS 2 is the one that pip installed, whose version is known.
    is_from_pypi: bool


@functools.cache
def find_toolchain() -> Toolchain:
    """Find CMake, a compiler and a Python that can run ROS 2's message generators.

    Raises MessagesUnavailableError if one of them is missing.
    """
    sourced = [Path(entry) for entry in _paths('AMENT_PREFIX_PATH')]
    for python in _candidate_pythons():
        own = python.parent.parent
        prefixes = [*sourced, own] if own not in sourced else sourced
        if not any((prefix / INDEX_ENTRY).exists() for prefix in prefixes):
            continue
        environment = _environment(prefixes)
        if _runs_generators(python, environment):
            others = [prefix for prefix in sourced if prefix != own]
            is_from_pypi = not any((prefix / INDEX_ENTRY).exists() for prefix in others)
            return Toolchain(_find_build_tool(), python, environment, is_from_pypi)
    raise MessagesUnavailableError(NO_ROS)


def build(source: Path, build_folder: Path, prefix: Path, toolchain: Toolchain) -> None:
    """Build the messages in `build_folder` and install them under `prefix`.

    Raises MessagesUnavailableError with the end of CMake's output if that fails.
    """
    # CMake refuses a cache made for another source folder, e.g. before the checkout was moved.
    shutil.rmtree(build_folder, ignore_errors=True)
    _run(
        [
            toolchain.cmake,
            *('-S', str(source), '-B', str(build_folder)),
            f'-DCMAKE_INSTALL_PREFIX={prefix}',
            f'-DPython3_EXECUTABLE={toolchain.python}',
            f'-DPYTHON_INSTALL_DIR={python_folder()}',
            '-DCMAKE_BUILD_TYPE=Release',
            '-DBUILD_TESTING=OFF',
            f'-DGDL_MSGS_TOGETHER={"ON" if toolchain.is_from_pypi else "OFF"}',
        ],
        toolchain,
    )
    jobs = str(os.cpu_count() or 1)
    _run([toolchain.cmake, '--build', str(build_folder), '--parallel', jobs], toolchain)
    _run([toolchain.cmake, '--install', str(build_folder)], toolchain)


def python_folder() -> Path:
    """Return where Python packages go, relative to the prefix of the running environment."""
    return Path(sysconfig.get_path('purelib')).relative_to(sysconfig.get_path('data'))


def _candidate_pythons() -> list[Path]:
    """List the environment's Python, then the one it was made from: the system's, with apt's ROS.

    Both have the same version, so what is built with one runs in the other.
    """
    version = f'python{sys.version_info.major}.{sys.version_info.minor}'
    # Not resolved: the symlink in a virtual environment is what makes Python use it.
    pythons = [Path(sys.executable), Path(sys.base_prefix) / 'bin' / version]
    return [python for python in pythons if python.exists()]


def _environment(prefixes: list[Path]) -> dict[str, str]:
    """Return the environment in which CMake finds ROS and the generators find their modules."""
    environment = dict(os.environ)
    # Set by ROS from PyPI for the environment that runs; they would mislead the one we start.
    if environment.pop('_ROS_WHEELS_BOOTSTRAP_COMPLETE', None):
        environment.pop('LD_LIBRARY_PATH', None)
    # While pip builds in isolation, PYTHONPATH hides what is installed and what ROS had set there.
    environment.pop('PYTHONPATH', None)
    version = f'python{sys.version_info.major}.{sys.version_info.minor}'
    modules = [
        folder
        for prefix in prefixes
        for folder in (
            prefix / 'lib' / version / 'site-packages',
            prefix / 'local' / 'lib' / version / 'dist-packages',
        )
        if folder.is_dir()
    ]
    joined = os.pathsep.join(map(str, prefixes))
    return environment | {
        'AMENT_PREFIX_PATH': joined,
        'CMAKE_PREFIX_PATH': os.pathsep.join([joined, *_paths('CMAKE_PREFIX_PATH')]),
        'PYTHONPATH': os.pathsep.join(map(str, modules)),
    }


def _runs_generators(python: Path, environment: Mapping[str, str]) -> bool:
    command = [str(python), '-c', f'import {GENERATOR_MODULES}']
    return subprocess.run(command, env=environment, capture_output=True).returncode == 0


def _find_build_tool() -> str:
    cmake = shutil.which('cmake')
    compiler = shutil.which(os.environ.get('CXX', 'c++'))
    missing = [
        name for name, path in (('cmake', cmake), ('a C++ compiler', compiler)) if path is None
    ]
    if cmake is None or missing:
        raise MessagesUnavailableError(
            f'{" and ".join(missing)} not found. On Debian and Ubuntu: apt install cmake g++'
        )
    return cmake


def _paths(variable: str) -> list[str]:
    return [entry for entry in os.environ.get(variable, '').split(os.pathsep) if entry]


def _run(command: list[str], toolchain: Toolchain) -> None:
    result = subprocess.run(
        command,
        env=toolchain.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        end = '\n'.join(result.stdout.splitlines()[-40:])
        raise MessagesUnavailableError(f'`{" ".join(command)}` failed:\n{end}')
