"""Pages name games that are known by name: no other file is read for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import shutil
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytestmark = pytest.mark.ros

from gdl_env.errors import GameNotFoundError  # noqa: E402
from gdl_env.gui.gallery.offered_games import read_offered_game  # noqa: E402
from gdl_env.gui.study.replays import Replay, ReplayPainter, ReplayStep  # noqa: E402
from gdl_env.gui.tables import Tables, roles_of  # noqa: E402
from gdl_env.gui.tournaments.tournaments import Tournaments  # noqa: E402
from gdl_env.gui.training.trainings import Trainings  # noqa: E402
from gdl_env.gui.views import list_titles  # noqa: E402
from gdl_env.language.load import open_game  # noqa: E402

GAMES = Path(__file__).parents[2] / 'games'


class NoProcesses:
    """Starts nothing, and says so."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f'{name}: a process was to be started')


def open_table(game: str) -> None:
    Tables(NoProcesses(), '/table').open(game, {'x': 'random', 'o': 'random'})


def train(game: str) -> None:
    Trainings(NoProcesses(), Path(), '/train').start(
        game=game, algorithm='dqn', episodes=1, lanes=1, against='learner'
    )


def hold_tournament(game: str) -> None:
    Tournaments(NoProcesses(), Path(), '/tournament').start(
        game=game, agents=['random', 'legal'], episodes=1, seconds=1.0
    )


@pytest.mark.parametrize('ask', [read_offered_game, open_table, train, hold_tournament])
@pytest.mark.parametrize('spelling', ['{path}', '{folder}/private', '../private', '{path}(a=b)'])
def test_pages_cannot_name_files(
    ask: Callable[[str], Any], spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = tmp_path / 'private.gdl'
    shutil.copy(GAMES / 'tictactoe.gdl', private)
    (tmp_path / 'below').mkdir()
    monkeypatch.chdir(tmp_path / 'below')
    name = spelling.format(path=private, folder=tmp_path)
    if '(' not in name:
        # Whoever starts the server may: it is a file with rules.
        assert roles_of(open_game(name)) == ['x', 'o']
    with pytest.raises(GameNotFoundError):
        ask(name)


def test_recordings_cannot_name_files(tmp_path: Path) -> None:
    private = tmp_path / 'private.gdl'
    shutil.copy(GAMES / 'tictactoe.gdl', private)
    steps = (ReplayStep(('(cell 1 1 x)',), {}, {}),)
    assert ReplayPainter(Replay('tictactoe', ('x', 'o'), steps)).trouble == ''
    painter = ReplayPainter(Replay(str(private), ('x', 'o'), steps))
    assert 'are not here' in painter.trouble


def test_a_game_is_read_again_once_its_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('GDL_PATH', str(tmp_path))
    draft = tmp_path / 'my_draft.gdl'
    for game, roles in (('tictactoe', ['x', 'o']), ('nim', ['first', 'second'])):
        draft.write_text((GAMES / f'{game}.gdl').read_text())
        # Within the same tick of the clock a change could not be seen.
        assert roles_of(read_offered_game('my_draft')) == roles_of(open_game(game)), roles


def test_games_are_offered_by_their_titles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('GDL_PATH', str(tmp_path))
    assert list_titles()['connect_four'] == 'Connect Four'
    # A draft that was made from a game has its title, too, until its author changes that.
    for suffix in ('gdl', 'view.yaml'):
        shutil.copy(GAMES / f'nim.{suffix}', tmp_path / f'my_heaps.{suffix}')
    titles = list_titles()
    assert (titles['nim'], titles['my_heaps']) == ('Nim (nim)', 'Nim (my_heaps)')
    view = tmp_path / 'my_heaps.view.yaml'
    view.write_text(view.read_text().replace('title: Nim', 'title: Heaps'))
    titles = list_titles()
    assert (titles['nim'], titles['my_heaps']) == ('Nim', 'Heaps')
