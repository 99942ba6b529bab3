"""Texts: every language has every key, and the code names no key that does not exist."""

from __future__ import annotations

from pathlib import Path
import re
from string import Formatter

import pytest

from gdl_env import gui
from gdl_env.gui import texts
from gdl_env.gui.errors import GuiError

FOLDER = Path(gui.__file__).parent
LANGUAGES = sorted(texts.languages())


def values_of(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def keys_of(script: Path) -> list[str]:
    """Return the texts that a script uses: those of its own section."""
    section = 'gallery' if script.name == 'gallery.js' else 'table'
    found = re.findall(r'\bwords\.([a-z_]+)\b(?!\()', script.read_text())
    return [f'{section}.{key}' for key in found]


@pytest.mark.parametrize('language', LANGUAGES)
def test_every_language_has_every_text_with_the_same_values(language: str) -> None:
    expected, found = texts.load_texts(texts.FALLBACK), texts.load_texts(language)
    assert found.keys() == expected.keys()
    for key, template in expected.items():
        assert found[key].strip(), key
        assert values_of(found[key]) == values_of(template), key


def test_every_text_that_is_asked_for_exists() -> None:
    known = texts.load_texts(texts.FALLBACK)
    sections = {key.partition('.')[0] for key in known}
    assert {'en', 'de'} <= set(LANGUAGES)
    for path in FOLDER.rglob('*.py'):
        code = path.read_text()
        asked = re.findall(r"\btext\(\s*'([^']+)'", code)
        # Keys that are chosen from first: in tables, or one of two.
        named = re.findall(r"'([a-z_]+\.(?!css|js)[a-z_]+)'", code)
        asked += [key for key in named if key.partition('.')[0] in sections]
        assert [key for key in asked if key not in known] == [], path
    for path in FOLDER.rglob('*.js'):
        assert [key for key in keys_of(path) if key not in known] == [], path


def test_no_text_is_left_over() -> None:
    code = ''.join(path.read_text() for path in FOLDER.rglob('*.py'))
    used = {key for path in FOLDER.rglob('*.js') for key in keys_of(path)}
    left = [key for key in texts.load_texts('en') if f"'{key}'" not in code and key not in used]
    assert left == ['language.name'] or left == []


@pytest.mark.parametrize(
    ('header', 'language'),
    [
        ('de-AT,de;q=0.9,en;q=0.5', 'de'),
        ('fr,en;q=0.3,de;q=0.7', 'de'),
        ('en-GB,de;q=0.9', 'en'),
        ('ja', 'en'),
        ('', 'en'),
        ('de;q=x', 'de'),
    ],
)
def test_the_language_is_the_one_that_the_browser_prefers(header: str, language: str) -> None:
    assert texts.choose_language(header) == language


def test_a_reader_is_given_texts_in_the_own_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, '_find_language', lambda: 'de')
    assert texts.text('result.list', most='a, b', last='c') == 'a, b und c'
    assert texts.describe_result({'x': 100, 'o': 0}, 'o').startswith('du hast verloren')
    assert texts.section('shell')['train'] == 'Training'


def test_an_unknown_text_is_an_error_that_names_it() -> None:
    with pytest.raises(GuiError, match=r'nothing\.at_all'):
        texts.text('nothing.at_all')
    with pytest.raises(GuiError, match='most'):
        texts.text('result.list', last='c')


# What is refused before there is a page, on the command line.
AT_START = {'gui_node.py', 'gui_parameters.py', 'server.py', 'texts.py'}


def test_refusals_are_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in FOLDER.rglob('*.py'):
        found = re.findall(r"GuiError\(\s*f?'[^']*'", path.read_text())
        assert found == [] or path.name in AT_START, path
    refusal = texts.TextError('trouble.taken', role='x')
    said = str(refusal)
    # In the language of whoever reads it, not of whoever raised it.
    monkeypatch.setattr(texts, '_find_language', lambda: 'de')
    assert 'jemand' in str(refusal) and str(refusal) != said
