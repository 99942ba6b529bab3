"""Files of YAML that may come from others are read, or refused with an error of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdl_env.errors import GdlError
from gdl_env.yaml_text import YamlTextError, read_yaml

pytest.importorskip('yaml')


def _nine(depth: int) -> str:
    """Return a list of nine lists of nine lists…, all the same one."""
    if not depth:
        return '[x, x, x, x, x, x, x, x, x]'
    return f'[&a{depth} {_nine(depth - 1)}{f", *a{depth}" * 8}]'


BAD = {
    'no date': ('2001-99-99', 'a value cannot be read: month must be in 1..12'),
    'a number of 5000 digits': ('9' * 5000, 'a value cannot be read'),
    'no whole number': ('!!int "x"', 'a value cannot be read'),
    'no truth value': ('!!bool q', 'a value cannot be read'),
    'no time': ('!!timestamp x', 'a value cannot be read'),
    'a part of itself': ('&all [*all]', 'a value contains itself'),
    'ten thousand million values': (_nine(10), 'its aliases stand for more than 1,000,000'),
    'too many lists': ('[' * 5000, 'it is nested too deeply'),
    'no YAML': ('[', 'while parsing a flow node'),
}


@pytest.mark.parametrize(('value', 'words'), BAD.values(), ids=BAD)
def test_bad_values_have_one_error(value: str, words: str) -> None:
    with pytest.raises(YamlTextError) as caught:
        read_yaml(f'episodes: {value}')
    assert words in str(caught.value)


def test_aliases_are_read() -> None:
    assert read_yaml('a: &a [1, 2]\nb: [*a, *a]') == {'a': [1, 2], 'b': [[1, 2], [1, 2]]}
    assert read_yaml('') is None


def _view(path: Path) -> object:
    from gdl_env.gui.drawing.view_file import load_view

    return load_view(path)


def _options(path: Path) -> object:
    from gdl_agents.learning.training.config_file import make_config, read_config

    return make_config(read_config(path))


def _setting(path: Path) -> object:
    from gdl_agents.learning.training.config_file import make_config, read_settings

    return make_config(read_settings([path.read_text().replace(': ', '=', 1)]))


def _network(path: Path) -> object:
    from gdl_agents.learning.networks.files import load_network

    return load_network(path)


def _ladder(path: Path) -> object:
    from gdl_agents.learning.levels.ladder import read_ladder
    from gdl_agents.learning.training.run_folder import RunFolder

    run = RunFolder(path.parent)
    path.rename(run.levels_file)
    return read_ladder(run)


def _parameters(path: Path) -> object:
    from gdl_env.ros.launch.parameter_files import load

    return load(path)


@pytest.mark.parametrize(
    'read', [_view, _options, _setting, _network, _ladder, _parameters], ids=lambda f: f.__name__
)
@pytest.mark.parametrize('name', ['no truth value', 'no time', 'ten thousand million values'])
def test_every_reader_refuses_them(read: Callable[[Path], Any], name: str, tmp_path: Path) -> None:
    path = tmp_path / 'received.yaml'
    path.write_text(f'episodes: {BAD[name][0]}')
    with pytest.raises(GdlError, match='value'):
        read(path)


@pytest.mark.parametrize(
    ('episodes', 'metrics'),
    [
        ('!!timestamp x', 'episodes,seconds\n10,1\n'),
        ('.inf', 'episodes,seconds\n10,1\n'),
        ('100', 'seconds\n1\n'),
        ('100', 'episodes,seconds\nnan,1\n'),
    ],
)
def test_pages_list_a_run_that_says_nothing(tmp_path: Path, episodes: str, metrics: str) -> None:
    from gdl_env.gui.training.runs import RUNS, list_runs

    run = tmp_path / RUNS / 'tictactoe' / 'received'
    run.mkdir(parents=True)
    (run / 'config.yaml').write_text(f'episodes: {episodes}')
    (run / 'metrics.csv').write_text(metrics)
    (listed,) = list_runs(tmp_path)
    assert listed.progress() is None
