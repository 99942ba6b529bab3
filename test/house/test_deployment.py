"""The examples for containers start nodes that exist, with parameters that they have."""

from __future__ import annotations

from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
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
