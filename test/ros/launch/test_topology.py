"""What launches start, and what they say about wrong arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from topologies import INSTALLED, by_name, nodes

from gdl_env.errors import GdlError
from gdl_env.language.library import find_game
from gdl_env.ros.recording.checkpoint import Checkpoint


def test_match_by_default() -> None:
    found = by_name('match')
    assert list(found) == ['/env_node', '/x_random', '/o_random', '/match_node']
    assert found['/env_node'].respawn
    assert found['/match_node'].is_leader
    assert [node.is_leader for node in found.values()].count(True) == 1


def test_roles_are_arguments() -> None:
    found = by_name('match', 'x:=legal', 'o:=external:python3 -c "1: x"')
    assert found['/x_legal'].parameters == {'role': 'x', 'agent': 'legal'}
    assert found['/o_external'].executable == 'agent_node'
    command = 'external:python3 -c "1: x"'
    assert found['/o_external'].parameters == {'role': 'o', 'agent': command}


def test_class_of_ones_own_by_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'own.py').touch()
    monkeypatch.chdir(tmp_path)
    found = by_name('match', 'x:=own.py:Own:7', 'o:=./own.py:Own')
    assert found['/x_Own'].parameters['agent'] == f'{tmp_path}/own.py:Own:7'
    assert found['/o_Own'].parameters['agent'] == f'{tmp_path}/own.py:Own'
    (node,) = nodes('tournament', 'agents:=random,own.py:Own')
    assert node.parameters['agents'] == ['random', f'{tmp_path}/own.py:Own']


def test_agent_of_another_package(
    make_package: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(make_package('launched', {'odd-one': 'launched:Odd'}))
    node = by_name('match', 'x:=odd-one:3')['/x_odd_x2d_one']
    assert (node.executable, node.parameters['agent']) == ('agent_node', 'odd-one:3')
    for package in ('twin_one', 'twin_two'):
        monkeypatch.syspath_prepend(make_package(package, {'twin': f'{package}:Twin'}))
    with pytest.raises(GdlError, match=r'registered by twin_one 1.5 .* and twin_two 1.5'):
        nodes('match', 'x:=twin')


def test_roles_not_named_go_to_players() -> None:
    found = by_name('match', 'game:=connect_four', 'players:=legal', 'red:=random')
    assert list(found)[1:-1] == ['/red_random', '/yellow_legal']


def test_nobody_is_started_for_none() -> None:
    assert list(by_name('match', 'x:=none')) == ['/env_node', '/o_random', '/match_node']


def test_chance_is_no_role_to_be_given() -> None:
    assert not any(node.parameters.get('role') == 'random' for node in nodes('match', 'game:=pig'))


def test_environment_is_told_what_was_asked() -> None:
    words = ('lanes:=8', 'seed:=3', 'play_clock:=1.5', 'start_clock:=2', 'spectator:=all')
    parameters = by_name('match', *words, 'journal:=off')['/env_node'].parameters
    assert Path(str(parameters['game'])).name == 'tictactoe.gdl'
    assert {key: value for key, value in parameters.items() if key != 'game'} == {
        'lanes': 8,
        'seed': 3,
        'play_clock': 1.5,
        'start_clock': 2.0,
        'spectator': 'all',
    }


def test_seed_is_drawn_unless_given() -> None:
    seeds = {by_name('match')['/env_node'].parameters['seed'] for _ in range(3)}
    assert len(seeds) == 3
    assert by_name('match', 'seed:=0')['/env_node'].parameters['seed'] == 0


def test_journal_is_temporary_unless_named(tmp_path: Path) -> None:
    env = by_name('match')['/env_node']
    assert [str(path) for path in env.temporary_files] == [env.parameters['journal']]
    env = by_name('match', f'journal:={tmp_path / "j"}')['/env_node']
    assert (env.temporary_files, env.parameters['journal']) == ((), str(tmp_path / 'j'))


def test_journal_brings_its_seed(tmp_path: Path) -> None:
    path = tmp_path / 'match.journal'
    header = '{"type":"journal","version":2,"game":"tictactoe","options":{"seed":77}}'
    tick = '{"type":"tick","tick":1,"answers":{}}'
    path.write_text(f'{header}\n{tick}\n')
    word = f'journal:={path}'
    assert by_name('match', word)['/env_node'].parameters['seed'] == 77
    assert by_name('match', word, 'seed:=5')['/env_node'].parameters['seed'] == 5
    # There is nothing to resume: the next match draws its own.
    path.write_text(f'{header}\n{tick}\n{{"type":"end"}}\n')
    assert len({by_name('match', word)['/env_node'].parameters['seed'] for _ in range(3)}) == 3
    path.write_text('precious')
    with pytest.raises(GdlError, match='is not a journal'):
        by_name('match', word)


def test_game_by_path_and_namespace(tmp_path: Path) -> None:
    rules = tmp_path / 'solo.gdl'
    rules.write_text('(role me) (init a) (legal me go) (<= terminal (true a)) (goal me 100)')
    assert list(by_name('match', f'game:={rules}', 'namespace:=/a/b/'))[1] == '/a/b/me_random'


def test_actors_are_not_recorded() -> None:
    with pytest.raises(GdlError, match='a recorder follows one match'):
        nodes('selfplay', 'actors:=2', 'record:=true')


def test_watchers(tmp_path: Path) -> None:
    found = by_name('match', 'record:=true', f'record_to:={tmp_path}', 'rviz:=yes')
    recorder = found['/recorder_node']
    assert recorder.parameters['folder'] == str(tmp_path)
    assert recorder.respawn
    assert found['/env_node'].parameters['require_recorder'] is True
    (tmp_path / 'bag').mkdir()
    with pytest.raises(GdlError, match='holds a recording already'):
        by_name('match', 'record:=true', f'record_to:={tmp_path}')
    assert '/board_node' in found


def test_resumed_match_continues_its_recording(tmp_path: Path) -> None:
    journal, folder = tmp_path / 'match.journal', tmp_path / 'record'
    words = (f'journal:={journal}', 'record:=true', f'record_to:={folder}', 'seed:=7')
    first = by_name('match', *words)['/recorder_node'].parameters['session']
    assert by_name('match', *words)['/recorder_node'].parameters['session'] == first
    (folder / 'bag').mkdir(parents=True)
    # Killed before its first tick, it left an empty recording.
    Checkpoint(str(first)).save(folder)
    assert by_name('match', *words)['/recorder_node'].parameters['session'] == first
    Checkpoint(str(first), run=1, sequence=5).save(folder)
    with pytest.raises(GdlError, match='holds a recording already'):
        by_name('match', *words)
    header = '{"type":"journal","version":2,"game":"tictactoe","options":{"seed":7}}'
    journal.write_text(f'{header}\n{{"type":"reset","seed":7,"episodes":2}}\n')
    assert by_name('match', *words)['/recorder_node'].parameters['session'] == first
    # The recording is of another match.
    Checkpoint('other').save(folder)
    with pytest.raises(GdlError, match='holds a recording already'):
        by_name('match', *words)


def test_gui_only_where_it_is_installed() -> None:
    with pytest.raises(GdlError, match='needs gui_node, which is not installed'):
        nodes('match', 'gui:=true')
    assert nodes('match', 'gui:=true', installed=INSTALLED | {'gui_node'})[-2].name == 'gui_node'


def test_human_has_the_terminal() -> None:
    found = by_name('human', 'role:=o', 'opponent:=legal')
    assert [name for name, node in found.items() if node.needs_terminal] == ['/o_human']
    assert found['/x_legal'].log_level == 'warn'
    assert not found['/o_human'].respawn
    assert found['/o_human'].is_leader, 'who leaves ends it'


def test_one_terminal_for_two_people() -> None:
    found = by_name('match', 'x:=human', 'o:=human')
    assert found['/x_o_human'].parameters == {'roles': ['x', 'o'], 'agent': 'human'}


def test_self_play_has_one_learner_for_all_roles(tmp_path: Path) -> None:
    found = by_name('selfplay', f'run:={tmp_path}', 'options:=batch=32,n_step=1', 'evaluate:=50')
    assert list(found) == ['/env_node', '/learner_node', '/evaluator_node', '/match_node']
    assert 'journal' not in found['/env_node'].parameters
    learner = found['/learner_node']
    assert learner.parameters['roles'] == ['x', 'o']
    assert learner.parameters['run'] == str(tmp_path)
    assert str(learner.parameters['detail']).endswith(',batch=32,n_step=1')
    assert found['/evaluator_node'].parameters['games'] == 50
    # It still writes and draws when the last episode is played.
    assert [name for name, node in found.items() if node.is_leader] == ['/learner_node']
    assert '/evaluator_node' not in by_name('selfplay', 'evaluate:=0')


def test_options_of_learning_come_from_a_file_or_from_the_game(tmp_path: Path) -> None:
    own = tmp_path / 'own.yaml'
    told = by_name('selfplay', 'game:=doppelkopf', f'training:={own}')
    assert told['/learner_node'].parameters['config'] == str(own)
    for words in (['game:=tictactoe'], ['game:=doppelkopf(solos=no)']):
        assert 'config' not in by_name('selfplay', *words)['/learner_node'].parameters


def test_copies_follow_the_learner() -> None:
    found = {node.name: node for node in nodes('selfplay', 'o:=copy')}
    assert found['learner_node'].parameters['roles'] == ['x']
    assert found['learner_node'].parameters['watch'] == ['o']
    assert found['o_copy'].executable == 'agent_node'
    assert found['o_copy'].parameters['agent'] == 'rainbow'
    assert found['o_copy'].parameters['follow'] == 'policy'
    with pytest.raises(GdlError, match='no learner to copy'):
        nodes('selfplay', 'x:=random', 'o:=copy')


def test_actors_feed_one_learner() -> None:
    words = ('actors:=2', 'episodes:=101', 'seed:=7', 'namespace:=lab')
    found = {n.full_name: n for n in nodes('selfplay', *words)}
    learner = found['/lab/learner_node']
    assert learner.parameters['matches'] == ['actor_1', 'actor_2']
    assert 'roles' not in learner.parameters
    actor = found['/lab/actor_2/actor_2']
    assert (actor.executable, actor.parameters['agent']) == ('agent_node', 'rainbow')
    assert actor.parameters['follow'] == '/lab/policy'
    assert actor.parameters['roles'] == ['x', 'o']
    environments = [found[f'/lab/actor_{n}/env_node'].parameters['seed'] for n in (1, 2)]
    assert environments == [7, 8]
    assert found['/lab/actor_1/match_node'].parameters['episodes'] == 51
    assert [name for name, node in found.items() if node.is_leader] == ['/lab/learner_node']
    with pytest.raises(GdlError, match='name no players'):
        nodes('selfplay', 'actors:=2', 'o:=legal')


def test_self_play_of_other_agents() -> None:
    found = by_name('selfplay', 'players:=random')
    assert found['/x_o_random'].parameters == {'roles': ['x', 'o'], 'agent': 'random'}
    assert found['/match_node'].is_leader
    assert '/x_random' in by_name('selfplay', 'players:=random', 'shared:=false')
    assert by_name('selfplay', 'x:=legal')['/learner_node'].parameters['roles'] == ['o']


def test_agents_only_where_their_node_is_installed() -> None:
    with pytest.raises(GdlError, match='needs agent_node, which is not installed'):
        nodes('match', installed=INSTALLED - {'agent_node'})


def test_options_of_a_game() -> None:
    for name in ('match', 'selfplay'):
        node = by_name(name, 'game:=hex(size=5)')['/env_node']
        assert node.parameters['game'] == f'{find_game("hex").resolve()}(size=5)'
    with pytest.raises(GdlError, match='size'):
        nodes('match', 'game:=hex(sise=5)')


def test_tournament() -> None:
    (node,) = nodes('tournament', 'agents:=random "external:a b"', 'episodes:=7')
    assert node.is_leader
    assert node.parameters['agents'] == ['random', 'external:a b']
    assert node.parameters['episodes'] == 7
    (node,) = nodes('tournament', 'agents:=random,legal', 'game:=hex(size=5)')
    assert node.parameters['agents'] == ['random', 'legal']


def test_robots_and_hands() -> None:
    found = by_name('robot', 'game:=chess', 'white:=robot:mcts', 'black:=hand', 'slips:=0.1')
    assert list(found) == [
        *('/env_node', '/robot_node', '/perception_node'),
        *('/white_robot', '/black_hand', '/match_node'),
    ]
    robot = found['/robot_node']
    assert robot.parameters == {'slips': 0.1, 'hands': ['black']}
    assert found['/white_robot'].parameters['agent'] == 'robot:mcts'
    # A real arm has real people beside it.
    own = by_name('robot', 'o:=hand', 'executor:=arm.py:Arm', 'seed:=7')
    assert own['/robot_node'].parameters == {'executor': 'arm.py:Arm', 'seed': 7}
    # Without a person there is nothing to recognise.
    assert '/perception_node' not in by_name('robot', 'players:=robot:random')
