"""The extension for VS Code: its files fit the language, and it packs."""

from __future__ import annotations

import json
from pathlib import Path
import re
import shutil
import subprocess
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from gdl_env.language.keywords import KEYWORDS
from gdl_env.language.library import SUFFIXES
from gdl_env.language.load import game_from_text

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / 'tools' / 'vscode'
PAGE = (ROOT / 'doc' / 'editor.md').read_text('utf-8')


def read(name: str) -> dict[str, object]:
    data = json.loads((FOLDER / name).read_text('utf-8'))
    assert isinstance(data, dict)
    return data


def test_every_keyword_has_a_colour() -> None:
    grammar = json.dumps(read('syntaxes/gdl.tmLanguage.json')['repository']['keyword'])  # type: ignore[index]
    words = set(re.findall(r'\w+', ' '.join(re.findall(r'\(([\w|]+)\)', grammar))))
    assert words == {*KEYWORDS, 'option'}


def test_it_is_for_the_files_of_games() -> None:
    package = read('package.json')
    (language,) = package['contributes']['languages']  # type: ignore[index]
    assert tuple(language['extensions']) == SUFFIXES


def test_the_snippet_of_a_game_is_a_game() -> None:
    body = read('snippets/gdl.json')['A whole small game']['body']  # type: ignore[index]
    text = '\n'.join(body)
    values = dict(re.findall(r'\$\{(\d):([^}]*)\}', text))
    text = re.sub(r'\$\{(\d):[^}]*\}|\$(\d)', lambda m: values.get(m[1] or m[2], ''), text)
    assert [str(role) for role in game_from_text(text).roles] == ['first', 'second']


@pytest.mark.parametrize('name', ['Rule', 'Legal move', 'Next', 'Frame', 'Terminal', 'Goal'])
def test_snippets_are_balanced(name: str) -> None:
    text = '\n'.join(read('snippets/gdl.json')[name]['body'])  # type: ignore[index]
    assert text.count('(') == text.count(')')


def test_the_lock_file_names_no_place_to_download_from() -> None:
    assert '"resolved"' not in (FOLDER / 'package-lock.json').read_text('utf-8')


@pytest.mark.slow
def test_it_packs_as_the_page_says(tmp_path: Path) -> None:
    if shutil.which('npm') is None:
        pytest.skip('npm is not installed: apt install npm')
    folder = tmp_path / 'tools' / 'vscode'
    made = shutil.ignore_patterns('node_modules', 'dist', '*.vsix', 'LICENSE')
    shutil.copytree(FOLDER, folder, ignore=made)
    for name in ('package.xml', 'LICENSE'):
        shutil.copy(ROOT / name, tmp_path)
    block = re.search(r'^```bash\n(cd tools/vscode\n.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
    assert block is not None
    *commands, install = block[1].splitlines()
    assert install == 'code --install-extension gdl-env.vsix'
    script = '\n'.join(['set -e', *commands, 'npm test'])
    done = subprocess.run(
        ['bash', '-c', script], cwd=tmp_path, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with ZipFile(folder / 'gdl-env.vsix') as archive:
        names = set(archive.namelist())
        manifest = ElementTree.fromstring(archive.read('extension.vsixmanifest'))
    assert {
        'extension/dist/extension.js',
        'extension/snippets/gdl.json',
        'extension/syntaxes/gdl.tmLanguage.json',
        'extension/language-configuration.json',
    } <= names
    version = ElementTree.parse(ROOT / 'package.xml').getroot().findtext('version')
    assert version in [element.get('Version') for element in manifest.iter()]
