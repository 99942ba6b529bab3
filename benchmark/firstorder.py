"""States per second of random play: the first-order engine beside Prolog, in one run.

Usage: python benchmark/firstorder.py [--seconds S] RULE_FILE …   (default: all of games/)
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
import sys
import time

from gdl_env.engine.contract import Engine
from gdl_env.engine.firstorder.engine import FirstOrderEngine
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.errors import GdlError
from gdl_env.language.load import load_game

_GAMES = Path(__file__).parents[1] / 'games'
_MAX_STEPS = 500


def main() -> int:
    """Print one line a game."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument('files', nargs='*', type=Path, help='rule files')
    parser.add_argument('--seconds', type=float, default=3.0, help='for each engine and game')
    options = parser.parse_args()
    files: Iterable[Path] = options.files or sorted(_GAMES.glob('*.gdl'))
    print(
        f'{"game":32} {"compile s":>9} {"first-order":>12} {"prolog":>10} {"ratio":>8}', flush=True
    )
    for path in files:
        print(_line(path, options.seconds), flush=True)
    return 0


def _line(path: Path, seconds: float) -> str:
    try:
        game = load_game(path)
        compiled, prolog = FirstOrderEngine(game), PrologEngine(game)
        with compiled, prolog:
            start = time.monotonic()
            compiled.prepare()
            opened = time.monotonic() - start
            fast = _states_per_second(compiled, seconds)
            slow = _states_per_second(prolog, seconds)
    except GdlError as error:
        return f'{path.stem:32} {str(error).splitlines()[0][:90]}'
    ratio = fast / slow if slow else float('inf')
    return f'{path.stem[:32]:32} {opened:9.1f} {fast:12,.0f} {slow:10,.0f} {ratio:8.1f}'


def _states_per_second(engine: Engine, seconds: float) -> float:
    """Count the states that random games go through, the initial ones included."""
    assert engine.roles
    states = games = 0
    batch = 1
    start = time.monotonic()
    while (passed := time.monotonic() - start) < seconds:
        states += sum(1 + playout.steps for playout in engine.playouts(batch, games, _MAX_STEPS))
        games += batch
        # Few calls where games are short, soon back where they are long.
        batch = max(1, min(10_000, int(games * 0.1 / max(passed, 1e-3))))
    return states / passed


if __name__ == '__main__':
    sys.exit(main())
