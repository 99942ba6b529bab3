"""The result of a match: as a table for people, as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
import json
import os
from pathlib import Path

from gdl_env.ros.launch.arguments import LaunchError


@dataclass(frozen=True)
class RoleResult:
    """How one role fared."""

    role: str
    # The agent that played it. Empty: none.
    agent: str
    wins: int
    draws: int
    losses: int
    # From 0 to 100. None: no episode has finished.
    mean_goal: float | None
    # Moves that the environment played in the agent's place.
    strikes: int

    @property
    def episodes(self) -> int:
        """Return how many episodes count for the role."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class MatchResult:
    """The result of the requested episodes."""

    is_success: bool
    # Why not, in a sentence.
    message: str
    episodes: int
    steps: int
    seconds: float
    roles: tuple[RoleResult, ...]

    @property
    def step_rate(self) -> float:
        """Return the steps per second."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0

    def to_text(self) -> str:
        """Return a line that sums up, and a table with a row for each role."""
        rows = [
            (
                result.role,
                result.agent.rpartition('/')[2] or '-',
                *map(str, (result.wins, result.draws, result.losses)),
                '-' if result.mean_goal is None else f'{result.mean_goal:.1f}',
                str(result.strikes),
            )
            for result in self.roles
        ]
        header = ('role', 'agent', 'won', 'drawn', 'lost', 'mean goal', 'strikes')
        episodes = 'episode' if self.episodes == 1 else 'episodes'
        summary = (
            f'{self.episodes:,} {episodes}, {self.steps:,} steps in {self.seconds:.1f} s '
            f'({self.step_rate:,.0f} steps/s)'
        )
        return f'{summary}\n\n{format_columns(header, rows, left=2)}'

    def save(self, path: Path) -> None:
        """Write the result as JSON; a reader sees all of it or nothing."""
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(f'.{path.name}.{os.getpid()}')
        half.write_text(json.dumps(asdict(self), indent=2) + '\n', encoding='utf-8')
        half.replace(path)

    @classmethod
    def load(cls, path: Path) -> MatchResult:
        """Read a result. Raises LaunchError if there is none."""
        try:
            fields = json.loads(path.read_text('utf-8'))
            roles = tuple(RoleResult(**role) for role in fields.pop('roles'))
            return cls(**fields, roles=roles)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise LaunchError(f'{path} does not hold the result of a match: {error}') from error


def format_columns(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return rows in columns: the first `left` of them set to the left, others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = (
        '  '.join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (header, *rows)
    )
    return '\n'.join(lines) + '\n'
