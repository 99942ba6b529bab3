"""Code that files name is only run where the user asked for it; files of weights hold none."""

from __future__ import annotations

import io
import os
from pathlib import Path
import pickle
import re
import shlex
import zipfile

import numpy as np
import pytest
import yaml

pytest.importorskip('torch', reason='PyTorch is not installed')

import torch

from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.state_file import from_bytes, load_tree, peek, to_bytes
from gdl_agents.learning.training.trust import (
    TrustError,
    check_code,
    find_code,
    remember_code,
)
from gdl_env.cli.main import main

pytestmark = pytest.mark.torch

EVIL = """
from pathlib import Path
Path({mark!r}).write_text('run')

def r(goal, state, legal, episode):
    return 0.0

def best(rules, states, role):
    return None

low, high = -10, 10
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember nothing of other tests, or of the user."""
    monkeypatch.setenv('GDL_CACHE', str(tmp_path / 'cache'))
    folder = tmp_path / 'here'
    folder.mkdir()
    monkeypatch.chdir(folder)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """Return a file that is there once the code of others was run."""
    return tmp_path / 'mark'


@pytest.fixture
def evil(tmp_path: Path, mark: Path) -> Path:
    path = tmp_path / 'here' / 'evil.py'
    path.write_text(EVIL.format(mark=str(mark)))
    return path


QUICK = {
    'game': 'tictactoe',
    'episodes': 8,
    'lanes': 4,
    'snapshots': 1,
    'evaluation_games': 2,
    'final_games': 2,
    'network': 'small',
    'learner': {'value_low': -10.0, 'value_high': 10.0},
}


def receive(tmp_path: Path, **options: object) -> Path:
    """Return the folder of a run that came from others."""
    folder = tmp_path / 'received'
    (folder / 'snapshots').mkdir(parents=True)
    (folder / 'config.yaml').write_text(yaml.safe_dump({**QUICK, **options}))
    return folder


def program(mark: Path) -> str:
    return f'external:touch {mark}'


NAMED = {
    'reward': lambda mark: {'reward': 'evil.py:r'},
    'turn': lambda mark: {'turn': 'evil.py:r'},
    'network': lambda mark: {'network': 'evil.py:r'},
    'module': lambda mark: {'reward': 'evil:r'},
    'opponent class': lambda mark: {'mode': 'fixed:evil.py:Agent'},
    'opponent program': lambda mark: {'mode': f'fixed:{program(mark)}'},
    'opponent detail': lambda mark: {'mode': 'fixed:alphabeta:eval=evil.py:best'},
    'judge': lambda mark: {'judge': program(mark)},
    'judge engine': lambda mark: {'judge': f'uci:touch {mark}'},
    'stranger': lambda mark: {'strangers': 'random evil.py:Agent'},
    'alphazero': lambda mark: {'algorithm': 'alphazero', 'judge': program(mark)},
}


