"""From the name of a content to the piece that people expect."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
import hashlib
import re

from gdl_env.engine.board import is_blank
from gdl_env.gui.drawing.scene import Piece

# Fill and edge of pieces that are called by their colour.
COLOURS: Mapping[str, tuple[str, str]] = {
    'white': ('#f8f5ec', '#4a4a4a'),
    'black': ('#2b2b2b', '#0d0d0d'),
    'red': ('#d8382f', '#8f1e18'),
    'yellow': ('#f3c32c', '#b08a10'),
    'blue': ('#2f6fd8', '#1a4590'),
    'green': ('#3aa757', '#1f6b35'),
    'orange': ('#ee8a2a', '#a85a10'),
    'purple': ('#8a4fc9', '#57298a'),
    'brown': ('#8a5a36', '#55351d'),
    'pink': ('#e873a8', '#a8406f'),
    'gray': ('#8c9096', '#55585c'),
    'grey': ('#8c9096', '#55585c'),
    'silver': ('#c3c8ce', '#7d838a'),
    'gold': ('#dcb338', '#96761a'),
    'teal': ('#1f9c94', '#0f5f5a'),
    'cyan': ('#2bb7cf', '#14707f'),
}
# For roles whose names say nothing, in their order.
PALETTE = ('red', 'blue', 'yellow', 'green', 'purple', 'orange', 'teal', 'pink')
FIGURES = ('king', 'queen', 'rook', 'bishop', 'knight', 'pawn')
_LETTERS = {'k': 'king', 'q': 'queen', 'r': 'rook', 'b': 'bishop', 'n': 'knight', 'p': 'pawn'}
_OFFICERS = frozenset({'queen', 'rook', 'bishop', 'knight'})
_SIDES = {'white': 'white', 'w': 'white', 'black': 'black', 'b': 'black'}
_MEN = frozenset({'man', 'men', 'pawn', 'checker', 'piece', 'disc', 'disk', 'stone', 'm', 'p'})
_CROWNED = frozenset({'king', 'dame', 'queen', 'crowned', 'k'})
_NOUNS = _MEN | _CROWNED | frozenset(FIGURES)
_WALLS = frozenset({'wall', 'block', 'blocked', 'brick', 'obstacle', 'w', 'hole'})
_NOTHING = frozenset({'nothing', 'none', 'free', 'floor', 'nil', 'dirt', 'white_space', '_'})
_CROSSES = frozenset({'x', 'xplayer', 'cross'})
_RINGS = frozenset({'o', 'oplayer', 'nought', 'ring', 'circle'})
# Short names of chess pieces: wp, bk, wkn, pw.
_SHORT = re.compile(r'([wb])(k|q|r|b|n|p|kn|ki|qu|ro|bi|pa)|([kqrbnp])([wb])')
_SHORT_FIGURES = {
    **_LETTERS,
    **{'kn': 'knight', 'ki': 'king', 'qu': 'queen', 'ro': 'rook', 'bi': 'bishop', 'pa': 'pawn'},
}


class PieceBook:
    """Knows all contents of a board, and so what kind of board it is."""

    def __init__(
        self,
        contents: Collection[str],
        roles: Sequence[str],
        told: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self._told = told or {}
        self._roles = list(roles)
        self._contents = set(contents)
        figures = {self._chess(content)[1] for content in contents if self._chess(content)}
        self.is_chess = bool(figures & _OFFICERS)
        words = {word for content in contents for word in _words(content)}
        self.is_checkers = not self.is_chess and bool(words & _CROWNED) and bool(words & _MEN)
        self._pieces: dict[str, Piece | None] = {}

    def piece(self, content: str) -> Piece | None:
        """Return how a content is drawn; None if it means that nothing is there."""
        if content not in self._pieces:
            self._pieces[content] = self._make(content)
        return self._pieces[content]

    def pieces(self) -> list[Piece]:
        """Return how all contents are drawn that are not nothing."""
        found = map(self.piece, sorted(self._contents))
        return [piece for piece in found if piece is not None]

    @property
    def are_discs(self) -> bool:
        """Tell whether all pieces are discs of some colour."""
        found = self.pieces()
        return bool(found) and all(piece.kind in {'disc', 'king'} for piece in found)

    def _make(self, content: str) -> Piece | None:
        told = self._told.get(content)
        if told is not None:
            return self._follow(content, told)
        if is_blank(content) or content in _NOTHING:
            return None
        label = content.replace('_', ' ').strip('()')
        if self.is_chess and (found := self._chess(content)):
            side, figure = found
            fill, edge = COLOURS[side]
            return Piece('chess', figure, fill, edge, f'{side} {figure}')
        words = _words(content)
        if content in _CROSSES:
            return Piece('cross', '', '#d8382f', '#8f1e18', label)
        if content in _RINGS:
            return Piece('ring', '', '#2f6fd8', '#1a4590', label)
        colour = self._colour(words)
        others = [word for word in words if word not in COLOURS and word not in self._roles]
        if colour and not set(others) - _MEN - _CROWNED - {'player'}:
            kind = 'king' if set(others) & _CROWNED else 'disc'
            return Piece(kind, '', *colour, label)
        if set(words) & _WALLS and len(words) == 1:
            return Piece('wall', '', '#7d7a74', '#57544f', label)
        fill, edge = colour or _colour_of_name(content)
        return Piece('tile', label, fill, edge, label)

    def _follow(self, content: str, told: Mapping[str, str]) -> Piece | None:
        """Draw a piece as the view file says; what it leaves open is guessed."""
        if told.get('kind') == 'none':
            return None
        fill, edge = self._colour(_words(content)) or _colour_of_name(content)
        fill, edge = told.get('fill', fill), told.get('edge', edge)
        label = told.get('label', content.replace('_', ' '))
        if 'svg' in told:
            return Piece('svg', told['svg'], fill, edge, label)
        if 'glyph' in told:
            return Piece('glyph', told['glyph'], fill, edge, label)
        if told.get('kind') == 'chess':
            text = told.get('text', next(iter(set(_words(content)) & set(FIGURES)), 'pawn'))
            return Piece('chess', text, fill, edge, label)
        return Piece(told.get('kind', 'tile'), told.get('text', label), fill, edge, label)

    def _chess(self, content: str) -> tuple[str, str]:
        """Return side and figure of a chess piece; () if it is none."""
        words = _words(content)
        side = next((_SIDES[word] for word in words if word in _SIDES), '')
        figure = next((word for word in words if word in FIGURES), '')
        if side and not figure and len(words) == 2:
            figure = next((_LETTERS[w] for w in words if w in _LETTERS and w not in _SIDES), '')
            if not figure and words[0] in _SIDES and words[1] == 'b':
                figure = 'bishop'
        if side and figure:
            return side, figure
        match = _SHORT.fullmatch(content)
        if match and match.group(1):
            return _SIDES[match.group(1)], _SHORT_FIGURES[match.group(2)]
        if match:
            return _SIDES[match.group(4)], _LETTERS[match.group(3)]
        return ()  # type: ignore[return-value]

    def _colour(self, words: Sequence[str]) -> tuple[str, str] | None:
        for word in words:
            if word in COLOURS:
                return COLOURS[word]
        if self.is_checkers:
            short = {'w': 'white', 'b': 'black', 'r': 'red'}
            for word in words:
                if word in short:
                    return COLOURS[short[word]]
        for word in words:
            if word in self._roles:
                return COLOURS[PALETTE[self._roles.index(word) % len(PALETTE)]]
        return None


def role_colour(role: str, roles: Sequence[str]) -> str:
    """Return the colour of a role, as its pieces have it."""
    for word in _words(role):
        if word in COLOURS:
            return COLOURS[word][0]
    if role in _CROSSES:
        return '#d8382f'
    if role in _RINGS:
        return '#2f6fd8'
    return COLOURS[PALETTE[list(roles).index(role) % len(PALETTE)]][0] if role in roles else '#888'


def _words(content: str) -> list[str]:
    """Return the words of a name; `blackpawn` has two."""
    found = []
    for word in re.split(r'[\s_\-()]+', content):
        colour = next((name for name in COLOURS if word.startswith(name)), '')
        rest = word[len(colour) :]
        if colour and rest in _NOUNS:
            found += [colour, rest]
        elif word:
            found.append(word)
    return found


def _colour_of_name(content: str) -> tuple[str, str]:
    hue = hashlib.sha256(content.encode()).digest()[0] * 360 // 256
    return f'hsl({hue} 45% 45%)', f'hsl({hue} 50% 28%)'
