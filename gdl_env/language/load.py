"""From a file, a name or a text to a game, or to an error that shows every problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
import gc
from pathlib import Path

from gdl_env.errors import GameNotFoundError
from gdl_env.language.checker import check
from gdl_env.language.checker.advice import find_faulty_advice
from gdl_env.language.diagnostics import Diagnostic, GameError, has_errors
from gdl_env.language.families.designation import Designation
from gdl_env.language.families.options import chosen_options
from gdl_env.language.families.resolving import resolve
from gdl_env.language.families.role_rules import compute_roles
from gdl_env.language.families.specialising import specialise
from gdl_env.language.game import Game, build_rules
from gdl_env.language.library import list_games
from gdl_env.language.parser import SyntaxTree, parse
from gdl_env.language.source import Source


def open_game(text: str) -> Game:
    """Load a game by name or path, with or without options: `gomoku(size=19,exact=true)`.

    Raises GameNotFoundError, OptionError, SourceError or GameError.
    """
    designation = Designation.read(text)
    return load_game(designation.path(), designation.options)


def open_known_game(text: str) -> Game:
    """Load a game that others name: one that is known by name, with files of the games only.

    Raises GameNotFoundError, OptionError, SourceError or GameError.
    """
    designation = Designation.read(text)
    known = {path.stem: path for path in list_games()}
    if designation.game not in known:
        raise GameNotFoundError(designation.game, list(known), [])
    source = Source.from_file(known[designation.game])
    return game_from_source(source, designation.options, is_trusted=False)


def load_game(path: Path, options: Mapping[str, str] | None = None) -> Game:
    """Load a rule file, with options by name.

    Raises GameError if it has errors, SourceError if it cannot be read, OptionError.
    """
    return game_from_source(Source.from_file(path), options)


def game_from_text(
    text: str,
    name: str = '<text>',
    options: Mapping[str, str] | None = None,
    *,
    is_trusted: bool = True,
) -> Game:
    """Read a game from a text. Raises GameError if it has errors, OptionError.

    Options that are not trusted name files of the games only.
    """
    return game_from_source(Source(text, name), options, is_trusted=is_trusted)


def game_from_source(
    source: Source, options: Mapping[str, str] | None = None, *, is_trusted: bool = True
) -> Game:
    """Read a game from a source. Raises GameError if it has errors, OptionError.

    Options that are not trusted name files of the games only.
    """
    game, diagnostics = read_game(source, options, is_trusted=is_trusted)
    if has_errors(diagnostics):
        raise GameError(source, diagnostics)
    return game


def read_game(
    source: Source, options: Mapping[str, str] | None = None, *, is_trusted: bool = True
) -> tuple[Game, tuple[Diagnostic, ...]]:
    """Parse and check a source; return the game as far as it could be read, and all findings.

    Options that are not trusted name files of the games only. Raises OptionError if they do not
    fit.
    """
    with without_collection():
        return _read_game(source, options, is_trusted)


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep Python from looking for cycles: a large game makes millions of terms, without any.

    Python looks through all of them once the outermost of these blocks has ended.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _read_game(
    source: Source, options: Mapping[str, str] | None, is_trusted: bool
) -> tuple[Game, tuple[Diagnostic, ...]]:
    resolved = resolve(parse(source), options, is_trusted=is_trusted)
    family = replace(build_game(resolved.tree), options=resolved.options)
    diagnostics = (*resolved.tree.diagnostics, *check(family, resolved.tree))
    faulty = find_faulty_advice(family, diagnostics)
    if faulty:
        kept = tuple(rule for rule in family.rules if id(rule) not in faulty)
        family = replace(family, rules=kept)
    # All rules are checked, also those that only other options bring into play.
    rules = specialise(family.rules, resolved.options)
    name = Designation(family.name, chosen_options(resolved.options))
    game = replace(family, rules=rules, name=str(name))
    if has_errors(diagnostics):
        return game, diagnostics
    game, findings = compute_roles(game)
    return game, (*diagnostics, *findings)


def build_game(tree: SyntaxTree) -> Game:
    """Build a game from a syntax tree without checking it."""
    source = tree.source
    name = source.path.stem if source.path is not None else source.name.strip('<>')
    return Game(build_rules(tree.forms), name, source)
