"""The process of one contestant and one game: reads requests and answers, a line of JSON each.

Processes of their own keep start-up times and memory apart, let a contestant run in another
Python, and survive one another.
"""

from __future__ import annotations

from dataclasses import asdict
import json
import os
import resource
import sys
from time import perf_counter

from contestants import entry_named
from measure import Contestant, NotAvailableError
from rows import row_named


def main() -> None:
    """Serve `play`, `sample` and `facts` for the contestant and game named by the arguments."""
    name, game, core = sys.argv[1:]
    if int(core) >= 0:
        # Before anything starts threads: they inherit it.
        os.sched_setaffinity(0, {int(core)})
    # Libraries may print: only answers go to the pipe.
    answers = os.fdopen(os.dup(1), 'w', encoding='utf-8')
    os.dup2(2, 1)

    def answer(**values: object) -> None:
        answers.write(json.dumps(values) + '\n')
        answers.flush()

    start = perf_counter()
    try:
        contestant = entry_named(name).make(row_named(game))
    except NotAvailableError as error:
        answer(missing=str(error))
        return
    answer(seconds=perf_counter() - start)
    for line in sys.stdin:
        answer(**_serve(contestant, json.loads(line)))


def _serve(contestant: Contestant, request: dict[str, object]) -> dict[str, object]:
    verb, seconds = request['verb'], float(str(request.get('seconds', 0)))
    if verb == 'play':
        return asdict(contestant.play(seconds))
    if verb == 'sample':
        return asdict(contestant.sample(seconds))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return contestant.facts() | {'peak_mb': round(peak)}


if __name__ == '__main__':
    main()
