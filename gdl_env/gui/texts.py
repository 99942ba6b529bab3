"""Sentences for people."""

from __future__ import annotations

from collections.abc import Mapping

from gdl_env.play.outcome import LOST, WON, outcome_of


def describe_result(goals: Mapping[str, int], role: str = '') -> str:
    """Return how a game ended: for a role, or for a spectator; '' if nothing is known."""
    if not goals:
        return ''
    shown = ', '.join(f'{name} {goal}' for name, goal in goals.items())
    if role in goals:
        if len(goals) == 1:
            word = {100: 'you won', 0: 'you lost'}.get(goals[role], 'the game is over')
        else:
            word = {WON: 'you won', LOST: 'you lost'}.get(_outcome(goals, role), 'a draw')
        return f'{word} (goals: {shown})'
    if len(goals) == 1:
        return f'the game is over (goal: {shown})'
    *most, last = [name for name in goals if _outcome(goals, name) == WON] or ['']
    names = f'{", ".join(most)} and {last}' if most else last
    word = f'{names} won' if names else 'a draw'
    return f'{word} (goals: {shown})'


def _outcome(goals: Mapping[str, int], role: str) -> int:
    return outcome_of(goals[role], (goal for name, goal in goals.items() if name != role))
