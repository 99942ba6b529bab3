"""`gdl why` names the literals that fail."""

from __future__ import annotations

import pytest

from gdl_env.cli.main import main


def test_why_a_square_cannot_be_marked(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(['why', 'tictactoe', '(mark 2 2)', '--after', '(mark 2 2)'])
    shown = capsys.readouterr().out
    assert code == 1
    assert '(true (cell 2 2 b)) fails' in shown
    assert '(mark 2 2) is illegal for o' in shown


def test_a_legal_move_and_a_role_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['why', 'tictactoe', '(mark 2 2)']) == 0
    assert 'is legal for x' in capsys.readouterr().out
    assert main(['why', 'tictactoe', '(mark 2 2)', '--role', 'z']) == 2
    assert 'roles: x, o' in capsys.readouterr().err
