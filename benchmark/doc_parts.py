"""Tables between marks of a page, mostly that of benchmarks."""

from __future__ import annotations

from rows import ROOT


def write_part(text: str, begin: str, end: str, name: str = 'benchmarks.md') -> None:
    """Put a table between marks of the page. Raises ValueError if it has none."""
    page = ROOT / 'doc' / name
    before, found, rest = page.read_text('utf-8').partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f'{page} has no place for results: {begin} … {end}')
    page.write_text(f'{before}{begin}\n\n{text}\n\n{end}{after}', 'utf-8')
