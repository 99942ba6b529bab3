"""Files of data sets: the same bytes every time, resumed where they stopped, read by others."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys
import time

import numpy as np
import pytest
import yaml

from gdl_agents.data.errors import DataError
from gdl_agents.data.reader import read_data, read_shards
from gdl_env.cli.main import main
from gdl_env.language.load import open_game
import gdl_env.requirements


def read_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def run(folder: Path, *words: object) -> None:
    assert main(['data', *map(str, words), '--out', str(folder)]) == 0


WORDS = ('tictactoe', 'random', '--how', 'imitation', '-n', 64, '--lanes', 8, '--shard', 8)


def test_a_seed_decides_every_byte(tmp_path: Path) -> None:
    for name, seed in (('one', 7), ('two', 7), ('three', 8)):
        run(tmp_path / name, *WORDS, '--seed', seed)
    one, two, three = (read_bytes(tmp_path / name) for name in ('one', 'two', 'three'))
    assert len(one) == 4 + 8 * 3
    assert one == two
    assert one['games-00000.npz'] != three['games-00000.npz']


def test_a_killed_program_continues_to_the_same_bytes(tmp_path: Path) -> None:
    words = [*map(str, WORDS), '--seed', '7']
    words[words.index('-n') + 1] = '800'
    run(tmp_path / 'whole', *words)
    broken = tmp_path / 'broken'
    command = [sys.executable, '-m', 'gdl_env.cli.main', 'data', *words, '--out', str(broken)]
    with subprocess.Popen(command) as process:
        while not (broken / 'shard-00003.json').exists():
            assert process.poll() is None, 'it ended before it could be killed'
            time.sleep(0.002)
        process.kill()
    kept = {path.name for path in broken.glob('shard-*.json')}
    assert len(kept) < 100 and not (broken / 'data.json').exists()
    with pytest.raises(
        DataError, match=r'not complete; continue: gdl data tictactoe random .*out'
    ):
        read_data(broken)
    # As if it had been killed while it wrote a file.
    (broken / '.games-00099.npz.123').write_bytes(b'half')
    stamps = {name: (broken / name).stat().st_mtime_ns for name in kept}
    run(broken, *words)
    assert {name: (broken / name).stat().st_mtime_ns for name in kept} == stamps
    assert read_bytes(broken) == read_bytes(tmp_path / 'whole')
    # What is complete stays as it is.
    before = (broken / 'data.json').stat().st_mtime_ns
    run(broken, *words)
    assert (broken / 'data.json').stat().st_mtime_ns == before


def test_another_order_or_other_files_are_not_overwritten(tmp_path: Path, capsys) -> None:
    folder = tmp_path / 'set'
    run(folder, *WORDS, '--seed', 1)
    before = read_bytes(folder)
    command = ['data', *map(str, WORDS), '--seed', '2', '--out', str(folder)]
    assert main(command) == 1
    assert 'holds another data set (seed 1 instead of 2)' in capsys.readouterr().err
    assert read_bytes(folder) == before
    (tmp_path / 'other').mkdir()
    (tmp_path / 'other' / 'thesis.txt').write_text('mine')
    assert main([*command[:-1], str(tmp_path / 'other')]) == 1
    assert 'holds other files' in capsys.readouterr().err
    with pytest.raises(DataError, match='is no data set'):
        read_data(tmp_path / 'other')


@pytest.mark.parametrize('how', ['randomised', 'thorough'])
def test_parquet_and_npz_hold_the_same(how: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip('pyarrow.parquet', reason='the extra data is not installed')
    options = ('--sequences',) if how == 'thorough' else ('-n', 40)
    game = 'goofspiel(cards=2)' if how == 'thorough' else 'kuhn_poker'
    folder = tmp_path / 'set'
    run(folder, game, '--how', how, *options, '--format', 'both', '--shard', 32)
    one, two = read_data(folder, 'npz'), read_data(folder, 'parquet')
    for name in ('positions', 'games'):
        left, right = getattr(one, name), getattr(two, name)
        assert left.keys() == right.keys() and len(left) > 5
        for column in left:
            assert left[column].dtype == right[column].dtype, column
            np.testing.assert_array_equal(left[column], right[column], column)
    # As other programs read it, without us.
    table = parquet.read_table(folder / 'games-00000.parquet')
    assert (
        table.column('actions').to_pylist()[0]
        == one.games['actions'][: one.games['offsets'][1]].tolist()
    )
    state = table.column('final_state').to_pylist()[0]
    bits = np.unpackbits(np.frombuffer(state, np.uint8), bitorder='little')
    assert (bits[: one.games['final_state'].shape[1]] == one.games['final_state'][0]).all()


def test_without_pyarrow_parquet_is_refused(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(gdl_env.requirements, 'is_installed', lambda package: False)
    words = ['data', 'tictactoe', '--how', 'randomised', '--format', 'parquet']
    assert main([*words, '--out', str(tmp_path / 'set')]) == 1
    said = capsys.readouterr().err
    assert "the format parquet needs PyArrow: pip install '.[data]'" in said
    assert not (tmp_path / 'set').exists()


def test_card_says_what_it_is(tmp_path: Path) -> None:
    folder = tmp_path / 'set'
    run(folder, *WORDS, '--seed', 3)
    text = (folder / 'README.md').read_text('utf-8')
    _, header, body = text.split('---\n', 2)
    told = yaml.safe_load(header)
    assert told['pretty_name'] == 'tictactoe, imitation'
    assert told['size_categories'] == ['n<1K'] or told['size_categories'] == ['1K<n<10K']
    data = read_data(folder)
    for part in (
        open_game('tictactoe').hash,
        '| roles | x, o |',
        '| seed | 3 |',
        '| agents | `random` |',
        f'| positions | {len(data.positions["game"]):,} |',
        f'| games | {len(data.games["game"]):,} |',
        '| `observation` | 29 bits | what this player sees of it |',
        '| `final_observation` | 2 by 29 bits |',
        '| `actions` | list of int32 |',
    ):
        assert part in body, part
    # Every column has a line; the rules are those of the game.
    for columns in data.about['columns'].values():
        assert all(f'| `{column["name"]}` |' in body for column in columns)
    assert open_game(str(folder / 'rules.gdl')).hash == open_game('tictactoe').hash
    # Its command makes the same data.
    command = data.about['command'].split()
    assert f'| made by | `{" ".join(command)}` |' in body
    assert main([*command[1:], '--out', str(tmp_path / 'again')]) == 0
    assert read_bytes(tmp_path / 'again') == read_bytes(folder)


def test_shards_are_read_one_by_one(tmp_path: Path) -> None:
    folder = tmp_path / 'set'
    run(folder, *WORDS, '--seed', 3)
    data, parts = read_data(folder), list(read_shards(folder))
    assert len(parts) == 8
    assert sum(len(part.games['game']) for part in parts) == len(data.games['game'])
    rows = np.concatenate([part.to_sequences().max(axis=1) for part in parts])
    assert (rows == data.to_sequences().max(axis=1)).all()
    assert len(data.about['moves']) == 9 and len(data.about['features']) == 29
    with pytest.raises(DataError, match="no files in the format 'parquet'"):
        read_data(folder, 'parquet')
    (folder / 'games-00002.npz').write_bytes(b'damaged')
    with pytest.raises(DataError, match=r'games-00002.npz cannot be read'):
        read_data(folder)


REFUSED = (
    (('--how', 'thorough', '--seed', 0), '--seed does not fit --how thorough'),
    (('--how', 'thorough', '--number', 5), '--number does not fit --how thorough'),
    (('random', '--how', 'thorough'), 'AGENT does not fit --how thorough'),
    (('random', '--how', 'randomised'), 'AGENT does not fit --how randomised'),
    (('--how', 'randomised', '--extra', 0), '--extra does not fit --how randomised'),
    (('--how', 'randomised', '--sequences'), '--sequences does not fit --how randomised'),
    (('--how', 'randomised', '--wins', 0), '--wins does not fit --how randomised'),
    (('random', '--how', 'battle', '--extra', 0.5), '--extra does not fit --how battle'),
    (('random', '--how', 'battle', '--nodes', 5), '--nodes does not fit --how battle'),
    (('--how', 'battle'), 'battle needs players'),
    (('--how', 'imitation'), 'imitation needs players'),
    (('random', '--how', 'imitation', '--endings', 1, '--extra', 1), 'no room for extra moves'),
    (('random', '--how', 'battle', '--endings', 2, '--wins', 3), 'of 2 endings no 3 can be wins'),
)


@pytest.mark.parametrize(('words', 'said'), REFUSED, ids=lambda part: str(part)[:60])
def test_options_that_do_not_fit_are_refused(words, said: str, refuse) -> None:
    assert said in refuse('tictactoe', *words)


def test_roles_and_games_that_do_not_fit_are_refused(refuse) -> None:
    said = refuse('tictactoe', 'random', '--how', 'battle', '--role', 'z', code=1)
    assert "there is no role 'z': x, o" in said
    assert 'no opponent' in refuse('sokoban', 'random', '--how', 'battle', code=1)
    assert 'nobody' in refuse('tictactoe', 'nobody', '--how', 'battle', code=1)
    assert 'pig cannot be grounded' in refuse('pig', '--how', 'randomised', code=1)
