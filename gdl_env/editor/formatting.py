"""The canonical layout as changes of a text."""

from __future__ import annotations

from gdl_env.language.diagnostics import Edits
from gdl_env.language.formatter import format_source
from gdl_env.language.source import Source, Span


def format_edits(source: Source) -> Edits:
    """Return the changes that lay a text out; line ends stay as they are.

    The lines that are fine already, at the start and the end, are left out, so that an editor
    keeps cursor and folds. Raises GameError if the text cannot be parsed.
    """
    ends = '\r\n' if '\r\n' in source.text else '\n'
    old = source.text.split(ends)
    new = format_source(source).split('\n')
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    if first + last == len(old) == len(new):
        return ()
    # Where the last line changes there is no line end behind it: take the one before.
    if last == 0 and first > 0:
        first -= 1
    start = sum(len(line) + len(ends) for line in old[:first])
    middle = new[first : len(new) - last]
    if last == 0:
        return ((Span(start, len(source.text)), ends.join(middle)),)
    kept = sum(len(line) for line in old[-last:]) + (last - 1) * len(ends)
    return ((Span(start, len(source.text) - kept), ''.join(line + ends for line in middle)),)
