"""`gdl lsp` at the edges: no editor, no pygls, an editor that dies."""

from __future__ import annotations

import os
from pathlib import Path
import pty
import re
import shutil
import subprocess
import sys

from editor_client import LIMIT
import pytest

from gdl_env.editor.keyword_help import keyword_form, keyword_meaning
from gdl_env.language.keywords import KEYWORDS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'doc' / 'editor.md').read_text('utf-8')
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
    blocks = dict(re.findall(r'^```(lua|elisp|toml)\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL))
    assert blocks.keys() == {'lua', 'elisp', 'toml'}
    for text in blocks.values():
        assert re.search(r'"gdl"|\'gdl\'', text) and re.search(r'"lsp"|\'lsp\'', text)


@pytest.mark.slow
def test_emacs_works_as_the_page_says(tmp_path: Path) -> None:
    if shutil.which('emacs') is None:
        pytest.skip('Emacs is not installed: apt install emacs-nox elpa-eglot')
    settings = re.search(r'^```elisp\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
    assert settings is not None
    (tmp_path / 'game.gdl').write_text('(role 🂡)\n(<= (p 🂡)  (tru (q 🂡)))\n', 'utf-8')
    program = f"""
    (package-initialize)
    (require 'eglot)
    (setq eglot-sync-connect 100 eglot-connect-timeout 100)
    {settings[1].replace("(add-hook 'gdl-mode-hook #'eglot-ensure)", '')}
    (find-file "{tmp_path}/game.gdl")
    (call-interactively 'eglot)
    (dotimes (n 500) (unless (flymake-diagnostics) (accept-process-output nil 0.2)))
    (dolist (found (flymake-diagnostics))
      (message "%s %s" (flymake-diagnostic-beg found) (flymake-diagnostic-text found)))
    (eglot-format-buffer)
    (message "%s" (buffer-string))
    """
    (tmp_path / 'init.el').write_text(program, 'utf-8')
    path = f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}'
    done = subprocess.run(
        ['emacs', '--batch', '-l', str(tmp_path / 'init.el')],
        env={**os.environ, 'PATH': path, 'HOME': str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=250,
    )
    if 'Cannot open load file' in done.stderr:
        pytest.skip('this Emacs has no eglot: apt install elpa-eglot')
    assert "21 gdl [undefined]: no rule defines 'tru'" in done.stderr, done.stderr
    assert '(<= (p 🂡)\n    (tru (q 🂡)))' in done.stderr
