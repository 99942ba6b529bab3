"""A game that shows a mistake → a smaller one that still shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from time import monotonic

from gdl_env.engine.fuzzing.rules import GeneratedGame


def reduce_game(
    game: GeneratedGame, is_found: Callable[[GeneratedGame], bool], seconds: float
) -> GeneratedGame:
    """Leave out rules, then conditions, as long as the mistake shows and time is left."""
    end = monotonic() + seconds
    for smaller in (_without_rules, _without_conditions, _without_rules):
        game = _shrink(game, smaller, is_found, end)
    return game


def _shrink(
    game: GeneratedGame,
    smaller: Callable[[GeneratedGame], Iterator[GeneratedGame]],
    is_found: Callable[[GeneratedGame], bool],
    end: float,
) -> GeneratedGame:
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for candidate in smaller(game):
            if monotonic() > end:
                return game
            if is_found(candidate):
                game, is_smaller = candidate, True
                break
    return game


def _without_rules(game: GeneratedGame) -> Iterator[GeneratedGame]:
    """Yield the game without some rules: many at once first, then single ones."""
    size = len(game.rules) // 2
    while size:
        # The rules at the end depend on those before.
        for start in range(len(game.rules) - size, -1, -size):
            yield replace(game, rules=game.rules[:start] + game.rules[start + size :])
        size //= 2


def _without_conditions(game: GeneratedGame) -> Iterator[GeneratedGame]:
    for index, rule in enumerate(game.rules):
        for number in range(len(rule.body)):
            less = replace(rule, body=rule.body[:number] + rule.body[number + 1 :])
            yield replace(game, rules=(*game.rules[:index], less, *game.rules[index + 1 :]))
