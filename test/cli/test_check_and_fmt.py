"""`gdl check` and `gdl fmt`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

GOOD = """\
; A tiny game.
(role x)
(init (left 1))
(<= (legal x take)
    (true (left 1)))
(<= (next (left 0))
    (does x take))
(<= terminal
    (true (left 0)))
(<= (goal x 100)
    (true (left 0)))
(<= (goal x 0)
    (true (left 1)))
"""
BAD = GOOD + '(<= (goal x ?v)\n    (not (p ?v))\n'
UGLY = '(role x)   (init   (left 1)) ; héllo\n(<= terminal (true (left 0)))\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / 'below').mkdir()
    (tmp_path / 'good.gdl').write_text(GOOD)
    (tmp_path / 'below' / 'bad.kif').write_text(BAD)
    (tmp_path / 'notes.txt').write_text('not a game (')
    return tmp_path


def test_good_file(gdl, folder: Path):
    result = gdl('check', folder / 'good.gdl')
    assert (result.code, result.out, result.err) == (0, '1 file: no problems\n', '')


def test_folder_with_a_broken_file(gdl, folder: Path):
    result = gdl('check', folder)
    assert result.code == 1
    assert f'{folder}/below/bad.kif:14:1: error[unbalanced]' in result.out
    assert '^' in result.out
    assert result.out.splitlines()[-1].startswith('2 files: ')


def test_known_name(gdl):
    assert gdl('check', 'tictactoe').code == 0


def test_warning_fails_only_if_strict(gdl, tmp_path: Path):
    path = tmp_path / 'warned.gdl'
    path.write_text(GOOD + '(<= (unused x)\n    (true (left 1)))\n')
    relaxed, strict = gdl('check', path), gdl('check', '--strict', path)
    assert '1 file: 1 warning\n' in relaxed.out
    assert (relaxed.code, strict.code) == (0, 1)
    assert gdl('check', '--quiet', path).out == ''


def test_quiet_shows_errors_only(gdl, folder: Path):
    out = gdl('check', '-q', folder).out
    assert 'error[' in out
    assert 'files' not in out


def test_json(gdl, folder: Path):
    result = gdl('check', '--json', folder)
    data = json.loads(result.out)
    assert result.code == 1
    assert data['files'] == 2
    assert data['errors'] == sum(f['severity'] == 'error' for f in data['findings']) > 0
    finding = data['findings'][0]
    assert {'file', 'line', 'column', 'code', 'message', 'allowed'} <= set(finding)


@pytest.mark.skipif(os.geteuid() == 0, reason='root may read everything')
def test_unreadable_file_is_an_error_and_others_are_checked(gdl, folder: Path):
    (folder / 'good.gdl').chmod(0)
    result = gdl('check', folder)
    assert result.code == 1
    assert 'Permission denied' in result.err


def test_folder_without_rule_files(gdl, tmp_path: Path):
    result = gdl('check', tmp_path)
    assert (result.code, result.out) == (1, '0 files: 1 error\n')
    assert result.err == f'gdl: there is no rule file (.gdl or .kif) in the folder {tmp_path}\n'
    data = json.loads(gdl('check', '--json', tmp_path).out)
    assert [(f['file'], f['code']) for f in data['findings']] == [(str(tmp_path), 'not-found')]


def test_missing_files_are_reported_and_the_others_checked(gdl, folder: Path):
    bad = folder / 'below' / 'bad.kif'
    result = gdl('check', bad, 'nosuch.gdl', folder / 'good.gdl')
    assert result.code == 1
    assert f'{bad}:14:1: error[unbalanced]' in result.out
    assert result.out.splitlines()[-1].startswith('2 files: ')
    assert result.err.startswith("gdl: no game named 'nosuch.gdl' and no such file")
    assert result.err.count('\n') == 1
    assert gdl('check', folder / 'good.gdl', 'nosuch.gdl').code == 1
    assert 'nosuch.gdl' in gdl('check', '-q', 'nosuch.gdl').err


def test_missing_files_in_json(gdl, folder: Path):
    bad = folder / 'below' / 'bad.kif'
    result = gdl('check', '--json', bad, 'nosuch.gdl', 'nosuch.gdl')
    assert (result.code, result.err) == (1, '')
    data = json.loads(result.out)
    assert data['files'] == 1
    assert data['errors'] == sum(f['severity'] == 'error' for f in data['findings'])
    assert {f['file'] for f in data['findings']} == {str(bad), 'nosuch.gdl'}
    (missing,) = (f for f in data['findings'] if f['code'] == 'not-found')
    assert (missing['file'], missing['severity']) == ('nosuch.gdl', 'error')
    assert "no game named 'nosuch.gdl'" in missing['message']


def test_fmt_rewrites_in_place_and_keeps_mode_and_link(gdl, tmp_path: Path):
    path = tmp_path / 'ugly.gdl'
    path.write_text(UGLY)
    path.chmod(0o640)
    link = tmp_path / 'link.gdl'
    link.symlink_to(path)
    result = gdl('fmt', link)
    assert result.code == 0
    assert result.out == f'formatted {link}\n'
    assert path.read_text() == (
        '(role x)\n(init (left 1))  ; héllo\n(<= terminal\n    (true (left 0)))\n'
    )
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ['link.gdl', 'ugly.gdl']
    assert gdl('fmt', link).out == ''


def test_fmt_keeps_the_encoding(gdl, tmp_path: Path):
    path = tmp_path / 'old.kif'
    path.write_bytes(UGLY.encode('latin-1'))
    assert gdl('fmt', path).code == 0
    assert 'héllo' in path.read_text('latin-1')


def test_fmt_check_and_diff_write_nothing(gdl, tmp_path: Path):
    path = tmp_path / 'ugly.gdl'
    path.write_text(UGLY)
    check, diff = gdl('fmt', '--check', path), gdl('fmt', '--diff', path)
    assert (check.code, check.out) == (1, f'would change {path}\n')
    assert diff.code == 0
    assert '+(init (left 1))  ; héllo\n' in diff.out
    assert path.read_text() == UGLY
    (tmp_path / 'good.gdl').write_text(GOOD)
    assert gdl('fmt', '--check', tmp_path / 'good.gdl').code == 0


def test_fmt_leaves_broken_files_alone_and_goes_on(gdl, folder: Path):
    (folder / 'ugly.gdl').write_text(UGLY)
    result = gdl('fmt', folder)
    assert result.code == 1
    assert 'bad.kif:14:1: error' in result.err
    assert (folder / 'below' / 'bad.kif').read_text() == BAD
    assert (folder / 'ugly.gdl').read_text() != UGLY


def test_fmt_standard_input(gdl_process):
    result = gdl_process('fmt', '-', stdin='(a)(b) ; ü')
    assert (result.code, result.out) == (0, '(a)\n(b)  ; ü\n')
    broken = gdl_process('fmt', '-', stdin='(a')
    assert broken.code == 1
    assert '<stdin>:1:1: error' in broken.err


def test_check_shows_no_control_characters(gdl, tmp_path: Path):
    """A name or a comment of a file from elsewhere does not write to the terminal."""
    path = tmp_path / 'red.gdl'
    path.write_text(GOOD + '(<= terminal (w\x1b[31m))\n', 'utf-8')
    result = gdl('check', path)
    assert result.code == 1
    assert 'error[control-character]: the control character U+001B' in result.out
    assert "no rule defines 'w\ufffd[31m'" in result.out
    assert '\x1b' not in result.out + gdl('info', path).err
