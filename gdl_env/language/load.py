"""From a file, a name or a text to a game, or to an error that shows every problem."""

from __future__ import annotations

from pathlib import Path

from gdl_env.language.checker import check
from gdl_env.language.diagnostics import Diagnostic, GameError, has_errors
from gdl_env.language.game import Game, build_rules
from gdl_env.language.parser import SyntaxTree, parse
from gdl_env.language.source import Source


def read_game(source: Source) -> tuple[Game, tuple[Diagnostic, ...]]:
    """Parse and check a source; return the game as far as it could be read, and all findings."""
    tree = parse(source)
    game = build_game(tree)
    return game, (*tree.diagnostics, *check(game, tree))


def load_game(path: Path) -> Game:
    """Load a rule file. Raises GameError if it has errors, SourceError if it cannot be read."""
    return game_from_source(Source.from_file(path))


def game_from_text(text: str, name: str = '<text>') -> Game:
    """Read a game from a text. Raises GameError if it has errors."""
    return game_from_source(Source(text, name))


def game_from_source(source: Source) -> Game:
    """Read a game from a source. Raises GameError if it has errors."""
    game, diagnostics = read_game(source)
    if has_errors(diagnostics):
        raise GameError(source, diagnostics)
    return game


def build_game(tree: SyntaxTree) -> Game:
    """Build a game from a syntax tree without checking it."""
    source = tree.source
    name = source.path.stem if source.path is not None else source.name.strip('<>')
    return Game(build_rules(tree.forms), name, source)
