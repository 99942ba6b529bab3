"""Whatever is imported is brought by rosdep or by a pip command of the README."""

from __future__ import annotations

import ast
import configparser
from pathlib import Path
import re
import sys
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
OWN = {'gdl_env', 'gdl_agents', 'gdl_msgs'}
# For type checkers alone.
TYPES = {'_typeshed'}

# Modules whose Python package has another name, or that come with another package.
PACKAGES = {
    'fastapi': 'nicegui',
    'llvmlite': 'numba',
    'lsprotocol': 'pygls',
    'mcap_ros2': 'mcap-ros2-support',
    'starlette': 'nicegui',
    'uvicorn': 'nicegui',
    'yaml': 'pyyaml',
}
# Python packages whose rosdep key is not python3-NAME.
KEYS = {'lark': 'python3-lark-parser', 'pyyaml': 'python3-yaml'}


def requirements(section: str, option: str) -> set[str]:
    config = configparser.ConfigParser()
    config.read(ROOT / 'setup.cfg', encoding='utf-8')
    lines = config[section][option].splitlines()
    return {line for line in lines if line and not line.startswith('#')}


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


def test_every_import_has_its_dependency() -> None:
    brought = manifest('package.xml')
    brought |= {name_of(entry) for entry in pip_line()}
    # What neither nodes nor other commands need.
    for extra in ('rl', 'editor'):
        brought |= {name_of(entry) for entry in requirements('options.extras_require', extra)}
    packages = {module: PACKAGES.get(module, module) for module in imported()}
    missing = {
        module
        for module, name in packages.items()
        if not {name, KEYS.get(name, f'python3-{name}')} & brought
    }
    assert missing == set()


def test_documented_installs_are_of_the_checkout() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / 'setup.cfg', encoding='utf-8')
    extras = set()
    for path in [ROOT / 'README.md', *ROOT.glob('doc/**/*.md'), *ROOT.glob('gdl_*/**/*.py')]:
        text = path.read_text('utf-8')
        # No index has this package.
        assert not re.search(r'pip install[^`\n]*gdl[_-]env', text), path
        for names in re.findall(r"pip install[^`\n]*'\.\[([\w,]+)\]'", text):
            extras |= set(names.split(','))
    assert extras >= {'ros', 'learn', 'gui', 'rl', 'editor'}
    assert extras <= set(config['options.extras_require'])


def test_messages_need_what_their_build_looks_for() -> None:
    text = (ROOT / 'msg' / 'CMakeLists.txt').read_text('utf-8')
    found = re.search(r'find_interfaces\((.*)\)', text)
    assert found is not None
    names = set(found[1].split())
    assert names <= manifest('msg/package.xml')
    # This package builds them.
    assert manifest('msg/package.xml') <= manifest('package.xml')
