"""The examples for containers start nodes that exist, with parameters that they have."""

from __future__ import annotations

from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
import subprocess
import sys
from typing import Any

import pytest
import yaml

from gdl_env.agent_catalog import choose_agent
from gdl_env.language.load import open_game
from gdl_env.ros.parameters import FOLLOWER, NODES, Parameter

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / 'doc' / 'examples' / 'cluster'
# In the middleware's own package.
OTHERS = {'fast-discovery-server'}
YAML_STYLE = '{extends: relaxed, rules: {line-length: {max: 99}}}'


def containers() -> Iterator[tuple[str, list[str]]]:
    """Return the name and the command of every container, in all files."""
    compose = yaml.safe_load((FOLDER / 'compose.yaml').read_text('utf-8'))
    for name, service in compose['services'].items():
        yield f'compose {name}', service['command']
    for resource in yaml.safe_load_all((FOLDER / 'kubernetes.yaml').read_text('utf-8')):
        pod = resource['spec'].get('template', {}).get('spec', {})
        for container in pod.get('containers', []):
            name = f'kubernetes {resource["metadata"]["name"]} {container["name"]}'
            yield name, container['args']


CONTAINERS = dict(containers())


def parameters(command: list[str]) -> dict[str, Any]:
    """Return the parameters of a command, as ROS reads them: in YAML."""
    told = [command[i + 1] for i, word in enumerate(command[:-1]) if word == '-p']
    pairs = [word.partition(':=') for word in told]
    return {name: yaml.safe_load(value) for name, sign, value in pairs if sign}


LINTERS = {
    'compose': ['check-jsonschema', '--builtin-schema', 'vendor.compose-spec', 'compose.yaml'],
    'kubernetes': ['kubernetes-validate', '--strict', 'kubernetes.yaml'],
    'Containerfile': ['hadolint', 'Containerfile'],
    'yaml': ['yamllint', '--strict', '-d', YAML_STYLE, 'compose.yaml', 'kubernetes.yaml'],
}


@pytest.mark.parametrize('name', LINTERS)
def test_linters_accept_the_files(name: str) -> None:
    program, *rest = LINTERS[name]
    path = Path(sys.executable).parent / program
    if not path.exists():
        pytest.skip(f'{program} is not installed (the extra `dev`)')
    done = subprocess.run([str(path), *rest], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_linters_see_mistakes(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / 'check-jsonschema'
    if not program.exists():
        pytest.skip('check-jsonschema is not installed (the extra `dev`)')
    wrong = (FOLDER / 'compose.yaml').read_text('utf-8').replace('image:', 'picture:')
    (tmp_path / 'compose.yaml').write_text(wrong)
    command = [str(program), *LINTERS['compose'][1:]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert 'picture' in done.stdout


def test_there_are_all_kinds_of_nodes() -> None:
    programs = {command[0] for command in CONTAINERS.values()}
    assert programs >= {'env_node', 'agent_node', 'learner_node', 'fast-discovery-server'}


@pytest.mark.parametrize('name', CONTAINERS)
def test_commands_are_those_of_nodes(name: str) -> None:
    command = CONTAINERS[name]
    assert all(isinstance(word, str) for word in command)
    if command[0] in OTHERS:
        return
    setup = ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    scripts = setup['options.entry_points']['console_scripts']
    assert f'\n{command[0]} =' in scripts
    # The agents here follow a learner.
    known: dict[str, Parameter] = {**FOLLOWER, **NODES[command[0]]}
    told = parameters(command)
    assert told
    for parameter, value in told.items():
        default = known[parameter].default
        assert value == '$(INDEX)' or isinstance(
            value, list if isinstance(default, tuple) else type(default)
        )
    if 'game' in told:
        open_game(told['game'])
    if 'roles' in told:
        assert told['roles'] == [str(role) for role in open_game('connect_four').roles]
        choose_agent(told['agent'])


@pytest.mark.parametrize('kind', ['compose', 'kubernetes'])
def test_the_learner_watches_all_actors(kind: str) -> None:
    own = {name: command for name, command in CONTAINERS.items() if name.startswith(kind)}
    spaces = {word for command in own.values() for word in command if word.startswith('__ns:=/')}
    (learner,) = [command for command in own.values() if command[0] == 'learner_node']
    matches = parameters(learner)['matches']
    if kind == 'kubernetes':
        resources = yaml.safe_load_all((FOLDER / 'kubernetes.yaml').read_text('utf-8'))
        (count,) = [
            each['spec']['replicas'] for each in resources if each['kind'] == 'StatefulSet'
        ]
        assert spaces == {'__ns:=/actor_$(INDEX)'}
        assert matches == [f'actor_{number}' for number in range(count)]
    else:
        assert spaces == {f'__ns:=/{match}' for match in matches}
