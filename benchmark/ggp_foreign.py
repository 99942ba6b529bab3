"""Matches of an agent of ours against a GGP player of others, on public games, both seats.

Only one of the two thinks at a time: the foreign player's process is stopped while ours thinks,
so neither uses the other's time, and the processor time of each is known.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import process_time

from arena_cells import interval
from ggp_process import ForeignProcess
from parts import KeptRows, Row
from rows import corpus

from gdl_agents.ggp.manager import Manager, MatchClocks
from gdl_agents.ggp.messages import News, Start
from gdl_agents.ggp.seats import GgpSeat, LocalSeat, RemoteSeat
from gdl_agents.players.draws import derive_seed
from gdl_agents.search.players.player import SearchAgent
from gdl_env.engine.contract import Engine
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import open_engine
from gdl_env.language.game import Game
from gdl_env.language.load import load_game

GAMES = (
    'connectFour',
    'breakthrough',
    'reversi',
    'pentago',
    'checkersSmall',
    'hex',
    'knightThrough',
    'cephalopodMicro',
    'dotsAndBoxes',
    'skirmish',
    'amazonsSuicide_10x10',
    'eightPuzzle',
)
_SEED = 20_261_119
# Steps after which a match is broken off; and how long a late answer is waited for [s].
_LONGEST = 500
_PATIENCE = 60.0


class _ForeignSeat(RemoteSeat):
    """A foreign player that rests while it is not asked."""

    def __init__(self, url: str, process: ForeignProcess, turn: Lock) -> None:
        super().__init__(url, patience=_PATIENCE)
        self._process = process
        self._turn = turn
        self.seconds = 0.0

    def start(self, start: Start) -> None:
        self._process.resume()
        super().start(start)
        self._process.pause()

    def play(self, news: News) -> str:
        with self._turn:
            begin = self._process.seconds()
            self._process.resume()
            try:
                return super().play(news)
            finally:
                self._process.pause()
                self.seconds += self._process.seconds() - begin

    def stop(self, news: News) -> None:
        self._process.resume()
        super().stop(news)


class _OwnSeat(LocalSeat):
    """An agent of ours, and the processor time of its answers."""

    def __init__(self, agent: str, seed: int, turn: Lock) -> None:
        super().__init__(agent, seed)
        self._turn = turn
        self.seconds = 0.0

    def play(self, news: News) -> str:
        with self._turn:
            begin = process_time()
            try:
                return super().play(news)
            finally:
                self.seconds += process_time() - begin


def measure_foreign(options: Namespace, keep: Callable[[Row], None]) -> None:
    """Play matches, seats by turns, until there are as many as wanted; kept after each."""
    if not options.foreign:
        raise SystemExit('foreign: name the player, as in --foreign sancho=http://localhost:9147')
    # What else runs on the machine takes nothing from ours.
    SearchAgent.clock = process_time
    label, _, url = options.foreign.partition('=')
    ours = options.ours or f'mcts:time={options.time:g}'
    kept = KeptRows(options.results, lambda row: (row['part'], row['game'], row.get('players')))
    for path in _find_games(options.only or GAMES):
        game = load_game(path)
        key = ('foreign', path.stem, f'{ours} {label}')
        row = kept.find(key) or {
            'part': 'foreign',
            'game': path.stem,
            'players': f'{ours} {label}',
            'result': [0, 0, 0],
            'seconds': [0.0, 0.0],
            'moves': [0, 0],
            'goals': [0.0, 0.0],
            'strikes': [0, 0],
        }
        for number in range(sum(row['result']), options.games):
            with ForeignProcess(options.command, url) as process:
                match = _Match(game, options, ours, url, process)
                match.play(number, row)
            wins, draws, losses = row['result']
            row['interval'] = interval(wins, losses, wins + draws + losses)
            keep(row)


def _find_games(names: tuple[str, ...] | list[str]) -> list[Path]:
    """Return rule files of the corpus: one of each name, or a path as it is.

    Exits with an error if there is none.
    """
    found: list[Path] = []
    for name in names:
        if Path(name).suffix:
            found.append(Path(name))
        else:
            games = sorted((corpus() / 'games').glob(f'{name}-*.kif'))[:1]
            if not games:
                raise SystemExit(f'{name}: the corpus has no game of this name')
            found += games
    return found


class _Match:
    """Matches of one game against one player."""

    def __init__(
        self, game: Game, options: Namespace, ours: str, url: str, process: ForeignProcess
    ) -> None:
        self._game = game
        self._clocks = MatchClocks(options.start_clock, options.play_clock)
        self._ours = ours
        self._url = url
        self._process = process

    def play(self, number: int, row: Row) -> None:
        """Play a match, or one each of a game for one player, and add it to a row."""
        roles = [str(role) for role in self._game.roles]
        seed = derive_seed(_SEED, f'{self._game.name} {number}')
        if len(roles) == 1:
            goals = [self._run({place: roles[0]}, seed, row)[roles[0]] for place in (0, 1)]
        elif len(roles) == 2:
            by_place = {place: roles[(place + number) % 2] for place in (0, 1)}
            reached = self._run(by_place, seed, row)
            goals = [reached[by_place[place]] for place in (0, 1)]
        else:
            raise SystemExit(f'{self._game.name}: {len(roles)} roles; one or two are measured')
        row['goals'] = [total + goal for total, goal in zip(row['goals'], goals, strict=True)]
        row['result'][0 if goals[0] > goals[1] else 1 if goals[0] == goals[1] else 2] += 1

    def _run(self, by_place: dict[int, str], seed: int, row: Row) -> dict[str, int]:
        """Play a match of ours (place 0) and theirs (1); return the goals by role."""
        turn = Lock()
        seats: dict[str, GgpSeat] = {}
        if 0 in by_place:
            seats[by_place[0]] = own = _OwnSeat(self._ours, seed, turn)
        if 1 in by_place:
            seats[by_place[1]] = foreign = _ForeignSeat(self._url, self._process, turn)
        with open_engine(self._game) as engine:
            manager = Manager(engine, seats, self._clocks, f'bench.{seed}', seed)
            manager.run(max_steps=_LONGEST)
            match = manager.match
            decisions = _count_decisions(engine, match)
        for place, role in by_place.items():
            row['seconds'][place] += (foreign if place else own).seconds
            row['moves'][place] += decisions[role]
            row['strikes'][place] += sum(strike.role == role for strike in manager.strikes)
        if not match.is_terminal:
            # Broken off: nobody has reached anything.
            return dict.fromkeys(seats, 0)
        return {str(role): int(goal or 0) for role, goal in match.goals().items()}


def _count_decisions(engine: Engine, match: Interpreter) -> Counter[str]:
    """Return how often each role had more than one move."""
    found: Counter[str] = Counter()
    for state in (engine.initial_state, *(step.state for step in match.history)):
        if not engine.is_terminal(state):
            legal = engine.legal_moves(state)
            found.update(str(role) for role, moves in legal.items() if len(moves) > 1)
    return found