@pytest.mark.parametrize('kind', NAMED)
@pytest.mark.usefixtures('evil')
def test_received_run_runs_no_code(
    tmp_path: Path, mark: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = NAMED[kind](mark)
    folder = receive(tmp_path, **options)
    assert main(['train', '--resume', str(folder)]) == 1
    assert not mark.exists()
    said = capsys.readouterr().err
    assert f'{folder}/config.yaml: ' in said and 'allow it with --trust' in said
    (name, text), *_ = reversed(options.items())
    assert f'{name} names code' in said
    assert text.removeprefix('fixed:').removeprefix('random ') in said


def test_code_is_run_when_trusted_and_then_remembered(
    tmp_path: Path, mark: Path, evil: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = receive(tmp_path, reward='evil.py:r')
    assert main(['train', '--resume', str(folder)]) == 1
    assert f"'evil.py:r' ({evil})" in capsys.readouterr().err
    assert main(['train', '--resume', str(folder), '--trust']) == 0
    assert mark.exists()
    assert main(['train', '--resume', str(folder)]) == 0
    # Other code under the same name is other code, and so is the same name elsewhere.
    evil.write_text(evil.read_text() + '# changed\n')
    assert main(['train', '--resume', str(folder)]) == 1
    assert 'that has changed' in capsys.readouterr().err


IMPORTS = {
    'beside': ('import helper', 'helper.py'),
    'in a package': ('from tools.inner import value', 'tools/inner.py'),
    'by what is imported': ('import first', 'helper.py'),
    'in a function': ('def f():\n    from tools import inner', 'tools/inner.py'),
}


@pytest.mark.parametrize('kind', IMPORTS)
def test_imports_of_a_hook_are_trusted_with_it(tmp_path: Path, evil: Path, kind: str) -> None:
    statement, imported = IMPORTS[kind]
    here = evil.parent
    (here / 'tools').mkdir()
    for name in ('helper.py', 'tools/inner.py', 'tools/__init__.py'):
        (here / name).write_text('value = 1\n')
    (here / 'first.py').write_text('import helper\nimport first\n')
    evil.write_text(f'{statement}\n{evil.read_text()}')
    config = make_config({'game': 'tictactoe', 'reward': f'{evil}:r'})
    file = tmp_path / 'config.yaml'
    remember_code(file, config)
    check_code(file, config, is_trusted=False)
    (here / 'unused.py').write_text('value = 2\n')
    check_code(file, config, is_trusted=False)
    (here / imported).write_text('value = 2\n')
    with pytest.raises(TrustError, match=imported):
        check_code(file, config, is_trusted=False)


def test_own_run_resumes_without_a_question(tmp_path: Path, evil: Path) -> None:
    settings = [f'{key}={value}' for key, value in QUICK.items() if key not in {'game', 'learner'}]
    settings += ['reward=evil.py:r', 'value_low=-10', 'value_high=10', 'name=mine']
    words = [word for setting in settings for word in ('--set', setting)]
    assert main(['train', 'tictactoe', '--runs', str(tmp_path / 'runs'), *words]) == 0
    run = tmp_path / 'runs' / 'tictactoe' / 'mine'
    assert main(['train', '--resume', str(run)]) == 0
    # Passed on to another place, it is a run of others.
    copy = run.rename(tmp_path / 'copy')
    assert main(['train', '--resume', str(copy)]) == 1


def test_file_of_options_runs_no_code(
    tmp_path: Path, mark: Path, evil: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / 'options.yaml'
    file.write_text(yaml.safe_dump({**QUICK, 'reward': 'evil.py:r'}))
    command = ['train', 'tictactoe', '--runs', str(tmp_path / 'runs'), '--config', str(file)]
    assert main(command) == 1
    assert f'{file}: reward names code' in capsys.readouterr().err
    assert not mark.exists() and not (tmp_path / 'runs').exists()
    assert main([*command, '--trust', '--name', 'a']) == 0
    assert main([*command, '--name', 'b']) == 0
    assert main(['train', '--resume', str(tmp_path / 'runs' / 'tictactoe' / 'a')]) == 0
    assert main(['train', 'tictactoe', '--trust']) == 2


def test_what_is_no_code_of_others(tmp_path: Path) -> None:
    network = tmp_path / 'a:b'
    network.write_text('layers: []')
    for options in (
        {'reward': 'gdl_agents.learning.training.rewards:PUNISHING'},
        {'mode': 'fixed:rainbow:runs/tictactoe/a@3'},
        {'judge': 'alphabeta:depth=2,time=0.1'},
        {'network': str(network)},
        {'game': 'sokoban(level=a:b)'},
    ):
        assert find_code(make_config(options)) == []
    # Nothing is run, either, where there is nothing to run: loading it says so.
    config = make_config({'reward': 'nowhere.py:r'})
    check_code(tmp_path / 'config.yaml', config, is_trusted=False)
    with pytest.raises(TrustError):
        check_code(tmp_path / 'x', make_config({'reward': 'nowhere:r'}), is_trusted=False)


def test_looking_at_a_run_needs_no_trust(
    tmp_path: Path, mark: Path, evil: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = receive(tmp_path, reward='evil.py:r')
    assert RunFolder.open(folder).config.reward == 'evil.py:r'
    (folder / 'metrics.csv').write_text('episodes,steps\n')
    main(['levels', str(folder)])
    main(['curve', str(folder)])
    assert not mark.exists()
    # What would have to be played for a ladder is refused, with an option that there is.
    assert '--trust' in capsys.readouterr().err
    main(['levels', str(folder), '--trust'])
    assert '--trust' not in capsys.readouterr().err


# ---- weights


class Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f'touch {self.mark}',)


def plain_pickle(mark: Path) -> bytes:
    return pickle.dumps(Evil(mark))


def torch_file(mark: Path) -> bytes:
    stream = io.BytesIO()
    torch.save({'weights': Evil(mark)}, stream)
    return stream.getvalue()


def object_array(mark: Path) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, tree=np.array([Evil(mark)], dtype=object))
    return stream.getvalue()


def object_weights(mark: Path) -> bytes:
    """Return a file that is in order but for one array of weights."""
    tree = to_bytes({'kind': 'gdl model', 'weights': {'a': np.zeros(1)}})
    array = io.BytesIO()
    np.lib.format.write_array(array, np.array([Evil(mark)], dtype=object), allow_pickle=True)
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(tree)) as old, zipfile.ZipFile(stream, 'w') as new:
        for name in old.namelist():
            new.writestr(name, array.getvalue() if name == 'a0.npy' else old.read(name))
    return stream.getvalue()


def raw_array(mark: Path) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.array([Evil(mark)], dtype=object), allow_pickle=True)
    return stream.getvalue()


