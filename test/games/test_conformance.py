"""What holds for every game in `games/`."""

from __future__ import annotations

from pathlib import Path
from random import Random

from playthrough import playthrough
import pytest

from gdl_env.engine.contract import NATURE, Engine
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.diagnostics import Severity
from gdl_env.language.formatter import format_source
from gdl_env.language.game import Game, Turns, build_rules
from gdl_env.language.load import game_from_text, read_game
from gdl_env.language.parser import parse
from gdl_env.language.source import Source
from gdl_env.language.terms import args_of, erase_types, name_of
from gdl_env.testing import check_game

MATCHES = 5
# Characters of playthroughs.
ENOUGH = 100_000
# More steps than any match of these games takes.
MAX_STEPS = 3000


def test_check_finds_nothing(rule_file: Path) -> None:
    source = Source.from_file(rule_file)
    _, findings = read_game(source)
    serious = [f.render(source) for f in findings if f.severity is not Severity.NOTE]
    assert not serious, '\n'.join(serious)


def test_text_of_a_game_is_that_game(game: Game) -> None:
    assert game_from_text(str(game)) == game
    assert game_from_text(game.text) == game


def test_layout_is_canonical(rule_file: Path) -> None:
    source = Source.from_file(rule_file)
    assert format_source(source) == source.text, f'gdl fmt {rule_file.name}'


def test_header_gives_title_and_sentence(rule_file: Path) -> None:
    first = rule_file.read_text('utf-8').splitlines()[0]
    title, dash, sentence = first.removeprefix('; ').partition(' - ')
    assert first.startswith('; ') and title and dash
    assert sentence.endswith('.') and '. ' not in sentence


def test_game_is_typed(game: Game) -> None:
    assert game.is_typed


@pytest.mark.prolog
def test_matches_have_a_move_in_each_step_and_goals_at_the_end(engine: Engine) -> None:
    # What one of two players wins, the other loses.
    total = 100 if len(Interpreter(engine, 0).roles) == 2 else None
    check_game(
        engine.game, engine=engine, matches=MATCHES, max_steps=MAX_STEPS, sum_of_goals=total
    )


@pytest.mark.prolog
def test_playouts_end(engine: Engine) -> None:
    for playout in engine.playouts(20, seed=1, max_steps=MAX_STEPS):
        assert 0 < playout.steps < MAX_STEPS
        assert None not in (goal for role, goal in playout.goals.items() if role != NATURE)


@pytest.mark.prolog
def test_view_has_no_sees_facts_of_others(engine: Engine) -> None:
    match = Interpreter(engine, 2)
    random = Random(2)
    while actors := match.actors():
        for role in match.roles:
            seen = [args_of(f)[0] for f in match.view(role).facts if name_of(f) == 'sees']
            assert set(seen) <= {role}
        if engine.game.turns is Turns.SERIAL:
            actors = (random.choice(actors),)
        match.step({role: random.choice(match.legal_moves(role)) for role in actors})


@pytest.mark.prolog
@pytest.mark.each_game
def test_types_alter_nothing(engine: Engine) -> None:
    from gdl_env.engine.registry import open_engine

    tree = parse(Source(str(engine.game)))
    rules = build_rules(erase_types(form) for form in tree.forms)
    erased = Game(rules, engine.game.name, engine.game.source)
    assert not erased.is_typed
    with open_engine(erased) as untyped:
        told = 0
        for seed in range(MATCHES):
            # A few matches, or a long one.
            if told < ENOUGH:
                text = playthrough(engine, seed)
                assert playthrough(untyped, seed) == text
                told += len(text)
