"""New histories from old ones, as likely as they should be (Metropolis and Hastings)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.belief_steps import BeliefSteps
from gdl_agents.search.belief.course import Course
from gdl_agents.search.belief.move_model import list_moves, pick_marked
from gdl_agents.search.belief.replay import Changes, HistoryReplay

# Changes of one history that are tried at the same time.
_TOGETHER = 8
# Histories that are played again at the same time.
_LANES = 2_048
_TINY = 1e-300


class Renewal:
    """Changes histories at random places, and learns at which ones that succeeds."""

    def __init__(self, ways: BeliefSteps) -> None:
        self._ways = ways
        # For each step: changes that were tried, and those that were accepted.
        self._tried = np.zeros(0)
        self._accepted = np.zeros(0)

    def run(self, course: Course, budget: int, chance: np.random.Generator) -> int:
        """Try `budget` changes of each history, one after the other; return how many succeeded.

        Changes that are tried together all begin with the same history: those after the first
        one that is accepted are not counted, and tried again with the new history.
        """
        if not len(course) or not course.legal:
            return 0
        self._grow(len(course.legal))
        steps = len(course.legal)
        odds = (self._accepted[:steps] + 1) / (self._tried[:steps] + 2)
        left = np.full(len(course), budget)
        succeeded = 0
        while (left > 0).any():
            lanes = np.minimum(left, _TOGETHER)
            lanes[np.cumsum(lanes) > _LANES] = 0
            source = np.repeat(np.arange(len(course)), lanes)
            changes, total = propose(self._ways, course, source, odds, chance)
            replayed = HistoryReplay(self._ways, course, chance, is_strict=True).run(changes)
            places = find_places_to_change(self._ways, replayed.course)
            after = (places * odds[:, None, None]).sum(axis=(0, 2))
            ratio = replayed.log_ratio + np.log(
                np.maximum(total, _TINY) / np.maximum(after, _TINY)
            )
            is_taken = (replayed.distance == 0) & (np.log(chance.random(len(source))) < ratio)
            is_real = changes.step < steps
            is_taken &= is_real
            np.add.at(self._tried, changes.step[is_real], 1)
            first = _find_first(source, is_taken, lanes)
            taken = np.flatnonzero(first >= 0)
            course.put(taken, replayed.course, first[taken])
            np.add.at(self._accepted, changes.step[first[taken]], 1)
            starts = np.cumsum(lanes) - lanes
            left -= lanes
            left[taken] += lanes[taken] - (first[taken] - starts[taken] + 1)
            succeeded += len(taken)
        return succeeded

    def _grow(self, steps: int) -> None:
        more = np.zeros(max(0, steps - len(self._tried)))
        self._tried = np.concatenate([self._tried, more])
        self._accepted = np.concatenate([self._accepted, more])


def find_places_to_change(ways: BeliefSteps, course: Course) -> NDArray[np.bool_]:
    """Tell where another move could be made: steps by histories by roles.

    That is where chance or another role had a choice; the role itself, where its move is unknown.
    """
    counts = np.array(course.counts)
    acts = np.array(course.legal) >= 0
    places: NDArray[np.bool_] = acts & (counts > 1)
    if ways.rules.has_experiments:
        places |= acts & (ways.rules.plain(np.array(course.legal)) != np.array(course.does))
    places[:, :, ways.role] = False
    return places


def propose(
    ways: BeliefSteps,
    course: Course,
    source: NDArray[np.intp],
    odds: NDArray[np.float64],
    chance: np.random.Generator,
) -> tuple[Changes, NDArray[np.float64]]:
    """Draw a change of each of some histories; also return the sum of the odds of all places.

    A history without any place gets a change behind its end.
    """
    places = find_places_to_change(ways, course) * odds[:, None, None]
    roles = places.shape[2]
    flat = np.swapaxes(places, 0, 1).reshape(len(course), -1)
    sums = np.cumsum(flat, axis=1)
    total = sums[source, -1]
    marks = chance.random(len(source)) * total
    # The first place at which the sum is beyond the mark.
    place = np.minimum((sums[source] <= marks[:, None]).sum(axis=1), flat.shape[1] - 1)
    step, role = place // roles, place % roles
    row = draw_other_moves(ways, course, source, step, role, chance)
    step = np.where(total > 0, step, len(course.legal))
    return Changes(source, step, role, row), total


def draw_other_moves(
    ways: BeliefSteps,
    course: Course,
    source: NDArray[np.intp],
    step: NDArray[np.intp],
    role: NDArray[np.intp],
    chance: np.random.Generator,
) -> NDArray[np.int32]:
    """Draw a legal move for each place; another one than was made, unless experiments differ."""
    states = np.array([known.states for known in course.known])[step, source]
    made = np.array(course.legal)[step, source, role]
    look = ways.rules.look(states)
    owner, places = list_moves(look, role)
    is_other = look.rows[places] != made[owner]
    if ways.rules.has_experiments:
        is_other[:] = True
    drawn = pick_marked(owner, is_other, len(source), chance)
    rows = made.astype(np.int32)
    rows[drawn >= 0] = look.rows[places[drawn[drawn >= 0]]]
    return rows


def _find_first(
    source: NDArray[np.intp], is_taken: NDArray[np.bool_], lanes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the first change of each history that is taken, or -1."""
    first = np.full(len(lanes), -1, np.int64)
    taken = np.flatnonzero(is_taken)[::-1]
    first[source[taken]] = taken
    return first
