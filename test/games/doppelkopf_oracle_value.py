"""What a round of Doppelkopf is worth.

Part of the oracle (`doppelkopf_oracle.py`), written from `doc/doppelkopf.md` alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from doppelkopf_oracle_cards import CLUBS_JACK, DIAMONDS_ACE, EYES, Trick

RE, KONTRA = 're', 'kontra'
OTHER = {RE: KONTRA, KONTRA: RE}
SIGN = {RE: 1, KONTRA: -1}  # values are seen by re
BIDS = (90, 60, 30, 0)  # of the levels 2 to 5
MAX_POINTS = 150


@dataclass(frozen=True)
class Result:
    """What counts of a round that is over, for each team."""

    eyes: dict[str, int]
    tricks: dict[str, int]
    levels: dict[str, int]

    def bids(self, team: str) -> tuple[int, ...]:
        """List the bids of a team, the highest one (that of the fewest eyes) last."""
        return BIDS[: max(0, self.levels[team] - 1)]

    def keeps(self, team: str, bid: int) -> bool:
        """Tell whether a team has done what it bid."""
        other = OTHER[team]
        return self.tricks[other] == 0 if bid == 0 else self.eyes[other] < bid


def winning_team(result: Result) -> str | None:
    """Tell who wins: a team, or none if both bid and neither kept its highest bid."""
    bidders = [team for team in (RE, KONTRA) if result.bids(team)]
    if not bidders:
        only_kontra = result.levels[RE] == 0 and result.levels[KONTRA] == 1
        return RE if result.eyes[RE] >= (120 if only_kontra else 121) else KONTRA
    keepers = [team for team in bidders if result.keeps(team, result.bids(team)[-1])]
    if keepers:
        # Both cannot keep a bid: together they have 240 eyes.
        return keepers[0]
    return OTHER[bidders[0]] if len(bidders) == 1 else None


def value_of_win(result: Result, winner: str) -> int:
    """Sum up what the winners get for their win (point 1 of the value), without sign."""
    loser = OTHER[winner]
    limits = sum(result.eyes[loser] < limit for limit in (90, 60, 30))
    no_trick = result.tricks[loser] == 0
    announced = sum(2 for team in (RE, KONTRA) if result.levels[team] >= 1)
    bids = len(result.bids(RE)) + len(result.bids(KONTRA))
    return 1 + limits + no_trick + announced + bids


def value_against_bids(result: Result) -> int:
    """Sum up what is got against bids that were missed by far (point 2), as seen by re."""
    return sum(
        SIGN[OTHER[team]]
        for team in (RE, KONTRA)
        for bid in result.bids(team)
        if result.eyes[OTHER[team]] >= bid + 30
    )


def special_points(
    trick: Trick, winner: str, card: str, teams: dict[str, str], is_last: bool
) -> int:
    """Sum up the special points of one trick, as seen by re.

    `card` is the one that won it, `teams` are those after the trick.
    """
    mine = teams[winner]
    doppelkopf = sum(EYES[played] for _, played in trick) >= 40
    foxes = sum(
        played == DIAMONDS_ACE and teams.get(player) == OTHER[mine] for player, played in trick
    )
    charlie = is_last and card == CLUBS_JACK
    return SIGN[mine] * (doppelkopf + foxes + charlie)


def value_of_round(result: Result, special: int, has_special_points: bool) -> int:
    """Give the value V of a round, as seen by re."""
    winner = winning_team(result)
    value = value_against_bids(result)
    if winner is not None:
        value += SIGN[winner] * value_of_win(result, winner)
    if has_special_points:
        value += special - (winner == KONTRA)  # against the old
    return value


def points_of_players(value: int, teams: dict[str, str]) -> dict[str, int]:
    """Share the value of a round out among the players."""
    is_alone = list(teams.values()).count(RE) == 1
    share = {RE: 3 * value if is_alone else value, KONTRA: -value}
    return {player: share[team] for player, team in teams.items()}


def add_points(points: int, more: int) -> int:
    """Add points of a round to those of a player, within the bounds."""
    return max(-MAX_POINTS, min(MAX_POINTS, points + more))


def goal(points: int) -> int:
    """Give the goal of a player with so many points."""
    return max(0, min(100, 50 + 2 * points))
