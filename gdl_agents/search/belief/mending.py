"""Histories that come near to what was shown, changed until they agree with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.belief_steps import BeliefSteps
from gdl_agents.search.belief.course import Course
from gdl_agents.search.belief.renewal import draw_other_moves, find_places_to_change
from gdl_agents.search.belief.replay import BROKEN, Changes, HistoryReplay, measure_distance

# Rounds; changes that are tried in each, of all histories; and histories that are enough.
_ROUNDS = 60
_CHANGES = 768
_ENOUGH = 4
# Rounds in a row in which histories do not come nearer.
_PATIENCE = 12
# The share of changes at steps that brought something wrong into view.
_AT_CAUSES = 0.5
# How often a history gets worse by one, in the hope of a way out.
_DETOURS = 0.1


def mend(ways: BeliefSteps, course: Course, chance: np.random.Generator) -> Course:
    """Return histories that agree with all that was shown, with repeats; none if none is found."""
    distance = _measure(ways, course)
    nearest, idle = BROKEN, 0
    for _ in range(_ROUNDS):
        total = int(distance.sum())
        nearest, idle = (total, 0) if total < nearest else (nearest, idle + 1)
        if idle > _PATIENCE:
            break
        done = np.flatnonzero(distance == 0)
        if len(done) >= _ENOUGH or not len(course):
            break
        changes = _propose(ways, course, chance)
        replayed = HistoryReplay(ways, course, chance, is_strict=False).run(changes)
        # The best change of each history.
        noise = chance.random(len(changes))
        order = np.lexsort((noise, replayed.distance, changes.source))
        sources, first = np.unique(changes.source[order], return_index=True)
        best = order[first]
        far = replayed.distance[best]
        limit = distance[sources] + (chance.random(len(sources)) < _DETOURS)
        is_taken = (far <= limit) & (far < BROKEN) & (distance[sources] > 0)
        course.put(sources[is_taken], replayed.course, best[is_taken])
        distance[sources[is_taken]] = far[is_taken]
        _replace_worst(course, distance, chance)
    return course.pick(np.flatnonzero(distance == 0))


def _measure(ways: BeliefSteps, course: Course) -> NDArray[np.int64]:
    distance = np.zeros(len(course), np.int64)
    for passage in course.passages:
        distance += measure_distance(ways, course.known[passage.end], passage.glance)
    return distance


def _propose(ways: BeliefSteps, course: Course, chance: np.random.Generator) -> Changes:
    """Draw changes: at any place, or where something came into view that must not be seen."""
    count = len(course)
    each = max(1, _CHANGES // count)
    places = find_places_to_change(ways, course)
    causes = places & _find_causes(ways, course)[:, :, None]
    sources, steps, roles = [], [], []
    for history in range(count):
        step, role = np.nonzero(places[:, history])
        if not len(step):
            continue
        weight = np.full(len(step), (1 - _AT_CAUSES) / len(step))
        is_cause = causes[step, history, role]
        if is_cause.any():
            weight[is_cause] += _AT_CAUSES / is_cause.sum()
        chosen = chance.choice(len(step), each, p=weight / weight.sum())
        sources.append(np.full(each, history))
        steps.append(step[chosen])
        roles.append(role[chosen])
    nothing = np.zeros(0, np.intp)
    source, step, role = (np.concatenate([nothing, *part]) for part in (sources, steps, roles))
    row = draw_other_moves(ways, course, source, step, role, chance)
    return Changes(source, step, role, row)


def _find_causes(ways: BeliefSteps, course: Course) -> NDArray[np.bool_]:
    """Tell which steps brought into view what is wrong at the first view that is: by histories."""
    causes = np.zeros((len(course.legal), len(course)), np.bool_)
    open_ = np.ones(len(course), np.bool_)
    for passage in course.passages:
        shown = ways.observe(course.known[passage.end])
        wrong = shown & ~passage.glance.observation[None]
        is_off = open_ & (shown != passage.glance.observation[None]).any(axis=1)
        if is_off.any():
            after = shown
            for step in reversed(range(passage.end)):
                before = ways.observe(course.known[step])
                new = (after & ~before & wrong).any(axis=1)
                causes[step] |= new & is_off
                after = before
        open_ &= ~is_off
    return causes


def _replace_worst(
    course: Course, distance: NDArray[np.int64], chance: np.random.Generator
) -> None:
    """Let a good history take the place of the worst one, now and then."""
    worst, best = int(np.argmax(distance)), int(np.argmin(distance))
    if distance[worst] > 2 * distance[best] + 2 and chance.random() < 0.5:
        course.put(np.array([worst]), course, np.array([best]))
        distance[worst] = distance[best]
