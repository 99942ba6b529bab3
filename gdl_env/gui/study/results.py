"""The end of a game in words: who won, with how much, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gdl_env.gui.drawing.domain import bare, read
from gdl_env.gui.drawing.view_boards import ResultView
from gdl_env.gui.drawing.view_file import ViewFile
from gdl_env.gui.texts import describe_goals, describe_outcome, list_names, text, winners_of
from gdl_env.language.terms import args_of, name_of


def describe_end(
    goals: Mapping[str, int], facts: Iterable[str], view: ViewFile, role: str = ''
) -> str:
    """Return how a game ended: 'Re wins with 131, 2 points each', as the view file counts.

    Without a view file these are the goals; '' if nothing is known.
    """
    if not goals:
        return ''
    told = view.result
    detail = _describe(goals, _table(facts, told), view, told) if told else ''
    if not detail:
        return f'{describe_outcome(goals, role)} ({describe_goals(goals, role)})'
    if role not in goals:
        return f'{detail} ({describe_goals(goals)})'
    if len(goals) == 1:
        return f'{detail} ({describe_goals(goals, role)})'
    return f'{describe_outcome(goals, role)}: {detail} ({describe_goals(goals, role)})'


Facts = Mapping[str, Mapping[str, str]]


def _table(facts: Iterable[str], told: ResultView) -> Facts:
    """Return the second argument by the first, of the relations that are needed."""
    found: dict[str, dict[str, str]] = {told.parties: {}, told.score: {}}
    for fact in facts:
        term = bare(read(fact))
        args = args_of(term)
        if name_of(term) in found and len(args) == 2:
            found[name_of(term)][str(args[0])] = str(args[1])
    return found


def _describe(goals: Mapping[str, int], facts: Facts, view: ViewFile, told: ResultView) -> str:
    if len(goals) == 1:
        return _describe_own(next(iter(goals.values())), told)
    winners = winners_of(goals)
    if not winners:
        return ''
    parties = facts.get(told.parties, {})
    found = {parties.get(name, '') for name in winners}
    party = found.pop() if len(found) == 1 else ''
    members = [name for name in goals if party and parties.get(name) == party]
    scores = facts.get(told.score, {}) if told.score else {}
    score = sum(int(scores.get(name, '0')) for name in members or winners) if scores else 0
    who = view.word(party) if party else list_names([view.word(name) for name in winners])
    amount = _amount(goals[winners[0]], told)
    if amount and len(winners) > 1:
        amount = text('result.each', amount=amount)
    is_one = bool(party) or len(winners) == 1
    sentence = text('result.one_wins' if is_one else 'result.many_win', who=who)
    if score:
        sentence = text('result.with_score', sentence=sentence, score=score)
    return f'{sentence}, {amount}' if amount else sentence


def _describe_own(goal: int, told: ResultView) -> str:
    """Return what is known to a player whose own goal only was published."""
    amount = _amount(goal, told)
    if not amount:
        return text('result.draw') if told.each and goal == told.zero else ''
    return text('result.you_win' if goal > told.zero else 'result.you_lose', amount=amount)


def _amount(goal: int, told: ResultView) -> str:
    """Return what a goal is worth, such as '2 points'."""
    number = abs(goal - told.zero) // told.each if told.each else 0
    return f'{number} {told.one if number == 1 else told.many}' if number else ''
