"""The messages, services and actions as a page, made from their files and the comments in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import re

KINDS = {'msg': 'Messages', 'srv': 'Services', 'action': 'Actions'}
PARTS = {'srv': ('Request', 'Response'), 'action': ('Goal', 'Result', 'Feedback')}

_FIELD = re.compile(r'^(?P<type>[\w/\[\]<=]+)\s+(?P<name>\w+)\s*(?P<value>=?.*)$')


def describe_interfaces(folder: Path) -> str:
    """Return Markdown about every interface in msg/, srv/ and action/ of a folder."""
    lines: list[str] = []
    for suffix, title in KINDS.items():
        lines += [f'## {title}', '']
        for path in sorted((folder / suffix).glob(f'*.{suffix}')):
            lines += _describe(path.read_text('utf-8'), path.stem, PARTS.get(suffix, ('',)))
    return '\n'.join(lines)


def _describe(text: str, name: str, parts: tuple[str, ...]) -> Iterator[str]:
    yield from (f'### {name}', '')
    blocks = list(_blocks(text))
    if blocks and not blocks[0][1]:
        yield from (blocks.pop(0)[0], '')
    for part, title in zip(_split(blocks), parts, strict=False):
        if title:
            yield from (f'**{title}**', '')
        introductions = [comment for comment, fields in part if not fields]
        for comment in introductions:
            yield from (comment, '')
        rows = [(comment, field) for comment, fields in part for field in fields]
        if not rows:
            yield from ('Empty.', '')
            continue
        yield from ('| field | type | meaning |', '|---|---|---|')
        for comment, field in rows:
            found = _FIELD.match(field)
            assert found is not None, field
            label = f'{found["name"]} {found["value"]}'.strip()
            yield f'| `{label}` | `{found["type"]}` | {comment.replace("|", chr(92) + "|")} |'
        yield ''


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield comments with the fields right below them; a line `---` stands alone."""
    for paragraph in re.split(r'\n\s*\n|\n(?=---\n)|(?<=---)\n', text.strip()):
        comments: list[str] = []
        fields: list[str] = []
        for line in paragraph.splitlines():
            if line.startswith('#'):
                if fields:
                    yield _escape(' '.join(comments)), fields
                    comments, fields = [], []
                comments.append(line.lstrip('# ').strip())
            elif line.strip():
                code, _, remark = line.partition('#')
                fields.append(code.strip())
                comments += [remark.strip()] if remark else []
        yield _escape(' '.join(comments)), fields


def _split(blocks: list[tuple[str, list[str]]]) -> list[list[tuple[str, list[str]]]]:
    parts: list[list[tuple[str, list[str]]]] = [[]]
    for comment, fields in blocks:
        if fields == ['---']:
            parts.append([])
        else:
            parts[-1].append((comment, fields))
    return parts


def _escape(text: str) -> str:
    """Keep `<role>` and `[1 to 8]` from being read as HTML and as links."""
    pieces = re.split(r'(`[^`]*`)', text)
    pieces[::2] = [piece.replace('<', '&lt;').replace('[', '\\[') for piece in pieces[::2]]
    return ''.join(pieces)
