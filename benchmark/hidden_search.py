"""Measure `subgame`: what it gives away in small games, and how it does against `ismcts`.

    python benchmark/hidden_search.py
    python benchmark/hidden_search.py --time 0.1 --seeds 1 2 3 --games 100
    python benchmark/hidden_search.py --on nashconv --small kuhn_poker
    python benchmark/hidden_search.py --on matches --matches 'goofspiel(cards=6)' skat
    python benchmark/hidden_search.py --write-doc     and put the tables into doc/benchmarks.md

NashConv is exact: a best response on the whole tree, in units of the game, such as chips. Times of
players are processor time. In matches both think for the same time a move; `subgame` sits on each
seat in turn, with `ismcts` on all others, and the goal is compared with that of an `ismcts` on the
same seat.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
import json
from math import sqrt
import sys
from time import process_time

from doc_parts import write_part
from machine import describe_machine
import numpy as np

from gdl_agents.agent import Agent
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.search.players.ismcts import IsmctsAgent
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.solving.exploiting.exploitability import measure_exploitability
from gdl_agents.solving.exploiting.learning_responder import read_goal
from gdl_agents.solving.exploiting.reading_agents import read_strategy
from gdl_agents.solving.playing.subgame_agent import SubgameAgent
from gdl_agents.solving.tree.game_tree import build_tree
from gdl_env.cli.game_options import load
from gdl_env.environment.protocol import Answer, Feedback, MatchInfo, Question

_BEGIN = '<!-- hidden search: written by benchmark/hidden_search.py -->'
_END = '<!-- hidden search: end -->'
# Goals of a unit, and the NashConv to reach.
_SMALL = {'kuhn_poker': (25.0, '0.05'), 'leduc_poker': (3.0, '0.5'), 'liars_dice': (50.0, '')}
_MATCHES = ('goofspiel(cards=6)', 'liars_dice(sides=6)', 'krieg_tictactoe')
_SURE = 1.96


class Timed(Agent):
    """Plays as another does; adds up its processor time, its decisions and its goals."""

    wants_feedback = True

    def __init__(self, agent: SearchAgent) -> None:
        self._agent = agent
        self.seconds = 0.0
        self.decisions = 0
        self.goals: list[float] = []

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Begin as the other does."""
        self._agent.begin(info, roles, seed)

    def notice(self, question: Question) -> None:
        """Show it to the other."""
        started = process_time()
        self._agent.notice(question)
        self.seconds += process_time() - started

    def choose(self, question: Question) -> Answer:
        """Answer as the other does."""
        started = process_time()
        answer = self._agent.choose(question)
        self.seconds += process_time() - started
        self.decisions += int(question.to_move.sum())
        return answer

    def learn(self, feedback: Feedback) -> None:
        """Write down the goals of games that ended."""
        for lane in np.flatnonzero(feedback.is_over).tolist():
            self.goals.append(read_goal(feedback, lane))

    @property
    def blind(self) -> int:
        """Return how many decisions were taken blindly."""
        return self._agent.blind


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument('--on', choices=('nashconv', 'matches'), nargs='+')
    parser.add_argument('--time', type=float, default=0.1, help='of each move [s]')
    parser.add_argument('--prepare', type=float, default=2.0, help='before a match [s]')
    parser.add_argument('--seeds', type=int, nargs='+', default=[1, 2, 3])
    parser.add_argument('--games', type=int, default=100, help='with each seat')
    parser.add_argument('--small', nargs='+', choices=_SMALL, default=list(_SMALL))
    parser.add_argument('--matches', nargs='+', default=list(_MATCHES), metavar='GAME')
    parser.add_argument('--options', default='', help='more options of subgame')
    parser.add_argument('--write-doc', action='store_true', help='write doc/benchmarks.md')
    options = parser.parse_args()
    parts = options.on or ('nashconv', 'matches')
    lines: list[str] = []
    if 'nashconv' in parts:
        lines += _measure_small(options)
    if 'matches' in parts:
        lines += ['', *_measure_matches(options)]
    text = '\n'.join([*lines, '', f'Measured on {json.dumps(describe_machine())}.'])
    if options.write_doc:
        write_part(text, _BEGIN, _END)
    return 0


