"""`gdl gui` says what is wrong before anything is served."""

from __future__ import annotations

import re

import pytest

from gdl_env.cli.main import main

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('nicegui', reason='NiceGUI is not installed')
pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ('words', 'code', 'message'),
    [
        (['tictactoe', 'hex'], 2, 'name one game'),
        (['x=random'], 2, 'name one game'),
        (['tictactoe', 'red=random'], 2, "'red' is not a role of tictactoe; roles: x, o"),
        (['tictactoe', 'o=legl'], 1, 'did you mean legal'),
        (['tictactoe', 'o=gone.py:Own'], 1, 'no such file'),
        (['tictactoo'], 1, 'did you mean tictactoe'),
        (['hex(size=1000)'], 1, 'size'),
    ],
)
def test_wrong_words(
    words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['gui', *words]) == code
    assert message in capsys.readouterr().err


def test_it_becomes_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    def execv(path: str, command: list[str]) -> None:
        started.append(command)
        raise OSError(2, 'enough')

    monkeypatch.setattr('os.execv', execv)
    assert main(['gui', 'tictactoe', 'o=random', '--port', '9000', '--namespace', '/a']) == 1
    (command,) = started
    assert command[0].endswith('gui_node')
    wanted = {"game:='tictactoe'", 'port:=9000', "players:=['o=random']", '__ns:=/a'}
    assert wanted <= set(command) and 'browser:=True' in command
    assert main(['gui', '--no-browser']) == 1
    assert not any('browser' in word for word in started.pop())
    # Two on one graph do not take each other's roles.
    assert any(re.fullmatch(r'__node:=gui_node_[0-9a-f]{4}', word) for word in command)
