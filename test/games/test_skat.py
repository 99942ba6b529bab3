"""Skat: the auction, tricks and values agree with a plain referee; hands stay hidden."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from skat_referee import BIDS, PLAYERS, Referee
from walk import term

from gdl_env.engine.contract import NATURE, Engine, Role, State
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.terms import name_of

ROLES = tuple(map(term, PLAYERS))
FOREHAND, MIDDLEHAND, REARHAND = ROLES


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('skat')


def after_deal(engine: Engine, seed: int = 1) -> State:
    random, state = Random(seed), engine.initial_state
    while moves := engine.legal_moves(state)[NATURE]:
        state = engine.next_state(state, {NATURE: random.choice(moves)})
    return state


def said(engine: Engine, state: State, *moves: tuple[Role, str]) -> State:
    for role, move in moves:
        assert term(move) in engine.legal_moves(state)[role]
        state = engine.next_state(state, {role: term(move)})
    return state


def words(fact: object) -> list[str]:
    return str(fact).replace('(', ' ').replace(')', ' ').split()


# ---- the referee


def test_matches_agree_with_the_referee(engine: Engine) -> None:
    results = [_referee_match(engine, seed) for seed in range(100)]
    seen = {(r.contract, (r.points() or 0) > 0) for r in results}
    assert {(None, False), ('null', False), ('grand', True), ('grand', False)} <= seen
    assert len(seen) >= 10


def _referee_match(engine: Engine, seed: int) -> Referee:
    random, referee = Random(seed), Referee()
    match = Interpreter(engine, seed)
    taken = 0
    while True:
        for step in match.history[taken:]:
            for role, move in step.played.items():
                referee.move(str(role), words(move))
        taken = len(match.history)
        _compare(match, referee)
        actors = match.actors()
        if not actors:
            break
        role = random.choice(actors)
        moves = match.legal_moves(role)
        # Low bids, or nearly all games are lost by the bid alone.
        passing = [move for move in moves if str(move) == 'pass' and random.random() < 0.4]
        match.step({role: random.choice(passing or moves)})
    points = [words(fact) for fact in match.state if name_of(fact) == 'points']
    assert points == ([] if referee.points() is None else [['points', str(referee.points())]])
    return referee


def _compare(match: Interpreter, referee: Referee) -> None:
    facts = [words(fact) for fact in match.state]
    for player in PLAYERS:
        hand = {(f[3], f[4]) for f in facts if f[:3] == ['sees', player, 'hand']}
        assert hand == referee.hands[player]
    assert ['bid', str(referee.bid)] in facts or not referee.bid
    declarer = [['declarer', referee.declarer]] if referee.declarer else []
    assert [f for f in facts if f[0] == 'declarer'] == declarer
    assert {(f[1], f[2]) for f in facts if f[0] == 'won'} == set(referee.won)
    assert sorted((f[1], (f[2], f[3])) for f in facts if f[0] == 'table') == sorted(referee.trick)
    if ['phase', 'play'] in facts:
        assert ['control', referee.turn] in facts
        legal = match.legal_moves(term(referee.turn))
        assert {tuple(words(move)[1:]) for move in legal} == referee.playable()


# ---- the auction


def test_bids_are_those_of_the_list(engine: Engine) -> None:
    state, bids = after_deal(engine), []
    while term('raise') in engine.legal_moves(state)[MIDDLEHAND]:
        state = said(engine, state, (MIDDLEHAND, 'raise'))
        bids += [int(words(fact)[1]) for fact in state if name_of(fact) == 'bid']
        state = said(engine, state, (FOREHAND, 'hold'))
    assert tuple(bids) == BIDS


def test_rearhand_bids_against_whoever_is_left(engine: Engine) -> None:
    state = said(engine, after_deal(engine), (MIDDLEHAND, 'raise'), (FOREHAND, 'pass'))
    state = said(engine, state, (REARHAND, 'raise'), (MIDDLEHAND, 'hold'), (REARHAND, 'pass'))
    assert {term('(declarer middlehand)'), term('(bid 20)')} <= state


def test_forehand_may_have_the_game_if_nobody_bids(engine: Engine) -> None:
    state = said(engine, after_deal(engine), (MIDDLEHAND, 'pass'), (REARHAND, 'pass'))
    bought = said(engine, state, (FOREHAND, 'raise'))
    assert {term('(declarer forehand)'), term('(bid 18)')} <= bought
    passed = said(engine, state, (FOREHAND, 'pass'))
    assert engine.is_terminal(passed)
    assert {engine.goals(passed)[role] for role in ROLES} == {50}


# ---- what is hidden


def test_players_see_their_own_cards_only(engine: Engine) -> None:
    state = said(engine, after_deal(engine), (MIDDLEHAND, 'raise'), (FOREHAND, 'pass'))
    state = said(engine, state, (REARHAND, 'pass'))
    assert term('(phase put)') in state
    for _ in range(2):
        card = next(move for move in engine.legal_moves(state)[MIDDLEHAND])
        others = [engine.view(state, role) for role in (FOREHAND, REARHAND)]
        after = engine.next_state(state, {MIDDLEHAND: card})
        if term('(phase put)') in after:
            # Nobody else notices the first card that is put down.
            assert [engine.view(after, role) for role in (FOREHAND, REARHAND)] == others
        state = after
    for role in ROLES:
        secrets = [words(f) for f in engine.view(state, role) if name_of(f) == 'sees']
        assert {secret[1] for secret in secrets} == {str(role)}
        assert len(secrets) == (12 if role == MIDDLEHAND else 10)


def test_other_hands_look_the_same(engine: Engine) -> None:
    """Forehand cannot tell two deals apart that differ in the cards of the others."""
    state = after_deal(engine)
    other = frozenset(term(_exchanged(str(fact))) for fact in state)
    assert other != state
    assert engine.view(other, FOREHAND) == engine.view(state, FOREHAND)
    for moves in ((MIDDLEHAND, 'raise'), (FOREHAND, 'hold'), (MIDDLEHAND, 'pass')):
        state, other = said(engine, state, moves), said(engine, other, moves)
        assert engine.view(other, FOREHAND) == engine.view(state, FOREHAND)


def _exchanged(fact: str) -> str:
    """Exchange the hands of middlehand and rearhand."""
    if not fact.startswith('(sees'):
        return fact
    swap = {'middlehand': 'rearhand', 'rearhand': 'middlehand'}
    return ' '.join(swap.get(word, word) for word in fact.split(' '))
