"""Sentences for people."""

from __future__ import annotations

from collections.abc import Mapping


def describe_result(goals: Mapping[str, int], role: str = '') -> str:
    """Return how a game ended: for a role, or for whoever looks on; '' if nothing is known."""
    if not goals:
        return ''
    shown = ', '.join(f'{name} {goal}' for name, goal in goals.items())
    best = max(goals.values())
    if role and role in goals:
        own = goals[role]
        if len(goals) == 1:
            word = {100: 'you won', 50: 'a draw', 0: 'you lost'}.get(own, 'the game is over')
        elif own == best and list(goals.values()).count(best) == 1:
            word = 'you won'
        else:
            word = 'a draw' if own == best else 'you lost'
        return f'{word} (goals: {shown})'
    winners = [name for name, goal in goals.items() if goal == best]
    if len(goals) == 1:
        return f'the game is over (goal: {shown})'
    word = f'{winners[0]} won' if len(winners) == 1 else 'a draw'
    return f'{word} (goals: {shown})'
