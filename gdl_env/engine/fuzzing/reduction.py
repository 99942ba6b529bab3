"""A game that shows a mistake → a smaller one that still shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from gdl_env.engine.fuzzing.rules import GeneratedGame

# Leaves out some of the parts of a game: the first one, and how many.
_Without = Callable[[GeneratedGame, int, int], GeneratedGame]


def reduce_game(
    game: GeneratedGame, is_found: Callable[[GeneratedGame], bool], seconds: float
) -> GeneratedGame:
    """Leave out rules, then conditions, as long as the mistake shows and time is left."""
    end = monotonic() + seconds
    for count, without in (
        (_count_rules, _without_rules),
        (_count_conditions, _without_conditions),
        (_count_rules, _without_rules),
    ):
        game = _shrink(game, count, without, is_found, end)
    return game


def _shrink(
    game: GeneratedGame,
    count: Callable[[GeneratedGame], int],
    without: _Without,
    is_found: Callable[[GeneratedGame], bool],
    end: float,
) -> GeneratedGame:
    """Leave out many parts at a time first, then single ones until none can be missed."""
    size = max(count(game) // 2, 1)
    while True:
        is_smaller = False
        # The rules at the end depend on those before.
        place = count(game) - size
        while place > -size:
            if monotonic() > end:
                return game
            start = max(place, 0)
            candidate = without(game, start, size)
            if is_found(candidate):
                game, is_smaller = candidate, True
            place -= size
        if size == 1 and not is_smaller:
            return game
        size = max(size // 2, 1)


def _count_rules(game: GeneratedGame) -> int:
    return len(game.rules)


def _without_rules(game: GeneratedGame, start: int, size: int) -> GeneratedGame:
    return replace(game, rules=game.rules[:start] + game.rules[start + size :])


def _count_conditions(game: GeneratedGame) -> int:
    return sum(len(rule.body) for rule in game.rules)


def _without_conditions(game: GeneratedGame, start: int, size: int) -> GeneratedGame:
    rules, place = [], 0
    for rule in game.rules:
        numbered = enumerate(rule.body, start=place)
        kept = tuple(text for number, text in numbered if not start <= number < start + size)
        place += len(rule.body)
        rules.append(replace(rule, body=kept))
    return replace(game, rules=tuple(rules))
