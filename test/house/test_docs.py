"""The documentation site: pages made from code, links, and a build without a warning."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path
import re
import subprocess
import sys
from urllib.parse import unquote

from gdl_docs.command_line import describe_verbs
from gdl_docs.interfaces import describe_interfaces
from gdl_docs.outside_links import replace_outside_links
import pytest

from gdl_env.cli.main import find_verbs

ROOT = Path(__file__).parents[2]

MESSAGE = """# What a dice says.
# It is published on `<role>/dice`.

# How it lies [1 to 6].
uint8 value

# Kinds of dice, and which one it is.
uint8 KIND_UNKNOWN=0
uint8 kind
"""
SERVICE = """# Roll again.

# How often.
uint32 count
---
# Whether it was rolled.
bool success
"""


def test_messages_are_described_by_their_comments(tmp_path: Path) -> None:
    for name, text in (('msg/Dice.msg', MESSAGE), ('srv/Roll.srv', SERVICE)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    page = describe_interfaces(tmp_path)
    assert '### Dice\n\nWhat a dice says. It is published on `<role>/dice`.\n' in page
    assert '| `value` | `uint8` | How it lies \\[1 to 6]. |' in page
    assert '| `KIND_UNKNOWN =0` | `uint8` | Kinds of dice, and which one it is. |' in page
    request, response = page.split('**Response**')
    assert '| `count` | `uint32` | How often. |' in request
    assert '| `success` | `bool` | Whether it was rolled. |' in response


def test_every_field_of_our_messages_has_a_meaning() -> None:
    page = describe_interfaces(ROOT / 'msg')
    own = [p for kind in ('msg', 'srv', 'action') for p in ROOT.glob(f'msg/{kind}/*.{kind}')]
    assert len(own) > 20
    for path in own:
        assert f'### {path.stem}\n' in page
    assert not [line for line in page.splitlines() if line.startswith('| `') and '|  |' in line]


def test_every_verb_is_on_the_page_of_the_command_line() -> None:
    page = describe_verbs()
    for verb in find_verbs():
        assert f'### gdl {verb.name}\n' in page
        assert f'usage: gdl {verb.name} ' in page


def test_links_that_leave_the_site_become_names(caplog: pytest.LogCaptureFixture) -> None:
    page = ROOT / 'doc' / 'page.md'
    text = '[rules](../games/chess.gdl) [`x.py`](../setup.py) [other](games.md#chess)\n'
    expected = 'rules (`games/chess.gdl`) x.py (`setup.py`) [other](games.md#chess)\n'
    assert replace_outside_links(text, page, ROOT).replace('`x.py`', 'x.py') == expected
    with caplog.at_level(logging.WARNING):
        replace_outside_links('[gone](../nowhere.py)', page, ROOT)
    assert 'doc/page.md: no such file: ../nowhere.py' in caplog.text


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec('mkdocs') is None, reason='needs extra docs')
def test_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--site-dir', str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    assert 'usage: gdl check' in (tmp_path / 'reference' / 'cli.html').read_text('utf-8')
    api = (tmp_path / 'reference' / 'api.html').read_text('utf-8')
    assert 'gdl_env.testing.check_agent' in api
    # Nothing is loaded from elsewhere.
    for path in tmp_path.rglob('*.html'):
        text = path.read_text('utf-8')
        assert '<script src="http' not in text and 'fonts.googleapis' not in text, path
        # mkdocs itself lets links to files pass that it leaves out.
        for target in re.findall(r'(?:href|src)="([^":#?/][^":#?]*)["#?]', text):
            assert (path.parent / unquote(target)).exists(), f'{path.name}: {target}'
