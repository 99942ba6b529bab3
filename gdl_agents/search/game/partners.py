"""Who plays with whom: roles that have the same goal wherever a game ends.

Found from the rules, not from games: goals of two roles are the same if they are the same output
of the circuit, for each value. Teams that a match declares count as well. Where neither is known,
every role is alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import BatchGame


def find_partners(
    rules: BatchGame, role: int, teams: Mapping[str, tuple[str, ...]]
) -> tuple[int, ...]:
    """Return the players that share the goal of a player, itself left out."""
    names = [str(each) for each in rules.roles]
    found = {
        names.index(other)
        for members in teams.values()
        if names[role] in members
        for other in members
    }
    if isinstance(rules, CircuitBatch):
        goals = _find_goals(rules)
        found |= {player for player in rules.players if goals[player] == goals[role]}
    return tuple(sorted(found - {role}))


def find_teams(
    rules: BatchGame, teams: Mapping[str, tuple[str, ...]] = MappingProxyType({})
) -> tuple[tuple[str, ...], ...]:
    """Return the roles that play together, team by team; a role that is alone is in none."""
    names = [str(role) for role in rules.roles]
    found = (sorted((role, *find_partners(rules, role, teams))) for role in rules.players)
    groups = dict.fromkeys(tuple(names[member] for member in group) for group in found)
    return tuple(group for group in groups if len(group) > 1)


def _find_goals(rules: CircuitBatch) -> list[dict[int, tuple[int, ...]]]:
    """Return for each role and value of its goal what computes whether it holds."""
    tape = rules.compiled.score
    # Each output has an inverse of its own: what counts is what they are made of.
    made = {target: (kind, *sources) for kind, target, *sources in tape.operations.tolist()}
    goals: list[dict[int, tuple[int, ...]]] = [{} for _ in rules.roles]
    for (role, value), slot in zip(rules.vocabulary.goals, tape.outputs[0].tolist(), strict=True):
        goals[rules.roles.index(role)][value] = made.get(slot, (slot,))
    return goals
