"""Agents by name, with details, and classes of one's own."""

from pathlib import Path

from agent_questions import ask_one, make_info
import pytest

from gdl_agents.errors import AgentError, UnknownAgentError
from gdl_agents.registry import agent_names, open_agent

OWN = """
from gdl_agents.agent import Agent
from gdl_agents.players.legal import LegalAgent

class Own(LegalAgent):
    name = 'own'

class Told(LegalAgent):
    def __init__(self, detail):
        self.detail = detail

class Unfinished(Agent):
    pass
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / 'own.py'
    path.write_text(OWN)
    return path


def test_every_name_has_its_class() -> None:
    for name in agent_names():
        # Those of programs want to know which; an error about that comes from the class.
        try:
            agent = open_agent(name)
        except AgentError as error:
            assert not isinstance(error, UnknownAgentError)
        else:
            assert agent.name == name


@pytest.mark.parametrize('text', ['random', 'legal', 'human', 'human:stdin', 'external:cat'])
def test_open(text: str) -> None:
    assert open_agent(text).name == text.partition(':')[0]


def test_module_and_class() -> None:
    agent = open_agent('gdl_agents.players.legal:LegalAgent')
    agent.begin(make_info(), ('x',), 1)
    answer = agent.choose(ask_one(5, 8))
    assert answer.action is not None
    assert answer.action.tolist() == [5]


def test_file_and_class(own: Path) -> None:
    assert open_agent(f'{own}:Own').name == 'own'
    assert open_agent(f'{own}:Told:a:b').detail == 'a:b'  # type: ignore[attr-defined]
    assert open_agent(f'{own}:Told', 'c').detail == 'c'  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('randm', 'did you mean random.*agents: .*human.*legal.*random'),
        ('randm:3', 'did you mean random'),
        ('', 'agents: .*random'),
        ('nowhere.py:Agent', 'no such file'),
        ('no.such.module:Agent', "cannot be loaded: ModuleNotFoundError: No module named 'no'"),
        (
            'gdl_agents.players.legal:Nobody',
            'classes in gdl_agents.players.legal that do: LegalAgent',
        ),
        ('random:fast', 'RandomAgent takes no detail'),
        ('OWN:Unfinished', 'not a class that implements'),
        ('BROKEN:Own', 'cannot be loaded: ZeroDivisionError'),
        ('own.py', 'no such file'),
    ],
)
def test_errors(text: str, words: str, own: Path) -> None:
    broken = own.with_name('broken.py')
    broken.write_text('1 / 0')
    text = text.replace('OWN', str(own)).replace('BROKEN', str(broken))
    with pytest.raises(UnknownAgentError, match=words):
        open_agent(text)


def test_external_needs_a_command() -> None:
    with pytest.raises(AgentError, match='command line of the program is missing'):
        open_agent('external')
