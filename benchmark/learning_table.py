"""The results of benchmark/learning.py as a page: tables and curves."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from machine import describe_machine

from gdl_env.environment.score import interval

Row = dict[str, Any]
BEGIN = '<!-- learning: written by benchmark/learning.py -->'
END = '<!-- learning: end -->'

# Won, drawn and lost, as published: Kusmenko et al. (2022); Rouneau (2017), models with two rules.
PUBLISHED = {
    'random': '86% | 1% | 13%',
    'gate': '78% | 8% | 14%',
    'punished': '"does not learn to play the game very well"',
}


def write_doc(rows: list[Row], folder: Path) -> None:
    """Write tables into the page of benchmarks, and a picture of the curves."""
    page = folder / 'benchmarks.md'
    content = page.read_text(encoding='utf-8')
    head, _, rest = content.partition(BEGIN)
    _, _, tail = rest.partition(END)
    page.write_text(f'{head}{BEGIN}\n\n{to_text(rows)}\n\n{END}{tail}', encoding='utf-8')
    draw(rows, folder / 'benchmarks' / 'learning.png')
    teams = [row for row in rows if row['part'] == 'doppelkopf']
    if teams:
        draw_points(teams, folder / 'benchmarks' / 'doppelkopf.png')


def to_text(rows: list[Row]) -> str:
    """Return all tables."""
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(row['part'], []).append(row)
    machine = describe_machine()
    found = [
        f'On {machine["cpu"]}, {machine["cores"]} cores, not alone on it: seconds are of CPU.'
    ]
    if 'random' in parts or 'gate' in parts:
        found.append(_tictactoe([*parts.get('random', ()), *parts.get('gate', ())]))
    if 'perfect' in parts:
        found.append(_perfect(parts['perfect']))
    if 'punished' in parts:
        found.append(_punished(parts['punished']))
    if 'krieg' in parts:
        found.append(_krieg(parts['krieg']))
    if 'connect_four' in parts:
        found.append(_connect_four(parts['connect_four']))
    if 'doppelkopf' in parts:
        found.append(_doppelkopf(parts['doppelkopf']))
    if 'throughput' in parts:
        found.append(_throughput(parts['throughput']))
    return '\n\n'.join(found)


def _tictactoe(rows: Iterable[Row]) -> str:
    lines = [
        '**Tic-tac-toe, 3,000 episodes**, 10,000 games against random players, half on each seat',
        '',
        '| mode | seed | won | drawn | lost | exactly: won, lost | against every play | CPU s |',
        '|---|---:|---:|---:|---:|---|---|---:|',
    ]
    for row in rows:
        won, _, lost = row['exact']
        proved = 'never loses' if row['never_loses'] else 'can lose'
        lines.append(
            f'| {row["mode"]} | {row["seed"]} | {_shares(row["scores"])} | {won:.2%}, {lost:.2%}'
            f' | {proved} ({row["positions"]} positions) | {row["cpu_seconds"]:.0f} |'
        )
    for mode in ('random', 'gate'):
        lines.append(f'| {mode}, Kusmenko et al. (2022) | | {PUBLISHED[mode]} | | | |')
    lines += [
        '',
        'A player that never loses wins 95.56 % at most; the best answer to random players wins'
        ' 96.35 % and loses 0.37 %. *Exactly* are shares against random players without sampling.'
        ' *Against every play* is a proof: all games of the greedy network on both seats were'
        ' played, against every reply at every move, perfect ones among them.',
    ]
    return '\n'.join(lines)


def _perfect(rows: list[Row]) -> str:
    told = []
    for row in rows:
        reached = 'never loses after' if row['never_loses'] else 'could still lose after'
        told.append(
            f'seed {row["seed"]} {reached} {row["episodes"]:,} episodes'
            f' ({row["cpu_seconds"]:.0f} s of CPU)'
        )
    return (
        '**Tic-tac-toe, self-play with gate, until a snapshot (every 500 of at most 20,000'
        f' episodes) is proved never to lose**: {"; ".join(told)}.'
    )


def _punished(rows: list[Row]) -> str:
    lines = [
        '**Tic-tac-toe, DQN that must learn which moves are legal** (an illegal one ends the game'
        ' and counts as not won); `benchmark/experiments_2022/punished.yaml`',
        '',
        '| seed | episodes | legal choices | won | drawn | lost | CPU s |',
        '|---:|---:|---:|---:|---:|---:|---:|',
    ]
    for row in rows:
        lines.append(
            f'| {row["seed"]} | {row["episodes"]:,} | {row["legal_share"]:.2%}'
            f' | {_shares(row["scores"])} | {row["cpu_seconds"]:.0f} |'
        )
    lines.append(f'| Kusmenko et al. (2022) | 400,000 | | {PUBLISHED["punished"]} | | | |')
    return '\n'.join(lines)


def _krieg(rows: list[Row]) -> str:
    lines = [
        '**Krieg tic-tac-toe** (moves of the other are hidden), 10,000 games against random'
        ' players; with options written by hand, before they were derived from the game',
        '',
        '| seed | episodes | won | drawn | lost | won by seat | CPU s |',
        '|---:|---:|---:|---:|---:|---|---:|',
    ]
    for row in rows:
        lines.append(
            f'| {row["seed"]} | {row["episodes"]:,} | {_shares(row["scores"])}'
            f' | {_seats(row["scores"])} | {row["cpu_seconds"]:.0f} |'
        )
    baseline = rows[0]['baseline']
    lines.append(f'| random players | | {_shares(baseline)} | {_seats(baseline)} | |')
    return '\n'.join(lines)


def _seats(scores: Row) -> str:
    return ', '.join(f'{role} {s["wins"] / s["games"]:.1%}' for role, s in scores.items())


def _connect_four(rows: list[Row]) -> str:
    lines = [
        '**Connect Four**, games on both seats (2,000 against `tactical`, 500 against alpha-beta);'
        ' with options written by hand, before they were derived from the game',
        '',
        '| player | seed | games trained, CPU min | won: `tactical` | won: alpha-beta, depth 4 |',
        '|---|---:|---|---|---|',
    ]
    for row in rows:
        effort = f'{row["episodes"]:,}, {row["cpu_seconds"] / 60:.0f}'
        for name, kind in (('network alone', ''), ('network and two rules', '_with_rules')):
            cells = ' | '.join(_won(row[f'{other}{kind}']) for other in ('tactical', 'alphabeta'))
            lines.append(f'| {name} | {row["seed"]} | {effort} | {cells} |')
    lines += [
        f'| the two rules alone | | | | {_won(rows[0]["rules_alone"])} |',
        '| Rouneau (2017), two rules | | 11.6 million | 70.9 % | 30.3 % |',
        '',
        '`tactical` takes wins and blocks losses, and plays at random otherwise; alpha-beta knows'
        ' wins and losses within four moves, and draws lots among equal moves. Rules are only used'
        ' where the row says so.',
        *(f'Seed {row["seed"]}: {row["note"]}' for row in rows if row['note']),
    ]
    return '\n'.join(lines)


def _doppelkopf(rows: list[Row]) -> str:
    row = rows[0]
    lines = [
        f'**Doppelkopf** without solos, {4 * row["games"]:,} games a row against random players;'
        ' with options written by hand, before they were derived from the game',
        '',
        '| who | seed | games trained, CPU min | re: won | re: points | kontra: won |'
        ' kontra: points |',
        '|---|---:|---|---|---|---|---|',
    ]
    for row in rows:
        effort = f'{row["episodes"]:,}, {row["cpu_seconds"] / 60:.0f}'
        for who, name in (('one seat', 'alone'), ('the whole team', 'together')):
            lines.append(f'| network, {who} | {row["seed"]} | {effort} | {_teams(row[name])} |')
    lines += [
        f'| random player, one seat | | | {_teams(rows[0]["baseline"])} |',
        '',
        'In brackets 95 % intervals; points are of a player and game. *One seat*: the network'
        ' plays one seat, each in turn, its partner is a random player, too; that is what it was'
        ' trained for. *The whole team*: all players who know that they are re, or all others, are'
        ' networks. Random players announce whatever they may, which costs their team most bids.',
        '',
        'Five levels of seed '
        + f'{rows[0]["seed"]} (`gdl levels RUN -n 5`), points of one seat: '
        + ', '.join(
            f'{level["level"]}: {2.5 * level["reward"]:+.1f} after {level["episodes"]:,} games'
            for level in rows[0]['levels']
        )
        + '.',
        '',
        '![Points of snapshots](benchmarks/doppelkopf.png)',
        *(f'Seed {row["seed"]}: {row["note"]}' for row in rows if row['note']),
    ]
    return '\n'.join(lines)


def _teams(scores: Row) -> str:
    """Return won and points as re, then as kontra, as four cells."""
    cells = []
    for team in ('re', 'kontra'):
        score = scores[team]
        low, high = score['won_interval']
        cells.append(f'{score["won"] / score["games"]:.1%} ({low:.1%} to {high:.1%})')
        low, high = score['points_interval']
        cells.append(f'{score["points"]:+.2f} ({low:+.2f} to {high:+.2f})')
    return ' | '.join(cells)


def _throughput(rows: list[Row]) -> str:
    lines = [
        '**Throughput of training**, tic-tac-toe, steps of the environment per second of CPU',
        '',
        '| | seed | steps | CPU s | steps / CPU s | against random: won | drawn | lost |',
        '|---|---:|---:|---:|---:|---:|---:|---:|',
    ]
    ratios = []
    for row in rows:
        for name, told in (('ours', row), ('open_spiel, DQN on JAX', row.get('open_spiel'))):
            if told is not None:
                lines.append(
                    f'| {name} | {row["seed"]} | {told["steps"]:,} | {told["cpu_seconds"]:.0f}'
                    f' | {told["steps_per_cpu_second"]:,.0f} | {_shares(told["scores"])} |'
                )
        if 'open_spiel' in row:
            peer = row['open_spiel']['steps_per_cpu_second']
            ratios.append(row['steps_per_cpu_second'] / peer)
    if ratios:
        seeds = f'median of {len(ratios)} seeds' if len(ratios) > 1 else 'one seed'
        lines += [
            '',
            f'{median(ratios):.0f} times as many steps ({seeds}). Ours is Rainbow in 512 lanes,'
            ' with 0.012 updates of 512 transitions for each transition; open_spiel plays one game'
            ' at a time, with an update of 128 for every tenth step of an agent. So ours learns'
            ' about six times from each transition, open_spiel about thirteen times, and they are'
            ' given different numbers of games: what steps cost is compared, not what is learned.',
        ]
    return '\n'.join(lines)


def _shares(scores: Row) -> str:
    """Return won, drawn and lost over all seats as three cells."""
    games = sum(score['games'] for score in scores.values())
    cells = []
    for name in ('wins', 'draws', 'losses'):
        count = sum(score[name] for score in scores.values())
        cells.append(f'{count / games:.1%}' if name != 'losses' else f'{count / games:.2%}')
    return ' | '.join(cells)


def _won(scores: Row) -> str:
    games = sum(score['games'] for score in scores.values())
    wins = sum(score['wins'] for score in scores.values())
    low, high = interval(wins, games)
    return f'{wins / games:.1%} ({low:.1%} to {high:.1%})'


def draw(rows: list[Row], path: Path) -> None:
    """Draw the mean reward of snapshots over episodes, a panel for each part."""
    from matplotlib.figure import Figure

    titles = {
        'random': 'tic-tac-toe, against random',
        'gate': 'tic-tac-toe, self-play with gate',
        'punished': 'tic-tac-toe, no mask',
        'krieg': 'krieg tic-tac-toe',
        'connect_four': 'Connect Four, against tactical',
    }
    shown = [part for part in titles if any(row['part'] == part for row in rows)]
    figure = Figure(figsize=(3.2 * len(shown), 3), dpi=120, layout='constrained')
    for number, part in enumerate(shown):
        axes = figure.add_subplot(1, len(shown), number + 1)
        for row in (row for row in rows if row['part'] == part):
            axes.plot(*zip(*row['curve'], strict=True), 'o-', ms=3, label=f'seed {row["seed"]}')
        axes.set_title(titles[part], fontsize='small')
        axes.set_xlabel('episodes', fontsize='small')
        axes.tick_params(labelsize='x-small')
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize='x-small')
        if not number:
            axes.set_ylabel('mean reward (-10 to 10)', fontsize='small')
    figure.savefig(path, format='png')


def draw_points(rows: list[Row], path: Path) -> None:
    """Draw the points that snapshots of Doppelkopf get on one seat among random players."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.2), dpi=120, layout='constrained')
    axes = figure.add_subplot()
    for row in rows:
        for name, style, what in (
            ('training', '-', 'while it learns'),
            ('curve', 'o', 'without exploring'),
        ):
            episodes, reward = zip(*row[name], strict=True)
            points = [2.5 * each for each in reward]
            axes.plot(episodes, points, style, ms=4, label=f'seed {row["seed"]}, {what}')
    scores = rows[0]['baseline'].values()
    games = sum(score['games'] for score in scores)
    base = sum(score['points'] * score['games'] for score in scores) / games
    axes.axhline(base, ls='--', c='grey', label='random player')
    axes.set_xlabel('episodes', fontsize='small')
    axes.set_ylabel('points a game, one seat', fontsize='small')
    axes.tick_params(labelsize='x-small')
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize='x-small')
    figure.savefig(path, format='png')
