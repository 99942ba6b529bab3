"""The text of a rule file from the parts of a design, in canonical layout."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

# Of header lines, as the formatter has it for rules.
_WIDTH = 99
# Behind `Players:` and the like.
_INDENT = ';          '

# A cell, as it stands in heads.
CELL = '[1,rows]:?row [1,columns]:?column'


@dataclass(frozen=True)
class Section:
    """Rules that belong together; a title of '' continues the section before."""

    title: str
    # Forms, and comments that begin with a semicolon; facts in one string stand close together.
    forms: tuple[str, ...]


def rule(head: str, *body: str) -> str:
    """Return a rule as text; conditions that are '' are left out."""
    conditions = ' '.join(condition for condition in body if condition)
    return f'(<= {head} {conditions})'


def facts(*lines: str) -> str:
    """Return facts that stand close together."""
    return '\n'.join(lines)


def paragraph(text: str) -> str:
    """Return words as comment lines."""
    return '\n'.join(f'; {line}' for line in wrap(text, _WIDTH - 2))


def entry(name: str, text: str) -> str:
    """Return a line of the header that has a name, and its continuation."""
    first = f'; {name}:'.ljust(len(_INDENT))
    return '\n'.join(wrap(text, _WIDTH, initial_indent=first, subsequent_indent=_INDENT))


def join_sections(header: str, sections: tuple[Section, ...]) -> str:
    """Return the text of a file, before it is formatted."""
    blocks = [header]
    for section in sections:
        if not section.forms:
            continue
        if section.title:
            blocks.append(f'; ---- {section.title}')
        blocks += section.forms
    return '\n\n'.join(blocks) + '\n'


def join_words(words: tuple[str, ...] | list[str], last: str = 'and') -> str:
    """Return words in a row, as in a sentence."""
    *before, end = words
    return f'{", ".join(before)} {last} {end}' if before else end
