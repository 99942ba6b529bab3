"""Why a person cannot play what they tried: from a click on a board to the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl_env.engine.explanation.explain import (
    FailedRule,
    MoveExplanation,
    explain_best,
    explain_move,
)
from gdl_env.engine.explanation.state_evaluator import StateEvaluator
from gdl_env.errors import GdlError
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.texts import TextError, text
from gdl_env.language.game import Game, Role, is_role_name
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Compound, Term

# Moves that one click could have meant, at most.
_MOST = 80


class IllegalMoves:
    """Explains moves of one match; the tables of its moves are searched once."""

    def __init__(self, link: MatchLink) -> None:
        self._link = link
        self._painter: Painter | None = None
        # By board: moves with the squares they name.
        self._placed: list[tuple[int, tuple[str, ...], str]] = []

    def explain_click(
        self, role: str, facts: Sequence[str], number: int, square: str, start: str
    ) -> dict[str, Any]:
        """Explain what a click on a square could have meant. Raises GdlError."""
        moves = self._find(role, number, square, start)
        if not moves:
            return {'title': text('why.no_square'), 'rules': []}
        if not self._link.is_open:
            return self._list_rules(role, moves[0])
        game = self._game()
        state = [read_term(fact) for fact in facts]
        found = explain_best(game, state, _read_role(role), map(read_term, moves[:_MOST]))
        if found is None:
            return {'title': text('why.legal_here'), 'rules': []}
        return self._to_json(found, is_guess=len(moves) > 1)

    def explain_text(self, role: str, facts: Sequence[str], move: str) -> dict[str, Any]:
        """Explain a move that was typed. Raises GdlError."""
        try:
            term = read_term(move)
        except ValueError as error:
            raise TextError('why.no_move', move=move, error=error) from error
        if not self._link.is_open:
            return self._list_rules(role, move)
        state = [read_term(fact) for fact in facts]
        return self._to_json(explain_move(self._game(), state, _read_role(role), term))

    def _find(self, role: str, number: int, square: str, start: str) -> list[str]:
        """Return the moves that a click on a square, perhaps after another one, could mean."""
        painter, info = self._link.painter, self._link.info
        if painter is None or info is None:
            return []
        if self._painter is not painter:
            self._painter = painter
            self._placed = []
            for text in info.moves:
                picture = painter.picture_of(text, role)
                path = tuple(f'{row},{column}' for row, column in picture.path)
                if picture.column >= 0:
                    path = (f'*,{picture.column}',)
                if path:
                    self._placed.append((picture.board, path, text))
        column = f'*,{square.partition(",")[2]}'
        here = [(path, text) for board, path, text in self._placed if board == number]
        if start:
            return [text for path, text in here if path == (start, square)]
        # Nobody means to leave a piece where it is.
        found = [
            (path, text)
            for path, text in here
            if path[0] in {square, column} and path.count(path[0]) == 1
        ]
        # A person who clicks a piece means a square nearby rather than one far away.
        return [text for _, text in sorted(found, key=lambda one: _measure_length(one[0]))]

    def _list_rules(self, role: str, move: str) -> dict[str, Any]:
        """Name the rules of a move, and nothing of the state: parts of it are hidden."""
        game = self._game()
        facts = StateEvaluator(game, ())
        question = Compound('legal', (_read_role(role), read_term(move)))
        rules = [
            {'head': str(rule), 'line': game.source.position(rule.span.start)[0], 'literals': []}
            for rule in facts.rules_of(('legal', 2))
            if facts.bind_head(rule, question) is not None
        ]
        return {
            'title': text('why.illegal', move=move, role=role),
            'rules': rules,
            'note': text('why.hidden'),
        }

    def _to_json(self, found: MoveExplanation, *, is_guess: bool = False) -> dict[str, Any]:
        words = self._name(found)
        name = f'{words}: {found.move}' if words and words != found.move[1:-1] else found.move
        if found.is_legal:
            return {'title': text('why.legal', move=name), 'rules': []}
        note = ''
        if not found.rules:
            known = '; '.join(found.known_moves)
            note = text('why.unknown', moves=known)
        elif is_guess:
            note = text('why.guess')
        return {
            'title': text('why.illegal', move=name, role=found.role),
            'rules': [_rule_to_json(rule, 0) for rule in found.rules],
            'note': note,
        }

    def _name(self, found: MoveExplanation) -> str:
        try:
            return (
                self._link.painter.name_move(found.move, found.role) if self._link.painter else ''
            )
        except ValueError:
            # It names a square that is not there.
            return ''

    def _game(self) -> Game:
        if self._link.game is None:
            raise TextError('why.no_rules')
        return self._link.game


def _measure_length(path: Sequence[str]) -> int:
    """Return how many squares a move goes; 0 for one that names a single square or a column."""
    if len(path) < 2:
        return 0
    start, end = ([int(n) for n in square.split(',')] for square in (path[0], path[-1]))
    return max(abs(a - b) for a, b in zip(start, end, strict=True))


def _rule_to_json(rule: FailedRule, depth: int) -> dict[str, Any]:
    literals = [
        {
            'text': literal.text,
            'line': literal.line,
            'because': literal.because,
            'isOpen': depth < 1,
            'rules': [_rule_to_json(inner, depth + 1) for inner in literal.rules],
        }
        for literal in rule.literals
    ]
    return {'head': rule.head, 'line': rule.line, 'literals': literals}


def _read_role(text: str) -> Role:
    role: Term = read_term(text)
    if not is_role_name(role):
        raise GdlError(f'{text} is no role')
    return role
