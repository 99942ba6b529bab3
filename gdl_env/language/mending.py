"""Where a form ends although its parenthesis is missing, and what was meant by a stray colon."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
import re

from lark import Token

from gdl_env.language.source import Source, Span

Complain = Callable[[str, str, Span, str], None]

# These begin a form of their own wherever they begin a line.
OPENERS = frozenset({'role', 'init', 'type', 'typecombine', 'option'})
# These never begin a form.
_CONDITIONS = frozenset({'true', 'does', 'not', 'or', 'and', 'distinct'})
_INTEGER = re.compile(r'0|-?[1-9]\d*')
_COLON_FORM = (
    "'type:?variable', 'type:value' or '[1,3]:?variable', without blanks around the colon; no"
    " other name may contain ':'"
)


# The parentheses of a text: where each is, and the name behind a '(', or None for a ')'.
Shape = Sequence[tuple[int, str | None]]
_PARENTHESIS = re.compile(r';[^\r\n]*|\((?:[\s\uFEFF]|;[^\r\n]*)*([^\s();\uFEFF]*)|\)')


def read_shape(text: str) -> Shape:
    """Return the parentheses of a text that are not in comments."""
    return [
        (match.start(), None if match[1] is None else match[1].lower())
        for match in _PARENTHESIS.finditer(text)
        if match[0][0] != ';'
    ]


@dataclass(frozen=True)
class Layout:
    """How the author of a file lays out forms."""

    source: Source
    # Every form begins a line, and nothing inside of a form does.
    is_flush: bool

    @classmethod
    def of(cls, source: Source, shape: Shape) -> Layout:
        """Tell the layout from the forms that are surely there and balanced."""
        plain = cls(source, is_flush=False)
        openings = [
            (index, plain._begins_line(place))
            for index, (place, name) in enumerate(shape)
            if name in {'<=', 'init'}
        ]
        flush = [index for index, begins_line in openings if begins_line]
        if 2 * len(flush) <= len(openings):
            return plain
        stretches = zip([0, *flush], [*flush, len(shape)], strict=True)
        return cls(source, not any(plain._has_inner(shape[a:b]) for a, b in stretches))

    def starts_form(self, opening: Token, name: Token | None, outer: Token) -> bool:
        """Tell whether a list can only be a form of its own, so that the one before ends here."""
        word = str(name).lower() if name is not None else ''
        if word == '<=':
            return True
        if not self._begins_line(opening.start_pos or 0):
            return False
        if word in OPENERS:
            return True
        is_outer_flush = self.is_flush and self._begins_line(outer.start_pos or 0)
        return is_outer_flush and word not in _CONDITIONS

    def _has_inner(self, shape: Shape) -> bool:
        """Tell whether a balanced stretch has lines that begin with a list inside of a form."""
        depth, has_inner = 0, False
        for place, name in shape:
            if name is None:
                depth -= 1
            else:
                has_inner = has_inner or (depth > 0 and self._begins_line(place))
                depth += 1
            if depth < 0:
                return False
        return has_inner and depth == 0

    def _begins_line(self, place: int) -> bool:
        return self.source.position(place)[1] == 1


def mend_colons(tokens: Sequence[Token], complain: Complain) -> Iterator[Token]:
    """Report every colon that belongs to no annotation; keep the value, drop the type."""
    for index, token in enumerate(tokens):
        if token.type in {'SYMBOL', 'VARIABLE'} and ':' in token:
            _report_colon(token, complain)
            is_type = token.endswith(':') and _is_argument(tokens, index)
            value = None if is_type and _has_value(tokens, index) else _value(token)
            if value is not None:
                yield value
        elif not _is_cut_off(tokens, index):
            yield token


def _report_colon(token: Token, complain: Complain) -> None:
    before, after = token.split(':', 1)
    if not before:
        message = "no type stands right before this ':'"
    elif not after:
        message = "no variable, name or number stands right after this ':'"
    elif before.startswith('['):
        message = f"'{before}' is no type: the bounds of a range are integers or options"
    else:
        message = f"a name may not contain ':', as '{token}' does"
    start = (token.start_pos or 0) + len(before)
    complain('bad-annotation', message, Span(start, start + 1), _COLON_FORM)


def _value(token: Token) -> Token | None:
    """Return what was probably meant: the last of the names between the colons, if any."""
    pieces = [piece for piece in token.split(':') if piece]
    if not pieces:
        return None
    text = pieces[0] if token.type == 'VARIABLE' else pieces[-1]
    kind = 'VARIABLE' if text.startswith('?') else 'SYMBOL'
    if _INTEGER.fullmatch(text):
        kind = 'INTEGER'
    start = (token.start_pos or 0) + token.rindex(text)
    return Token(kind, text, start_pos=start, end_pos=start + len(text))


def _has_value(tokens: Sequence[Token], index: int) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].type != 'RPAR'


def _is_argument(tokens: Sequence[Token], index: int) -> bool:
    return index > 0 and tokens[index - 1].type != 'LPAR'


def _is_cut_off(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether a token is the type in `type :value`: no name of a list, a colon behind it."""
    could_be_type = tokens[index].type in {'SYMBOL', 'RANGE'} and _is_argument(tokens, index)
    return could_be_type and _word(tokens, index + 1).startswith(':')


def _word(tokens: Sequence[Token], index: int) -> str:
    return str(tokens[index]).lower() if index < len(tokens) else ''
