"""`gdl lsp` at the edges: no editor, no pygls, an editor that dies."""

from __future__ import annotations

import os
from pathlib import Path
import pty
import re
import subprocess
import sys

from conftest import LIMIT

from gdl_env.editor.keyword_help import keyword_form, keyword_meaning
from gdl_env.language.keywords import KEYWORDS

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, '-m', 'gdl_env.cli.main', 'lsp']


def test_people_are_told_whom_it_is_for() -> None:
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(
            COMMAND, stdin=follower, capture_output=True, text=True, timeout=LIMIT
        )
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 2
    assert 'started by an editor, see doc/editor.md' in done.stderr


def test_it_ends_when_the_editor_is_gone() -> None:
    done = subprocess.run(COMMAND, input='', capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stdout) == (0, '')


def test_it_says_what_to_install(run_without) -> None:  # type: ignore[no-untyped-def]
    done = run_without('pygls', '-m', 'gdl_env.cli.main', 'lsp')
    assert done.returncode == 1
    assert "gdl lsp needs pygls: pip install '.[editor]'" in done.stderr


def test_every_keyword_is_explained() -> None:
    for name in (*KEYWORDS, '<=', 'option'):
        assert keyword_form(name) and keyword_meaning(name).endswith('.')


def test_editors_are_set_up_with_the_command_there_is() -> None:
    page = (ROOT / 'doc' / 'editor.md').read_text('utf-8')
    blocks = dict(re.findall(r'^```(lua|elisp|toml)\n(.*?)^```$', page, re.MULTILINE | re.DOTALL))
    assert blocks.keys() == {'lua', 'elisp', 'toml'}
    for text in blocks.values():
        assert re.search(r'"gdl"|\'gdl\'', text) and re.search(r'"lsp"|\'lsp\'', text)
