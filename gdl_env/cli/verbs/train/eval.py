"""Play agents against each other and print how often each one wins.

Every agent plays N games in every role against every other agent. In games with more than two
roles, the opponent plays all remaining roles; in games of one role, each agent plays alone. Where
roles form teams, because their goals are always the same by the rules, an agent plays all roles of
a team, and each team is a seat. A single agent plays against random players. Every share comes
with its 95 % confidence interval; where all roles have the same goal, each sits beside another
agent, and mean goals are shown instead. In games that hide something, the last column counts blind
decisions of players that think ahead: moves drawn at random, because the player found no state
that agrees with what it had seen.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import permutations
import json
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import (
    add_game,
    add_mapping,
    add_seed,
    load,
    positive_count,
    seed_from,
)
from gdl_env.cli.learning import SCORE_HEADERS, score_cells
from gdl_env.cli.pool_options import add_workers, enter_pool
from gdl_env.cli.progress import counting
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.engine.contract import NATURE
from gdl_env.language.game import Information

if TYPE_CHECKING:
    from gdl_agents.agent import Agent
    from gdl_agents.cluster.job_pool import JobPool
    from gdl_agents.learning.training.evaluation import Arena, SeatScore
    from gdl_env.environment.protocol import MatchInfo
    from gdl_env.environment.score import Score
    from gdl_env.language.game import Game


# Games if the user does not say how many. With agents that think for a given time: about as many
# as take this long [s], if a player has that many decisions in a game; and no fewer.
_GAMES = 1_000
_TIME = 300
_DECISIONS = 12
_LEAST_GAMES = 4


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        'agents',
        metavar='AGENT',
        nargs='+',
        help='name[:detail] or file.py:Class[:detail]; see gdl agents',
    )
    parser.add_argument(
        '-n',
        '--number',
        type=positive_count,
        metavar='N',
        help='games per role and opponent (default: 1000; with an agent that thinks for a given'
        ' time, as many as take about five minutes)',
    )
    parser.add_argument(
        '--lanes',
        type=positive_count,
        default=128,
        metavar='N',
        help='games played at the same time (default: 128)',
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    add_mapping(parser)
    add_seed(parser)
    add_workers(parser, 'the seats at the same time')


def run(options: Namespace) -> int:
    """Play the matches and print a table."""
    seed = seed_from(options)
    names: list[str] = options.agents
    players = [_open(name) for name in names]
    game = load(options.game)
    roles = sum(role != NATURE for role in game.roles)
    if len(players) == 1 and roles > 1:
        names, players = [*names, 'random'], [*players, _open('random')]
    number = options.number or _choose_number(players, roles)
    lanes = min(options.lanes, number)
    if any(player.wants_text for player in players):
        lanes = 1
    arena = _open_arena(game, lanes, options.mapping)
    # Two roles are opponents, unless all games say otherwise.
    teams = _find_teams(arena.info) if roles > 2 else ()
    is_shared = any(len(team) == roles for team in teams)
    is_open = game.information is Information.COMPLETE
    with ExitStack() as stack:
        pool = enter_pool(options, options.actors, stack)
        if pool is not None:
            _check_portable(names, players)
        matches = _Matches(
            arena, names, players, number, seed, pool, () if is_shared else teams, is_open
        )
        rows = matches.play(len(options.agents))
    arena.close()
    if options.json:
        print(json.dumps([row.to_dict() for row in rows], indent=2))
        return 0
    is_hidden = any(row.status for row in rows)
    is_level = not any(row.score.wins or row.score.losses for row in rows)
    if is_shared or (roles == 2 and is_level and _find_teams(arena.info)):
        print_table(
            ('agent', 'with', 'seat', 'games#', 'mean goal#'), (row.to_goal() for row in rows)
        )
        return 0
    print_table(
        ('agent', 'against', 'seat', *SCORE_HEADERS, *(['blind#'] if is_hidden else [])),
        (row.to_cells(with_status=is_hidden) for row in rows),
    )
    return 0


@dataclass(frozen=True)
class _Matches:
    """Agents that meet each other, by their numbers."""

    arena: Arena
    names: list[str]
    players: list[Agent]
    # Games per seat.
    games: int
    seed: int
    pool: JobPool | None
    # Roles that sit together, the first of each as their seat.
    teams: tuple[tuple[str, ...], ...]
    # Of an open game nothing is hidden, however players rebuild its states.
    is_open: bool

    @property
    def seats(self) -> tuple[str, ...]:
        """Return the roles that an agent takes in turn, its team with them."""
        others = {role for team in self.teams for role in team[1:]}
        return tuple(role for role in self.arena.roles if role not in others)

    def play(self, wanted: int) -> list[_Row]:
        """Play all matches of the first agents; others are only met."""
        from gdl_agents.learning.training.evaluation import find_team
        from gdl_env.environment.score import Score

        rows: list[_Row] = []
        seats, numbers = len(self.seats), range(len(self.players))
        # A game of one role has no opponents.
        pairs = permutations(numbers, 2) if seats > 1 else zip(numbers, numbers, strict=True)
        for one, two in pairs:
            if one >= wanted:
                continue
            name, against = self.names[one], self.names[two] if seats > 1 else ''
            label = f'{name} against {against}' if against else name
            with counting(self.games * seats, label) as advance:
                found = self._play_seats(one, two, advance)
            total, every = Score(), Counter[str]()
            for role, seat in found.items():
                status = {} if self.is_open else seat.status
                seats_of_team = ' + '.join(find_team(role, self.teams))
                rows.append(_Row(name, against, seats_of_team, seat.score, status))
                total += seat.score
                every.update(status)
            if seats > 1:
                rows.append(_Row(name, against, 'all', total, dict(every)))
        return rows

    def _play_seats(
        self, one: int, two: int, advance: Callable[[int], None]
    ) -> Mapping[str, SeatScore]:
        """Play one agent on every seat against another."""
        from gdl_agents.learning.training.evaluation import SeatScore, seat_agent

        if self.pool is not None:
            make, make_other = (partial(seat_agent, self.names[n]) for n in (one, two))
            return self.arena.seat_on_workers(
                self.pool,
                make,
                make_other,
                self.games,
                self.seed,
                self.seats,
                advance,
                self.teams,
            )
        seated = _Seated(self.players[one], self.seats)
        scores = self.arena.seat_in_turn(
            seated.sit_down,
            self.games,
            self.seed,
            self.seats,
            partial(_seat, self.players[two]),
            advance,
            teams=self.teams,
        )
        return {role: SeatScore(one, seated.find_status(role)) for role, one in scores.items()}


def _check_portable(names: list[str], players: list[Agent]) -> None:
    """Refuse agents that cannot play on a worker. Raises UsageError."""
    for name, player in zip(names, players, strict=True):
        if player.wants_feedback:
            raise UsageError(
                f'{name} learns while it plays, from seat to seat: it plays without --actors'
            )


def _open_arena(game: Game, lanes: int, mapping: str) -> Arena:
    """Open the lanes of a game; one lane if moves and facts cannot be listed."""
    from gdl_agents.learning.training.evaluation import Arena
    from gdl_env.environment.options import OptionsError

    try:
        return Arena(game, lanes, mapping=mapping)
    except OptionsError:
        if lanes == 1:
            raise
    print(f'{game.name}: one lane, as its moves and facts cannot be listed', file=sys.stderr)
    return Arena(game, 1, mapping=mapping)


def _find_teams(info: MatchInfo) -> tuple[tuple[str, ...], ...]:
    """Return the roles that have the same goal wherever the game ends, team by team."""
    from gdl_agents.search.game.match_table import open_table
    from gdl_env.errors import GdlError

    try:
        return open_table(info).teams()
    except GdlError:
        # The rules are not known, or only to engines that do not tell.
        return ()


@dataclass(frozen=True)
class _Row:
    """How an agent fared on a seat."""

    agent: str
    other: str
    role: str
    score: Score
    # Figures about its play: see `Agent.report_status`.
    status: dict[str, int]

    def to_dict(self) -> dict[str, object]:
        """Return the row for JSON."""
        names = {'agent': self.agent, 'against': self.other, 'seat': self.role}
        return {**names, **vars(self.score), **self.status}

    def to_goal(self) -> tuple[object, ...]:
        """Return the row for a table of a game that all win or lose together."""
        goal = self.score.mean_goal
        shown = '-' if goal is None else f'{goal:.1f}'
        return self.agent, self.other, self.role, self.score.games, shown

    def to_cells(self, *, with_status: bool) -> tuple[object, ...]:
        """Return the row for a table; with how many decisions were blind."""
        cells = (self.agent, self.other, self.role, *score_cells(self.score))
        if not with_status:
            return cells
        hidden = self.status.get('hidden_decisions', 0)
        blind = self.status.get('blind_decisions', 0)
        return *cells, f'{blind} of {hidden:,} ({blind / hidden:.1%})' if hidden else '-'


class _Seated:
    """An agent that takes one seat after the other, and what it did on each."""

    def __init__(self, agent: Agent, roles: tuple[str, ...]) -> None:
        """Take the roles that come one after the other; its team-mates sit down with them."""
        self._agent = agent
        self._roles = roles
        # By role: its figures when it sat down.
        self._before: dict[str, dict[str, int]] = {}

    def sit_down(self, role: str) -> Agent:
        """Return the agent."""
        if role in self._roles:
            self._before[role] = self._agent.report_status()
        return self._agent

    def find_status(self, role: str) -> dict[str, int]:
        """Return the figures of one seat."""
        seats = list(self._before)
        later = seats[seats.index(role) + 1 :]
        after = self._before[later[0]] if later else self._agent.report_status()
        before = self._before[role]
        return {name: value - before.get(name, 0) for name, value in after.items()}


def _choose_number(players: list[Agent], seats: int) -> int:
    """Return how many games are played, if the user does not say."""
    seconds = sum(player.seconds_a_move for player in players)
    if not seconds:
        return _GAMES
    return max(_LEAST_GAMES, min(_GAMES, int(_TIME / (seconds * _DECISIONS * seats))))


def _open(name: str) -> Agent:
    from gdl_agents.registry import open_agent

    return open_agent(name)


def _seat(agent: Agent, role: str) -> Agent:
    return agent


VERB = Verb(
    name='eval',
    group=Group.TRAIN,
    summary='play agents against each other and compare them',
    description=__doc__,
    examples="""
    gdl eval tictactoe rainbow:runs/tictactoe/rainbow-selfplay-1     against random players
    gdl eval tictactoe rainbow:runs/tictactoe/rainbow-gate-1@3 legal   at difficulty level 3
    gdl eval tictactoe mine.py:LastMove                  an agent of your own
    """,
    configure=configure,
    run=run,
)
