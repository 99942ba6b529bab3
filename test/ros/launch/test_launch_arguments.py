"""Arguments and parameter files of launches, right and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from topologies import by_name, nodes

from gdl_env.errors import GdlError
from gdl_env.ros.launch.arguments import parse_pairs
from gdl_env.ros.launch.topology import TOPOLOGIES

WRONG = [
    ('match', 'gam:=tictactoe', "no argument 'gam'.*did you mean game"),
    ('match', 'y:=random', "no argument 'y', and tictactoe no such role.*x, o"),
    ('match', 'x:=legl', "no agent named 'legl'; did you mean legal"),
    ('match', 'x:=', "no agent named ''.*external.*human.*legal.*random"),
    ('match', 'players:=nobody', "no agent named 'nobody'"),
    ('match', 'x:=gone.py:Own', 'no such file: /.*gone.py'),
    ('match', 'lanes:=0', 'lanes:=0 is out of range; a whole number, 1 to 1000000'),
    ('match', 'lanes:=many', 'must be a whole number'),
    ('match', 'play_clock:=-1', 'out of range.*0 to 86400'),
    ('match', 'lanes:=1000001', 'out of range'),
    ('match', 'seed:=99999999999', 'out of range'),
    ('match', 'play_clock:=nan', 'must be a number'),
    ('match', 'record:=maybe', 'must be true or false'),
    ('match', 'spectator:=al', 'did you mean all'),
    ('match', 'game:=ticktactoe', 'did you mean tictactoe'),
    ('match', 'params:=/none.yaml', 'cannot read /none.yaml'),
    ('human', 'role:=z', 'role:=z is unknown.*x, o'),
    ('tournament', 'x:=random', "tournament has no argument 'x'"),
    ('tournament', 'agents:=random', '2 roles, but there are 1 agents'),
    ('tournament', 'agents:=random random', 'given twice'),
    ('tournament', 'agents:=random "x', 'No closing quotation'),
    ('tournament', 'agents:= ', 'names no agent'),
    ('tournament', 'agents:=random none', "'none' cannot take part"),
]


@pytest.mark.parametrize(('launch', 'word', 'message'), WRONG)
def test_wrong_arguments(launch: str, word: str, message: str) -> None:
    with pytest.raises(GdlError, match=f'(?s){message}'):
        nodes(launch, word)


def test_rules_with_errors_are_told_at_once(tmp_path: Path) -> None:
    rules = tmp_path / 'bad.gdl'
    rules.write_text('(role x')
    with pytest.raises(GdlError, match=r'bad\.gdl'):
        nodes('match', f'game:={rules}')


def test_malformed_words() -> None:
    for words in (['x'], [':=1'], ['a:=1', 'a:=2']):
        with pytest.raises(GdlError):
            parse_pairs(words)
    assert parse_pairs(['a:=b:=c']) == {'a': 'b:=c'}


def test_parameter_file_gives_way_to_arguments_only(tmp_path: Path) -> None:
    file = tmp_path / 'my.yaml'
    file.write_text('/**/env_node:\n  ros__parameters:\n    lanes: 4\n    seed: 9\n')
    env = by_name('match', f'params:={file}', 'seed:=5')['/env_node']
    assert env.parameter_files == (file,)
    assert 'lanes' not in env.parameters
    assert env.parameters['seed'] == 5
    # What the file leaves open, and the node's own default says, is not given.
    assert 'spectator' not in env.parameters
    assert by_name('human', f'params:={file}')['/env_node'].parameters['play_clock'] == 0.0


@pytest.mark.parametrize('text', ['a', '[1]', 'a: 1', 'env_node: {lanes: 1}', '{'])
def test_parameter_file_must_be_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / 'my.yaml'
    file.write_text(text)
    with pytest.raises(GdlError, match=r'my\.yaml'):
        nodes('match', f'params:={file}')


def test_environment_is_told_how_to_play() -> None:
    words = ('turn:=priority', 'illegal:=end', 'mapping:=inferred', 'teams:=red: x; blue: o')
    parameters = by_name('match', *words)['/env_node'].parameters
    assert {key: parameters[key] for key in ('turn', 'illegal', 'mapping', 'teams')} == {
        'turn': 'priority',
        'illegal': 'end',
        'mapping': 'inferred',
        'teams': ['red: x', 'blue: o'],
    }
    for name in ('selfplay', 'human'):
        assert by_name(name, *words)['/env_node'].parameters['illegal'] == 'end'
    with pytest.raises(GdlError, match='did you mean random'):
        nodes('match', 'illegal:=randon')


@pytest.mark.parametrize('name', TOPOLOGIES)
def test_simulated_time_is_for_all_nodes(name: str) -> None:
    assert all(node.parameters['use_sim_time'] for node in nodes(name, 'use_sim_time:=true'))
    assert not any('use_sim_time' in node.parameters for node in nodes(name))


def test_agents_of_all_roles_in_one_argument() -> None:
    found = by_name('match', "agents:=x=mcts:playouts=5 o='external:a b'")
    assert found['/x_mcts'].parameters['agent'] == 'mcts:playouts=5'
    assert found['/o_external'].parameters['agent'] == 'external:a b'
    assert list(by_name('match', 'agents:=o=legal'))[1:3] == ['/x_random', '/o_legal']
    assert '/o_random' in by_name('selfplay', 'agents:=o=random')
    for words, message in (
        (['agents:=y=random'], 'y is not a role'),
        (['agents:=random'], 'expects role=agent'),
        (['agents:=x=legal x=random'], 'x twice'),
        (['agents:=x=legal', 'x:=random'], 'by name'),
    ):
        with pytest.raises(GdlError, match=message):
            nodes('match', *words)
