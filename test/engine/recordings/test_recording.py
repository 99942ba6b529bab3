"""Recordings: write, read, survive, replay."""

from __future__ import annotations

from collections.abc import Iterator
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from mcap_ros2.writer import Writer
import pytest
from recorded_matches import read_one, record

from gdl_env.cli.main import main
from gdl_env.engine.contract import Engine
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.engine.recordings.recording import Ending, RecordingWriter
from gdl_env.engine.recordings.replay import replay
from gdl_env.engine.registry import open_engine
from gdl_env.errors import RecordingError
from gdl_env.language.load import load_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol

ROOT = Path(__file__).resolve().parents[3]
X, O = Symbol('x'), Symbol('o')  # noqa: E741

MATCH = {
    'type': 'match',
    'version': 1,
    'game': 'g',
    'rules_hash': '',
    'roles': ['x', 'o'],
    'seed': None,
    'initial': ['(at 1)', 'open'],
}
STEP = {'type': 'step', 'moves': {'x': '(go 2)'}, 'state': ['(at 2)']}
END = {'type': 'end', 'terminal': True, 'goals': {'x': 100, 'o': None}}


@pytest.fixture(scope='module')
def tictactoe() -> Iterator[Engine]:
    with open_engine(load_game(ROOT / 'games' / 'tictactoe.gdl')) as engine:
        yield engine


def write(path: Path, *lines: object) -> Path:
    path.write_text(''.join(f'{json.dumps(line)}\n' for line in lines))
    return path


# ---- reading


def test_fields(tmp_path: Path):
    step = STEP | {'chosen': {'x': '(go die)'}, 'percepts': {'o': ['noise']}}
    recording = read_one(write(tmp_path / 'm', MATCH, step, END))
    assert recording.roles == (X, O)
    assert recording.initial == {read_term('(at 1)'), Symbol('open')}
    assert recording.steps[0].moves == {X: read_term('(go 2)')}
    assert recording.steps[0].chosen == {X: read_term('(go die)')}
    assert recording.steps[0].percepts == {O: frozenset({Symbol('noise')})}
    assert recording.ending == Ending(True, {X: 100, O: None})
    assert recording.place == f'{tmp_path / "m"}:1'
    assert recording.note == ''


def test_several_matches_and_one_without_an_end(tmp_path: Path):
    path = write(tmp_path / 'm', MATCH, STEP, END, MATCH, STEP, MATCH, STEP, END)
    finished = [recording.ending is not None for recording in read_recordings(path)]
    assert finished == [True, False, True]


def test_undo_takes_steps_back(tmp_path: Path):
    other = STEP | {'state': ['(at 3)']}
    path = write(tmp_path / 'm', MATCH, STEP, STEP, {'type': 'undo', 'steps': 2}, other, END)
    assert [step.state for step in read_one(path).steps] == [{read_term('(at 3)')}]


def test_short_recordings_tell_the_same(tictactoe: Engine, tmp_path: Path):
    match = Interpreter(tictactoe, 1)
    files = [tmp_path / 'long', tmp_path / 'short']
    with (
        RecordingWriter(files[0]) as long,
        RecordingWriter(files[1], is_short=True) as short,
    ):
        for writer in (long, short):
            writer.start(match)
        # The second time, two moves are taken back before the others follow.
        for cells in ('1 1', '2 2', '1 2', None, '3 3', '1 3'):
            if cells is None:
                match.undo()
                match.undo()
            else:
                role = match.actors()[0]
                match.step({role: read_term(f'(mark {cells})')})
            for writer in (long, short):
                writer.follow(match)
    told = [read_one(file) for file in files]
    assert [step.state for step in told[0].steps] == [step.state for step in told[1].steps]
    assert len(told[1].steps) == 3 and replay(tictactoe, told[1]) is None
    assert files[1].stat().st_size < files[0].stat().st_size


def test_steps_and_end_know_their_lines(tmp_path: Path):
    undo = {'type': 'undo', 'steps': 1}
    path = write(tmp_path / 'm', MATCH, STEP, STEP, undo, STEP, END)
    recording = read_one(path)
    assert [step.place for step in recording.steps] == [f'{path}:2', f'{path}:5']
    assert recording.ending is not None and recording.ending.place == f'{path}:6'


@pytest.mark.parametrize('cut', [1, 5, 20])
def test_last_line_that_was_cut_off(tmp_path: Path, cut: int):
    path = write(tmp_path / 'm', MATCH, STEP, STEP)
    path.write_bytes(path.read_bytes()[: -1 - cut])
    recording = read_one(path)
    assert len(recording.steps) == 1
    assert recording.ending is None
    assert recording.note == f'{path}:3: the last line is cut off and was left out'


