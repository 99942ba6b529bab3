"""Random games: valid, the same for a seed, and with all features of the language among them."""

from __future__ import annotations

import pytest

from gdl_env.engine.fuzzing.generator import generate
from gdl_env.language.game import Information, Turns
from gdl_env.language.load import game_from_text

SEEDS = range(50)


@pytest.mark.parametrize('seed', SEEDS)
def test_games_have_no_errors(seed: int) -> None:
    game = game_from_text(generate(seed).text)
    assert {'init', 'legal', 'next', 'goal'} <= {rule.head.name for rule in game.rules}


def test_a_seed_gives_one_game() -> None:
    assert generate(3) == generate(3)
    assert generate(3).text != generate(4).text


@pytest.mark.parametrize(
    'text',
    [
        '(not ',
        '(or ',
        '(and ',
        '(distinct ',
        '(count ',
        '(add ',
        '(mod ',
        '(less ',
        '(random d',
        '(random deck 0 ',
        '(role random)',
        '(<= (role ',
        '(option ',
        '(type ',
        ']:?',
        '(pair ',
        '(next (sees ',
        '(<= (sees ',
        '(reach ?y ?z)',
        ' noop)',
    ],
)
def test_features_of_the_language_occur(text: str) -> None:
    assert any(text in generate(seed).text for seed in SEEDS)


def test_all_kinds_of_information_and_turns_occur() -> None:
    games = [game_from_text(generate(seed).text) for seed in SEEDS]
    assert {game.information for game in games} == set(Information)
    assert {game.turns for game in games} == set(Turns)
    assert {game.is_typed for game in games} == {False, True}
    assert any(game.experiments for game in games)
