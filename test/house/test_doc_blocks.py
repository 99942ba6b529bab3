"""Code in the documentation is real: commands parse, examples run, links lead somewhere.

Blocks of README.md are run by test_readme.py and test_install.py, those of agents.md,
environment.md and networks.md beside the tests of what they describe, all others here. Of pages
other than README.md and tutorial.md, commands are parsed and not run.
"""

from __future__ import annotations

import ast
import importlib
import os
from pathlib import Path
import re
import shlex
import subprocess
import sys

from doc_blocks import PAGES, ROOT, Block, blocks
import pytest

from gdl_env.cli.main import build_parser, find_verbs

# `text` is output, a picture of letters, or something to type that no test can do.
LANGUAGES = {'bash', 'console', 'gdl', 'python', 'text', 'toml', 'xml', 'yaml'}
# Of other languages, tested where they are used (any_language.md), or settings of editors.
LANGUAGES |= {'cpp', 'elisp', 'js', 'lua'}

ALL = [block for page in PAGES for block in blocks(page)]
SHELL = [block for block in ALL if block.language == 'bash']
PYTHON = [block for block in ALL if block.language == 'python']
# Pages whose Python examples are run here, one after the other.
RUN_HERE = ('language.md', 'learning.md', 'mapping.md', 'search.md')
# Excerpts, which say nothing alone, by what they contain.
EXCERPTS = ('runs/tictactoe/rainbow-selfplay-1', 'Knowledge(table, role)')
TUTORIAL = ROOT / 'doc' / 'tutorial.md'


@pytest.mark.parametrize('page', PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_says_what_it_is(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= LANGUAGES


@pytest.mark.parametrize('block', SHELL, ids=str)
def test_commands_of_gdl_exist(block: Block) -> None:
    parser = build_parser(find_verbs())
    for line in block.commands:
        words = shlex.split(line, comments=True)
        if words[0] not in ('gdl', './gdl') or words[1] in ('test', 'docs', '--version', '--help'):
            continue
        ends = [index for index, word in enumerate(words) if word in ('|', '>', '&&', '&', ';')]
        parser.parse_args(words[1 : min(ends, default=len(words))])


@pytest.mark.parametrize('block', PYTHON, ids=str)
def test_imports_of_python_examples_exist(block: Block) -> None:
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module.partition('.')[0] not in ('gdl_env', 'gdl_agents'):
                continue
            pytest.importorskip('torch') if 'learning' in node.module else None
            module = importlib.import_module(node.module)
            for alias in node.names:
                assert hasattr(module, alias.name), f'{node.module} has no {alias.name}'


@pytest.mark.parametrize('block', blocks(ROOT / 'doc' / 'testing.md', 'python'), ids=str)
def test_examples_of_the_testing_page_run(block: Block, tmp_path: Path) -> None:
    (tmp_path / 'test_example.py').write_text(block.text, 'utf-8')
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_example.py']
    if 'def test_' not in block.text:
        command = [sys.executable, 'test_example.py']
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, f'{done.stdout}\n{done.stderr}'


@pytest.mark.parametrize('name', RUN_HERE)
def test_examples_of_a_page_run(name: str, tmp_path: Path) -> None:
    if name == 'learning.md':
        pytest.importorskip('torch', reason='PyTorch is not installed')
    code = ''
    for block in blocks(ROOT / 'doc' / name, 'python'):
        if any(text in block.text for text in EXCERPTS):
            continue
        # A block that begins with the name of a file is that file.
        if file := re.match(r'# (\w+\.py)\n', block.text):
            (tmp_path / file[1]).write_text(block.text, 'utf-8')
        code += f'{block.text}\n'
    done = subprocess.run(
        [sys.executable, '-c', code],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert code and done.returncode == 0, done.stderr


@pytest.mark.parametrize('page', PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r'^ *```.*?^ *```$|`[^`\n]*`', '', page.read_text('utf-8'), flags=re.M | re.S)
    for target in re.findall(r'\]\((?!https?:|#)([^)#\s]+)', text):
        assert (page.parent / target).exists(), target


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(1800)
def test_tutorial_ends_with_a_match_against_a_trained_opponent(
    tmp_path: Path, own_domain: int
) -> None:
    """Type what the tutorial prints, in order."""
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    pytest.importorskip('torch', reason='PyTorch is not installed')
    (game,) = blocks(TUTORIAL, 'gdl')
    (tmp_path / 'stones.gdl').write_text(game.text, 'utf-8')
    (tmp_path / 'gdl').write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m gdl_env.cli.main "$@"\n', 'utf-8'
    )
    (tmp_path / 'gdl').chmod(0o755)
    output = ''
    for line in [line for block in blocks(TUTORIAL, 'bash') for line in block.commands]:
        done = subprocess.run(
            line,
            shell=True,
            cwd=tmp_path,
            env=environment(ROS_DOMAIN_ID=str(own_domain)),
            # `play` asks for moves: always take one stone.
            input='1\n' * 20,
            capture_output=True,
            text=True,
            timeout=900,
        )
        output = f'{line}\n{done.stdout}\n{done.stderr}'
        assert done.returncode == 0, output
    assert (tmp_path / 'runs' / 'stones' / 'tutorial' / 'learning_curve.png').is_file()
    assert '20 episodes' in output


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get('PYTHONPATH')]))
    return {**os.environ, 'PYTHONPATH': path, **more}
