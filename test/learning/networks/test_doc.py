"""The examples in doc/networks.md work, and its tables are true."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
import re

import pytest

pytest.importorskip('torch', reason="pip install '.[learn]'")
pytest.importorskip('yaml', reason='pip install pyyaml')

from gdl_agents.learning.networks import Head, generate, generators, load_network

pytestmark = pytest.mark.torch

TEXT = (Path(__file__).resolve().parents[3] / 'doc' / 'networks.md').read_text('utf-8')


def blocks(language: str) -> list[str]:
    return re.findall(rf'^```{language}\n(.*?)^```$', TEXT, re.MULTILINE | re.DOTALL)


def test_examples_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(generators, '_GENERATORS', dict(generators._GENERATORS))
    file, ensemble = blocks('yaml')
    Path('my_network.yaml').write_text(file, 'utf-8')
    names: dict[str, object] = {}
    for block in blocks('python'):
        exec(block, names)
    assert names['logits'].shape == (8, 7, 51)
    assert names['result'].best.score == 1
    Path('ensemble.yaml').write_text(ensemble, 'utf-8')
    assert len(load_network('ensemble.yaml', names['shape']).beside) == 1


def test_the_table_of_networks_is_true(shapes):
    rows = re.findall(r'^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| (.*) \|$', TEXT, re.MULTILINE)
    assert len(rows) >= 4
    for name, *sizes, network in rows:
        shape = shapes(name)
        assert sizes == [
            str(n) for n in (shape.observation_size, shape.action_size, shape.complexity)
        ]
        assert network == str(generate(shape))


def test_every_option_of_a_head_is_documented():
    for field in fields(Head):
        assert f'| `{field.name}` | {field.default} |' in TEXT
