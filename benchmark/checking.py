"""Check of large rule files, as programs write them: 100,000 rules, or 400,000 facts.

    python benchmark/checking.py                          processor time for each file
    python benchmark/checking.py --other /path/to/older   beside another checkout, in turns

Each file is checked by `gdl check` in a process of its own; the processor time is that of the
whole process, and the least of all rounds counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
import os
from pathlib import Path
import resource
import subprocess
import sys
import tempfile

ROOT = Path(__file__).resolve().parents[1]
RULES = 100_000
FACTS = 400_000
FRAME = """
(role r)
(init (at 1))
(<= (legal r go) (true (at 1)))
(<= (next (at 2)) (does r go))
(<= terminal (true (at 2)))
(goal r 100)
"""


def make_files() -> Iterator[tuple[str, str]]:
    """Yield the files by name."""
    edges = '\n'.join(f'(edge n{i} n{i * 7 % FACTS})' for i in range(FACTS))
    yield 'facts', f'{FRAME}{edges}\n(<= (next (at ?x)) (true (at ?y)) (edge ?y ?x))'
    chain = '\n'.join(
        f'(<= (p{i + 1} ?x) (true (at ?x)) (p{i} ?x) (not (true (at {i}))))' for i in range(RULES)
    )
    whole = f'{FRAME}(p0 1)\n{chain}\n(<= (goal r 0) (p{RULES} ?x))'
    yield 'rules', whole
    yield 'an unclosed (', whole.replace('(p5000 ?x)', '(p5000 ?x', 1)
    typed = '\n'.join(
        f'(type c k{i}) (<= (next (cell [1,9]:?x c:k{i})) (true (cell ?x k{i})))'
        for i in range(RULES)
    )
    yield (
        'typed rules',
        f'{FRAME}(init (cell [1,9]:1 c:k0))\n{typed}'.replace('(at ', '(at [1,2]:'),
    )
    asked = '\n'.join(f'(<= (goal r 0) (unknown_{i} ?x))' for i in range(RULES))
    yield 'unknown names', f'{FRAME}{asked}'
    negated = '\n'.join(f'(<= (p ?x n{i + 1}) (role ?x) (not (p ?x n{i})))' for i in range(RULES))
    yield 'negations', f'{FRAME}(p r n0)\n{negated}\n(<= (goal r 0) (p ?x n{RULES}))'


def check(checkout: Path, path: Path, seconds: float) -> float | None:
    """Return the processor time of `gdl check` [s]; None if that takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, 'PYTHONPATH': str(checkout)}
    command = [sys.executable, '-m', 'gdl_env.cli.main', 'check', '-q', str(path)]
    try:
        subprocess.run(
            command,
            cwd=checkout,
            env=environment,
            timeout=seconds,
            capture_output=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--other', type=Path, help='another checkout, to compare with')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--timeout', type=float, default=300.0, help='seconds, in wall-clock time')
    options = parser.parse_args()
    checkouts = [ROOT] if options.other is None else [options.other.resolve(), ROOT]
    print('file | ' + ' | '.join(f'{checkout.name} [s]' for checkout in checkouts))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in make_files():
            path = Path(folder, f'{name.replace(" ", "_")}.gdl')
            path.write_text(text, 'utf-8')
            best: list[float | None] = [None] * len(checkouts)
            for _ in range(options.rounds):
                for place, checkout in enumerate(checkouts):
                    taken = check(checkout, path, options.timeout)
                    known = best[place]
                    if taken is not None and (known is None or taken < known):
                        best[place] = taken
            shown = (f'> {options.timeout:g}' if t is None else f'{t:.1f}' for t in best)
            print(f'{name} | ' + ' | '.join(shown), flush=True)


if __name__ == '__main__':
    main()
