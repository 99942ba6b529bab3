"""Whatever is imported is brought by rosdep or by a pip command of the README."""

from __future__ import annotations

import ast
import configparser
from importlib.metadata import distribution
import os
from pathlib import Path
import re
import sys
from xml.etree import ElementTree

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
import pytest

from gdl_agents.learning.training.tracking import TRACKERS

ROOT = Path(__file__).parents[2]
OWN = {'gdl_env', 'gdl_agents', 'gdl_msgs'}
# For type checkers alone.
TYPES = {'_typeshed'}

# Modules whose Python package has another name, or that come with another package.
PACKAGES = {
    'cv2': 'opencv-python-headless',
    'fastapi': 'nicegui',
    'llvmlite': 'numba',
    'lsprotocol': 'pygls',
    'mcap_ros2': 'mcap-ros2-support',
    'pyspiel': 'open_spiel',
    'starlette': 'nicegui',
    'uvicorn': 'nicegui',
    'yaml': 'pyyaml',
}
# Python packages whose rosdep key is not python3-NAME.
KEYS = {'lark': 'python3-lark-parser', 'pyyaml': 'python3-yaml'}


def requirements(section: str, option: str) -> set[str]:
    lines = setup_cfg()[section][option].splitlines()
    return {line for line in lines if line and not line.startswith('#')}


def setup_cfg() -> configparser.ConfigParser:
    config = configparser.ConfigParser()
    config.read(ROOT / 'setup.cfg', encoding='utf-8')
    return config


def read_pins() -> dict[str, set[str]]:
    """Return the names of the packages that constraints.txt pins for this Python, by part."""
    parts: dict[str, set[str]] = {}
    for line in (ROOT / 'constraints.txt').read_text('utf-8').splitlines():
        if heading := re.match(r'# == (\w+):', line):
            parts[heading[1]] = set()
        elif line and not line.startswith('#'):
            pin = Requirement(line)
            if pin.marker is None or pin.marker.evaluate():
                parts[list(parts)[-1]].add(canonicalize_name(pin.name))
    return parts


def closure(name: str, extras: set[str]) -> set[str]:
    """Return what an installed package requires, with some extras, directly or not."""
    found: set[str] = set()
    waiting = [(name, extras)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        package, wanted = waiting.pop()
        if (package, frozenset(wanted)) in seen:
            continue
        seen.add((package, frozenset(wanted)))
        # lark takes the place of lark-parser, which is not installed.
        for text in () if package == 'lark-parser' else distribution(package).requires or ():
            required = Requirement(text)
            marker = required.marker
            if marker is None or any(marker.evaluate({'extra': extra}) for extra in wanted):
                found.add(canonicalize_name(required.name))
                waiting.append((canonicalize_name(required.name), {'', *required.extras}))
    return found


def name_of(requirement: str) -> str:
    return re.split('[=<>]', requirement)[0]


def manifest(path: str) -> set[str]:
    root = ElementTree.parse(ROOT / path).getroot()
    return {str(entry.text) for entry in root if entry.tag.endswith('depend')}


def pip_line() -> set[str]:
    """Return what the README lets pip install where ROS is."""
    text = (ROOT / 'README.md').read_text('utf-8').split('\n### With ROS\n')[1]
    found = re.search(r'^pip install (.*)$', text, re.MULTILINE)
    assert found is not None
    return set(found[1].split())


def imported() -> set[str]:
    """Return the modules that the packages and launch files import, at the top or inside."""
    found: set[str] = set()
    for folder in ('gdl_env', 'gdl_agents', 'launch'):
        for path in (ROOT / folder).rglob('*.py'):
            for node in ast.walk(ast.parse(path.read_text('utf-8'))):
                if isinstance(node, ast.Import):
                    found |= {alias.name.split('.')[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module.split('.')[0])
    return found - set(sys.stdlib_module_names) - OWN - TYPES


def test_rosdep_and_the_readme_bring_what_setup_cfg_requires() -> None:
    required = requirements('options', 'install_requires')
    for extra in ('learn', 'gui'):
        required |= requirements('options.extras_require', extra)
    names = {name_of(entry) for entry in required}
    keys = {name: KEYS.get(name, f'python3-{name}') for name in names}
    by_rosdep = {name for name, key in keys.items() if key in manifest('package.xml')}
    by_pip = {name_of(entry) for entry in pip_line()}
    assert by_rosdep | by_pip == names
    assert not by_rosdep & by_pip
    exact = {entry for entry in required if '==' in entry}
    assert exact <= pip_line()


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason='the pins are those of Python 3.11')
@pytest.mark.skipif('ROS_DISTRO' in os.environ, reason='a sourced ROS has packages of its own')
def test_pins_are_complete_and_in_their_parts() -> None:
    pytest.importorskip('ros_wheels_bootstrapper', reason='ROS 2 from PyPI is not installed')
    extras = set(setup_cfg()['options.extras_require'])
    engine = {'setuptools', *closure('gdl-env', {''})}
    ros = closure('gdl-env', {'', 'ros'}) - engine
    rest = closure('gdl-env', {'', *extras}) - engine - ros
    pins = read_pins()
    assert pins['engine'] == engine
    assert pins['ros'] == ros
    # For older Pythons.
    assert pins['rest'] - rest == {'exceptiongroup', 'tomli'}
    assert rest <= pins['rest']


def test_every_import_has_its_dependency() -> None:
    brought = manifest('package.xml')
    brought |= {name_of(entry) for entry in pip_line()}
    # What neither nodes nor other commands need.
    for extra in ('rl', 'editor', 'export', 'openspiel', 'data', 'robot', 'cluster'):
        brought |= {name_of(entry) for entry in requirements('options.extras_require', extra)}
    # The option `track` names one that is installed already.
    brought |= set(TRACKERS)
    packages = {module: PACKAGES.get(module, module) for module in imported()}
    missing = {
        module
        for module, name in packages.items()
        if not {name, KEYS.get(name, f'python3-{name}')} & brought
    }
    assert missing == set()


def test_documented_installs_are_of_the_checkout() -> None:
    extras = set()
    for path in [ROOT / 'README.md', *ROOT.glob('doc/**/*.md'), *ROOT.glob('gdl_*/**/*.py')]:
        text = path.read_text('utf-8')
        # No index has this package.
        assert not re.search(r'pip install[^`\n]*gdl[_-]env', text), path
        for names in re.findall(r"pip install[^`\n]*'\.\[([\w,]+)\]'", text):
            extras |= set(names.split(','))
    assert extras >= {'ros', 'learn', 'gui', 'rl', 'editor'}
    assert extras <= set(setup_cfg()['options.extras_require'])


def test_messages_need_what_their_build_looks_for() -> None:
    text = (ROOT / 'msg' / 'CMakeLists.txt').read_text('utf-8')
    found = re.search(r'find_interfaces\((.*)\)', text)
    assert found is not None
    names = set(found[1].split())
    assert names <= manifest('msg/package.xml')
    # This package builds them.
    assert manifest('msg/package.xml') <= manifest('package.xml')
