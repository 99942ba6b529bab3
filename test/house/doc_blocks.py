"""The code blocks of README.md and of the pages in doc/."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
import re

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'doc').rglob('*.md'))]

_FENCE = re.compile(r'^(#+ [^\n]*)$|^ *```(\w*)\n(.*?)^ *```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block, with the heading above it."""

    page: Path
    line: int
    section: str
    language: str
    text: str

    def __str__(self) -> str:
        return f'{self.page.relative_to(ROOT)}:{self.line}'

    @property
    def commands(self) -> list[str]:
        """Return its command lines, without remarks; continued lines are joined."""
        lines = self.text.replace('\\\n', ' ').splitlines()
        return [line for line in lines if line.strip() and not line.lstrip().startswith('#')]


def blocks(page: Path, language: str = '') -> list[Block]:
    """Return the blocks of a page, of one language or of all."""
    text = page.read_text('utf-8')
    section, found = '', []
    for match in _FENCE.finditer(text):
        if match[1]:
            section = match[1]
        elif language in ('', match[2]):
            line = text.count('\n', 0, match.start()) + 1
            found.append(Block(page, line, section, match[2], match[3]))
    return found
