"""The types of each game give the numbers of facts and moves that its documentation states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
import re

from playthrough import play
import pytest

from gdl_env.engine.contract import NATURE, Engine
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import (
    Compound,
    Number,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    name_of,
)
from gdl_env.language.types import Type, TypeSystem, variable_types

GAMES = Path(__file__).parents[2] / 'games'
DOCUMENTED = {
    match[1]: (int(match[2]), int(match[3]))
    for match in re.finditer(
        r'^\| \[(\w+)\]\(.*\| (\d+) \| (\d+) \|$',
        (Path(__file__).parents[2] / 'doc' / 'games.md').read_text('utf-8'),
        re.MULTILINE,
    )
}


@dataclass(frozen=True)
class Vocabulary:
    """All facts and moves that can occur by the types of a game."""

    game: Game

    @cached_property
    def types(self) -> TypeSystem:
        return TypeSystem.from_game(self.game)

    @cached_property
    def facts(self) -> frozenset[Term]:
        heads = (rule for rule in self.game.rules if name_of(rule.head) in {'init', 'next'})
        return frozenset(fact for rule in heads for fact in self.expand(rule, rule.head.args[0]))

    @cached_property
    def moves(self) -> frozenset[Term]:
        """Return the moves of the players, not those of chance."""
        heads = (rule for rule in self.game.rules if name_of(rule.head) == 'legal')
        return frozenset(
            move
            for rule in heads
            if rule.head.args[0] != NATURE
            for move in self.expand(rule, rule.head.args[1])
        )

    @cached_property
    def mapped(self) -> dict[tuple[str, int], Type]:
        """Return the places of facts whose numbers a typemap sorts into classes."""
        return {
            (fact.name, index): arg.type
            for rule in self.game.rules
            for fact in args_of(rule.head)[:1]
            for index, arg in enumerate(args_of(fact))
            if isinstance(arg, Typed) and self.types.is_mapped(arg.type)
        }

    def expand(self, rule: Rule, term: Term) -> Iterator[Term]:
        """Yield the terms that a term of a head stands for."""
        if isinstance(term, Typed):
            yield from self.types.members(term.type)
        elif isinstance(term, Variable):
            yield from self.types.members(variable_types(rule)[term.name])
        elif isinstance(term, Compound):
            parts = [self.argument(rule, term, index) for index in range(len(term.args))]
            yield from (Compound(term.name, args) for args in product(*parts))
        else:
            yield term

    def argument(self, rule: Rule, term: Compound, index: int) -> tuple[Term, ...]:
        arg, mapped = term.args[index], self.mapped.get((term.name, index))
        if mapped is not None and isinstance(arg, Number):
            return self.types.members(mapped)
        if term.name == 'sees' and index == 0 and isinstance(arg, Variable):
            return tuple(role for role in self.game.roles if role != NATURE)
        return tuple(self.expand(rule, arg))

    def classify(self, fact: Term) -> Term:
        """Return a fact with some class instead of each number that a typemap sorts."""
        args = tuple(
            self.types.members(self.mapped[fact.name, index])[0]
            if (name_of(fact), index) in self.mapped and isinstance(arg, Number)
            else arg
            for index, arg in enumerate(args_of(fact))
        )
        return Compound(fact.name, args) if isinstance(fact, Compound) else fact


@pytest.fixture(scope='module')
def vocabulary(game: Game) -> Vocabulary:
    return Vocabulary(game)


def test_numbers_are_the_documented_ones(vocabulary: Vocabulary) -> None:
    found = len(vocabulary.facts), len(vocabulary.moves)
    assert found == DOCUMENTED[vocabulary.game.name]


def test_every_game_is_documented() -> None:
    assert set(DOCUMENTED) == {file.stem for file in GAMES.glob('*.gdl')}


@pytest.mark.prolog
@pytest.mark.parametrize('seed', range(5))
def test_match_keeps_to_the_types(engine: Engine, vocabulary: Vocabulary, seed: int) -> None:
    state = engine.initial_state
    for step in play(engine, seed).history:
        for role, moves in engine.legal_moves(state).items():
            assert role == NATURE or set(moves) <= vocabulary.moves
        state = step.state
        assert {vocabulary.classify(fact) for fact in state} <= vocabulary.facts


@pytest.mark.prolog
def test_typemap_sorts_every_number_into_one_class(open_game) -> None:
    # The engine is asked through a game that has the same typemaps and lists their answers.
    from gdl_env.engine.registry import open_engine
    from gdl_env.language.load import game_from_text

    pig = open_game('pig').game
    maps = '\n'.join(str(rule) for rule in pig.rules if name_of(rule.head) == 'typemap')
    frame = '(role r) terminal (goal r 0) (<= (legal r (is ?name ?class ?n)) (type [0,210] ?n)'
    with open_engine(game_from_text(f'{maps}\n{frame} (typemap ?name ?class ?n))')) as engine:
        answers = engine.legal_moves(engine.initial_state)[Symbol('r')]
    sorted_in = [(name, number) for name, _, number in map(args_of, answers)]
    assert len(sorted_in) == len(set(sorted_in)) == 2 * 211
