"""The results of a tournament: how each agent fared against each other one, by role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
import csv
from dataclasses import dataclass
import io

from gdl_env.environment.score import Score
from gdl_env.ros.launch.arguments import LaunchError
from gdl_env.ros.match.table import MatchResult, RoleResult, format_columns


@dataclass(frozen=True)
class Pairing:
    """The agents that met, in the order of the roles, and the result."""

    agents: tuple[str, ...]
    result: MatchResult


@dataclass(frozen=True)
class NumberTable:
    """Numbers by agent and column; None where two never met."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]

    def to_text(self) -> str:
        """Return the table in columns."""
        body = [
            (name, *('-' if cell is None else f'{cell:.1f}' for cell in row))
            for name, row in zip(self.rows, self.cells, strict=True)
        ]
        return f'{self.title}\n\n{format_columns(("", *self.columns), body)}'

    def to_csv(self) -> str:
        """Return the table for spreadsheets; cells without a number are empty."""
        return _to_csv(
            ['agent', *self.columns],
            ([name, *row] for name, row in zip(self.rows, self.cells, strict=True)),
        )


class CrossTable:
    """All pairings of a tournament."""

    def __init__(
        self, roles: Sequence[str], agents: Sequence[str], pairings: Iterable[Pairing]
    ) -> None:
        self.roles = tuple(roles)
        self.agents = tuple(agents)
        self.pairings = tuple(pairings)

    def tables(self) -> list[NumberTable]:
        """Return the main table first, then what it is made of."""
        if len(self.roles) != 2:
            return [self._goals()]
        return [
            self._against('Points of the row against the column, both roles [%]', self.roles),
            *(
                self._against(f'Points of the row as {role} against the column [%]', [role])
                for role in self.roles
            ),
        ]

    def to_csv(self) -> str:
        """Return every role of every match as a row."""
        header = ['match', 'role', 'agent', 'episodes', 'won', 'drawn', 'lost', 'mean_goal']
        return _to_csv([*header, 'strikes'], self._rows())

    @classmethod
    def from_csv(cls, text: str) -> CrossTable:
        """Read what `to_csv` has written. Raises LaunchError."""
        matches: dict[str, list[tuple[str, RoleResult]]] = {}
        try:
            for row in csv.DictReader(io.StringIO(text)):
                result = RoleResult(
                    row['role'],
                    row['agent'],
                    int(row['won']),
                    int(row['drawn']),
                    int(row['lost']),
                    float(row['mean_goal']) if row['mean_goal'] else None,
                    int(row['strikes']),
                )
                matches.setdefault(row['match'], []).append((row['agent'], result))
        except (KeyError, TypeError, ValueError) as error:
            raise LaunchError(f'not the results of a tournament: {error!r}') from error
        played = []
        for seats in matches.values():
            results = tuple(result for _, result in seats)
            episodes = max(result.episodes for result in results)
            whole = MatchResult(True, '', episodes, 0, 0.0, results)
            played.append(Pairing(tuple(agent for agent, _ in seats), whole))
        agents = dict.fromkeys(agent for pairing in played for agent in pairing.agents)
        roles = [result.role for result in played[0].result.roles] if played else []
        return cls(roles, list(agents), played)

    def _rows(self) -> Iterator[list[object]]:
        for number, pairing in enumerate(self.pairings, 1):
            for agent, result in zip(pairing.agents, pairing.result.roles, strict=True):
                yield [
                    *(number, result.role, agent, result.episodes),
                    *(result.wins, result.draws, result.losses, result.mean_goal, result.strikes),
                ]

    def _goals(self) -> NumberTable:
        """Return the mean goal of each agent, by role and in all."""
        cells = tuple(
            (
                *(self.total(agent, roles=[role]).mean_goal for role in self.roles),
                self.total(agent).mean_goal,
            )
            for agent in self.agents
        )
        return NumberTable(
            'Mean goal of the row as the column', self.agents, (*self.roles, 'all'), cells
        )

    def _against(self, title: str, roles: Sequence[str]) -> NumberTable:
        cells = tuple(
            (
                *(self.total(agent, other, roles).win_percentage for other in self.agents),
                self.total(agent, roles=roles).win_percentage,
            )
            for agent in self.agents
        )
        return NumberTable(title, self.agents, (*self.agents, 'all'), cells)

    def total(
        self, agent: str, other: str | None = None, roles: Sequence[str] | None = None
    ) -> Score:
        """Return what an agent reached in some roles or all, against one other agent or all."""
        total = Score()
        roles = self.roles if roles is None else roles
        for pairing in self.pairings:
            for seat, result in enumerate(pairing.result.roles):
                others = pairing.agents[:seat] + pairing.agents[seat + 1 :]
                is_meant = other in others if other is not None else others != (agent,)
                if pairing.agents[seat] == agent and result.role in roles and is_meant:
                    total += _to_score(result)
        return total


def _to_score(result: RoleResult) -> Score:
    """Return how one role of a match fared."""
    goals = (result.mean_goal or 0.0) * result.episodes
    return Score(result.episodes, result.wins, result.draws, result.losses, goals)


def _to_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator='\n')
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
