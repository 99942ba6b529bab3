"""Text → terms with places, and what is wrong with the parentheses.

The grammar is in `grammar.lark`. A text that does not parse is mended (a missing parenthesis is
put before the next form that starts a line, a stray one is dropped) so that the checker can go
on and report everything in one run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
import re

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from gdl_env.language.controls import find_controls, without_controls
from gdl_env.language.diagnostics import Diagnostic, Edits, Severity
from gdl_env.language.mending import mend_colons
from gdl_env.language.plain_parser import parse_plain
from gdl_env.language.source import Source, Span
from gdl_env.language.stretches import Stretches
from gdl_env.language.terms import Compound, Number, Range, Symbol, Term, Typed, Variable

# No game comes near it, and Python's stack has to bear it.
_MAX_DEPTH = 100
# Longer ones cannot be turned into text and back by Python without further ado.
_MAX_DIGITS = 1000
_ATOMS = frozenset({'VARIABLE', 'INTEGER', 'RANGE', 'SYMBOL'})
_COMMENT = re.compile(r';[^\r\n]*')


@dataclass(frozen=True)
class Comment:
    """A comment with its semicolons."""

    text: str
    span: Span


@dataclass(frozen=True)
class SyntaxTree:
    """The top-level forms of a file, its comments, and the findings of the parser."""

    source: Source
    forms: tuple[Term, ...]
    comments: tuple[Comment, ...]
    diagnostics: tuple[Diagnostic, ...]


def parse(source: Source) -> SyntaxTree:
    """Parse a source; never raises, every problem is in `diagnostics`."""
    diagnostics: list[Diagnostic] = []
    before, controls = source.text, find_controls(source.text)
    if controls:
        # Names in messages must not write to a terminal either.
        source = replace(source, text=without_controls(source.text))
    forms = None
    if source.text.count('(') == source.text.count(')'):
        forms = parse_plain(source.text, _MAX_DIGITS, _MAX_DEPTH)
    if forms is None:
        forms = _parse_stretches(source, diagnostics)
        diagnostics.sort(key=lambda finding: finding.span or Span(0, 0))
    if controls:
        diagnostics.insert(0, _refuse_controls(controls, before))
    # No token may hold a semicolon, so each one starts a comment.
    comments = tuple(
        Comment(match.group(), Span(*match.span())) for match in _COMMENT.finditer(source.text)
    )
    return SyntaxTree(source, tuple(forms), comments, tuple(diagnostics))


def _refuse_controls(places: list[int], text: str) -> Diagnostic:
    first = places[0]
    message = f'the control character U+{ord(text[first]):04X} changes what is shown of a text'
    if len(places) > 1:
        message += f'; there are {len(places)} such characters'
    return Diagnostic(
        Severity.ERROR,
        'control-character',
        message,
        Span(first, first + 1),
        'letters, digits, signs and blanks, in comments too',
    )


def parse_term(text: str) -> Term:
    """Parse exactly one term, such as a move typed by a person.

    Raises ValueError if the text is not one well-formed term.
    """
    tree = parse(Source(text, '<term>'))
    if tree.diagnostics:
        raise ValueError(tree.diagnostics[0].message)
    if len(tree.forms) != 1:
        raise ValueError(f'expected one term, found {len(tree.forms)} in {text!r}')
    return tree.forms[0]


def _parse_stretches(source: Source, diagnostics: list[Diagnostic]) -> list[Term]:
    """Parse a text of which some forms take the grammar."""
    stretches = Stretches.of(source)

    def parse_quickly(start: int, end: int) -> list[Term] | None:
        return parse_plain(source.text, _MAX_DIGITS, _MAX_DEPTH, start, end)

    def parse_carefully(start: int, end: int) -> list[Term]:
        run = _ParserPass(source, Span(start, end), stretches)
        try:
            forms = run.feed(run.limit(run.tokens()))
        except UnexpectedInput:
            run = _ParserPass(source, Span(start, end), stretches)
            forms = run.feed(run.limit(run.mend(list(run.tokens()))))
        diagnostics.extend(run.diagnostics)
        return forms

    return stretches.read(parse_quickly, parse_carefully)


@cache
def _lark() -> Lark:
    grammar = resources.files('gdl_env.language').joinpath('grammar.lark').read_text('utf-8')
    return Lark(grammar, parser='lalr', lexer='basic', propagate_positions=False)


@dataclass
class _ParserPass:
    """One pass over a part of a source."""

    source: Source
    part: Span
    stretches: Stretches
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens of the text, without colons that belong to no type."""
        text = self.source.text[self.part.start : self.part.end]
        found = (_move(token, self.part.start) for token in _lark().lex(text))
        return mend_colons(list(found), self._report) if ':' in text else found

    def feed(self, tokens: Iterable[Token]) -> list[Term]:
        """Feed tokens to the grammar and build terms; raises UnexpectedInput if they don't fit."""
        parser = _lark().parse_interactive('')
        token = None
        for token in tokens:
            parser.feed_token(token)
        tree = parser.feed_eof(token)  # type: ignore[no-untyped-call]
        return _Builder(self.diagnostics).transform(tree)

    def limit(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """Leave out lists that are nested too deeply for functions that follow the nesting."""
        depth = 0
        for token in tokens:
            if token.type == 'RPAR':
                depth -= 1
            if depth < _MAX_DEPTH:
                yield token
            if token.type == 'LPAR':
                depth += 1
                if depth == _MAX_DEPTH:
                    self._report(
                        'too-deep',
                        f"this is the {_MAX_DEPTH}th '(' that is open here",
                        _span(token),
                        'fewer lists inside each other',
                    )

    def mend(self, tokens: list[Token]) -> Iterator[Token]:
        """Report every unbalanced parenthesis and yield balanced tokens instead."""
        open_tokens: list[Token] = []
        layout = self.stretches.layout
        end = 0
        for token, following in zip(tokens, [*tokens[1:], None], strict=True):
            if token.type == 'LPAR':
                if open_tokens and layout.starts_form(token, following, open_tokens[0]):
                    yield from self._close(open_tokens, token.start_pos or 0, end)
                open_tokens.append(token)
            end = token.end_pos or 0
            if token.type == 'RPAR':
                if not open_tokens:
                    self._report_stray(token)
                    continue
                open_tokens.pop()
            elif token.type in {'TYPE', 'RANGE_OF'} and _is_no_atom(following):
                self._report(
                    'bad-annotation',
                    f"the type '{token}' stands before something that is no value",
                    _span(token),
                    'one type before a variable, a symbol or a number',
                )
                continue
            yield token
        yield from self._close(open_tokens, self.part.end, end)

    def _report_stray(self, token: Token) -> None:
        # Behind all forms it cannot have cut one short: the end of a message from a server.
        is_tail = (token.start_pos or 0) > self.stretches.last_opening
        severity = Severity.WARNING if is_tail else Severity.ERROR
        self.diagnostics.append(
            Diagnostic(
                severity,
                'unbalanced',
                "this ')' closes nothing",
                _span(token),
                "a ')' for each '(' before it",
                edits=((_span(token), ''),),
            )
        )

    def _close(self, open_tokens: list[Token], offset: int, end: int) -> Iterator[Token]:
        """Close what is open before an offset; the last token ends at `end`."""
        if not open_tokens:
            return
        first = open_tokens[0]
        count = len(open_tokens)
        what = f"this '(' is never closed: {count} ')' missing"
        line = self.source.position(offset)[0]
        if offset < len(self.source.text):
            what += f' before the next form, on line {line}'
        inner = open_tokens[-1]
        related = ((_span(inner), 'the innermost one still open'),) if inner is not first else ()
        allowed = "a ')' for each '('"
        edits = ((Span(end, end), ')' * count),)
        self.diagnostics.append(
            Diagnostic(Severity.ERROR, 'unbalanced', what, _span(first), allowed, related, edits)
        )
        for _ in range(count):
            yield Token('RPAR', ')', start_pos=offset, end_pos=offset)
        open_tokens.clear()

    def _report(self, code: str, message: str, span: Span, allowed: str) -> None:
        self.diagnostics.append(Diagnostic(Severity.ERROR, code, message, span, allowed))


class _Builder(Transformer[Token, list[Term]]):
    """Builds terms bottom-up; a malformed list becomes None and a finding."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__()
        self._diagnostics = diagnostics

    def start(self, children: list[Term | None]) -> list[Term]:
        return [child for child in children if child is not None]

    def symbol(self, children: list[Token]) -> Term:
        return Symbol(_fold(children[0]), _span(children[0]))

    def variable(self, children: list[Token]) -> Term:
        token = children[0]
        if len(token) == 1:
            self._report(
                'variable-name',
                "'?' is a variable without a name",
                _span(token),
                'a name right after it, such as ?x',
            )
        return Variable(_fold(token)[1:], _span(token))

    def integer(self, children: list[Token]) -> Term | None:
        token = children[0]
        return None if self._is_too_long(token) else Number(int(token), _span(token))

    def _is_too_long(self, token: Token) -> bool:
        is_too_long = len(token) > _MAX_DIGITS
        if is_too_long:
            self._report(
                'number-size',
                f'this number has {len(token)} characters',
                _span(token),
                f'at most {_MAX_DIGITS}',
            )
        return is_too_long

    def range(self, children: list[Token]) -> Range | None:
        token = children[0]
        if self._is_too_long(token):
            return None
        first, second = (bound.strip() for bound in token.rstrip(':').strip('[]').split(','))
        if not (_is_integer(first) and _is_integer(second)):
            return Range(0, 0, _span(token), (_fold(first), _fold(second)))
        low, high = int(first), int(second)
        if low > high:
            bounds = Span(_span(token).start, _span(token).start + token.index(']') + 1)
            self._report(
                'empty-range',
                f'the range [{low},{high}] holds no number',
                _span(token),
                'the smaller bound first',
                ((bounds, f'[{high},{low}]'),),
            )
        return Range(low, high, _span(token))

    def annotated(self, children: list[Token | Term | None]) -> Term | None:
        token, term = children
        assert isinstance(token, Token)
        kind: Symbol | Range | None
        if token.type == 'RANGE_OF':
            kind = self.range([token])
        else:
            kind = Symbol(_fold(token)[:-1], Span(_span(token).start, _span(token).end - 1))
        assert not isinstance(term, Token)
        if term is None or kind is None:
            return None
        if isinstance(term, Range | Compound | Typed) or term.span is None:
            self._report(
                'bad-annotation',
                'a type stands before something that is no value',
                _span(token),
                'a type before a variable, a symbol or a number',
            )
            return None
        return Typed(kind, term, Span(_span(token).start, term.span.end))

    def list(self, children: list[Token | Term | None]) -> Term | None:
        opening, *items, closing = children
        assert isinstance(opening, Token) and isinstance(closing, Token)
        span = Span(_span(opening).start, _span(closing).end)
        if not items:
            self._report(
                'empty-list',
                "'()' says nothing",
                span,
                'a name, then its arguments: (name argument …)',
            )
            return None
        head, *args = items
        if head is None or any(arg is None for arg in args):
            return None
        if not isinstance(head, Symbol | Number):
            assert not isinstance(head, Token)
            self._report(
                'list-head',
                f"a list may not begin with '{head}'",
                head.span or span,
                'a name first: (name argument …)',
            )
            return None
        name = str(head)
        if not args:
            # (p) and p are one: real files and recorded matches mix them.
            return Symbol(name, span)
        return Compound(name, tuple(args), span)  # type: ignore[arg-type]

    def _report(
        self, code: str, message: str, span: Span, allowed: str, edits: Edits = ()
    ) -> None:
        self._diagnostics.append(
            Diagnostic(Severity.ERROR, code, message, span, allowed, edits=edits)
        )


def _move(token: Token, offset: int) -> Token:
    """Return a token of a part of a text at its place in the whole."""
    token.start_pos = (token.start_pos or 0) + offset
    token.end_pos = (token.end_pos or 0) + offset
    return token


def _is_no_atom(token: Token | None) -> bool:
    return token is None or token.type not in _ATOMS


def _is_integer(bound: str) -> bool:
    return bound.removeprefix('-').isdecimal()


def _fold(token: str) -> str:
    return str(token).lower()


def _span(token: Token) -> Span:
    return Span(token.start_pos or 0, token.end_pos or 0)
