"""A broken rule file read, checked and formatted: findings and GdlError are all that may come."""

from __future__ import annotations

import traceback

from gdl_env.engine.fuzzing.trial import Trial, TrialStatus, TrialTask
from gdl_env.errors import GdlError
from gdl_env.language.formatter import format_source
from gdl_env.language.load import read_game
from gdl_env.language.source import Source


def run_parser_trial(text: str, task: TrialTask) -> Trial:
    """Read a text that may be anything; never raises an Exception."""
    source = Source(text, 'fuzz')
    for read in (_check, _format):
        try:
            read(source)
        except MemoryError:
            return Trial(TrialStatus.CUT, remark='out of memory')
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            name = type(error).__name__
            trace = ''.join(traceback.format_exception(error, limit=-20))
            return Trial(
                TrialStatus.CRASH,
                signature=f'{name} in {place.name}',
                remark=f'{name} in {place.name}: {error}\n{trace}',
            )
    return Trial(TrialStatus.AGREE)


def _check(source: Source) -> None:
    try:
        _, diagnostics = read_game(source)
    except GdlError:
        return
    for diagnostic in diagnostics:
        diagnostic.render(source)
        diagnostic.to_dict(source)


def _format(source: Source) -> None:
    try:
        format_source(source)
    except GdlError:
        return
