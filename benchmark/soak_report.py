"""What a soak has shown, in words and tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path
import statistics

from machine import describe_machine
from soak_samples import Samples

from gdl_agents.learning.dqn.model import About

DOC = Path(__file__).parents[1] / 'doc' / 'reliability.md'
_BEGIN, _END = '<!-- soak -->\n', '<!-- end of soak -->\n'
# What may be more at the end than at the beginning: a share, and so much [MB] of any node.
_GROWTH = 0.15
_SLACK = 25.0
_DESCRIPTORS = 8
# Segments of nodes that were killed, until the next node starts: all of a launch, at most.
_ABANDONED = 9


@dataclass(frozen=True)
class Kill:
    """One kill."""

    # Since the beginning [s].
    time: float
    node: str
    # Until it was there again, and the match continued [s].
    away: float


@dataclass(frozen=True)
class Outcome:
    """Everything that was found."""

    command: str
    seconds: float
    has_failed: bool
    # Games: finished, recorded, and those that the metrics of the learner count.
    finished: int
    recorded: int
    in_metrics: int
    kills: list[Kill]
    samples: Samples
    # The first snapshots that never lose: without kills, and with them.
    plain: About | None
    proved: About | None
    # Whether there was a training without kills.
    is_compared: bool = True

    @property
    def problems(self) -> list[str]:
        """Return what is wrong, in sentences."""
        found = []
        if self.has_failed:
            found.append('the launch failed')
        if not self.finished or len({self.finished, self.recorded, self.in_metrics}) > 1:
            found.append(
                f'{self.finished} games were finished, {self.recorded} recorded,'
                f' {self.in_metrics} are in the metrics'
            )
        for name, early, late, few, many in self.samples.rows():
            if late > early * (1 + _GROWTH) + _SLACK:
                found.append(f'{name} grew from {early:.0f} to {late:.0f} MB')
            if many > few + _DESCRIPTORS:
                found.append(f'{name} had {few:.0f} file descriptors, then {many:.0f}')
        if self.samples.abandoned and self.samples.abandoned[-1] > _ABANDONED:
            found.append(f'{self.samples.abandoned[-1]} segments of shared memory are left')
        if self.plain is not None and self.proved is None:
            found.append('no snapshot is proved never to lose, as without kills')
        return found


def format_report(outcome: Outcome) -> str:
    """Return the report as Markdown."""
    machine = describe_machine()
    plain = _episodes(outcome.plain) if outcome.is_compared else 'not measured'
    lines = [
        f'`{outcome.command}`, {date.today():%d %B %Y}: {outcome.seconds / 60:.0f} minutes,'
        f' {len(outcome.kills)} kills; {machine["cpu"]}, {machine["cores"]} cores, load'
        f' {machine["load"]}.',
        '',
        '| | games |',
        '|---|---:|',
        f'| finished | {outcome.finished:,} |',
        f'| recorded | {outcome.recorded:,} |',
        f'| in the metrics of the learner | {outcome.in_metrics:,} |',
        f'| until the player never loses, without kills | {plain} |',
        f'| until the player never loses, with kills | {_episodes(outcome.proved)} |',
        '',
        '| node | killed | back after [s], median (longest) | memory, first third [MB] |'
        ' last third [MB] | file descriptors, first third | last third |',
        '|---|---:|---:|---:|---:|---:|---:|',
    ]
    counts = Counter(kill.node for kill in outcome.kills)
    for name, early, late, few, many in outcome.samples.rows():
        away = [kill.away for kill in outcome.kills if kill.node == name]
        back = f'{statistics.median(away):.1f} ({max(away):.1f})' if away else '-'
        lines.append(
            f'| `{name}` | {counts[name]} | {back} | {early:.0f} | {late:.0f} | {few:.0f} |'
            f' {many:.0f} |'
        )
    used, abandoned = outcome.samples.used, outcome.samples.abandoned
    if used:
        lines += [
            '',
            f'Segments of shared memory in use: {statistics.median(used):.0f} (median); of killed'
            f' nodes: {max(abandoned)} at most, {abandoned[-1]} at the end.',
        ]
    verdict = '; '.join(outcome.problems) or 'nothing was lost, and nothing grew'
    return '\n'.join([*lines, '', f'Result: {verdict}.', ''])


def write_doc(report: str) -> None:
    """Put the report into its place in the documentation."""
    text = DOC.read_text(encoding='utf-8')
    before, rest = text.split(_BEGIN)
    after = rest.split(_END)[1]
    DOC.write_text(f'{before}{_BEGIN}\n{report}\n{_END}{after}', encoding='utf-8')


def _episodes(about: About | None) -> str:
    return 'not reached' if about is None else f'{about.episodes:,}'
