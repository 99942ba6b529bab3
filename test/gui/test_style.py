"""The classes of the style sheet: each has one meaning."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
import re

import pytest

from gdl_env import gui

STYLE = Path(gui.__file__).parent / 'components' / 'table.css'
# Classes by which Quasar hides elements on small screens.
QUASAR = {'gt-xs', 'gt-sm', 'gt-md', 'gt-lg'}


def test_no_class_is_the_class_of_two_things() -> None:
    text = re.sub(r'@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}', '', STYLE.read_text())
    selectors = [
        part.strip() for head in re.findall(r'([^{}]+)\{', text) for part in head.split(',')
    ]
    found = Counter(s for s in selectors if re.fullmatch(r'\.gt-[a-z]+', s))
    assert found
    assert [name for name, times in found.items() if times > 1] == []


def test_no_class_is_one_that_quasar_hides() -> None:
    folder = STYLE.parent
    text = ''.join(path.read_text() for path in (STYLE, *folder.rglob('*.js')))
    assert not QUASAR & set(re.findall(r'gt-[a-z]+', text))


def test_no_test_acts_by_script() -> None:
    # What is dead to mouse and touch would be found alive. (This file names what it looks for.)
    acts = re.compile(r'\)\.click\(\)[;`"\']|\]\.click\(|\.dispatchEvent\(|\.submit\(\)')
    files = [path for path in Path(__file__).parent.glob('*.py') if path != Path(__file__)]
    assert len(files) > 20
    assert [path.name for path in files if acts.search(path.read_text())] == []


def test_every_class_of_pages_is_defined() -> None:
    nicegui = pytest.importorskip('nicegui', reason='NiceGUI is not installed')
    folder = Path(gui.__file__).parent
    static = Path(nicegui.__file__).parent / 'static'
    sheets = [*folder.rglob('*.css'), *static.glob('*.css')]
    defined = {
        name.replace('\\', '')
        for sheet in sheets
        for name in re.findall(r'\.((?:[\w-]|\\.)+)', sheet.read_text())
    }
    used = Counter(
        word
        for path in folder.rglob('*.py')
        for text in re.findall(
            r"(?:classes\(|classes=|remove=|add=)\s*'([^']*)'", path.read_text()
        )
        for word in text.split()
    )
    assert len(used) > 50
    assert used.keys() - defined == set()
