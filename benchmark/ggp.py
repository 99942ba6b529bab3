"""Measure what general players are made of.

python benchmark/ggp.py children              all children of states, beside do and undo
python benchmark/ggp.py alphabeta             the same positions to the same depth, both ways
python benchmark/ggp.py matches --games 20    mcts against others at equal processor time
python benchmark/ggp.py foreign --foreign NAME=http://localhost:9147 --command '…' --time 1
                                              mcts against a GGP player of others
python benchmark/ggp.py variants --players mcts:time=0.1 mcts:time=0.1,c=1
                                              two players of ours against each other
python benchmark/ggp.py puzzles --time 1      games of one player, but for what is kept
python benchmark/ggp.py --write-doc           write what was measured so far

Rates are per second of processor time of one thread, medians of rounds in which all ways take
turns. Every result is kept in doc/benchmarks/ggp.json as it comes.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from doc_parts import write_part
from ggp_alphabeta import measure_alphabeta
from ggp_children import measure_children
from ggp_foreign import measure_foreign
from ggp_matches import measure_matches
from ggp_puzzles import measure_puzzles
from ggp_tables import make_tables
from ggp_variants import measure_variants
from machine import describe_machine
from parts import KeptRows, Row, make_parser, read_options
from rows import ROOT

RESULTS = ROOT / 'doc' / 'benchmarks' / 'ggp.json'
_BEGIN = '<!-- ggp: written by benchmark/ggp.py -->'
_END = '<!-- ggp: end -->'

_PARTS: dict[str, Callable[[Namespace, Callable[[Row], None]], None]] = {
    'children': measure_children,
    'alphabeta': measure_alphabeta,
    'matches': measure_matches,
    'foreign': measure_foreign,
    'variants': measure_variants,
    'puzzles': measure_puzzles,
}


def main(argv: Sequence[str] | None = None) -> None:
    """Measure some parts, and keep the results."""
    parser = make_parser(__doc__ or '', _PARTS)
    parser.add_argument('--only', nargs='+', metavar='GAME', help='games, by their names here')
    parser.add_argument('--seconds', type=float, default=1.0, help='of one measurement')
    parser.add_argument('--rounds', type=int, default=3, help='measurements of each way')
    parser.add_argument('--games', type=int, default=20, help='matches, on both seats by turns')
    parser.add_argument('--time', type=float, default=0.1, help='seconds for a move of a match')
    parser.add_argument('--foreign', metavar='NAME=URL', help='a GGP player of others')
    parser.add_argument('--command', default='', help='starts it before each match')
    parser.add_argument('--ours', metavar='AGENT', help='our player (default: mcts:time=TIME)')
    parser.add_argument('--start-clock', type=float, default=20.0, help='of foreign matches [s]')
    parser.add_argument('--play-clock', type=float, default=2.0, help='of foreign matches [s]')
    parser.add_argument(
        '--players',
        nargs=2,
        metavar='AGENT',
        default=['mcts:time=0.1', 'mcts:time=0.1,sharp=false'],
        help='who plays whom in the part variants',
    )
    parser.add_argument('--results', type=Path, default=RESULTS, help='where they are kept')
    measured_here = [name for name in _PARTS if name != 'foreign']
    options = read_options(parser, argv, _PARTS, measured_here)
    kept = KeptRows(options.results, lambda row: (row['part'], row['game'], row.get('players')))
    machine = describe_machine()

    def keep(row: Row) -> None:
        date = datetime.now(timezone.utc).strftime('%Y-%m-%d')
        kept.keep({**row, 'date': date, 'cpu': machine['cpu'], 'load': machine['load']})
        print(row, flush=True)

    for part in options.parts:
        _PARTS[part](options, keep)
    if options.write_doc:
        write_part(make_tables(kept.read()), _BEGIN, _END)


if __name__ == '__main__':
    main()
