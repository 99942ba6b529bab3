"""A game with types: the text of its rules, with declarations and annotations put in."""

from __future__ import annotations

from collections.abc import Iterator
import re

from gdl_env.engine.circuit.network.vocabulary import RowVocabulary
from gdl_env.engine.grounding.endless import EndlessError
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.infer.naming import Naming
from gdl_env.engine.mapping.infer.positions import (
    ArgumentPositions,
    Position,
    head_variables,
)
from gdl_env.engine.mapping.infer.proposal import TypeProposal, Values
from gdl_env.engine.mapping.infer.sampling import GAMES, sample_vocabulary
from gdl_env.engine.mapping.inferred import find_vocabulary
from gdl_env.language.formulas import Atom
from gdl_env.language.game import Game, Rule
from gdl_env.language.load import build_game
from gdl_env.language.parser import parse
from gdl_env.language.source import Source
from gdl_env.language.terms import Range, Symbol, Term, args_of, is_ground, name_of, signature
from gdl_env.language.types import TypeKind, TypeSystem, declarations

_TYPE_WORDS = ('type', 'typecombine', 'typemap')
_HEADER = '; ---- types, inferred from the values that can occur\n'
_SAMPLED = f"""\
; ---- types, inferred from the values of {GAMES} random games: nothing in the rules bounds all
; of the numbers. Widen a range wherever play can go beyond it: what lies outside is an error.
"""


def annotate(game: Game, vocabulary: RowVocabulary | None = None) -> str:
    """Return the rules of an untyped game with types; layout and comments stay.

    Of a family it is the one game that the options make, whose values the types list: there the
    rules are written again. The game plays as before. Where numbers have no bound in the rules,
    ranges hold what random games show, and a comment says so. Raises EncodingError if the game
    has types already, or if its facts and moves cannot be listed.
    """
    if game.is_typed:
        raise EncodingError(f'{game.name} is annotated with types already')
    if not game.source.text or game.options:
        game = build_game(parse(Source(str(game), game.name)))
    # What the game calls `type` may be something else: it makes way.
    own = {} if _declares_types(game) else _own_relations(game)
    types = TypeSystem.from_game(game) if not own else TypeSystem({}, {}, {})
    header = _HEADER
    if vocabulary is None:
        try:
            vocabulary = find_vocabulary(game)
        except EncodingError as error:
            if not isinstance(error.__cause__, EndlessError):
                raise
            vocabulary, header = sample_vocabulary(game), _SAMPLED
    positions = ArgumentPositions(game, vocabulary)
    chosen = list(_choose(game, positions))
    places: dict[Values, list[Position]] = {}
    for position, values, _ in chosen:
        places.setdefault(values, []).append(position)
    proposal = TypeProposal(types, Naming(game, positions))
    names = proposal.propose(places)
    edits = [(offset, f'{names[values]}:') for _, values, offset in chosen]
    first = min((rule.span.start for rule in game.rules), default=0)
    lines = ''.join(f'{line}\n' for line in proposal.lines)
    edits.append((first, f'{header}{lines}\n' if lines or header is _SAMPLED else ''))
    return _rewrite(game, own, edits)


def _choose(game: Game, positions: ArgumentPositions) -> Iterator[tuple[Position, Values, int]]:
    """Yield for each variable that needs a type its place, its values and where it is written."""
    for rule in game.rules:
        found: dict[str, list[tuple[Position, Values, int]]] = {}
        for position, variable in head_variables(rule):
            values = positions.values(position) or positions.values_nearby(position)
            assert variable.span is not None, 'terms that were parsed have places'
            found.setdefault(variable.name, []).append((position, values, variable.span.start))
        for occurrences in found.values():
            yield min(occurrences, key=lambda occurrence: len(occurrence[1]))


def _declares_types(game: Game) -> bool:
    """Tell whether what the game says with `type` are declarations, as far as it says any."""
    if game.redefined & set(_TYPE_WORDS):
        return False
    owners: dict[Term, Symbol] = {}
    for item in declarations(game):
        if item.kind is not TypeKind.LISTED:
            continue
        value = item.items[0]
        if (
            item.rule.body
            or not is_ground(value)
            or owners.setdefault(value, item.type) != item.type
        ):
            return False
    types = TypeSystem.from_game(game)
    asked = [args_of(term)[0] for _, term in _atoms(game) if signature(term) == ('type', 2)]
    return all(isinstance(t, Symbol | Range) and types.is_known(t) for t in asked)


def _own_relations(game: Game) -> dict[str, str]:
    """Return new names for relations that have the name of a keyword for types."""
    used = {name_of(term) for _, term in _atoms(game)}
    result = {}
    for word in _TYPE_WORDS:
        if word in used:
            name = f'own_{word}'
            while name in used:
                name += '_'
            result[word] = name
    return result


def _atoms(game: Game) -> Iterator[tuple[Rule, Term]]:
    for rule in game.rules:
        yield rule, rule.head
        for formula in rule.formulas():
            if isinstance(formula, Atom):
                yield rule, formula.term


def _rewrite(game: Game, own: dict[str, str], edits: list[tuple[int, str]]) -> str:
    """Return the text of the game with texts put in, and relations renamed."""
    changes = [(offset, 0, text) for offset, text in edits if text]
    for _, term in _atoms(game):
        if name_of(term) in own and term.span is not None:
            match = re.compile(r'\(?\s*').match(game.source.text, term.span.start)
            assert match is not None, 'the pattern matches nothing, too'
            changes.append((match.end(), len(name_of(term)), own[name_of(term)]))
    text = game.source.text
    for offset, length, new in sorted(changes, reverse=True):
        text = text[:offset] + new + text[offset + length :]
    return text
