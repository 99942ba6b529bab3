"""Matches of Doppelkopf with hands that a test chooses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random

from walk import term

from gdl_env.engine.contract import NATURE, Engine, Role, State
from gdl_env.language.terms import args_of, name_of

PLAYERS = tuple(term(name) for name in ('north', 'east', 'south', 'west'))
NORTH, EAST, SOUTH, WEST = PLAYERS
SUITS = ('clubs', 'spades', 'hearts', 'diamonds')
CARDS = tuple(f'{s}_{r}' for s in SUITS for r in ('ace', 'ten', 'king', 'queen', 'jack'))
Hands = Mapping[Role, Iterable[str]]


def deal(engine: Engine, hands: Hands) -> State:
    """Deal these hands, which say where all cards are; of equal cards the second goes first."""
    state = engine.initial_state
    left = Counter(dict.fromkeys(CARDS, 2))
    for cards in zip(*(list(hands[player]) for player in PLAYERS), strict=True):
        for card in cards:
            state = engine.next_state(state, {NATURE: term(f'(deal {card} {left[card]})')})
            left[card] -= 1
    return state


def dealt(hands: Hands) -> State:
    """Return the state in which these hands are dealt, without dealing."""
    facts = ['(phase reserve)', '(round 1)', '(forehand north)']
    for player, cards in hands.items():
        facts += [f'(points {player} 0)', f'(eyes {player} 0)', f'(cards {player} 10)']
        facts += [f'(sees {player} (seat {player}))']
        facts += [f'(sees {player} (hand {card} {n}))' for card, n in Counter(cards).items()]
    return frozenset(map(term, facts))


def fill_hands(hands: Hands, random: Random) -> dict[Role, list[str]]:
    """Give the cards that nobody has yet to those who have less than ten."""
    rest = Counter(dict.fromkeys(CARDS, 2))
    for cards in hands.values():
        rest.subtract(cards)
    assert min(rest.values()) >= 0
    others = sorted(rest.elements())
    random.shuffle(others)
    full = {player: list(hands.get(player, ())) for player in PLAYERS}
    for cards in full.values():
        cards += [others.pop() for _ in range(10 - len(cards))]
    return full


def play(engine: Engine, state: State, *moves: tuple[Role, str]) -> State:
    """Play moves, each of which must be legal."""
    for role, text in moves:
        move = term(text)
        legal = engine.legal_moves(state)[role]
        assert move in legal, f'{role} {text}: legal are {[str(m) for m in legal]}'
        state = engine.next_state(state, {role: move})
    return state


def all_healthy(engine: Engine, state: State) -> State:
    """Let nobody have a reservation."""
    return play(engine, state, *((player, '(reserve healthy)') for player in PLAYERS))


def trick(engine: Engine, state: State, *cards: str) -> State:
    """Play the cards, one after the other by the players in control."""
    for card in cards:
        state = play(engine, state, (control(state), f'(play {card})'))
    return state


def control(state: State) -> Role:
    """Return the player in control."""
    (player,) = (args_of(fact)[0] for fact in state if name_of(fact) == 'control')
    return player


def hand(state: State, player: Role) -> Counter[str]:
    """Return the cards in the hand of a player."""
    cards: Counter[str] = Counter()
    for fact in state:
        words = str(fact).strip('()').replace('(', '').split()
        if words[:3] == ['sees', str(player), 'hand']:
            cards[words[3]] = int(words[4])
    return cards


def known(engine: Engine, state: State, viewer: Role) -> dict[str, str]:
    """Return what a player sees of the parties."""
    pairs = {}
    for fact in engine.view(state, viewer):
        words = str(fact).strip('()').replace('(', '').split()
        if words[0] == 'sees' and words[2] == 'team':
            pairs[words[3]] = words[4]
    return pairs