def _make(options: Namespace, more: str) -> SubgameAgent:
    words = [f'time={options.time:g}', f'prepare={options.prepare:g}', more, options.options]
    agent = SubgameAgent(','.join(word for word in words if word))
    agent.clock = process_time
    return agent


def _measure_small(options: Namespace) -> list[str]:
    lines = ['| game | player | NashConv, seeds | bar | CPU s |', '|---|---|---|---:|---:|']
    print('\n'.join(lines))
    for name in options.small:
        unit, bar = _SMALL[name]
        tree = build_tree(load(name))
        for more in ('', 'whole=0', 'whole=0,depth=2'):
            started, found = process_time(), []
            for seed in options.seeds:
                agents = [_make(options, more) for _ in tree.own]
                read = read_strategy(tree, agents, seed=seed)
                found.append(measure_exploitability(tree.form, read.strategy).nash_conv / unit)
            spent = process_time() - started
            values = ', '.join(f'{value:.4f}' for value in found)
            lines.append(f'| {name} | {more or "solved whole"} | {values} | {bar} | {spent:.1f} |')
            print(lines[-1], flush=True)
    return lines


def _measure_matches(options: Namespace) -> list[str]:
    lines = [
        '| game | games | goal of `subgame` | of `ismcts` there | difference, 95 % |'
        ' CPU s a move, each | blind, each |',
        '|---|---:|---:|---:|---|---|---|',
    ]
    print('\n'.join(lines))
    for name in options.matches:
        lines.append(_match(name, options))
        print(lines[-1], flush=True)
    return lines


def _match(name: str, options: Namespace) -> str:
    """Play on each seat in turn. Two play against each other; among more, `ismcts` does, too."""
    arena = Arena(load(name), 1)
    own, other = [], []
    for number, role in enumerate(arena.roles):
        seed = options.seeds[0] + number
        seats = {seat: Timed(_make_other(options)) for seat in arena.roles}
        if len(seats) > 2:
            arena.play(seats, options.games, seed)
            other.append(seats[role])
            seats = {seat: Timed(_make_other(options)) for seat in arena.roles}
        else:
            other += [agent for seat, agent in seats.items() if seat != role]
        seats[role] = Timed(_make(options, ''))
        arena.play(seats, options.games, seed)
        own.append(seats[role])
    arena.close()
    mine, theirs = (np.array([g for one in made for g in one.goals]) for made in (own, other))
    if len(arena.roles) == 2:
        half = _SURE * float((mine - theirs).std(ddof=1)) / sqrt(len(mine))
    else:
        half = _SURE * sqrt(mine.var(ddof=1) / len(mine) + theirs.var(ddof=1) / len(theirs))
    change = mine.mean() - theirs.mean()
    times = ' / '.join(f'{_mean_time(made):.3f}' for made in (own, other))
    blind = ' / '.join(str(sum(one.blind for one in made)) for made in (own, other))
    return (
        f'| {name} | {len(mine)} | {mine.mean():.1f} | {theirs.mean():.1f} |'
        f' {change:+.1f} ({change - half:+.1f} to {change + half:+.1f}) | {times} | {blind} |'
    )


def _make_other(options: Namespace) -> IsmctsAgent:
    agent = IsmctsAgent(f'time={options.time:g}')
    agent.clock = process_time
    return agent


def _mean_time(made: list[Timed]) -> float:
    """Return the processor time of a decision [s]."""
    return sum(one.seconds for one in made) / max(1, sum(one.decisions for one in made))


if __name__ == '__main__':
    sys.exit(main())
