"""View files: those of our games are right, and errors in others are named."""

from __future__ import annotations

from pathlib import Path
import re
from typing import Any

import pytest
import yaml

from gdl_env.gui.drawing.errors import ViewError
from gdl_env.gui.drawing.view_file import load_view, parse_view, view_path

ROOT = Path(__file__).parents[2]
GAMES = ROOT / 'games'
PAGE = ROOT / 'doc' / 'view_files.md'


@pytest.mark.parametrize('path', sorted(GAMES.glob('*.view.yaml')), ids=lambda path: path.name)
def test_ours_are_right_and_belong_to_a_game(path: Path) -> None:
    load_view(path)
    game = path.name.removesuffix('.view.yaml')
    assert view_path(GAMES / f'{game}.gdl') == path
    assert (GAMES / f'{game}.gdl').is_file()


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        ([], 'expected keys with values; allowed: title, style'),
        ({'colors': {}}, "unknown key 'colors'; did you mean colours?"),
        ({'moves': {'m': {'steps': {'up': [1, 0]}}}}, 'moves: m: steps go with from'),
        ({'moves': {'m': {'from': [1, 2], 'steps': [1, 0]}}}, 'steps should hold directions'),
        ({'moves': {'m': {'from': [1, 2], 'steps': {'up': 1}}}}, 'steps: up should be what is'),
        ({'style': 'hexagonal'}, "style 'hexagonal' is unknown.*allowed: plain, lines"),
        ({'pieces': {'x': {'kind': 'crosss'}}}, 'pieces: x: kind .* did you mean cross'),
        ({'pieces': {'x': {'colour': 'red'}}}, "pieces: x: unknown key 'colour'"),
        ({'relations': {'cell': {'row': 1}}}, 'relations: cell: row and column belong together'),
        ({'relations': {'cell': {'square': 0}}}, 'square should be the number of an argument'),
        ({'relations': {'cell': {'square': 1, 'row': 1, 'column': 2}}}, 'either square, or row'),
        ({'relations': {'cell': {'upward': 'yes'}}}, 'upward should be true or false'),
        ({'relations': ['cell']}, 'relations should hold names'),
        ({'moves': {'move': {'to': [1, 2, 3]}}}, 'moves: move: to should be one square, or two'),
        ({'moves': {'move': {'to': [0, 2]}}}, 'should be the number of an argument, from 1'),
        ({'colours': {'light': None}}, 'put quotes around #colours'),
        (
            {'colours': {'light': 'red;background:url(//host/x)'}},
            'colours: light: .* is no colour',
        ),
        ({'pieces': {'x': {'fill': 'url(https://host/x)'}}}, 'pieces: x: fill: .* is no colour'),
        ({'roles': {'x': {'colour': '"><script>'}}}, 'roles: x: colour: .* is no colour'),
        ({'relations': {True: {'hide': True}}}, "relations: put quotes around 'on'"),
        ({'relations': {'r': {'owner': 1}}}, 'relations: r: owner goes with show'),
        ({'relations': {'r': {'show': 'trik'}}}, "show 'trik' is unknown; did you mean trick"),
        ({'relations': {'r': {'show': 'trick'}}}, 'r: show: trick needs owner'),
        (
            {'relations': {'r': {'show': 'dice', 'value': 1, 'owner': 2}}},
            r'show: dice does not take owner \(allowed: value, count\)',
        ),
        ({'relations': {'r': {'show': 'hand', 'card': [1, 2, 3]}}}, 'card should be one argument'),
        ({'points': {'length': 10}}, 'points: length should be a multiple of 4'),
        ({'points': {'turned': 'black'}}, 'points: turned should be a list'),
        (
            {'graph': {'nodes': {'a': [0, 120]}}},
            r'nodes: a should be \[x, y\], each from 0 to 100',
        ),
        ({'graph': {'nodes': {'a': [0, 0]}, 'edges': [['a', 'b']]}}, 'should be two of the nodes'),
        ({'cards': {'ranks': ['ace']}}, 'cards: ranks should hold names'),
        ({'result': {'each': 2}}, 'result: each and many belong together'),
        ({'result': {'zero': 'x'}}, 'result: zero should be a whole number'),
        ({'pieces': {'x': {'svg': '<rect>'}}}, 'pieces: x: svg is not well-formed'),
        ({'pieces': {'x': {'svg': '</g></svg><script/>'}}}, 'pieces: x: svg is not well-formed'),
    ],
)
def test_what_is_wrong_is_said(data: Any, message: str) -> None:
    with pytest.raises(ViewError, match=message) as error:
        parse_view(data, 'my.view.yaml')
    assert str(error.value).startswith('my.view.yaml')


def test_a_file_that_is_no_yaml_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / 'x.view.yaml'
    path.write_text('style: [')
    with pytest.raises(ViewError, match=r'(?s)x\.view\.yaml.*line 1'):
        load_view(path)
    with pytest.raises(ViewError, match='No such file'):
        load_view(tmp_path / 'none.view.yaml')


def test_every_game_of_ours_has_one() -> None:
    assert [path.stem for path in GAMES.glob('*.gdl') if not view_path(path).is_file()] == []


def test_the_examples_of_the_page_are_right() -> None:
    blocks = re.findall(r'```yaml\n(.*?)```', PAGE.read_text('utf-8'), re.DOTALL)
    assert len(blocks) >= 5
    for block in blocks:
        parse_view(yaml.safe_load(block), 'doc/view_files.md')


@pytest.mark.parametrize(
    ('data', 'words'), [(b'[' * 4000, 'nested too deeply'), (b'title: \xff', 'not UTF-8')]
)
def test_files_that_no_reader_can_bear(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / 'received.view.yaml'
    path.write_bytes(data)
    with pytest.raises(ViewError, match=words):
        load_view(path)
