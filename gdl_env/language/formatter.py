"""Canonical layout of a rule file, comments kept.

A rule has its head on the first line and each literal of its body on a line of its own, indented
by four. Everything else stays on one line while it fits. Names keep the spelling of the author;
blank lines between forms stay, at most one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
import re
from typing import TypeAlias

from gdl_env.errors import GdlError
from gdl_env.language.diagnostics import GameError
from gdl_env.language.parser import parse
from gdl_env.language.source import Source

WIDTH = 99
INDENT = 4

_TOKEN = re.compile(
    r"""
      (?P<comment> ;[^\r\n]* )
    | (?P<open> \( )
    | (?P<close> \) )
    # A range may hold blanks: [1, 3]:?x
    | (?P<range> \[\s*(?:-?\d+|[A-Za-z_]\w*)\s*,\s*(?:-?\d+|[A-Za-z_]\w*)\s*\]
                 (?= :[^\s();\uFEFF] | [\s();\uFEFF] | $ ) [^\s();\uFEFF]* )
    | (?P<word> [^\s();\uFEFF]+ )
    | (?P<line_end> \r\n | \r | \n )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class _Word:
    """A name, number, variable or annotated term, as written."""

    text: str


@dataclass(frozen=True)
class _Comment:
    """A comment; a trailing one follows something on its line."""

    text: str
    is_trailing: bool


@dataclass(frozen=True)
class _Blank:
    """One or more empty lines."""


@dataclass
class _List:
    """What stands between two parentheses."""

    items: list[_Item] = field(default_factory=list)

    @property
    def is_rule(self) -> bool:
        return self.items[:1] == [_Word('<=')]


@dataclass(frozen=True)
class _Close:
    """A closing parenthesis, before the tree is built."""


@dataclass(frozen=True)
class _Open:
    """An opening parenthesis, before the tree is built."""


_Item: TypeAlias = _Word | _Comment | _Blank | _List
_Token: TypeAlias = _Word | _Comment | _Blank | _Open | _Close


def format_source(source: Source) -> str:
    """Return the text of a rule file in canonical layout.

    Raises GameError if the text cannot be parsed. Rules that are well-formed but wrong in some
    other way are laid out all the same.
    """
    tree = parse(source)
    if tree.diagnostics:
        raise GameError(source, tree.diagnostics)
    printer = _Printer()
    printer.print_file(_build(_attach(list(_scan(source.text)))))
    text = printer.text()
    if parse(Source(text)).forms != tree.forms:
        raise GdlError(f'{source.name}: the layout would alter the rules; the file is left alone')
    return text


def format_text(text: str) -> str:
    """Return a text in canonical layout. Raises GameError if it cannot be parsed."""
    return format_source(Source(text))


def _scan(text: str) -> Iterator[_Token]:
    line_ends = 0
    is_first = True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == 'line_end':
            line_ends += 1
            continue
        if line_ends > 1 and not is_first:
            yield _Blank()
        if kind == 'comment':
            is_trailing = line_ends == 0 and not is_first
            yield _Comment(match.group().rstrip(), is_trailing)
        elif kind == 'open':
            yield _Open()
        elif kind == 'close':
            yield _Close()
        elif kind == 'range':
            yield _Word(re.sub(r'\s', '', match.group()))
        else:
            yield _Word(match.group())
        line_ends = 0
        is_first = False


def _attach(tokens: list[_Token]) -> list[_Token]:
    """Move a comment behind the last literal of a form to behind the form.

    Otherwise the closing parenthesis would need a line of its own.
    """
    result: list[_Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if not (isinstance(token, _Comment) and token.is_trailing):
            result.append(token)
            continue
        end = index
        while end < len(tokens) and isinstance(tokens[end], _Close | _Blank):
            end += 1
        closing = [t for t in tokens[index:end] if isinstance(t, _Close)]
        following = tokens[end] if end < len(tokens) else None
        if not closing or (isinstance(following, _Comment) and following.is_trailing):
            result.append(token)
            continue
        # Blank lines after the last parenthesis part this form from the next one.
        last_is_blank = isinstance(tokens[end - 1], _Blank)
        result += [*closing, token, *([_Blank()] if last_is_blank else [])]
        index = end
    return result


def _build(tokens: list[_Token]) -> list[_Item]:
    top: list[_Item] = []
    open_lists: list[_List] = []
    for token in tokens:
        if isinstance(token, _Close):
            open_lists.pop()
            continue
        if isinstance(token, _Blank) and open_lists:
            continue
        items = open_lists[-1].items if open_lists else top
        if isinstance(token, _Open):
            inner = _List()
            items.append(inner)
            open_lists.append(inner)
        else:
            items.append(token)
    return top


class _Printer:
    """Puts items on lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        # Whether the last line is complete: nothing may follow a comment.
        self._is_closed = True

    def text(self) -> str:
        return ''.join(f'{line}\n' for line in self._lines)

    def print_file(self, items: list[_Item]) -> None:
        for item in items:
            if isinstance(item, _Blank):
                self._lines.append('')
            elif isinstance(item, _Comment):
                self._comment(item, 0)
            else:
                self._new_line(0)
                self._print(item, 0, 0)

    def _print(self, item: _Item, indent: int, closers: int) -> None:
        """Print at the end of the current line; `closers` parentheses will follow directly."""
        if isinstance(item, _Word):
            self._append(item.text)
        elif isinstance(item, _List):
            flat = None if item.is_rule and len(item.items) > 2 else _flat(item)
            if flat is not None and len(self._lines[-1]) + len(flat) + closers <= WIDTH:
                self._append(flat)
            else:
                self._print_broken(item, indent, closers)

    def _print_broken(self, item: _List, indent: int, closers: int) -> None:
        self._append('(')
        inside = indent + INDENT
        # The head of a rule stands beside its arrow.
        beside = 2 if item.is_rule else 1
        for index, part in enumerate(item.items):
            is_last = index == len(item.items) - 1
            if isinstance(part, _Comment):
                self._comment(part, inside)
                continue
            if self._is_closed or index >= beside:
                self._new_line(inside)
            elif index == 1:
                self._append(' ')
            self._print(part, inside, closers + 1 if is_last else 0)
        if self._is_closed:
            self._new_line(inside)
        self._append(')')

    def _comment(self, comment: _Comment, indent: int) -> None:
        if comment.is_trailing and self._lines and not self._is_closed:
            self._append(f'  {comment.text}')
        else:
            self._new_line(indent)
            self._append(comment.text)
        self._is_closed = True

    def _new_line(self, indent: int) -> None:
        self._lines.append(' ' * indent)
        self._is_closed = False

    def _append(self, text: str) -> None:
        self._lines[-1] += text


def _flat(item: _Item) -> str | None:
    """Return an item on one line, or None if a comment in it needs a line end."""
    if isinstance(item, _Word):
        return item.text
    if not isinstance(item, _List):
        return None
    parts = [_flat(part) for part in item.items]
    words = [part for part in parts if part is not None]
    return f'({" ".join(words)})' if len(words) == len(parts) else None
