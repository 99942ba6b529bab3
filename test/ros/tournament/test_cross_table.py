"""Results of matches and tournaments, as tables."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from gdl_env.errors import GdlError
from gdl_env.ros.match.table import MatchResult, RoleResult
from gdl_env.ros.tournament.cross_plot import save_plot
from gdl_env.ros.tournament.cross_table import CrossTable, Pairing
from gdl_env.ros.tournament.pairings import pairings, parse_agents


def role(name: str, wins: int, draws: int, losses: int, goal: float | None = 50.0) -> RoleResult:
    return RoleResult(name, f'/{name}_agent', wins, draws, losses, goal, strikes=0)


def match(*roles: RoleResult) -> MatchResult:
    return MatchResult(True, '', roles[0].episodes, 60, 2.0, roles)


def goals_of(*goals: float) -> list[tuple[str, float]]:
    return list(zip('xyz', goals, strict=True))


def two_seats(agents: tuple[str, str], wins: int, draws: int, losses: int) -> Pairing:
    return Pairing(agents, match(role('x', wins, draws, losses), role('o', losses, draws, wins)))


@pytest.fixture
def table() -> CrossTable:
    return CrossTable(
        ['x', 'o'],
        ['good', 'bad'],
        [
            two_seats(('good', 'bad'), 8, 2, 0),
            two_seats(('bad', 'good'), 4, 0, 6),
            two_seats(('good', 'good'), 10, 0, 0),
        ],
    )


def test_match_as_text() -> None:
    result = match(role('x', 6, 1, 3, 65.0), role('o', 3, 1, 6, None))
    assert result.to_text() == (
        '10 episodes, 60 steps in 2.0 s (30 steps/s)\n\n'
        'role  agent    won  drawn  lost  mean goal  strikes\n'
        'x     x_agent    6      1     3       65.0        0\n'
        'o     o_agent    3      1     6          -        0\n'
    )


def test_match_without_agents_or_time() -> None:
    result = MatchResult(True, '', 1, 0, 0.0, (RoleResult('x', '', 0, 1, 0, 50.0, 3),))
    text = result.to_text()
    assert text.startswith('1 episode, 0 steps in 0.0 s (0 steps/s)')
    assert text.splitlines()[-1].split() == ['x', '-', '0', '1', '0', '50.0', '3']


def test_match_is_saved_and_loaded(tmp_path: Path) -> None:
    result = match(role('x', 6, 1, 3), role('o', 3, 1, 6, None))
    path = tmp_path / 'a' / 'result.json'
    result.save(path)
    assert MatchResult.load(path) == result
    assert [file.name for file in path.parent.iterdir()] == ['result.json']


@pytest.mark.parametrize('text', ['', '{', '[]', '{"roles": [{}]}', '{"roles": []}'])
def test_file_without_a_result(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'result.json'
    path.write_text(text)
    with pytest.raises(GdlError, match='does not hold the result of a match'):
        MatchResult.load(path)


def test_both_seats_are_pooled(table: CrossTable) -> None:
    main, as_x, as_o = table.tables()
    # As x 8 wins and 2 draws of 10, as o 6 wins of 10.
    assert main.cells == ((50.0, 75.0, 75.0), (25.0, None, 25.0))
    assert as_x.cells == ((100.0, 90.0, 90.0), (40.0, None, 40.0))
    assert as_o.cells == ((0.0, 60.0, 60.0), (10.0, None, 10.0))
    assert main.columns == ('good', 'bad', 'all')


def test_table_as_text_and_csv(table: CrossTable) -> None:
    main = table.tables()[0]
    assert main.to_text().splitlines()[2:] == [
        '      good   bad   all',
        'good  50.0  75.0  75.0',
        'bad   25.0     -  25.0',
    ]
    assert list(csv.reader(io.StringIO(main.to_csv())))[2] == ['bad', '25.0', '', '25.0']


def test_every_role_of_every_match_is_a_row(table: CrossTable) -> None:
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert len(rows) == 6
    assert rows[2] | {'match': '2', 'role': 'x', 'agent': 'bad', 'won': '4'} == rows[2]


def test_other_numbers_of_roles_are_compared_by_goal() -> None:
    played = [
        Pairing(('a', 'b', 'c'), match(*(role(r, 1, 0, 0, g) for r, g in goals_of(90, 30, 0)))),
        Pairing(('b', 'a', 'c'), match(*(role(r, 3, 0, 0, g) for r, g in goals_of(10, 50, 0)))),
    ]
    (goals,) = CrossTable(['x', 'y', 'z'], ['a', 'b', 'c'], played).tables()
    assert goals.columns == ('x', 'y', 'z', 'all')
    assert goals.cells[0] == (90.0, 50.0, None, 60.0)
    (alone,) = CrossTable(['x'], ['a'], [Pairing(('a',), match(role('x', 1, 0, 1)))]).tables()
    assert alone.cells == ((50.0, 50.0),)


def test_plot(table: CrossTable, tmp_path: Path) -> None:
    path = tmp_path / 'table.png'
    save_plot(table.tables(), 'tictactoe', path)
    assert path.read_bytes().startswith(b'\x89PNG')


def test_pairings() -> None:
    assert pairings(['a', 'b'], 2, has_self_play=False) == [('a', 'b'), ('b', 'a')]
    assert len(pairings(['a', 'b'], 2, has_self_play=True)) == 4
    assert len(pairings(['a', 'b', 'c'], 3, has_self_play=False)) == 6
    assert pairings(['a', 'b'], 1, has_self_play=False) == [('a',), ('b',)]
    assert parse_agents('a "b:c d"') == ['a', 'b:c d']
    assert parse_agents('a,b, c:d=1,e=2,f') == ['a', 'b', 'c:d=1,e=2', 'f']
    assert parse_agents('a,c:d=1 e=2,f g') == ['a', 'c:d=1 e=2', 'f', 'g']
