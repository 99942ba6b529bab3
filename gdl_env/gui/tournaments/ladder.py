"""Who is stronger than whom, from all games that agents have played against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from gdl_env.environment.score import Score
from gdl_env.ros.tournament.cross_table import CrossTable

# The rating of an agent in the middle, and of one that wins ten games for each it loses.
_MIDDLE = 1500.0
_DECADE = 400.0
_ROUNDS = 300


@dataclass(frozen=True)
class Rung:
    """One agent of a ladder."""

    agent: str
    score: Score
    # In the scale of Elo. None where more or fewer than two play at a time.
    rating: float | None = None


def climb(tables: Sequence[CrossTable]) -> list[Rung]:
    """Return all agents, the strongest first."""
    agents = list(dict.fromkeys(agent for table in tables for agent in table.agents))
    scores = {
        agent: sum((table.total(agent) for table in tables), start=Score()) for agent in agents
    }
    ratings = _rate(tables, agents) if all(len(t.roles) == 2 for t in tables) else {}
    rungs = [Rung(agent, scores[agent], ratings.get(agent)) for agent in agents]
    return sorted(rungs, key=_strength, reverse=True)


def _strength(rung: Rung) -> tuple[float, float]:
    goal = rung.score.mean_goal
    points = rung.score.win_percentage
    return rung.rating or 0.0, (points if rung.rating is not None else goal) or 0.0


def _rate(tables: Sequence[CrossTable], agents: list[str]) -> dict[str, float]:
    """Return the ratings that explain the points best (Bradley and Terry).

    Each pair that has met is given one drawn game more: who never lost is strong, not infinite.
    """
    points: dict[tuple[str, str], float] = {}
    for one in agents:
        for other in agents:
            met = sum((t.total(one, other) for t in tables if one != other), start=Score())
            if met.games:
                points[one, other] = met.wins + met.draws / 2 + 0.5
    strength = dict.fromkeys(agents, 1.0)
    for _ in range(_ROUNDS):
        fresh = {}
        for one in agents:
            others = [other for a, other in points if a == one]
            won = sum(points[one, other] for other in others)
            weight = sum(
                (points[one, other] + points[other, one]) / (strength[one] + strength[other])
                for other in others
            )
            fresh[one] = won / weight if weight else 1.0
        mean = sum(log10(value) for value in fresh.values()) / len(fresh)
        strength = {agent: value / 10**mean for agent, value in fresh.items()}
    return {agent: _MIDDLE + _DECADE * log10(value) for agent, value in strength.items()}
