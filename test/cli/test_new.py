"""`gdl new`: every kind of game can be checked and played as it is written."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from gdl_env.cli.scaffold import NAMES, kinds, numbers_of_players, scaffold, view
from gdl_env.engine.contract import NATURE
from gdl_env.engine.registry import open_engine
from gdl_env.gui.drawing.view_file import read_view
from gdl_env.language.formatter import format_text
from gdl_env.language.load import game_from_text, read_game
from gdl_env.language.source import Source

# The smallest and the largest number of players of each kind, and three.
SIZES = [
    (kind, players)
    for kind in kinds()
    for players in numbers_of_players(kind)
    if players in {*numbers_of_players(kind)[:2], len(NAMES)}
]


@pytest.mark.parametrize(('kind', 'players'), SIZES)
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
    numbers = numbers_of_players(kind)
    text = scaffold('My Game', kind, 3 if 3 in numbers else numbers[0])
    with open_engine(game_from_text(text), 'prolog') as engine:
        results = set()
        for playout in engine.playouts(12, seed=1, max_steps=400):
            goals = [goal for role, goal in playout.goals.items() if role != NATURE]
            assert playout.steps < 400
            assert None not in goals
            results.add(tuple(goals))
        assert len(results) > 1


@pytest.mark.parametrize('kind', kinds())
def test_view_file_names_what_the_rules_have(kind: str) -> None:
    rules = scaffold('My Game', kind, numbers_of_players(kind)[0])
    found = read_view(view('My Game', kind), 'my_game.view.yaml')
    assert found.title == 'My Game'
    assert found.relations and found.moves
    for name in (*found.relations, *found.moves):
        assert re.search(rf'\b{name}\b', rules), name


def test_partners_have_the_same_goals() -> None:
    assert find_teams('teams', 6) == {0: {0, 2, 4}, 1: {1, 3, 5}}
    assert find_teams('cooperation', 3) == {0: {0, 1, 2}}


def find_teams(kind: str, players: int) -> dict[int, set[int]]:
    """Return who always has the same goals, by the first of them."""
    with open_engine(game_from_text(scaffold('My Game', kind, players))) as engine:
        ends = [list(p.goals.values()) for p in engine.playouts(60, seed=1, max_steps=400)]
    assert len({tuple(end) for end in ends}) > 1
    teams: dict[int, set[int]] = {}
    for one in range(players):
        first = next(k for k in range(players) if all(end[k] == end[one] for end in ends))
        teams.setdefault(first, set()).add(one)
    return teams


def test_puzzle_is_solved_by_an_agent(gdl, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert gdl('new', 'lamps', '--kind', 'puzzle', '--rules-only').code == 0
    assert [path.name for path in tmp_path.iterdir()] == ['lamps.gdl']
    result = gdl('eval', 'lamps.gdl', 'mcts:playouts=2000', '-n', 2, '--seed', 1)
    assert result.code == 0
    (row,) = [line for line in result.out.splitlines() if line.startswith('mcts')]
    assert row.split()[1:3] == ['first', '2'] and row.endswith('100.0')


def test_who_has_one_goal_neither_wins_nor_loses(gdl, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert gdl('new', 'found', '--kind', 'cooperation', '--rules-only').code == 0
    result = gdl('eval', 'found.gdl', 'lookahead', 'alphabeta:depth=2', '-n', 2, '--seed', 1)
    assert result.code == 0
    first, *rows = result.out.splitlines()
    assert first.split() == ['agent', 'with', 'seat', 'games', 'mean', 'goal']
    assert {row.split()[1] for row in rows} == {'lookahead', 'alphabeta:depth=2'}


@pytest.mark.prolog
def test_verb(gdl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = gdl('new', 'my_game', '--kind', 'dice', '--players', 4)
    assert result.code == 0
    assert 'gdl check my_game.gdl' in result.out
    assert {path.name for path in tmp_path.iterdir()} == {
        'my_game.gdl',
        'my_game.view.yaml',
        'my_game.recording.jsonl',
        'my_game.training.yaml',
        'my_game_agent.py',
    }
    assert gdl('check', '--strict', 'my_game.gdl').code == 0
    assert 'first, second, third, fourth' in gdl('info', 'my_game.gdl', '--engine', 'prolog').out
    assert 'all as recorded' in gdl('replay', 'my_game.recording.jsonl').out
    again = gdl('new', 'my_game')
    assert again.code == 2
    assert 'exists already' in again.err


@pytest.mark.torch
def test_what_lies_beside_the_rules_works(gdl, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert gdl('new', 'my_game', '--kind', 'economy', '--players', 3).code == 0
    own = gdl('eval', 'my_game.gdl', 'my_game_agent.py:MyGamePlayer', '-n', 20, '--seed', 1)
    assert own.code == 0, own.err
    told = gdl('train', 'my_game.gdl', '--config', 'my_game.training.yaml', '--probe')
    assert told.code == 0, told.err
    assert 'algorithm:' in told.out


def test_nothing_is_written_beside_a_file_that_is_there(gdl, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path('my_game_agent.py').write_text('# mine\n')
    result = gdl('new', 'my_game')
    assert (result.code, 'my_game_agent.py exists already' in result.err) == (2, True)
    assert [path.read_text() for path in tmp_path.iterdir()] == ['# mine\n']


@pytest.mark.parametrize(
    ('kind', 'players', 'allowed'),
    [('puzzle', 2, 'has 1'), ('teams', 5, 'has 4 or 6'), ('board', 1, 'has 2 to 6')],
)
def test_numbers_of_players_are_those_of_the_kind(
    gdl, tmp_path: Path, monkeypatch, kind: str, players: int, allowed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = gdl('new', 'my_game', '--kind', kind, '--players', players)
    assert (result.code, allowed in result.err) == (2, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    'arguments', [['My Game'], ['a', '--kind', 'sport'], ['a', '--players', 9]]
)
def test_bad_arguments(
    gdl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert gdl('new', *arguments).code == 2
    assert not list(tmp_path.iterdir())
