"""The examples in doc/environment.md work."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

pytest.importorskip('pettingzoo', reason="pip install '.[rl]'")

DOC = Path(__file__).parents[2] / 'doc' / 'environment.md'
FENCE = re.compile(r'^```python\n(.*?)^```$', re.MULTILINE | re.DOTALL)
FILE = re.compile(r'# (\w+\.py)\n')


def test_examples_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = FENCE.findall(DOC.read_text('utf-8'))
    assert len(blocks) > 6
    for block in blocks:
        if file := FILE.match(block):
            (tmp_path / file[1]).write_text(block, 'utf-8')
        else:
            exec(block, names)
    shown = capsys.readouterr().out
    assert re.match(r'\d+ of 1000\n', shown)
    assert '[-0.1]' in shown
    assert 'cell' in shown
    assert (tmp_path / 'match.journal').read_text('utf-8').endswith('{"type":"end"}\n')


def test_every_option_is_documented() -> None:
    from dataclasses import fields

    from gdl_env.environment.options import Options

    text = DOC.read_text('utf-8')
    for field in fields(Options):
        assert f'| `{field.name}` |' in text
