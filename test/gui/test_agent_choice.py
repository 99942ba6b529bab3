"""Which agents the web interface offers and accepts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import shutil
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytestmark = pytest.mark.ros

from gdl_env.agent_catalog import agent_names  # noqa: E402
from gdl_env.code_names import starts_program  # noqa: E402
from gdl_env.errors import GdlError  # noqa: E402
from gdl_env.gui.errors import GuiError  # noqa: E402
from gdl_env.gui.gui_node import _check  # noqa: E402
from gdl_env.gui.gui_parameters import GuiParameters  # noqa: E402
from gdl_env.gui.tables import Tables, playable_agents  # noqa: E402
from gdl_env.gui.training.trainings import Trainings  # noqa: E402
from gdl_env.ros.launch.node_spec import NodeSpec  # noqa: E402

GAMES = Path(__file__).parents[2] / 'games'
MakePackage = Callable[..., Path]


class Starter:
    """Notes the nodes it is to start."""

    def __init__(self) -> None:
        self.nodes: list[NodeSpec] = []

    def start_node(self, spec: NodeSpec, group: str) -> None:
        self.nodes.append(spec)


def told(*players: str) -> GuiParameters:
    return GuiParameters('127.0.0.1', 0, '', Path(), 'tictactoe', players)


def test_agents_of_other_packages_are_offered(
    make_package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(make_package('offered', {'second': 'offered:Second'}))
    everything = set(agent_names()) - {'human', 'learning', 'robot', 'hand'}
    assert set(playable_agents(allows_programs=True)) == everything
    assert set(playable_agents()) == everything - {'external', 'ggp', 'uci'}
    assert 'second' in playable_agents()


def test_agents_with_an_arm_are_as_foreign_as_those_that_decide() -> None:
    assert starts_program('robot:external:cat')
    assert starts_program('robot:robot:own.py:Own')
    assert not starts_program('robot:mcts:playouts=50')


def test_players_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'own.py').touch()
    monkeypatch.chdir(tmp_path)
    _check(told('x=me', 'o=own.py:Own'))
    for word, message in [
        ('o=legl', 'did you mean legal'),
        ('o=gone.py:Own', 'no such file'),
        ('z=random', 'not role=agent; roles: x, o'),
    ]:
        with pytest.raises(GdlError, match=message):
            _check(told(word))


def test_a_file_is_started_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'own.py').touch()
    monkeypatch.chdir(tmp_path)
    processes: Any = Starter()
    tables = Tables(processes, '/gui', allows_programs=True)
    tables.start_agent('/match', 'x', 'own.py:Own:7')
    tables.open('tictactoe', {'x': 'me', 'o': 'own.py:Own'})
    agents = [node for node in processes.nodes if node.executable == 'agent_node']
    assert [node.parameters['agent'] for node in agents] == [
        f'{tmp_path}/own.py:Own:7',
        f'{tmp_path}/own.py:Own',
    ]


@pytest.mark.parametrize(
    'player',
    [
        'external:touch mark',
        'uci:stockfish',
        'uci',
        'own.py:Own',
        'package.module:Own',
        'alphabeta:depth=2,eval=own.py:best',
        'learning:reward=own.py:r',
    ],
)
def test_pages_start_no_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, player: str
) -> None:
    (tmp_path / 'own.py').touch()
    monkeypatch.chdir(tmp_path)
    processes: Any = Starter()
    tables = Tables(processes, '/gui')
    for ask in (
        lambda: tables.start_agent('/match', 'x', player),
        lambda: tables.open('tictactoe', {'x': 'me', 'o': player}),
    ):
        with pytest.raises(GuiError, match='gdl gui --allow-programs') as refusal:
            ask()
        assert repr(player) in str(refusal.value)
    assert not processes.nodes
    # On the command line it was asked for.
    tables.open('tictactoe', {'x': 'me', 'o': player}, is_from_page=False)
    assert any(node.executable == 'agent_node' for node in processes.nodes)
    # And where the server allows it, pages may, too.
    other: Any = Starter()
    Tables(other, '/gui', allows_programs=True).start_agent('/match', 'x', player)
    assert [node.executable for node in other.nodes] == ['agent_node']


@pytest.mark.parametrize(
    'game',
    [
        'sokoban(level={folder}/secret.txt)',
        'sokoban(level=secret)',
        'sokoban(level=secret.txt)',
        'sokoban(level=levels/link)',
        'sokoban(level=../../pyproject.toml)',
        '{folder}/own',
        './own.gdl',
        'sokoban(level=x)/../own(a=b)',
    ],
)
def test_pages_read_no_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """What a page names is a game that is known by name, with a level that lies beside it."""
    library = tmp_path / 'games'
    shutil.copytree(GAMES / 'levels', library / 'levels')
    shutil.copy(GAMES / 'sokoban.gdl', library)
    shutil.copy(GAMES / 'tictactoe.gdl', tmp_path / 'own.gdl')
    # A level as good as any other.
    shutil.copy(GAMES / 'levels' / 'causeway.txt', tmp_path / 'secret.txt')
    (library / 'levels' / 'link.txt').symlink_to(tmp_path / 'secret.txt')
    monkeypatch.setenv('GDL_PATH', str(library))
    monkeypatch.chdir(tmp_path)
    processes: Any = Starter()
    tables = Tables(processes, '/gui')
    with pytest.raises(GdlError, match=r'no file|outside the folders|no game named'):
        tables.open(game.format(folder=tmp_path), {'first': 'me'})
    assert not processes.nodes
    tables.open('sokoban(level=causeway)', {'first': 'me'})
    assert processes.nodes


@pytest.mark.parametrize(
    'changes',
    [
        {'options': 'reward=own.py:r'},
        {'options': 'n_step=3, network=own.py:r'},
        {'options': 'turn=module:r'},
        {'against': 'external:touch mark'},
        {'algorithm': 'own.py:Own'},
    ],
)
def test_pages_train_with_no_code_of_others(tmp_path: Path, changes: dict[str, str]) -> None:
    processes: Any = Starter()
    trainings = Trainings(processes, tmp_path, '/gui')
    wanted = {'algorithm': 'rainbow', 'against': 'learner', **changes}
    with pytest.raises(GuiError, match='gdl gui --allow-programs'):
        trainings.start(game='tictactoe', episodes=1, lanes=1, **wanted)


def test_a_rematch_changes_sides() -> None:
    processes: Any = Starter()
    tables = Tables(processes, '/gui')
    first = tables.open('chess', {'white': 'me', 'black': 'me'}, total=60.0, increment=2.0)
    again = tables.open_rematch(first)
    assert tables.rematches[first.namespace] is again
    # Two people change places, and the clocks stay.
    assert [first.role_in_rematch(role) for role in ('white', 'black')] == ['black', 'white']
    assert (again.total, again.increment) == (60.0, 2.0)
    alone = tables.open('chess', {'white': 'me', 'black': 'random'})
    assert tables.open_rematch(alone).players == {'white': 'random', 'black': 'me'}
    assert alone.role_in_rematch('white') == 'black'
    assert alone.role_in_rematch('') == ''
