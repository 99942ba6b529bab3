"""Runs and recordings as pages read them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gdl_env.errors import GdlError
from gdl_env.gui.study.replays import ReplayPainter, list_recordings, load_replays
from gdl_env.gui.training.curves import CURVES, chart_options
from gdl_env.gui.training.runs import ListedRun, list_runs, require_run

GAMES = Path(__file__).parents[2] / 'games'
METRICS = """episodes,steps,decisions,updates,reward,loss,epsilon,score,seconds
100,700,350,10,-2.5,,0.9,,1.0
200,1500,700,20,1.5,0.25,0.8,,3.0
300,2300,1050,30,4.5,0.125,0.7,3.0,5.0
400,31"""
EVALUATIONS = """version,episodes,role,games,wins,draws,losses,reward
20,200,x,10,6,2,2,4.0
20,200,o,10,4,0,6,-2.0
"""


@pytest.fixture
def run(tmp_path: Path) -> ListedRun:
    folder = tmp_path / 'runs' / 'tictactoe' / 'rainbow-gui-1'
    (folder / 'evaluation').mkdir(parents=True)
    (folder / 'metrics.csv').write_text(METRICS)
    (folder / 'evaluation' / 'evaluations.csv').write_text(EVALUATIONS)
    return ListedRun(folder)


def test_curves_leave_out_what_is_not_whole(run: ListedRun) -> None:
    assert run.curve('reward') == [(100, -2.5), (200, 1.5), (300, 4.5)]
    assert run.curve('loss') == [(200, 0.25), (300, 0.125)]
    assert run.curve('speed') == [(200, 400.0), (300, 400.0)]
    assert run.results() == {'wins': [(200, 0.5)], 'draws': [(200, 0.1)], 'losses': [(200, 0.4)]}


def test_runs_are_found_the_newest_first(run: ListedRun, tmp_path: Path) -> None:
    older = tmp_path / 'runs' / 'hex' / 'dqn-1'
    older.mkdir(parents=True)
    (older / 'metrics.csv').write_text(METRICS)
    os.utime(older / 'metrics.csv', (1, 1))
    assert [found.name for found in list_runs(tmp_path)] == [run.name, 'hex/dqn-1']
    assert [found.name for found in list_runs(tmp_path, 'hex')] == ['hex/dqn-1']
    assert ListedRun(older).player == f'dqn:{older}'
    assert list_runs(tmp_path / 'nowhere') == []


def test_every_chart_has_a_line_for_each_run(run: ListedRun) -> None:
    for key, title in CURVES.items():
        assert len(chart_options(key, title, [run, run])['series']) == 2
    names = [line['name'] for line in chart_options('results', '', [run])['series']]
    assert names == ['won', 'drawn', 'lost']


def test_progress_says_how_long_it_takes(run: ListedRun) -> None:
    assert run.progress() is None
    (run.path / 'config.yaml').write_text('episodes: 500\n')
    progress = run.progress()
    assert progress is not None
    assert (progress.episodes, progress.planned, progress.share) == (300, 500, 0.6)
    # 200 episodes took four seconds, and 200 are left.
    assert progress.seconds_left == pytest.approx(4.0)


def test_news_are_what_was_proved(run: ListedRun) -> None:
    assert run.news() == []
    proof = 'x never loses (all 94 positions it can meet were visited); 98.00% won'
    card = f'# a run\n\n## Against every play\n\nAll games:\n\n- {proof}\n\n## Levels\n\n- 1\n'
    (run.path / 'README.md').write_text(card)
    assert run.news() == [proof]


def test_long_curves_are_thinned_and_keep_their_end(tmp_path: Path) -> None:
    rows = ''.join(f'{n},{n},0,0,{n / 2},,,,{n}\n' for n in range(1, 5001))
    (tmp_path / 'metrics.csv').write_text(METRICS.splitlines()[0] + '\n' + rows)
    curve = ListedRun(tmp_path).curve('reward')
    assert len(curve) <= 502
    assert curve[-1] == (5000, 2500.0)


@pytest.mark.parametrize(
    'path', sorted(GAMES.glob('*.recording.jsonl')), ids=lambda path: path.name.split('.')[0]
)
def test_every_recording_can_be_looked_at(path: Path) -> None:
    replay = load_replays(path)[0]
    painter = ReplayPainter(replay)
    assert not painter.trouble
    assert replay.steps[-1].goals
    for number in range(0, len(replay.steps), max(1, len(replay.steps) // 5)):
        painter.paint(replay.steps[number]).to_json()
        painter.last_squares(replay.steps[number])


def test_a_replay_through_the_eyes_of_a_role_hides_what_others_see() -> None:
    replay = load_replays(GAMES / 'krieg_tictactoe.recording.jsonl')[0]
    painter = ReplayPainter(replay)
    last = replay.steps[-1]
    everything = painter.paint(last).boards[0].pieces
    seen = {role: painter.paint(last, role).boards[0].pieces for role in ('x', 'o')}
    assert set(seen['x']) | set(seen['o']) == set(everything)
    facts = last.facts
    for role, pieces in seen.items():
        own = [fact for fact in facts if fact.startswith(f'(sees {role} ')]
        assert len(pieces) == len(own) < len(everything) + 1


def test_recordings_are_found_and_rubbish_is_told(tmp_path: Path) -> None:
    folder = tmp_path / 'recordings'
    folder.mkdir()
    (folder / 'a.jsonl').write_text('{"type": "step"}\n')
    assert [path.name for path in list_recordings(tmp_path)] == ['a.jsonl']
    with pytest.raises(GdlError, match=r'a\.jsonl:1'):
        load_replays(folder / 'a.jsonl')


@pytest.mark.parametrize(
    ('name', 'agent'),
    [
        ('dqn-gui-1', 'dqn'),
        ('rainbow-3', 'rainbow'),
        ('alphazero-selfplay-1', 'alphazero'),
        ('mine', 'rainbow'),
    ],
)
def test_a_run_is_played_by_the_agent_of_its_algorithm(name: str, agent: str) -> None:
    path = Path('runs') / 'hex' / name
    assert ListedRun(path).player == f'{agent}:{path}'


def test_an_agent_that_needs_a_run_says_what_to_do() -> None:
    require_run('mcts')
    require_run('rainbow:runs/tictactoe/mine')
    with pytest.raises(GdlError, match='rainbow needs a trained run: train one, or pick another'):
        require_run('rainbow')
