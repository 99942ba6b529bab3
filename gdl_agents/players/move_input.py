"""Moves as people type them, in any game: derived from the terms of the legal moves.

    (move e 2 e 4)    the GDL text, with or without the outer parentheses, in any case
    move e2 e4        its words, joined or apart; commas, hyphens and underscores count as spaces
    e2e4   e2-e4      its arguments alone
    12                its number in the list
    castle k          words or beginnings of words that only one legal move has

Two numbers are never joined: `1 11` and `11 1` are different places. Where moves have numbers of
their own, as in `(drop 3)`, a number means those, and the list shows them; so a number never means
two things. Complete forms win over abbreviations, and the GDL text of a move wins over both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
import re

from gdl_env.language.reader import read_term
from gdl_env.language.terms import Compound, Term, args_of, name_of

# A number, letters, or a sign. A minus belongs to a number unless it stands behind a word.
_WORD = re.compile(r'(?<![^\W_])-\d+|\d+|[^\W\d_]+|[^\w\s(),;:.→-]')
_NUMBER = re.compile(r'-?\d+')
# What lies between words that are typed apart.
_GAP = re.compile(r'[\s(),;]+')


class MoveInput:
    """The legal moves of one decision, found by what a person types."""

    def __init__(self, legal: Sequence[str]) -> None:
        """Take moves as GDL text, in the order in which they are listed."""
        self.legal = tuple(legal)
        self._forms = {move: _complete_forms(read_term(move)) for move in self.legal}
        self._moves: dict[str, list[str]] = {}
        for move, forms in self._forms.items():
            for form in forms:
                self._moves.setdefault(form, []).append(move)
        # Whether numbers are those of the moves themselves, not places in the list.
        self.has_own_numbers = any(map(_NUMBER.fullmatch, self._moves))

    def label(self, index: int) -> str:
        """Return the number that selects the move at a place of the list; '' if none does."""
        if not self.has_own_numbers:
            return str(index + 1)
        move = self.legal[index]
        numbers = filter(_NUMBER.fullmatch, self._forms[move])
        return next((form for form in numbers if self._moves[form] == [move]), '')

    def example(self) -> str:
        """Return a text that selects the first move, as a person would type it."""
        first = self.legal[0]
        text = first.removeprefix('(').removesuffix(')')
        arguments = text.partition(' ')[2]
        words = _words(arguments)
        is_place = all(len(word) == 1 or _NUMBER.fullmatch(word) for word in words)
        short = _to_key(words) if is_place else arguments
        return short if self.find(short) == (first,) else text

    def find(self, text: str) -> tuple[str, ...]:
        """Return the moves that a complete text stands for: none, one, or several alike."""
        for attempt in (text, f'({text})'):
            try:
                move = str(read_term(attempt))
            except ValueError:
                continue
            if move in self._forms:
                return (move,)
        if text.isascii() and text.isdigit() and not self.has_own_numbers:
            index = int(text) - 1
            return self.legal[index : index + 1] if index >= 0 else ()
        return tuple(self._moves.get(_to_key(_words(text)), ()))

    def complete(self, text: str) -> tuple[str, ...]:
        """Return the moves that an abbreviation may stand for. A mere number is none."""
        key, pieces = _to_key(_words(text)), _pieces(text)
        if not key or _NUMBER.fullmatch(key):
            return ()
        return tuple(
            move
            for move in self.legal
            if any(_begins_with(form, key) for form in self._forms[move])
            or _contains(_words(move), pieces)
        )

    def nearest(self, text: str, count: int = 3) -> tuple[str, ...]:
        """Return the legal moves that are most like a text, the best first."""
        matcher = SequenceMatcher()
        matcher.set_seq2(_to_key(_words(text)))

        def ratio(move: str) -> float:
            best = 0.0
            for form in self._forms[move]:
                matcher.set_seq1(form)
                best = max(best, matcher.ratio())
            return best

        return tuple(sorted(self.legal, key=ratio, reverse=True)[:count])


def short_forms(move: str) -> tuple[str, ...]:
    """Return the complete texts, other than the GDL text, that are meant to select a move."""
    return _complete_forms(read_term(move))


def _complete_forms(move: Term) -> tuple[str, ...]:
    """Return the keys of a move: all words, arguments alone, and both without inner functors."""
    name = _words(name_of(move) or str(move))
    inner = [word for arg in args_of(move) for word in _words(str(arg))]
    leaves = [word for arg in args_of(move) for word in _leaves(arg)]
    found = ([*name, *inner], inner, leaves, [*name, *leaves])
    return tuple(dict.fromkeys(_to_key(words) for words in found if words))


def _leaves(term: Term) -> Iterator[str]:
    if isinstance(term, Compound):
        for arg in term.args:
            yield from _leaves(arg)
    else:
        yield from _words(str(term))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _to_key(words: Sequence[str]) -> str:
    """Join words, with a space only between numbers."""
    key = ''
    for word in words:
        if key and key[-1].isdigit() and _NUMBER.fullmatch(word):
            key += ' '
        key += word
    return key


def _begins_with(form: str, key: str) -> bool:
    """Tell whether a form begins with a key; a number is not cut in two."""
    if not form.startswith(key):
        return False
    return not (key[-1].isdigit() and form[len(key) : len(key) + 1].isdigit())


def _pieces(text: str) -> list[list[str]]:
    """Return what was typed as pieces, whose words belong together: `e4`, `1 1`, `queen`."""
    pieces: list[list[str]] = []
    was_number = False
    for token in _GAP.split(text.lower()):
        words = _words(token)
        is_number = bool(words) and all(map(_NUMBER.fullmatch, words))
        if is_number and was_number:
            pieces[-1] += words
        elif any(map(_NUMBER.fullmatch, words)):
            pieces.append(words)
        else:
            pieces += [[word] for word in words]
        was_number = is_number
    return pieces


def _contains(words: Sequence[str], pieces: Sequence[Sequence[str]]) -> bool:
    """Tell whether all pieces are found among words, none twice; words may be abbreviated."""
    if not pieces:
        return True
    first, *rest = pieces
    size = len(first)
    for start in range(len(words) - size + 1):
        found = list(words[start : start + size])
        is_begun = size == 1 and first[0].isalpha() and found[0].startswith(first[0])
        # What was used is blotted out: numbers on both sides of it do not become neighbours.
        left = [*words[:start], *[''] * size, *words[start + size :]]
        if (found == list(first) or is_begun) and _contains(left, rest):
            return True
    return False
