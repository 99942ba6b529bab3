"""Mappings written by hand, as the documentation shows them."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from gdl_env.engine.mapping import Encoding, EncodingError, open_encoding
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import load_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = (ROOT / 'doc' / 'mapping.md').read_text('utf-8')
BLOCKS = re.findall(r'```python\n(.*?)```', DOCUMENT, re.DOTALL)
X = Symbol('x')


@pytest.fixture(scope='module')
def game():
    return load_game(ROOT / 'games' / 'tictactoe.gdl')


@pytest.fixture
def example(tmp_path: Path) -> Path:
    (code,) = (block for block in BLOCKS if block.startswith('# my_mapping.py'))
    path = tmp_path / 'my_mapping.py'
    path.write_text(code)
    return path


def test_documented_code_runs(example: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(example.parent)
    names: dict = {}
    for block in BLOCKS:
        exec(block, names)
        if block is BLOCKS[0]:
            assert names['vector'].shape == (29,)
            assert names['mask'].all()
            assert str(names['move']) == '(mark 2 2)'
            names['engine'].close()
    assert names['planes'].shape == (3, 3, 3)
    assert names['board'].sum() + names['rest'].sum() == 10
    assert names['mapping'].observation_size == 18


def test_own_class_has_all_of_the_contract(example: Path, game):
    mapping = open_encoding(game, f'{example}:OwnAndOther')
    assert isinstance(mapping, Encoding)
    for index in range(9):
        assert mapping.action_index(X, mapping.move(X, index)) == index
    view = frozenset({read_term('(cell 1 2 x)'), read_term('(cell 3 3 o)')})
    assert list(mapping.observe(view, X).nonzero()[0]) == [1, 17]
    assert list(mapping.observe(view, Symbol('o')).nonzero()[0]) == [8, 10]
    assert mapping.observe_batch([view, view], X).shape == (2, 18)
    assert mapping.observation_name(3) == 'feature 3'
    assert mapping.planes() is None
    with open_engine(game, 'circuit') as engine:
        legal = engine.legal_moves(engine.initial_state)[X]
        assert mapping.action_mask(X, legal).all()
    with pytest.raises(EncodingError, match=r'\(mark 4 4\)'):
        mapping.action_index(X, read_term('(mark 4 4)'))


def test_module_on_the_path(example: Path, game, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(example.parent)
    assert open_encoding(game, 'my_mapping:OwnAndOther').action_size == 9


@pytest.mark.parametrize(
    ('name', 'words'),
    [
        ('nowhere.at_all:Class', "No module named 'nowhere'"),
        ('missing.py:Class', 'no such file'),
        ('json:JSONDecoder', 'no class that extends'),
        ('json:Nothing', 'there is no Nothing in json'),
        ('steam', "no mapping named 'steam'; mappings: auto, typed, inferred, module:Class"),
    ],
)
def test_what_is_no_mapping_is_told(game, name: str, words: str):
    with pytest.raises(EncodingError, match=re.escape(words)):
        open_encoding(game, name)