@pytest.mark.parametrize(
    ('lines', 'complaint'),
    [
        ([STEP], ":1: a line of type 'step' before any line of type 'match'"),
        ([MATCH, END, END], ":3: a line of type 'end' before any line of type 'match'"),
        ([MATCH, [1]], ':2: expected a JSON object'),
        ([MATCH, {}], ":2: 'type' is missing"),
        ([MATCH, {'type': 'dance'}], ":2: unknown type 'dance'; known are match, step"),
        ([MATCH | {'version': 2}], ':1: version 2 of recordings is unknown here; known: 1'),
        ([MATCH | {'roles': 'x'}, END], ":1: 'roles' should be a list of names"),
        ([MATCH | {'initial': ['(a']}, END], ":1: in 'initial': a '(' is never closed"),
        ([MATCH, {'type': 'step', 'state': []}], ":2: 'moves' is missing"),
        ([MATCH, {'type': 'step', 'moves': {}}], ":2: 'state' is missing"),
        ([MATCH, {'type': 'step', 'moves': {}, 'added': []}], ":2: 'removed' is missing"),
        ([MATCH, STEP | {'moves': ['a']}], ":2: 'moves' should be an object"),
        ([MATCH, STEP | {'moves': {'x': 3}}], ":2: 'moves' should be terms written as texts"),
        ([MATCH, STEP | {'state': 'a'}], ":2: 'state' should be a list of terms"),
        ([MATCH, END | {'goals': {'x': 'many'}}], ":2: 'goals' should be a number or null"),
        ([MATCH, {'type': 'undo', 'steps': 1}], ':2: cannot take back 1 of 0 steps'),
    ],
)
def test_complaints_have_file_and_line(tmp_path: Path, lines: list[object], complaint: str):
    path = write(tmp_path / 'm', *lines)
    with pytest.raises(RecordingError) as caught:
        list(read_recordings(path))
    assert str(caught.value).startswith(f'{path}{complaint}')


def test_missing_file(tmp_path: Path):
    with pytest.raises(RecordingError, match='No such file'):
        list(read_recordings(tmp_path / 'none'))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('(ab ?;)', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('xo'), inner, max_size=3),
    max_leaves=5,
)
PARTS = st.sampled_from([MATCH, STEP, END])
LINES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([MATCH, STEP, END]).map(lambda line: json.dumps(line).encode()),
    st.tuples(
        st.sampled_from([MATCH, STEP, END]), st.sampled_from(list(MATCH | STEP | END)), VALUES
    )
    .map(lambda row: row[0] | {row[1]: row[2]})
    .map(lambda line: json.dumps(line).encode()),
)


@given(lines=st.lists(LINES, max_size=5))
def test_any_file_is_read_or_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
):
    path = tmp_path_factory.getbasetemp() / 'any.jsonl'
    path.write_bytes(b'\n'.join(lines))
    try:
        list(read_recordings(path))
    except RecordingError as error:
        assert str(path) in str(error)


# ---- writing


@pytest.mark.prolog
def test_writer_refuses_files_that_are_no_recordings(tmp_path: Path):
    path = tmp_path / 'rules.gdl'
    path.write_text('(role x)')
    with pytest.raises(RecordingError, match='is no recording; nothing is added'):
        RecordingWriter(path)
    assert path.read_text() == '(role x)'
    with pytest.raises(RecordingError, match='Is a directory'):
        RecordingWriter(tmp_path)


@pytest.mark.prolog
@pytest.mark.parametrize('cut', [0, 1, 10])
def test_writer_goes_on_after_a_kill(tmp_path: Path, tictactoe: Engine, cut: int):
    path = tmp_path / 'm'
    record(tictactoe, path, 1, steps=3)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - cut])
    record(tictactoe, path, 2)
    first, second = read_recordings(path)
    assert len(first.steps) == 3
    assert (first.ending is None) == (cut == 10)
    assert second.ending is not None
    assert replay(tictactoe, second) is None


@pytest.mark.prolog
def test_writer_follows_undo(tmp_path: Path, tictactoe: Engine):
    match = Interpreter(tictactoe, 1)
    path = tmp_path / 'm'
    with RecordingWriter(path) as writer:
        writer.start(match)
        for cell in ('(mark 1 1)', '(mark 1 2)', '(mark 1 3)'):
            (role,) = match.actors()
            match.step({role: read_term(cell)})
            writer.follow(match)
        match.undo()
        match.undo()
        match.step({O: read_term('(mark 3 3)')})
        writer.end(match)
    recording = read_one(path)
    assert [str(move) for step in recording.steps for move in step.moves.values()] == [
        '(mark 1 1)',
        '(mark 3 3)',
    ]
    assert recording.steps[-1].state == match.state
    assert replay(tictactoe, recording) is None


EVIL = "__import__('os').system('touch {mark}')"


@pytest.mark.parametrize('field', ['game', 'rules_hash', 'initial', 'roles', 'seed', 'moves'])
def test_text_of_a_recording_is_not_run(tmp_path: Path, field: str) -> None:
    mark = tmp_path / 'mark'
    evil: object = EVIL.format(mark=mark)
    match, step = dict(MATCH), dict(STEP)
    if field == 'moves':
        step['moves'] = {'x': evil}
    else:
        match[field] = [evil, evil] if field in {'initial', 'roles'} else evil
    path = tmp_path / 'received.jsonl'
    path.write_text(f'{json.dumps(match)}\n{json.dumps(step)}\n')
    main(['replay', str(path)])
    main(['replay', str(path), '--game', 'tictactoe'])
    assert not mark.exists()


def test_a_line_that_is_nested_too_deeply(tmp_path: Path) -> None:
    path = tmp_path / 'received.jsonl'
    path.write_text('{"a":' * 100_000 + '\n')
    with pytest.raises(RecordingError, match=r'received\.jsonl:1: this is nested too deeply'):
        list(read_recordings(path))


def test_a_bag_may_begin_inside_a_match(tmp_path: Path) -> None:
    bag = tmp_path / 'bag_1.mcap'
    lines = [json.dumps(line) for line in (STEP, END, MATCH, STEP, END)]
    with bag.open('wb') as stream:
        writer = Writer(stream)
        schema = writer.register_msgdef('gdl_msgs/msg/Record', 'uint32 lane\nstring[] line\n')
        writer.write_message('/match/record', schema, {'lane': 0, 'line': lines})
        writer.finish()
    (found,) = read_recordings(bag)
    assert (len(found.steps), found.ending is None) == (1, False)
    assert found.note == f'{bag} begins inside a match: 2 lines are left out'
