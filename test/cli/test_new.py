"""`gdl new`: every kind of game can be checked and played as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.cli.scaffold import NAMES, kinds, scaffold
from gdl_env.engine.contract import NATURE
from gdl_env.engine.registry import open_engine
from gdl_env.language.formatter import format_text
from gdl_env.language.load import game_from_text, read_game
from gdl_env.language.source import Source


@pytest.mark.parametrize('players', [2, 3, len(NAMES)])
@pytest.mark.parametrize('kind', kinds())
def test_kind_is_a_game_without_findings(kind: str, players: int) -> None:
    text = scaffold('My Game', kind, players)
    game, findings = read_game(Source(text))
    assert not findings
    assert format_text(text) == text
    assert text.startswith('; My Game - ')
    assert game.is_typed
    assert sum(role != NATURE for role in game.roles) == players


@pytest.mark.prolog
@pytest.mark.parametrize('kind', kinds())
def test_kind_can_be_played(kind: str) -> None:
    with open_engine(game_from_text(scaffold('My Game', kind, 3)), 'prolog') as engine:
        results = set()
        for playout in engine.playouts(12, seed=1, max_steps=400):
            goals = [goal for role, goal in playout.goals.items() if role != NATURE]
            assert playout.steps < 400
            assert None not in goals
            results.add(tuple(goals))
        assert len(results) > 1


@pytest.mark.prolog
def test_verb(gdl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = gdl('new', 'my_game', '--kind', 'dice', '--players', 4)
    assert result.code == 0
    assert 'gdl check my_game.gdl' in result.out
    assert gdl('check', '--strict', 'my_game.gdl').code == 0
    assert 'first, second, third, fourth' in gdl('info', 'my_game.gdl', '--engine', 'prolog').out
    again = gdl('new', 'my_game')
    assert again.code == 2
    assert 'exists already' in again.err


@pytest.mark.parametrize(
    'arguments', [['My Game'], ['a', '--kind', 'sport'], ['a', '--players', 9]]
)
def test_bad_arguments(
    gdl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert gdl('new', *arguments).code == 2
    assert not list(tmp_path.iterdir())
