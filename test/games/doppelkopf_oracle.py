"""Doppelkopf in plain Python, written from `doc/doppelkopf.md` alone: an oracle for tests.

It shares nothing with the rules in `games/` nor with the engines, so that what both agree on is
what the page says. The parts of `Oracle` are those of the page's section on it; moves, cards,
roles and teams are texts. The files beside this one hold the cards and rule sets
(`doppelkopf_oracle_cards`), one round (`_round`), and what it is worth (`_value`).
"""

from __future__ import annotations

from doppelkopf_oracle_cards import PLAYERS, different_cards
from doppelkopf_oracle_round import Options, Round, following
from doppelkopf_oracle_value import add_points, goal


class Oracle:
    """A match. What it gives are copies: they stay as they are when the match continues."""

    def __init__(
        self, cards: int = 40, rounds: int = 1, tens: str = 'second', solos: str = 'yes'
    ) -> None:
        if tens not in ('first', 'second'):
            raise ValueError(f"tens are 'first' or 'second', not {tens!r}")
        if solos not in ('yes', 'no'):
            raise ValueError(f"solos are 'yes' or 'no', not {solos!r}")
        if not 1 <= rounds <= 8:
            raise ValueError(f'a match has 1 to 8 rounds, not {rounds}')
        self.round = 1
        self._rounds = rounds
        self._options = Options(different_cards(cards), tens == 'second', solos == 'yes')
        self._scores = dict.fromkeys(PLAYERS, 0)
        self._round = Round(self._options, PLAYERS[0])

    def legal(self, role: str) -> set[str]:
        """Give the legal moves of a role."""
        return set() if self.is_over else self._round.legal(role)

    def play(self, role: str, move: str) -> None:
        """Make a move; raise `ValueError` if it is not legal."""
        legal = self.legal(role)
        if move not in legal:
            raise ValueError(f'{role} may not play {move}, but one of {sorted(legal)}')
        self._round.play(role, move)
        if self._round.phase == 'over':
            self._end_round()

    def _end_round(self) -> None:
        for player, points in self._round.points().items():
            self._scores[player] = add_points(self._scores[player], points)
        if self.round < self._rounds:
            self.round += 1
            self._round = Round(self._options, following(self._round.forehand))

    def known(self, viewer: str) -> dict[str, str]:
        """Tell what a player knows of the teams, its own included."""
        return self._round.known(viewer)

    @property
    def phase(self) -> str:
        """The stage of the round: deal, reserve, play or over."""
        return self._round.phase

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self._round.phase == 'over'

    @property
    def forehand(self) -> str:
        """Who leads to the first trick of this round."""
        return self._round.forehand

    @property
    def control(self) -> str | None:
        """Who is dealt the next card, or plays the next one."""
        return self._round.control

    @property
    def hands(self) -> dict[str, dict[str, int]]:
        """How many copies of which cards each player has."""
        return {player: dict(hand) for player, hand in self._round.hands.items()}

    @property
    def rules(self) -> str | None:
        """The rule set, from the end of the reservations."""
        return self._round.rules

    @property
    def declarer(self) -> str | None:
        """Who declared a wedding or a solo."""
        return self._round.declarer

    @property
    def delay(self) -> int | None:
        """How much later the deadlines are; None before that is known."""
        return self._round.delay

    @property
    def trick(self) -> list[tuple[str, str]]:
        """Players and cards of the unfinished trick, in order."""
        return list(self._round.trick)

    @property
    def trick_winners(self) -> list[str]:
        """Winners of the tricks of this round, in order."""
        return list(self._round.trick_winners)

    @property
    def teams(self) -> dict[str, str]:
        """True team of each player who has one."""
        return dict(self._round.teams)

    @property
    def levels(self) -> dict[str, int]:
        """Announcements of each team."""
        return dict(self._round.levels)

    @property
    def eyes(self) -> dict[str, int]:
        """Eyes of each player in this round."""
        return dict(self._round.eyes)

    @property
    def special(self) -> int:
        """Special points of re minus those of kontra so far, without `against the old`."""
        return self._round.special

    @property
    def scores(self) -> dict[str, int]:
        """Points of each player."""
        return dict(self._scores)

    @property
    def goals(self) -> dict[str, int]:
        """Goal of each player."""
        return {player: goal(points) for player, points in self._scores.items()}
