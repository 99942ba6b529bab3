"""Measure random games of Doppelkopf on one core, and a player who thinks ahead in card games.

    python benchmark/doppelkopf.py
    python benchmark/doppelkopf.py players --games 40 --playouts 200
    python benchmark/doppelkopf.py --peer-python rlcard/bin/python --json doppelkopf.json
    python benchmark/doppelkopf.py --write-doc     and put the table into doc/benchmarks.md

Without a part, our engines are measured beside another program's card game: Dou Dizhu in rlcard,
which --peer-python must have; without it, it is left out.
All take turns on the same core. A step of ours is a move, those that deal the 40 cards included;
a step of Dou Dizhu is a move of a player. So games a second say more than steps.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from dataclasses import asdict
from datetime import datetime, timezone
from functools import partial
import json
from pathlib import Path
from statistics import median
import sys
from time import process_time

from contestants import CARD_GAMES
from doc_parts import write_part
from learning_teams import Account, seat_in_turn
from machine import describe_machine
from rows import DOPPELKOPF, ROOT
from tournament import Measured, Plan, Tournament

from gdl_agents.agent import Agent
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.registry import open_agent
from gdl_agents.search.players.player import SearchAgent
from gdl_env.cli.game_options import load

_BEGIN = '<!-- doppelkopf: written by benchmark/doppelkopf.py -->'
_END = '<!-- doppelkopf: end -->'
_PLAYERS_BEGIN = '<!-- card players: written by benchmark/doppelkopf.py -->'
_PLAYERS_END = '<!-- card players: end -->'
_CARD_GAMES = ('doppelkopf(solos=no)', 'skat')
_SEED = 20_221_117
_PLAYERS = ROOT / 'doc' / 'benchmarks' / 'cards.json'


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument('--seconds', type=float, default=4.0, help='of one measurement')
    parser.add_argument('--rounds', type=int, default=5, help='measurements of each')
    parser.add_argument('--core', type=int, default=0, help='the core to use, -1 for any')
    parser.add_argument('--peer-python', default=sys.executable, metavar='PATH')
    parser.add_argument('--json', type=Path, metavar='FILE', help='write the numbers, too')
    parser.add_argument('--write-doc', action='store_true', help='write doc/benchmarks.md')
    parser.add_argument('part', nargs='?', choices=('speed', 'players'), default='speed')
    parser.add_argument('--games', type=int, default=40, help='players: games of each game')
    parser.add_argument('--playouts', type=int, default=200, help='players: of each move')
    parser.add_argument('--on', nargs='+', metavar='GAME', help='players: these games only')
    options = parser.parse_args()
    if options.part == 'players':
        return _measure_players(options)
    plan = Plan(options.seconds, options.rounds, options.core, sys.executable, options.peer_python)
    with Tournament(DOPPELKOPF, plan) as games:
        for entry in CARD_GAMES:
            games.enter(entry)
        games.warm_up()
        games.sample()
        games.play()
        games.ask_facts()
    rows = [(entry.title, games.measured[entry.name]) for entry in CARD_GAMES]
    text = '\n'.join([_describe(rows, plan), '', *_table(rows)])
    print(text)
    if options.json:
        report = {'machine': describe_machine(), 'results': {t: asdict(m) for t, m in rows}}
        options.json.write_text(json.dumps(report, indent=1) + '\n', encoding='utf-8')
    if options.write_doc:
        write_part(text, _BEGIN, _END)
    return 0


def _describe(rows: list[tuple[str, Measured]], plan: Plan) -> str:
    """Return when, where and against whom."""
    machine, today = describe_machine(), datetime.now(timezone.utc)
    versions = [str(m.facts['version']) for _, m in rows if 'version' in m.facts]
    return (
        f'**{today:%Y-%m-%d}** on {machine["cpu"]}, one core; load {machine["load"]} at the end. '
        f'Medians of {plan.rounds} times {plan.seconds:g} s of processor time. '
        f'{", ".join(versions) or "No peer is installed"}.'
    )


def _table(rows: list[tuple[str, Measured]]) -> list[str]:
    """Return the lines of a table."""
    lines = ['| | steps/s | steps a game | games/s |', '|---|---:|---:|---:|']
    for title, measured in rows:
        if measured.missing or not measured.runs or measured.sample is None:
            lines.append(f'| {title} | {measured.missing or "nothing"} | | |')
            continue
        rate = median(run.rate for run in measured.runs)
        length = measured.sample.length
        games = f'{rate / length:,.0f}' if rate > 100 * length else f'{rate / length:.1f}'
        lines.append(f'| {title} | {rate:,.0f} | {length:.0f} | {games} |')
    return lines


def _measure_players(options: Namespace) -> int:
    """Let `ismcts` and a random player play each seat of card games, among random players."""
    for game in options.on or _CARD_GAMES:
        arena = Arena(load(game), 10)
        seats = len(arena.roles)
        for name, games in (('random', 1_000), (f'ismcts:playouts={options.playouts}', 0)):
            each = max(1, (games or options.games) // seats)
            start = process_time()
            made: list[Agent] = []
            accounts = seat_in_turn(arena, partial(_make, name, made), each, _SEED)
            seconds = (process_time() - start) / (each * seats)
            row = Account([g for account in accounts.values() for g in account.goals]).to_row()
            low, high = row['won_interval']
            won = f'{row["won"] / row["games"]:.1%} ({low:.1%} to {high:.1%})'
            low, high = row['goal_interval']
            goal = f'{row["goal"]:.1f} ({low:.1f} to {high:.1f})'
            blind = _tell_blind([agent for agent in made if isinstance(agent, SearchAgent)])
            line = (
                f'| {game} | `{name}` | {row["games"]:,} | {won} | {goal} | {blind}'
                f' | {seconds:.2g} |'
            )
            print(line, flush=True)
            # Each is kept as it comes: the next one may take long.
            kept = json.loads(_PLAYERS.read_text('utf-8')) if _PLAYERS.exists() else {}
            kept[f'{game} {name}'] = line
            _PLAYERS.write_text(json.dumps(kept, indent=1, sort_keys=True) + '\n', 'utf-8')
        arena.close()
    if options.write_doc:
        lines = json.loads(_PLAYERS.read_text('utf-8')).values()
        head = ['| game | player | games | won | mean goal | decisions blind | CPU s a game |']
        head.append('|---|---|---:|---|---|---:|---:|')
        write_part('\n'.join([*head, *lines]), _PLAYERS_BEGIN, _PLAYERS_END)
    return 0


def _make(name: str, made: list[Agent]) -> Agent:
    """Open a player, and note it."""
    made.append(open_agent(name))
    return made[-1]


def _tell_blind(players: list[SearchAgent]) -> str:
    """Tell how many decisions were taken without knowing a state the game may be in."""
    hidden = sum(player.hidden for player in players)
    return f'{sum(player.blind for player in players)} of {hidden:,}' if hidden else '-'


if __name__ == '__main__':
    sys.exit(main())
