"""Context conditions: everything that can be wrong with a game whose text parses."""

from __future__ import annotations

from gdl_env.language.diagnostics import Diagnostic
from gdl_env.language.game import Game
from gdl_env.language.parser import SyntaxTree


def check(game: Game, tree: SyntaxTree) -> tuple[Diagnostic, ...]:
    """Return all findings, in the order of the text."""
    return ()
