"""Agents of any installed package, by the names that it registers."""

from __future__ import annotations

from collections.abc import Callable
import configparser
from pathlib import Path
import sys

import pytest

from gdl_agents.errors import UnknownAgentError
from gdl_agents.registry import load_agent, open_agent
from gdl_env.agent_catalog import (
    AgentNameError,
    add_detail,
    agent_names,
    choose_agent,
    list_agents,
)
from gdl_env.requirements import OF_EXTRAS

MakePackage = Callable[..., Path]

CODE = """
from gdl_agents.players.legal import LegalAgent

class Second(LegalAgent):
    def __init__(self, detail=''):
        self.detail = detail

class Stranger:
    pass
"""


def setup_lines(group: str) -> dict[str, str]:
    config = configparser.ConfigParser()
    config.read(Path(__file__).parents[2] / 'setup.cfg', encoding='utf-8')
    lines = config['options.entry_points'][group].strip().splitlines()
    return {name.strip(): place.strip() for name, place in (line.split('=') for line in lines)}


def test_every_alias_has_its_agent() -> None:
    alias = 'gdl_agents.ros.executables:run_alias'
    aliases = {n for n, place in setup_lines('console_scripts').items() if place == alias}
    # Not the reverse: a new agent takes one line, and agent_node runs it.
    assert aliases
    assert aliases <= {f'{name}_agent' for name in setup_lines('gdl_env.agents')}


def test_what_is_installed_is_what_setup_cfg_says() -> None:
    own = [a for a in list_agents() if a.distribution.startswith('gdl_env ')]
    assert {agent.name for agent in own} == set(setup_lines('gdl_env.agents'))
    # What an extra stands for is known, so that launches can check it.
    assert {extra for agent in own for extra in agent.extras} == set(OF_EXTRAS)


def test_agent_of_another_package(
    make_package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_package('second_agents', {'second': 'second_agents:Second'}, CODE)
    monkeypatch.syspath_prepend(folder)
    assert 'second' in agent_names()
    assert choose_agent('second:a:b').detail == 'a:b'
    assert 'second_agents' not in sys.modules, 'choosing imports nothing'
    assert open_agent('second:a:b').detail == 'a:b'  # type: ignore[attr-defined]
    with pytest.raises(UnknownAgentError, match='did you mean second'):
        open_agent('secnd')


@pytest.mark.parametrize(
    ('place', 'message'),
    [
        ('gone_module:Agent', "ModuleNotFoundError: No module named 'gone_module'"),
        ('faulty_agents:Stranger', "'Stranger' is not a class that implements.*that do: .*Second"),
        ('faulty_agents:Nobody', "'Nobody' is not a class that implements"),
        ('faulty_agents', "'faulty_agents' is not module.path:Class"),
        (
            'gone_module:Agent [fast, big]',
            r"No module named .*; it needs: pip install 'faulty_agents\[fast,big\]'",
        ),
    ],
)
def test_faults_of_another_package_are_told_with_its_name(
    place: str, message: str, make_package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(make_package('faulty_agents', {'faulty': place}, CODE))
    with pytest.raises(
        UnknownAgentError, match=f"agent 'faulty' of package faulty_agents 1.5: .*{message}"
    ):
        open_agent('faulty')
    # Others are none the worse for it.
    assert open_agent('legal').name == 'legal'
    monkeypatch.delitem(sys.modules, 'faulty_agents', raising=False)


def test_module_of_another_package_that_fails(
    make_package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_package('failing_agents', {'failing': 'failing_agents:Own'}, '1 / 0')
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(UnknownAgentError, match=r'failing_agents 1.5: .*ZeroDivisionError'):
        open_agent('failing')


def test_a_name_of_two_packages_is_refused(
    make_package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ('twin_one', 'twin_two'):
        agents = {'twin': f'{package}:Second', 'random': f'{package}:Second'}
        monkeypatch.syspath_prepend(make_package(package, agents, CODE))
    both = r"agent 'twin' is registered by twin_one 1.5 \(twin_one:Second\) and twin_two 1.5"
    with pytest.raises(UnknownAgentError, match=both):
        open_agent('twin')
    with pytest.raises(UnknownAgentError, match=r'gdl_env .*and twin_one 1.5.* and twin_two'):
        open_agent('random:3')
    assert agent_names().count('twin') == 1
    # The way out that the error names.
    assert type(open_agent('twin_two:Second')).__module__ == 'twin_two'


def test_without_any_metadata_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('gdl_env.agent_catalog.entry_points', lambda group: ())
    with pytest.raises(AgentNameError, match='no installed package registers any'):
        choose_agent('random')


def test_paths_start_at_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / 'with:colon'
    folder.mkdir()
    (folder / 'own.py').write_text(CODE)
    monkeypatch.chdir(folder)
    chosen = choose_agent('own.py:Second:a.py:b')
    assert str(chosen) == f'{folder}/own.py:Second:a.py:b'
    assert (chosen.label, chosen.detail) == ('Second', 'a.py:b')
    monkeypatch.chdir('/')
    assert choose_agent(str(chosen)) == chosen
    monkeypatch.setenv('HOME', str(folder))
    assert choose_agent('~/own.py:Second').place == chosen.place
    with pytest.raises(AgentNameError, match=r'no such file: /own.py'):
        choose_agent('own.py:Second')
    with pytest.raises(AgentNameError, match=r'names no class; write .*own.py:Class'):
        choose_agent('~/own.py')


def test_a_program_with_a_path_is_a_detail() -> None:
    chosen = choose_agent('external:python3 player.py:x')
    assert (chosen.name, chosen.detail) == ('external', 'python3 player.py:x')


def test_two_details_are_refused() -> None:
    assert load_agent('human', 'stdin').chosen.detail == 'stdin'
    assert add_detail(choose_agent('human:stdin'), 'stdin').detail == 'stdin'
    with pytest.raises(UnknownAgentError, match=r"'human:stdin' has a detail already.*'other'"):
        open_agent('human:stdin', 'other')
