"""Import closures, beside those that parsing whole files gives."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from gdl_env.import_closure import closure_digest, import_closure

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    path for name in ('gdl_env', 'gdl_agents') for path in (ROOT / name).rglob('*.py')
)


def file_of(name: str) -> Path | None:
    path = ROOT.joinpath(*name.split('.'))
    for file in (path.with_suffix('.py'), path / '__init__.py'):
        if name.startswith(('gdl_env', 'gdl_agents')) and file.is_file():
            return file
    return None


@cache
def parsed_imports(file: Path) -> frozenset[Path]:
    tree = ast.parse(file.read_text('utf-8'))
    for node in list(tree.body):
        if isinstance(node, ast.If) and ast.unparse(node.test) == 'TYPE_CHECKING':
            tree.body.remove(node)
    found: set[Path | None] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(file_of(node.module))
            found |= {file_of(f'{node.module}.{alias.name}') for alias in node.names}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split('.')
                found |= {file_of('.'.join(parts[:end])) for end in range(1, len(parts) + 1)}
    return frozenset(path for path in found if path)


def test_every_module_of_the_project() -> None:
    for file in MODULES:
        expected = {file}
        waiting = [file]
        while waiting:
            new = parsed_imports(waiting.pop()) - expected
            expected |= new
            waiting += new
        assert import_closure(file) == expected, file


@pytest.mark.parametrize(
    'statement',
    [
        'import pkg.a',
        'import sys, pkg.a as b',
        'from pkg import a',
        'from pkg import (\n    a,\n    b,\n)',
        'from pkg import(a)',
        'from . import a',
        'from .a import VALUE',
        'from pkg.a import *',
        'from pkg.a import \\\n    VALUE',
        'x = 1; import pkg.a',
        'if True: from pkg import a',
        'def f():\n    from pkg.a import VALUE',
        'try:\n    import pkg.a\nexcept ImportError:\n    pass',
        '"""Text: from here\nimport of nothing.\n"""\nfrom pkg.a import VALUE',
        'from pkg.a import VALUE  # why',
        'from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import b\n\nimport pkg.a',
    ],
)
def test_every_way_to_import(statement: str, tmp_path: Path) -> None:
    package = tmp_path / 'pkg'
    package.mkdir()
    for name, text in (('__init__', ''), ('a', 'VALUE = 1'), ('b', ''), ('main', statement)):
        (package / f'{name}.py').write_text(text, 'utf-8')
    assert package / 'a.py' in import_closure(package / 'main.py')


def test_types_and_other_packages_do_not_count(tmp_path: Path) -> None:
    for name in ('pkg', 'installed'):
        (tmp_path / name).mkdir()
        (tmp_path / name / '__init__.py').write_text('', 'utf-8')
    main = tmp_path / 'pkg' / 'main.py'
    (tmp_path / 'pkg' / 'a.py').write_text('', 'utf-8')
    main.write_text(
        'from typing import TYPE_CHECKING\n\nimport installed\n\n'
        'if TYPE_CHECKING:\n    from pkg.a import A\n',
        'utf-8',
    )
    assert import_closure(main) == {main}


def test_the_digest_depends_on_what_is_imported(tmp_path: Path) -> None:
    digests = set()
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / 'main.py').write_text('from beside import VALUE\n', 'utf-8')
        (folder / 'beside.py').write_text(f'VALUE = {number // 2}\n', 'utf-8')
        digests.add(closure_digest(folder / 'main.py'))
    assert len(digests) == 2
