"""Files of a recording that is continued after a crash: every line is there once."""

from __future__ import annotations

from pathlib import Path

from gdl_env.ros.recording.line_files import LineFiles


def test_what_was_not_confirmed_is_cut_off(tmp_path: Path) -> None:
    files = LineFiles(tmp_path)
    files.write(0, ['one'])
    files.flush()
    confirmed = dict(files.sizes)
    # Killed after these were written, and before they were confirmed: they come again.
    files.write(0, ['two'])
    files.write(1, ['of another lane'])
    files.flush()
    files.close()

    again = LineFiles(tmp_path, confirmed)
    again.write(0, ['two'])
    again.write(1, ['of another lane'])
    again.close()
    assert (tmp_path / 'matches.jsonl').read_text() == 'one\ntwo\n'
    assert (tmp_path / 'matches_lane_1.jsonl').read_text() == 'of another lane\n'


def test_a_new_recording_leaves_the_files_of_others_alone(tmp_path: Path) -> None:
    path = tmp_path / 'matches_of_mine.jsonl'
    path.write_text('mine\n')
    LineFiles(tmp_path).close()
    assert path.read_text() == 'mine\n'
