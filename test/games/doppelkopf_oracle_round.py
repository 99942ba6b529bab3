"""One round of Doppelkopf: dealing, reservations, play, and what players know of the teams.

Part of the oracle (`doppelkopf_oracle.py`), written from `doc/doppelkopf.md` alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from doppelkopf_oracle_cards import CLUBS_QUEEN, EYES, PLAYERS, RULE_SETS, SOLOS
from doppelkopf_oracle_value import (
    BIDS,
    KONTRA,
    OTHER,
    RE,
    Result,
    points_of_players,
    special_points,
    value_of_round,
)

RANDOM, HEALTHY, WEDDING, NORMAL, NOOP = 'random', 'healthy', 'wedding', 'normal', 'noop'
SETTLING_TRICKS = 3


def clockwise(first: str) -> tuple[str, ...]:
    """List the players in their order, beginning with one of them."""
    place = PLAYERS.index(first)
    return PLAYERS[place:] + PLAYERS[:place]


def following(player: str) -> str:
    """Give the next player."""
    return clockwise(player)[1]


@dataclass(frozen=True)
class Options:
    """What is chosen before a match."""

    cards: tuple[str, ...]
    second_ten: bool
    solos: bool


class Round:
    """One round, from the first card that is dealt to the last card that is played."""

    def __init__(self, options: Options, forehand: str) -> None:
        self.forehand = forehand
        self.phase = 'deal'
        self.control: str | None = forehand
        self.hands: dict[str, dict[str, int]] = {player: {} for player in PLAYERS}
        self.rules: str | None = None
        self.declarer: str | None = None
        # Later deadlines in a wedding; None as long as there are none: nobody may announce.
        self.delay: int | None = None
        self.teams: dict[str, str] = {}
        self.levels = {RE: 0, KONTRA: 0}
        self.trick: list[tuple[str, str]] = []
        self.trick_winners: list[str] = []
        self.eyes = dict.fromkeys(PLAYERS, 0)
        self.special = 0
        self._options = options
        self._rule_set = RULE_SETS[NORMAL]
        self._deck = dict.fromkeys(options.cards, 2)
        self._full_hand = len(options.cards) // 2
        self._reservations: dict[str, str] = {}
        self._dealt_queens = dict.fromkeys(PLAYERS, 0)
        self._played_queens = dict.fromkeys(PLAYERS, 0)
        self._shown: set[str] = set()

    def legal(self, role: str) -> set[str]:
        """Give the legal moves of a role."""
        if self.phase == 'deal':
            return self._deals() if role == RANDOM else set()
        if role not in PLAYERS:
            return set()
        if self.phase == 'reserve':
            return set() if role in self._reservations else self._choices(role)
        moves = self._announcements(role)
        if role == self.control:
            return moves | {f'(play {card})' for card in self._playable(role)}
        return moves | {NOOP} if moves else moves

    def play(self, role: str, move: str) -> None:
        """Make a legal move."""
        name, *args = move.strip('()').split()
        if name == 'deal':
            self._deal(args[0])
        elif name == 'reserve':
            self._reserve(role, args[0])
        elif name == 'announce':
            self.levels[self.teams[role]] += 1
            self._shown.add(role)
        elif name == 'play':
            self._play_card(role, args[0])

    # Dealing

    def _deals(self) -> set[str]:
        return {
            f'(deal {card} {copy})'
            for card, left in self._deck.items()
            for copy in range(1, left + 1)
        }

    def _deal(self, card: str) -> None:
        assert self.control is not None
        hand = self.hands[self.control]
        hand[card] = hand.get(card, 0) + 1
        self._deck[card] -= 1
        self.control = following(self.control)
        if not any(self._deck.values()):
            self.phase, self.control = 'reserve', None
            for player, hand in self.hands.items():
                self._dealt_queens[player] = hand.get(CLUBS_QUEEN, 0)

    # Reservations

    def _choices(self, player: str) -> set[str]:
        wedding = (WEDDING,) if self._dealt_queens[player] == 2 else ()
        solos = SOLOS if self._options.solos else ()
        return {f'(reserve {choice})' for choice in (HEALTHY, *wedding, *solos)}

    def _reserve(self, player: str, choice: str) -> None:
        self._reservations[player] = choice
        if len(self._reservations) < len(PLAYERS):
            return
        reserved: list[tuple[str | None, str]] = [
            (player, self._reservations[player]) for player in clockwise(self.forehand)
        ]
        solos = [(player, choice) for player, choice in reserved if choice in SOLOS]
        weddings = [(player, choice) for player, choice in reserved if choice == WEDDING]
        self._begin_play(*(solos + weddings or [(None, NORMAL)])[0])

    def _begin_play(self, declarer: str | None, rules: str) -> None:
        self.phase, self.control = 'play', self.forehand
        self.rules, self.declarer = rules, declarer
        self._rule_set = RULE_SETS[rules]
        if declarer is None:
            self._form_teams({player for player in PLAYERS if self._dealt_queens[player]})
        elif rules == WEDDING:
            self.teams = {declarer: RE}
            return
        else:
            self._form_teams({declarer})
        self.delay = 0

    def _form_teams(self, re: set[str]) -> None:
        self.teams = {player: RE if player in re else KONTRA for player in PLAYERS}

    # Announcements

    def _announcements(self, player: str) -> set[str]:
        """Give the one announcement a player may make, or none.

        The page says that 'players who belong to no team yet, and nobody in a wedding that is not
        settled, can announce': read as that neither can, the declarer of that wedding included.
        """
        if self.delay is None:
            return set()
        team = self.teams[player]
        level, other_level = self.levels[team], self.levels[OTHER[team]]
        if level > len(BIDS):
            return set()
        cards = sum(self.hands[player].values()) + self.delay - self._full_hand
        in_time = cards >= -(level + 1)
        reply = level == 0 and other_level >= 1 and cards >= -(other_level + 1)
        if not (in_time or reply):
            return set()
        return {f'(announce {team if level == 0 else BIDS[level - 1]})'}

    # Tricks

    def _playable(self, player: str) -> set[str]:
        hand = set(self.hands[player])
        if not self.trick:
            return hand
        class_of = self._rule_set.class_of
        led = class_of[self.trick[0][1]]
        return {card for card in hand if class_of[card] == led} or hand

    def _play_card(self, player: str, card: str) -> None:
        hand = self.hands[player]
        hand[card] -= 1
        if not hand[card]:
            del hand[card]
        if card == CLUBS_QUEEN:
            self._played_queens[player] += 1
            self._shown.add(player)
        self.trick.append((player, card))
        self.control = following(player)
        if len(self.trick) == len(PLAYERS):
            self._end_trick()

    def _end_trick(self) -> None:
        is_last = len(self.trick_winners) + 1 == self._full_hand
        winner, card = self._rule_set.winner(self.trick, self._options.second_ten and not is_last)
        self.trick_winners.append(winner)
        self.eyes[winner] += sum(EYES[played] for _, played in self.trick)
        if self.rules == WEDDING and self.delay is None:
            self._settle_wedding(winner)
        if self.has_special_points:
            # The page does not say what the fact `special` is in a solo: 0 here.
            self.special += special_points(self.trick, winner, card, self.teams, is_last)
        self.trick = []
        self.control = winner
        if is_last:
            self.phase, self.control = 'over', None

    def _settle_wedding(self, winner: str) -> None:
        tricks = len(self.trick_winners)
        if winner != self.declarer or tricks == SETTLING_TRICKS:
            self._form_teams({*self.teams, winner})  # so far the declarer alone has a team
            self.delay = tricks - 1

    # Knowledge

    def known(self, viewer: str) -> dict[str, str]:
        """Tell what a player knows of the teams."""
        if self.rules != NORMAL or self.phase == 'over':
            # All there is: in a wedding that is not settled only the declarer has a team.
            return dict(self.teams)
        seen = self._shown | {viewer}
        teams = [self.teams[player] for player in seen]
        re, kontra = teams.count(RE), teams.count(KONTRA)
        knows_all = (
            re == 2
            or kontra == 3
            or self._dealt_queens[viewer] == 2
            or 2 in self._played_queens.values()
            or (self._dealt_queens[viewer] == 1 and kontra == 2)
        )
        return {player: self.teams[player] for player in PLAYERS if knows_all or player in seen}

    # The end

    @property
    def has_special_points(self) -> bool:
        """Tell whether special points count in this rule set."""
        return self.rules in (NORMAL, WEDDING)

    def points(self) -> dict[str, int]:
        """Give the points of each player for a round that is over."""
        eyes, tricks = {RE: 0, KONTRA: 0}, {RE: 0, KONTRA: 0}
        for player, team in self.teams.items():
            eyes[team] += self.eyes[player]
            tricks[team] += self.trick_winners.count(player)
        result = Result(eyes, tricks, self.levels)
        value = value_of_round(result, self.special, self.has_special_points)
        return points_of_players(value, self.teams)
