"""Code in the documentation is real: commands parse, examples run, links lead somewhere.

Blocks of README.md are run by test_readme.py and test_install.py, Python examples of agents.md,
environment.md and networks.md beside the tests of what they describe, all others here. Commands
that end by themselves within a minute or so are run as printed. The others are parsed, and
PARSED_ONLY says why they are not run.
"""

from __future__ import annotations

import ast
import importlib
import os
from pathlib import Path
import re
import shlex
import shutil
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
RUN_HERE = (
    'data.md',
    'inventing.md',
    'language.md',
    'learning.md',
    'mapping.md',
    'robots.md',
    'search.md',
    'solving.md',
)
# Excerpts, which say nothing alone, by what they contain.
EXCERPTS = ('runs/tictactoe/rainbow-selfplay-1', 'Knowledge(table, role)', 'player/model.onnx')
TUTORIAL = ROOT / 'doc' / 'tutorial.md'

# Blocks of commands that are run as printed, by page and the beginning of their first command.
RUN_AS_PRINTED = (
    ('agents.md', 'gdl eval tictactoe mine.py:LastMove'),
    ('any_language.md', 'gdl eval tictactoe "external:node'),
    ('data.md', 'gdl data tictactoe'),
    ('ggp.md', 'gdl ggp match tictactoe'),
    ('gui.md', './gdl why othello'),
    ('learning.md', 'gdl train nim --probe'),
    ('robots.md', 'gdl launch robot'),
    ('ros.md', './gdl launch match.launch.py'),
    ('search.md', 'gdl eval sokoban'),
    ('security.md', 'gdl security kuhn_poker'),
    ('solving.md', 'gdl solve kuhn_poker'),
)
# Why other blocks are not run.
LONG, ENDLESS, ELSEWHERE = 'takes minutes to hours', 'runs until it is stopped', 'has its own test'
PARSED_ONLY = {
    ('agents.md', 'ros2 run gdl_env agent_node'): 'needs ros2 and a running match',
    ('agents.md', 'gdl launch match.launch.py game:=chess'): LONG,
    ('data.md', 'pip install'): 'changes the environment of the tests',
    ('doppelkopf.md', 'gdl play doppelkopf'): 'needs a person',
    ('doppelkopf.md', 'gdl train'): LONG,
    ('editor.md', 'pip install'): 'changes the environment of the tests',
    ('editor.md', 'ln -s'): 'changes the home folder',
    ('editor.md', 'cd tools/vscode'): ELSEWHERE,
    ('fuzzing.md', 'gdl fuzz'): LONG,
    ('inventing.md', 'gdl invent'): LONG,
    ('games.md', 'gdl record pig'): 'changes the checkout',
    ('ggp.md', 'gdl ggp serve'): ELSEWHERE,
    ('ggp.md', 'GGP_BASE'): 'needs GGP-Base',
    ('ggp.md', 'gdl eval'): 'needs the player of the first block',
    ('ggp.md', 'gdl ggp match connect_four'): ELSEWHERE,
    ('gui.md', './gdl gui'): ENDLESS,
    ('learning.md', 'gdl data nim'): LONG,
    ('benchmarks.md', 'gdl data'): LONG,
    ('learning.md', 'gdl train kuhn_poker --algorithm mmd'): LONG,
    ('learning.md', 'gdl export'): ELSEWHERE,
    ('learning.md', 'pip install'): 'changes the environment of the tests',
    ('networks.md', 'gdl train'): LONG,
    ('scaling.md', 'gdl train'): LONG,
    ('search.md', 'gdl eval connect_four'): LONG,
    ('search.md', 'gdl train'): LONG,
    ('security.md', 'gdl train'): ELSEWHERE,
    ('selfplay.md', './gdl selfplay'): LONG,
    ('selfplay.md', 'ros2 run'): ENDLESS,
}


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


def test_every_block_of_commands_is_run_or_has_a_reason() -> None:
    known = {*RUN_AS_PRINTED, *PARSED_ONLY}
    used = set()
    for block in SHELL:
        if block.page.name in ('README.md', TUTORIAL.name):
            continue
        reasons = {key for key in known if is_block(block, *key)}
        assert reasons, f'{block}: neither run nor in PARSED_ONLY'
        used |= reasons
    assert used == known


