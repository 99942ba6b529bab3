"""The arena resumes where it was stopped, and reports its results."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')
pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / 'benchmark'))


@dataclass
class Counted:
    """Wins every match; can be stopped after some pieces."""

    part: str
    wanted: int
    most: int = 1_000
    runs: dict[str, str] = field(default_factory=dict)
    is_alone: bool = False
    asked: list[int] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, ...]:
        return self.part, 'game', 'one', 'other'

    def measure(self, done: int) -> dict[str, object]:
        if len(self.asked) == self.most:
            raise KeyboardInterrupt
        self.asked.append(done)
        return {'done': 2, 'result': [2, 0, 0], 'goals': 200, 'seconds': 0.5}


def test_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    from arena import Measuring, row_key
    from parts import KeptRows

    kept = KeptRows(tmp_path / 'arena.json', row_key)
    stopped, rest = Counted('a', 8, most=2), Counted('b', 4)
    with pytest.raises(KeyboardInterrupt):
        Measuring([stopped, rest], kept, float('inf')).run(1)
    assert stopped.asked == [0, 2]
    first, second = kept.read()
    assert (first['done'], first['result'], first['goals']) == (4, [4, 0, 0], 400)
    # The one that is furthest behind is next.
    assert second['done'] == 2

    again, other = Counted('a', 8), Counted('b', 4)
    Measuring([again, other], kept, float('inf')).run(1)
    assert (again.asked, other.asked) == ([4, 6], [2])
    assert [row['done'] for row in kept.read()] == [8, 4]
    # Two that measure the same at the same time do not count it twice.
    one, other_one = Counted('d', 2), Counted('d', 2)
    measuring = [Measuring([cell], kept, float('inf')) for cell in (one, other_one)]
    for each in measuring:
        each.run(1)
    assert (one.asked, other_one.asked) == ([0], [0])
    assert kept.read()[-1]['done'] == 2
    kept.forget(lambda row: row['part'] == 'd')
    # Nothing is left to do; and without time nothing is begun.
    Measuring([again, other], kept, float('inf')).run(1)
    Measuring([Counted('c', 4)], kept, 0.0).run(1)
    assert (len(again.asked), len(kept.read())) == (2, 2)


def test_another_run_is_measured_again(tmp_path: Path) -> None:
    from arena import Measuring, row_key
    from parts import KeptRows

    kept = KeptRows(tmp_path / 'arena.json', row_key)
    for mark in ('old', 'new'):
        cell = Counted('a', 4, runs={'rainbow': mark})
        Measuring([cell], kept, float('inf')).run(1)
        assert cell.asked == [0, 2]
    (row,) = kept.read()
    assert (row['done'], row['runs']) == (4, {'rainbow': 'new'})


@pytest.mark.parametrize('jobs', [1, pytest.param(2, marks=pytest.mark.slow)])
def test_plays_and_writes_tables(tmp_path: Path, jobs: int) -> None:
    from arena import Measuring, row_key
    from arena_cells import Fairness, Match
    from arena_tables import write_doc
    from parts import KeptRows

    kept = KeptRows(tmp_path / 'arena.json', row_key)
    game = 'simultaneous_krieg_tictactoe'
    match = Match('krieg', game, 'random', 'legal', 7, lanes=4)
    Measuring([Fairness('krieg', game, 50_000), match], kept, float('inf')).run(jobs)
    rows = kept.read()
    assert {(row['first'], row['done'], sum(row['result'])) for row in rows} == {
        ('random games', 50_000, 50_000),
        ('random', 7, 7),
    }
    page = tmp_path / 'page.md'
    page.write_text('before\n<!-- arena: written by benchmark/arena.py -->\nold\n'
                    '<!-- arena: end -->\nafter\n')  # fmt: skip
    write_doc(page, rows)
    text = page.read_text()
    assert text.startswith('before\n') and text.endswith('\nafter\n') and 'old' not in text
    assert '### Simultaneous Krieg Tic-tac-toe\n\n50,000 random games' in text
    assert text.count('\n| `') == 1


def test_players_that_learned_have_no_folders_in_tables() -> None:
    from arena_players import label_of

    assert label_of('mcts:time=0.1') == 'mcts:time=0.1'
    assert label_of('rainbow:/a/run') == 'rainbow'
    assert label_of('alphazero:runs/a/b@2 playouts=100') == 'alphazero:playouts=100'


def test_wrong_parts_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    from arena import main

    with pytest.raises(SystemExit):
        main(['sedd'])
    assert "no part 'sedd'; parts: seed, krieg" in capsys.readouterr().err