PICKLES = [plain_pickle, torch_file, object_array, object_weights, raw_array]


@pytest.mark.parametrize('make', PICKLES)
def test_pickle_in_a_checkpoint_is_not_run(tmp_path: Path, mark: Path, make: object) -> None:
    path = tmp_path / 'all_000000008.npz'
    path.write_bytes(make(mark))  # type: ignore[operator]
    for read in (Model.load, AlphaZeroModel.load, load_tree, lambda path: peek(path, 'about')):
        with pytest.raises(RunError):
            read(path)
    folder = receive(tmp_path)
    path.rename(folder / 'snapshots' / path.name)
    (folder / 'state.npz').write_bytes((folder / 'snapshots' / path.name).read_bytes())
    assert main(['eval', 'tictactoe', f'rainbow:{folder}', '-n', '1']) == 1
    assert main(['train', '--resume', str(folder)]) == 1
    assert not mark.exists()


@pytest.mark.parametrize('make', PICKLES)
def test_pickle_in_a_policy_message_is_not_run(mark: Path, make: object) -> None:
    with pytest.raises(RunError):
        Model.from_bytes(make(mark))  # type: ignore[operator]
    assert not mark.exists()


@pytest.mark.parametrize(
    'tree',
    [
        'text',
        {'kind': 'gdl model'},
        {'kind': 'gdl model', 'version': 2},
        {'kind': 'gdl model', 'version': 2, 'board': 3, 'weights': 7},
    ],
)
def test_odd_policy_message_is_an_error_that_nodes_report(tree: object) -> None:
    with pytest.raises(RunError):
        Model.from_bytes(to_bytes(tree))
    for odd in ('[]', '3', '{"map": 1}', '{"tensor": "a7"}', '{"list": [5]}'):
        stream = io.BytesIO()
        np.savez(stream, tree=np.frombuffer(odd.encode(), np.uint8))
        with pytest.raises(RunError):
            Model.from_bytes(stream.getvalue())
        with pytest.raises(RunError):
            from_bytes(stream.getvalue()[:-7])


def test_commands_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / 'doc' / 'security.md').read_text('utf-8')
    blocks = re.findall(r'```bash\n(.*?)```', text, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert {shlex.split(line)[1] for line in commands} == {'train', 'security'}
    Path('mine.py').write_text(
        'from gdl_agents.learning.training.rewards import OutcomeReward\n\n'
        'MINE = OutcomeReward(win=5, loss=-6)\n'
    )
    for line in commands:
        words = shlex.split(line)
        assert words[0] == 'gdl' and main(words[1:]) == 0, line
    assert (Path('policies') / 'kuhn.policy.xml').is_file()


def test_bytes_that_are_nested_too_deeply_are_no_tree() -> None:
    """They may come in a message: whoever follows a policy must survive it."""
    stream = io.BytesIO()
    with np.load(io.BytesIO(to_bytes({})), allow_pickle=False) as arrays:
        (name,) = arrays
    np.savez(stream, **{name: np.frombuffer(b'[' * 200_000, np.uint8)})
    with pytest.raises(RunError, match='damaged, or no file of a run'):
        from_bytes(stream.getvalue())
