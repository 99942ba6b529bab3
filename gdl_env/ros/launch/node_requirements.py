"""Check what nodes import before any of them is started."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
import re
import shutil
import subprocess
import sys

from gdl_env.requirements import OF_EXECUTABLES, OF_NODES, Package, explain, is_installed
from gdl_env.ros.launch.arguments import LaunchError
from gdl_env.ros.launch.executables import NODE_SUFFIXES, find_executable
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.players import AGENT_NODE

# pip writes the second form where a path has blanks or is too long for the first line.
_SHEBANG = re.compile(r'#!\s*(?:/usr/bin/env\s+)?(\S*python[\d.]*)(?:\s|$)')
_LONG_SHEBANG = re.compile(r"#!/bin/sh\n'''exec' (?:\"([^\"\n]+)\"|(\S+)) ")

# What pip installs for `ros2 run` hands over to the script of the same name in bin/.
_STARTER = '#!/bin/sh\nexec "$(dirname "$0")/../../bin/'

_FIND = """
import sys
from importlib.util import find_spec
print(*(name for name in sys.argv[1:] if find_spec(name) is None))
"""


def require_nodes(
    nodes: Iterable[NodeSpec], resolve: Callable[[str], Path] = find_executable
) -> None:
    """Check that nodes will find what they import, in the Python that runs each of them.

    Raises LaunchError if a program is not there, or with who needs what and how to install it.
    """
    nodes = list(nodes)
    names = dict.fromkeys(name for node in nodes for name in (node.executable, *node.starts))
    agents = {f'agent {a.name!r}': a.packages for node in nodes for a in node.agents}
    by_python: dict[Path, list[str]] = {}
    for name in names:
        program = resolve(name)
        python = _interpreter(program) if name.endswith(NODE_SUFFIXES) else None
        # Programs in other languages have no Python to ask.
        if python is not None:
            by_python.setdefault(python, []).append(name)
    missing: dict[Package, list[str]] = {}
    for python, users in by_python.items():
        needed = {name: (*OF_NODES, *OF_EXECUTABLES.get(name, ())) for name in users}
        if AGENT_NODE in users:
            needed |= agents
        packages = dict.fromkeys(package for entry in needed.values() for package in entry)
        for package in _missing(python, packages):
            missing.setdefault(package, []).extend(
                name for name, entry in needed.items() if package in entry
            )
    if missing:
        raise LaunchError(explain(missing))


def _interpreter(program: Path) -> Path | None:
    """Return the Python that runs a script; None if it is not a script of Python."""
    head = _head(program)
    if head.startswith(_STARTER):
        head = _head(program.parents[2] / 'bin' / program.name)
    found = _SHEBANG.match(head)
    if found is None:
        long = _LONG_SHEBANG.match(head)
        return Path(long[1] or long[2]) if long is not None else None
    path = shutil.which(found[1])
    return Path(path) if path is not None else None


def _head(program: Path) -> str:
    """Return how a program begins; nothing if it may be run but not read."""
    try:
        with program.open('rb') as file:
            return file.read(4096).decode('utf-8', 'replace')
    except OSError:
        return ''


def _missing(python: Path, packages: Collection[Package]) -> list[Package]:
    # Links are not followed: those of a virtual environment lead to a Python outside.
    if python.parent == Path(sys.executable).parent:
        return [package for package in packages if not is_installed(package)]
    # `ros2` runs in the system's Python, nodes in the one their workspace was built with.
    modules = [package.module for package in packages]
    done = subprocess.run([python, '-c', _FIND, *modules], capture_output=True, text=True)
    if done.returncode:
        raise LaunchError(f'{python} cannot run nodes: {done.stderr.strip()}')
    absent = done.stdout.split()
    return [package for package in packages if package.module in absent]
