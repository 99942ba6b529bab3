"""One match played by the rules in `games/` and by the oracle at the same time."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from random import Random

from doppelkopf_oracle import Oracle
import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.language.terms import args_of, name_of

PLAYERS = ('north', 'east', 'south', 'west')
# Facts that the oracle does not tell by themselves.
UNREAD = frozenset({'played', 'seat', 'queens', 'deck', 'reserves', 'announced', 'led', 'best'})
# From strong to weak, in most rule sets.
BY_STRENGTH = ('hearts_ten', 'queen', 'jack', 'diamonds', 'ace', 'ten', 'king', 'nine')


@dataclass(frozen=True)
class Style:
    """How the players of a match choose: random moves alone rarely lead to what is rare."""

    # Chances that a solo is reserved, a wedding kept secret, an announcement made.
    solo: float = 0.15
    silent: float = 0.3
    announce: float = 0.1
    # The chance that a strong card is dealt to north and east, or is played by them.
    rich: float = 0.0
    greedy: float = 0.0


STYLES = (
    Style(),
    Style(announce=0.0),
    Style(announce=0.5),
    Style(solo=0.0, silent=0.0, rich=0.3),
    Style(solo=0.0, rich=0.7, greedy=0.7, announce=0.3),
    Style(solo=0.5, greedy=0.9, rich=0.7, announce=0.4),
    Style(greedy=0.5),
)


@dataclass
class Position:
    """What the rules say of a state, in the words of the oracle."""

    single: dict[str, str] = field(default_factory=dict)
    by_player: dict[str, dict[str, int]] = field(default_factory=dict)
    hands: dict[str, dict[str, int]] = field(default_factory=dict)
    known: dict[str, dict[str, str]] = field(default_factory=dict)
    teams: dict[str, str] = field(default_factory=dict)
    table: dict[str, str] = field(default_factory=dict)
    special: int = 0
    cards_taken: dict[str, int] = field(default_factory=dict)


class Twins:
    """A position of the rules and an oracle that make the same moves."""

    def __init__(self, engine: CircuitEngine, oracle: Oracle) -> None:
        self.oracle = oracle
        self._position: Position | None = None
        self._legal: dict[str, list[str]] | None = None
        self._search = Search(engine.compiled)
        self._facts, self._is_read, self._moves = _vocabulary(engine)
        self._rows = dict(zip(self._moves, self._search.does_row.tolist(), strict=True))

    @property
    def legal(self) -> dict[str, list[str]]:
        """The legal moves of each role by the rules, in order."""
        if self._legal is None:
            self._legal = self._find_legal()
        return self._legal

    def _find_legal(self) -> dict[str, list[str]]:
        moves: dict[str, list[str]] = {role: [] for role in ('random', *PLAYERS)}
        if not self._search.is_terminal:
            for row in self._search.legal():
                role, move = self._moves[row]
                moves[role].append(move)
        return {role: sorted(found) for role, found in moves.items()}

    def play(self, role: str, move: str) -> None:
        """Make a move in both."""
        before = self._search.key()
        self._search.do(np.array([self._rows[role, move]], np.int64))
        assert (self._search.key() == before) == (move == 'noop')
        self._position = self._legal = None
        self.oracle.play(role, move)

    @property
    def position(self) -> Position:
        """What the rules say of the state."""
        if self._position is None:
            self._position = self._read_position()
        return self._position

    def _read_position(self) -> Position:
        position = Position()
        for player in PLAYERS:
            position.hands[player] = {}
            position.known[player] = {}
            position.cards_taken[player] = 0
        for row in np.flatnonzero(self._search.facts & self._is_read):
            _read(self._facts[row], position)
        return position

    def compare(self) -> None:
        """Fail where the two differ."""
        oracle, position, legal = self.oracle, self.position, self.legal
        for role, moves in legal.items():
            assert set(moves) == oracle.legal(role), f'legal moves of {role}'
        single = position.single
        assert self._search.is_terminal == oracle.is_over
        assert single['phase'] == oracle.phase
        assert int(single['round']) == oracle.round
        assert single.get('control') == oracle.control
        assert single.get('rules') == oracle.rules
        assert single.get('declarer') == oracle.declarer
        assert position.hands == oracle.hands
        assert position.by_player['cards'] == {p: sum(h.values()) for p, h in oracle.hands.items()}
        assert position.table == dict(oracle.trick)
        winners = oracle.trick_winners
        assert position.cards_taken == {player: 4 * winners.count(player) for player in PLAYERS}
        assert position.teams == oracle.teams
        for viewer in PLAYERS:
            assert position.known[viewer] == oracle.known(viewer), f'what {viewer} knows'
        assert position.by_player.get('level', {'re': 0, 'kontra': 0}) == oracle.levels
        assert position.by_player['eyes'] == oracle.eyes
        assert position.special == oracle.special or oracle.is_over
        assert position.by_player['points'] == oracle.scores

    def choose(self, random: Random, style: Style) -> tuple[str, str]:
        """Choose a player and a legal move."""
        legal = self.legal
        acting = [role for role, moves in legal.items() if moves]
        role = 'random' if 'random' in acting else random.choice(acting)
        moves = legal[role]
        if role == 'random':
            is_rich = self.position.single['control'] in PLAYERS[:2]
            return role, _lean(random, moves, style.rich, is_rich)
        if moves[0].startswith('(reserve'):
            return role, _reservation(random, moves, style)
        announcements = [move for move in moves if move.startswith('(announce')]
        if announcements and random.random() < style.announce:
            return role, announcements[0]
        others = [move for move in moves if move not in announcements]
        return role, _lean(random, others, style.greedy, role in PLAYERS[:2])


def play_twins(engine: CircuitEngine, oracle: Oracle, seed: int, style: Style) -> Twins:
    """Play a whole match and compare in each step; the same seed plays the same match."""
    random = Random(seed)
    twins = Twins(engine, oracle)
    twins.compare()
    while not oracle.is_over:
        role, move = twins.choose(random, style)
        twins.play(role, move)
        twins.compare()
    return twins


def _reservation(random: Random, moves: list[str], style: Style) -> str:
    if '(reserve wedding)' in moves and random.random() >= style.silent:
        return '(reserve wedding)'
    if random.random() < style.solo:
        return random.choice(moves)
    return '(reserve healthy)'


def _lean(random: Random, moves: list[str], chance: float, to_strong: bool) -> str:
    """Choose a move, by some chance the one with the strongest or with the weakest card."""
    if random.random() >= chance:
        return random.choice(moves)
    ordered = sorted(moves, key=_weakness)
    return ordered[0] if to_strong else ordered[-1]


def _weakness(move: str) -> int:
    return next((i for i, part in enumerate(BY_STRENGTH) if part in move), len(BY_STRENGTH))


@cache
def _vocabulary(
    engine: CircuitEngine,
) -> tuple[list[tuple[str, ...]], NDArray[np.bool_], list[tuple[str, str]]]:
    """Return the facts as words, which of them are read, and the moves."""
    vocabulary = engine.compiled.vocabulary
    facts = [_words(fact) for fact in vocabulary.facts]
    is_read = np.array([fact[2 * (fact[0] == 'sees')] not in UNREAD for fact in facts])
    return facts, is_read, [(str(role), str(move)) for role, move in vocabulary.legal]


def _words(fact: object) -> tuple[str, ...]:
    """Return a fact as words; `(sees north (hand c 1))` is sees, north, hand, c, 1."""
    words = [name_of(fact)]  # type: ignore[arg-type]
    for arg in args_of(fact):  # type: ignore[arg-type]
        words += _words(arg) if args_of(arg) else [str(arg)]
    return tuple(words)


def _read(fact: tuple[str, ...], position: Position) -> None:
    match fact:
        case ('sees', player, 'hand', card, copies):
            position.hands[player][card] = int(copies)
        case ('sees', viewer, 'team', player, team):
            assert player not in position.known[viewer]
            position.known[viewer][player] = team
        case ('sees', 'random', 'side', player, team) | ('side', player, team):
            assert player not in position.teams
            position.teams[player] = team
        case ('sees', 'random', 'special', number):
            position.special = int(number)
        case ('table', player, card):
            assert player not in position.table
            position.table[player] = card
        case ('taken', player, _, copies):
            position.cards_taken[player] += int(copies)
        case ('cards' | 'level' | 'eyes' | 'points' as name, owner, number):
            numbers = position.by_player.setdefault(name, {})
            assert owner not in numbers
            numbers[owner] = int(number)
        case ('phase' | 'round' | 'control' | 'rules' | 'declarer' | 'forehand' as name, value):
            assert name not in position.single
            position.single[name] = value
