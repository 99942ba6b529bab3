"""Commands that are printed to be copied."""

from __future__ import annotations

import pytest

from gdl_env.cli.program import commands_of_player
from gdl_env.language.load import open_game


def test_they_begin_as_the_reader_has_called_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_PROGRAM', './gdl')
    word = 'connect_four(columns=5,rows=4)'
    play, gui, judge = commands_of_player(open_game(word), word, 'rainbow:runs/a')
    assert play == f"./gdl play '{word}' yellow=rainbow:runs/a"
    assert gui == f"./gdl gui '{word}' yellow=rainbow:runs/a"
    assert judge == f"./gdl eval '{word}' rainbow:runs/a"


def test_it_plays_a_role_that_it_has_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('GDL_PROGRAM', raising=False)
    play, *_ = commands_of_player(open_game('tictactoe'), 'tictactoe', 'dqn:r', ['x'])
    assert play == 'gdl play tictactoe x=dqn:r'


def test_nobody_plays_against_it_in_a_game_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('GDL_PROGRAM', raising=False)
    game = open_game('monty_hall')
    assert commands_of_player(game, 'monty_hall', 'dqn:r') == ['gdl eval monty_hall dqn:r']
