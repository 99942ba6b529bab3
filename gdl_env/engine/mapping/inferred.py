"""The mapping of any game that can be grounded: the facts and moves that can ever occur."""

from __future__ import annotations

from collections.abc import Iterable

from gdl_env.engine.circuit.network.vocabulary import RowVocabulary, read_vocabulary
from gdl_env.engine.contract import NATURE
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.grounding.pipeline import ground_game
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.reading import SEES
from gdl_env.engine.mapping.table import ListTable
from gdl_env.engine.mapping.table_encoding import TableEncoding
from gdl_env.language.game import Game, Information
from gdl_env.language.terms import Compound, Term, args_of, signature, sort_key


class InferredEncoding(TableEncoding):
    """Needs no types: the ground program of a game lists all its facts and moves."""

    def __init__(self, game: Game, vocabulary: RowVocabulary | None = None) -> None:
        """List facts and moves; the vocabulary of an engine saves grounding the game again.

        Raises EncodingError if the game cannot be grounded.
        """
        self.vocabulary = vocabulary or find_vocabulary(game)
        moves = {move for role, move in self.vocabulary.legal if role != NATURE}
        super().__init__(
            game,
            ListTable(self.vocabulary.own_facts),
            ListTable(_observable(game, self.vocabulary)),
            ListTable(_sorted(moves)),
        )

    def describe(self) -> str:
        """Return in a few words where the tables come from."""
        return 'the facts and moves that its rules can ever give'


def find_vocabulary(game: Game) -> RowVocabulary:
    """Return all facts and moves that can ever occur. Raises EncodingError if that is unknown."""
    try:
        return read_vocabulary(ground_game(game))[0]
    except GroundingError as error:
        raise EncodingError(
            f'the facts and moves of {game.name} cannot be listed: {error}; annotate its rules'
            ' with types, or give a manual mapping as module:Class (doc/mapping.md)'
        ) from error


def _observable(game: Game, vocabulary: RowVocabulary) -> list[Term]:
    """Return what players can be shown: general facts, then what only its owner sees."""
    if game.information is Information.PERCEPTS:
        return _sorted({percept for role, percept in vocabulary.percepts if role != NATURE})
    if game.information is Information.COMPLETE:
        return list(vocabulary.own_facts)
    general = [fact for fact in vocabulary.own_facts if signature(fact) != (SEES, 2)]
    own = {
        Compound(SEES, args_of(fact)[1:])
        for fact in vocabulary.facts
        if signature(fact) == (SEES, 2) and args_of(fact)[0] != NATURE
    }
    return general + _sorted(own)


def _sorted(terms: Iterable[Term]) -> list[Term]:
    return sorted(terms, key=sort_key)
