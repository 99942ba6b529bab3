"""Doppelkopf agrees with an independent implementation, written from its description alone.

Compared after each move: legal moves, hands, tricks and their winners, parties and who knows
them, announcements, eyes, special points, scores.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from doppelkopf_oracle import Oracle
from doppelkopf_twins import STYLES, Style, Twins, play_twins
import pytest

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.language.load import open_game

GAMES = 100
# Ten times a thousand games, each within the time that a test may take.
CHUNKS, GAMES_OF_A_CHUNK = 10, 1_000
VARIANTS = (
    ('doppelkopf(cards=48)', {'cards': 48}),
    ('doppelkopf(tens=first)', {'tens': 'first'}),
    ('doppelkopf(rounds=3)', {'rounds': 3}),
    ('doppelkopf(solos=no)', {'solos': 'no'}),
)

SIGHTS = (
    *('normal', 'wedding', 'queens_solo', 'jacks_solo', 'clubs_solo', 'spades_solo'),
    *('hearts_solo', 'diamonds_solo', 'meatless_solo', 'silent solo', 'lonely wedding'),
    *('re wins', 'kontra wins', 'even', 'no trick', 'special for re', 'special for kontra'),
    *('re 5', 'kontra 5', 'both bid'),
)


@cache
def circuit(name: str) -> CircuitEngine:
    return CircuitEngine(open_game(name))


@pytest.mark.parametrize('style', STYLES)
def test_agrees_with_the_oracle(style: Style) -> None:
    for seed in range(GAMES // len(STYLES) + 1):
        play_twins(circuit('doppelkopf'), Oracle(), seed, style)


@pytest.mark.parametrize(('name', 'options'), VARIANTS)
def test_options_agree_with_the_oracle(name: str, options: dict[str, object]) -> None:
    for seed, style in enumerate(STYLES):
        play_twins(circuit(name), Oracle(**options), seed, style)


@pytest.mark.slow
@pytest.mark.parametrize('chunk', range(CHUNKS))
def test_agrees_with_the_oracle_in_many_games(chunk: int) -> None:
    seen: Counter[str] = Counter()
    for game in range(GAMES_OF_A_CHUNK):
        seed = 1_000 + chunk * GAMES_OF_A_CHUNK + game
        twins = play_twins(circuit('doppelkopf'), Oracle(), seed, STYLES[game % len(STYLES)])
        seen.update(_sights(twins))
    # A comparison of games in which nothing happens proves little.
    for sight in SIGHTS:
        assert seen[sight], f'{sight} did not happen: {dict(seen)}'


def _sights(twins: Twins) -> list[str]:
    oracle = twins.oracle
    rules, teams, levels = str(oracle.rules), oracle.teams, oracle.levels
    alone = list(teams.values()).count('re') == 1
    sights = [rules]
    sights += ['silent solo'] * (alone and rules == 'normal')
    sights += ['lonely wedding'] * (alone and rules == 'wedding')
    winners = {teams[player] for player in oracle.trick_winners}
    sights += ['no trick'] * (len(winners) == 1)
    points = next(score for player, score in oracle.scores.items() if teams[player] == 're')
    sights.append('re wins' if points > 0 else 'kontra wins' if points < 0 else 'even')
    sights += ['special for re'] * (oracle.special > 0)
    sights += ['special for kontra'] * (oracle.special < 0)
    sights += [f'{team} 5' for team, level in levels.items() if level == 5]
    sights += ['both bid'] * (min(levels.values()) > 1)
    return sights