@pytest.mark.slow
@pytest.mark.ros
@pytest.mark.timeout(900)
@pytest.mark.parametrize(('page', 'start'), RUN_AS_PRINTED)
@pytest.mark.usefixtures('own_domain')
def test_commands_of_a_page_run(page: str, start: str, tmp_path: Path) -> None:
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    if page == 'any_language.md' and shutil.which('node') is None:
        pytest.skip('Node.js is not installed')
    (block,) = (block for block in SHELL if is_block(block, page, start))
    # Programs that the page names, and those that it shows.
    (tmp_path / 'doc').symlink_to(ROOT / 'doc')
    for shown in blocks(ROOT / 'doc' / page, 'python'):
        if file := re.match(r'# (\w+\.py)\n', shown.text):
            (tmp_path / file[1]).write_text(shown.text, 'utf-8')
    make_gdl(tmp_path)
    for line in block.commands:
        output, code = type_command(line, tmp_path)
        # `why` exits with 1 for a move that is illegal, which is what the page asks about.
        assert code == (1 if ' why ' in line else 0), output
        assert 'Traceback' not in output, output


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_match_in_three_commands(tmp_path: Path) -> None:
    (serve,) = (block for block in SHELL if is_block(block, 'ggp.md', 'gdl ggp serve'))
    (match,) = (block for block in SHELL if is_block(block, 'ggp.md', 'gdl ggp match connect'))
    make_gdl(tmp_path)
    (command,) = serve.commands
    serving = subprocess.Popen(
        ['sh', '-c', f'exec {command}'],
        cwd=tmp_path,
        env=environment(PATH=os.pathsep.join([str(tmp_path), os.environ['PATH']])),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert serving.stdout is not None
        assert 'listens on http://127.0.0.1:9147' in serving.stdout.readline()
        for line in match.commands:
            output, code = type_command(line, tmp_path)
            assert code == 0, output
    finally:
        serving.terminate()
        serving.communicate(timeout=20)


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
@pytest.mark.usefixtures('own_domain')
def test_tutorial_ends_with_a_match_against_a_trained_opponent(tmp_path: Path) -> None:
    """Type what the tutorial prints, in order."""
    pytest.importorskip('gdl_msgs', reason='gdl_msgs is not built')
    pytest.importorskip('torch', reason='PyTorch is not installed')
    (game,) = blocks(TUTORIAL, 'gdl')
    (tmp_path / 'stones.gdl').write_text(game.text, 'utf-8')
    make_gdl(tmp_path)
    output = ''
    for line in [line for block in blocks(TUTORIAL, 'bash') for line in block.commands]:
        # `play` asks for moves: always take one stone.
        output, code = type_command(line, tmp_path, keys='1\n' * 20)
        assert code == 0, output
    assert (tmp_path / 'runs' / 'stones' / 'tutorial' / 'learning_curve.png').is_file()
    assert '20 episodes' in output


def is_block(block: Block, page: str, start: str) -> bool:
    return block.page.name == page and block.commands[0].startswith(start)


def make_gdl(folder: Path) -> None:
    """Put a `gdl` into a folder, which is the checkout of the commands there."""
    text = f'#!/bin/sh\nexec "{sys.executable}" -m gdl_env.cli.main "$@"\n'
    (folder / 'gdl').write_text(text, 'utf-8')
    (folder / 'gdl').chmod(0o755)


def type_command(line: str, folder: Path, keys: str = '') -> tuple[str, int]:
    """Run a line as a shell does; return its output and its exit code."""
    path = os.pathsep.join([str(folder), os.environ['PATH']])
    done = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env=environment(PATH=path),
        input=keys,
        capture_output=True,
        text=True,
        timeout=900,
    )
    return f'{line}\n{done.stdout}\n{done.stderr}', done.returncode


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get('PYTHONPATH')]))
    return {**os.environ, 'PYTHONPATH': path, **more}
