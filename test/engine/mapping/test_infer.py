"""Inferred types: the game with them is typed, has no errors and plays as before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
import re

from hypothesis import given, settings, strategies
import pytest

from gdl_env.engine.circuit.network.vocabulary import RowVocabulary, read_vocabulary
from gdl_env.engine.contract import NATURE
from gdl_env.engine.grounding.budget import GroundingLimits
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.grounding.pipeline import ground_game
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.infer.annotate import annotate
from gdl_env.engine.mapping.infer.naming import Naming
from gdl_env.engine.mapping.infer.positions import ArgumentPositions
from gdl_env.engine.mapping.infer.proposal import TypeProposal
from gdl_env.engine.mapping.inferred import InferredEncoding, find_vocabulary
from gdl_env.engine.mapping.typed import TypedEncoding
from gdl_env.engine.registry import open_engine
from gdl_env.errors import GdlError
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, load_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Number, Range, Symbol, Variable, args_of, erase_types, name_of
from gdl_env.language.types import TypeSystem

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT.parent / 'shared' / 'gdl-corpus' / 'games'
ANNOTATION = re.compile(r'(\[-?\d+,-?\d+\]|[a-z_]+):(?=[?a-z0-9])')
DECLARATION = re.compile(r'^\((type|typecombine) .*\)\n', re.MULTILINE)
# States of matches to compare.
ENOUGH = 100
# Long rule files, in characters, take long to ground.
LONG = 20_000
OWN = [
    pytest.param(path, marks=[pytest.mark.slow] if path.stat().st_size > LONG else [])
    for path in sorted((ROOT / 'games').glob('*.gdl'))
]


def without_annotations(path: Path) -> Game:
    # With what options decide, and without comments.
    game = game_from_text(ANNOTATION.sub('', str(load_game(path))), path.stem)
    assert not game.is_typed
    return game


def heads_and_bodies(game: Game) -> list[str]:
    """Return the rules without what inferred types add to them."""
    return [
        str(replace(rule, head=erase_types(rule.head))).replace('own_type', 'type')
        for rule in game.rules
        if name_of(rule.head) not in {'type', 'typecombine', 'own_type'}
    ]


def vocabulary_of(game: Game) -> RowVocabulary:
    try:
        return read_vocabulary(ground_game(game, GroundingLimits(seconds=8, iterations=250)))[0]
    except GroundingError as error:
        pytest.skip(f'cannot be grounded without types: {error}')


def check(game: Game, vocabulary) -> TypedEncoding:
    """Annotate a game and compare; return the mapping that its new types give."""
    typed = game_from_text(annotate(game, vocabulary), game.name)
    assert typed.is_typed
    assert heads_and_bodies(typed) == heads_and_bodies(game)
    again = vocabulary_of(typed)
    assert (again.facts, again.initial, again.legal) == (
        vocabulary.facts,
        vocabulary.initial,
        vocabulary.legal,
    )
    assert (again.goals, again.percepts, again.events) == (
        vocabulary.goals,
        vocabulary.percepts,
        vocabulary.events,
    )
    mapping = TypedEncoding(typed)
    inferred = InferredEncoding(game, vocabulary)
    for fact in inferred.observation_table.terms():
        assert mapping.observation_table.find(fact) is not None, str(fact)
    for role, move in vocabulary.legal:
        if role != NATURE:
            assert mapping.move(role, mapping.action_index(role, move)) == move
    return mapping


@pytest.mark.parametrize('path', OWN, ids=lambda path: path.stem)
def test_own_games_get_types_of_the_same_size_back(path: Path):
    game = without_annotations(path)
    mapping = check(game, vocabulary_of(game))
    original = TypedEncoding(load_game(path))
    # A variable for a whole move stands for the moves of all roles, those of random among them.
    has_whole_moves = any(
        name_of(rule.head) == 'legal' and isinstance(args_of(rule.head)[1], Variable)
        for rule in game.rules
    )
    if has_whole_moves:
        assert mapping.action_size >= original.action_size
    else:
        assert mapping.action_size == original.action_size
    # That a column never holds seven discs cannot be told without playing, and classes of numbers
    # are gone with the annotations.
    has_classes = any(name_of(rule.head) == 'typemap' for rule in load_game(path).rules)
    if path.stem != 'connect_four' and not has_classes:
        assert mapping.state_size == original.state_size
        assert mapping.observation_size == original.observation_size


@pytest.mark.parametrize('path', OWN, ids=lambda path: path.stem)
def test_own_games_play_as_before(path: Path, wander):
    plain = without_annotations(path)
    typed = game_from_text(annotate(plain, vocabulary_of(plain)))
    with open_engine(plain, 'circuit') as one, open_engine(typed, 'circuit') as other:
        compared = 0
        for seed in range(5):
            # A few matches, or the beginning of a long one.
            if compared < ENOUGH:
                pairs = zip(wander(one, seed), wander(other, seed), strict=True)
                same = [a.state == b.state and a.goals() == b.goals() for a, b in pairs]
                assert all(same)
                compared += len(same)


def test_types_of_tictactoe_without_any():
    text = (ROOT / 'games' / 'tictactoe.gdl').read_text('utf-8')
    game = game_from_text(DECLARATION.sub('', ANNOTATION.sub('', text)))
    result = annotate(game)
    assert '; Tic-tac-toe - three in a row' in result
    assert '(<= (next (cell [1,3]:?row [1,3]:?column content:?content))' in result
    assert '(typecombine content ' in result
    mapping = TypedEncoding(game_from_text(result))
    assert (mapping.observation_size, mapping.action_size) == (29, 9)


SAMPLE = sorted(CORPUS.iterdir())[5::60] if CORPUS.is_dir() else []


@pytest.mark.skipif(not SAMPLE, reason='no corpus of public games here')
@pytest.mark.parametrize('path', SAMPLE, ids=lambda path: path.stem)
def test_public_games(path: Path):
    try:
        game = load_game(path)
    except GdlError as error:
        pytest.skip(f'has errors: {str(error).splitlines()[0]}')
    vocabulary = vocabulary_of(game)
    if game.is_typed or annotate(game, vocabulary) == game.source.text:
        pytest.skip('there is nothing to type')
    check(game, vocabulary)


RULES = """
(role a) (legal a m) terminal (goal a 0)
(init (at (pos 1 2) red)) (init (on 7)) (init (on 50))
(<= (next (at ?place ?colour)) (true (at ?place ?colour)))
(<= (next (on ?x)) (true (on ?x)))
(<= (next ?fact) (true ?fact))
(<= (next (never ?x)) (true (never ?x)))
"""


def test_compounds_gaps_whole_facts_and_the_unreachable_get_types():
    game = game_from_text(RULES)
    check(game, find_vocabulary(game))
    text = annotate(game)
    assert '(type place (pos 1 2))' in text
    assert 'place:?place colour:?colour' in text
    assert '(type on 7)' in text and '(type on 50)' in text
    assert '[0,0]:?x' in text


def test_own_relations_of_that_name_make_way():
    game = game_from_text("""
        (role a) (legal a m) terminal (goal a 0)
        (type rook piece) (type king piece)
        (<= (init (at ?x)) (type ?x piece))
    """)
    text = annotate(game)
    assert '(own_type rook piece)' in text
    assert '(own_type ?x piece)' in text
    check(game, find_vocabulary(game))


def test_typed_games_are_left_alone():
    with pytest.raises(EncodingError, match='already'):
        annotate(load_game(ROOT / 'games' / 'tictactoe.gdl'))


STILL = game_from_text('(role r) (legal r m) terminal (goal r 0) (init f)')
NOTHING = RowVocabulary((), (), (), (), (), (), (), ())
SETS = strategies.frozensets(
    strategies.sampled_from([*map(Symbol, 'abcdef'), *map(Number, (0, 1, 2, 3, 7, 20))]),
    min_size=1,
)


@settings(max_examples=200, deadline=None)
@given(strategies.sets(SETS, min_size=1, max_size=6))
def test_declarations_cover_any_sets_and_give_each_value_one_type(sets):
    proposal = TypeProposal(
        TypeSystem({}, {}, {}), Naming(STILL, ArgumentPositions(STILL, NOTHING))
    )
    names = proposal.propose({values: [] for values in sets})
    lines = '\n'.join(proposal.lines)
    uses = '\n'.join(f'(<= (init (at {name}:?x)) (q ?x))' for name in names.values())
    typed = game_from_text(f'{STILL} (q 1)\n{lines}\n{uses}')
    types = TypeSystem.from_game(typed)
    for values, name in names.items():
        type_ = read_type(name)
        members = set(types.members(type_))
        assert values <= members
        # A few numbers inside of a range may be too many, names never.
        assert {v for v in members - values if not isinstance(v, Number)} == set()


def read_type(name: str):
    span = re.fullmatch(r'\[(-?\d+),(-?\d+)\]', name)
    return Range(int(span[1]), int(span[2])) if span else read_term(name)


def test_erasing_gives_the_rules_back():
    game = game_from_text(RULES)
    typed = game_from_text(annotate(game))
    heads = [erase_types(r.head) for r in typed.rules if name_of(r.head) != 'type']
    assert [h for h in heads if name_of(h) != 'typecombine'] == [r.head for r in game.rules]
