"""Any games: trained by `gdl train GAME --seconds S` alone, then played against other players.

python benchmark/general_games.py tictactoe games/hex.gdl --seconds 60
python benchmark/general_games.py my_games/*.gdl --set invented
python benchmark/general_games.py --every 20 --set public         every 20th game of the corpus
python benchmark/general_games.py --write-doc

A run that fails is a row with its error. Results are points: half a point each for equal goals,
and a whole one for 100 against 0. Random and looking-ahead players are met as the trained player
is opened by default, `mcts` with as much processor time a move for both; networks that do not
search take less than that. Rows are kept in doc/benchmarks/general_games.json, by game: those that
are there already, after as many seconds of training, are not measured again.

Of a corpus (`GDL_CORPUS`), every n-th row of its INDEX.tsv is taken; where its rules have an
error, the next one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
import csv
from pathlib import Path
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import process_time

from doc_parts import write_part
from parts import KeptRows, Row
from rows import corpus

from gdl_agents.agent import Agent
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_agents.search.players.player import SearchAgent
from gdl_env.cli.game_options import load
from gdl_env.language.diagnostics import Severity
from gdl_env.language.load import read_game
from gdl_env.language.source import Source

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / 'doc' / 'benchmarks' / 'general_games.json'
# Of games that are reported: no training uses it.
SEED = 20_261_119
# Games on each seat, and processor time for a move against mcts [s].
GAMES = {'random': 40, 'lookahead': 40, 'mcts': 10}
MOVE_TIME = 0.02
# Steps after which a game is broken off; goals count as 50 then.
LONGEST = 400
_LANES = 8
BEGIN = '<!-- general games: written by benchmark/general_games.py -->'
END = '<!-- general games: end -->'


def main(argv: Sequence[str] | None = None) -> None:
    """Train, measure, and keep the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('games', nargs='*', metavar='GAME', help='names or files')
    parser.add_argument('--every', type=int, default=0, help='games of the corpus to take one of')
    parser.add_argument('--set', default='', help='the set of games that these belong to')
    parser.add_argument('--seconds', type=float, default=60.0, help='of training')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--results', type=Path, default=RESULTS, help='the file of kept rows')
    parser.add_argument('--write-doc', action='store_true', help='write doc/benchmarks.md')
    options = parser.parse_args(argv)
    kept = KeptRows(options.results, lambda row: (row['set'], row['game'], row['seed']))
    chosen = list_corpus(options.every) if options.every else ()
    for game in (*options.games, *chosen):
        row = {'set': options.set, 'game': Path(game).stem, 'seed': options.seed}
        wanted = {**row, 'seconds': options.seconds}
        if any(wanted.items() <= old.items() for old in kept.read()):
            continue
        row |= measure(game, options)
        kept.keep(row)
        print(row, flush=True)
    if options.write_doc:
        write_part(to_text(kept.read()), BEGIN, END)


def list_corpus(every: int) -> Iterator[str]:
    """Return every n-th game of the corpus; where its rules have an error, the next one."""
    with (corpus() / 'INDEX.tsv').open(encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))
    paths = [corpus() / 'games' / Path(row['file']).name for row in rows]
    for first in range(every - 1, len(paths), every):
        yield next(str(path) for path in paths[first:] if _is_sound(path))


def _is_sound(path: Path) -> bool:
    findings = read_game(Source.from_file(path))[1]
    return all(finding.severity is not Severity.ERROR for finding in findings)


def measure(game: str, options: argparse.Namespace) -> Row:
    """Train on a game and play; return the results."""
    row: Row = {'seconds': options.seconds}
    with TemporaryDirectory() as folder:
        words = ['train', game, '--seconds', f'{options.seconds:g}', '--seed', str(options.seed)]
        words += ['--runs', folder, '--name', 'measured']
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, '-m', 'gdl_env.cli.main', *words],
            capture_output=True,
            text=True,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        row['cpu_seconds'] = round(used, 1)
        if done.returncode:
            return {**row, 'error': (done.stderr.strip() or done.stdout).splitlines()[-1]}
        run = RunFolder.open(next(Path(folder).glob('*/measured')))
        episodes = int(run.read_metrics()[-1]['episodes'])
        row |= {'algorithm': run.config.algorithm, 'episodes': episodes}
        return {**row, **play(game, f'{run.config.algorithm}:{run.path}')}


def play(game: str, player: str) -> Row:
    """Return the points of a player against others, mean goals of both, and how many games."""
    arena = Arena(load(game), _LANES, max_steps=LONGEST)
    found: Row = {'roles': len(arena.roles)}
    for other, games in GAMES.items():
        own, theirs, count = 0.0, 0.0, 0
        for role in arena.roles:
            seats: dict[str, Agent] = {
                seat: _open(player if seat == role else other, is_timed=other == 'mcts')
                for seat in arena.roles
            }
            scores = arena.play(seats, games, derive_seed(SEED, f'{other} {role}'))
            # What a game for one reaches is compared with what the other would reach in it.
            others = [score for seat, score in scores.items() if seat != role]
            if not others:
                alone = {role: _open(other, is_timed=other == 'mcts')}
                others = list(arena.play(alone, games, derive_seed(SEED, other)).values())
            own += scores[role].mean_goal or 0.0
            theirs += sum(score.mean_goal or 0.0 for score in others) / len(others)
            count += games
        seats_count = len(arena.roles)
        own, theirs = own / seats_count, theirs / seats_count
        points = 0.5 + (own - theirs) / 200
        found[other] = [round(points, 3), round(own, 1), round(theirs, 1), count]
    arena.close()
    return found


def _open(name: str, *, is_timed: bool) -> Agent:
    """Return an agent; one that searches by the time of the processor, if it is timed."""
    agent = open_agent(name)
    if is_timed and isinstance(agent, SearchAgent):
        agent.options |= {'time': MOVE_TIME, 'playouts': 0}
        agent.clock = process_time
    return agent


def to_text(rows: list[Row]) -> str:
    """Return the table, set by set."""
    lines = [
        'Points of each game, from 0 to 1, and mean goals of both in parentheses;'
        f' {GAMES["random"]} games on each seat against random and looking-ahead players,'
        f' {GAMES["mcts"]} against `mcts` with {1000 * MOVE_TIME:.0f} ms of processor time a move'
        ' for both. A game for one is played by both in turn.',
    ]
    for name in dict.fromkeys(row['set'] for row in rows):
        mine = [row for row in rows if row['set'] == name]
        won = sum(row.get('lookahead', [0])[0] > 0.5 for row in mine)
        failed = sum('error' in row for row in mine)
        lines += [
            '',
            f'**{name or "games"}**: {len(mine)} games, {failed} failed, {won} beat `lookahead`',
            '',
            '| game | roles | algorithm | episodes | CPU s | random | lookahead | mcts |',
            '|---|---:|---|---:|---:|---:|---:|---:|',
        ]
        lines += [_line(row) for row in mine]
    return '\n'.join(lines)


def _line(row: Row) -> str:
    if 'error' in row:
        return f'| {row["game"]} | | {row["error"]} | | {row["cpu_seconds"]} | | | |'
    cells = []
    for other in GAMES:
        points, own, theirs, _ = row[other]
        cells.append(f'{points:.2f} ({own:.0f} : {theirs:.0f})')
    start = f'| {row["game"]} | {row["roles"]} | {row["algorithm"]} | {row["episodes"]:,}'
    return f'{start} | {row["cpu_seconds"]:.0f} | ' + ' | '.join(cells) + ' |'


if __name__ == '__main__':
    main()
