"""Histories changed at one place and played again: what does not fit any more is repaired.

From the place of the change on, every move that was made is made again if it is legal. If it is
not, a move is drawn instead that was not legal there before: what the change has set free. So a
card that is dealt to another player comes back in the place of the one that replaced it, whatever
cards and deals are called in the rules.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.belief_steps import BeliefSteps, look_at_part
from gdl_agents.search.belief.course import Course, Passage
from gdl_agents.search.belief.known import Glance, Known
from gdl_agents.search.belief.move_model import (
    find_places,
    list_moves,
    pick_marked,
    rate_moves,
)
from gdl_agents.search.game.random_moves import draw_outcomes
from gdl_agents.search.game.turns import follow_last
from gdl_env.engine.batch.contract import NO_MOVE, Look, Rows
from gdl_env.engine.batch.experiments import DRAWN

# The distance that counts for a history that breaks the rules.
BROKEN = 1 << 20


@dataclass(frozen=True)
class Changes:
    """Where histories are changed, one entry for each new history."""

    # The history that is changed, the step, the role, and its move there.
    source: NDArray[np.intp]
    step: NDArray[np.intp]
    role: NDArray[np.intp]
    row: Rows

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class Replayed:
    """Results of changes."""

    course: Course
    # In how many entries views differ from what was shown, in all; BROKEN or more: against the
    # rules.
    distance: NDArray[np.int64]
    # How much likelier the new history is, and the way back: logarithm of the ratio for the
    # acceptance of Metropolis and Hastings.
    log_ratio: NDArray[np.float64]


class HistoryReplay:
    """Plays changed histories again."""

    def __init__(
        self, ways: BeliefSteps, course: Course, chance: np.random.Generator, *, is_strict: bool
    ) -> None:
        """Replay changes of a course; strictly: histories that break a view are given up."""
        self._ways = ways
        self._rules = ways.rules
        self._course = course
        self._chance = chance
        self._is_strict = is_strict

    def run(self, changes: Changes) -> Replayed:
        """Play all changed histories to their end."""
        course, count = self._course, len(changes)
        self._changes = changes
        self._distance = np.zeros(count, np.int64)
        self._log_ratio = np.zeros(count)
        new = course.pick(changes.source)
        for passage in course.passages:
            for number in range(passage.first, passage.end):
                lanes = self._find_going(number)
                if len(lanes):
                    self._take(new, number, passage, lanes)
            self._check_view(new.known[passage.end], passage)
        return Replayed(new, self._distance, self._log_ratio)

    # ---- one step

    def _find_going(self, number: int) -> NDArray[np.intp]:
        """Return the histories that may differ from the old ones in a step."""
        most = 0 if self._is_strict else BROKEN - 1
        return np.flatnonzero((self._changes.step <= number) & (self._distance <= most))

    def _take(self, new: Course, number: int, passage: Passage, lanes: NDArray[np.intp]) -> None:
        """Take a step of some histories again."""
        rules, ways = self._rules, self._ways
        legal = new.legal[number][lanes]
        lanes, legal = lanes[going := (legal >= 0).any(axis=1)], legal[going]
        waiting = np.setdiff1d(self._find_going(number), lanes)
        _copy(new.known[number], new.known[number + 1], waiting)
        if not len(lanes):
            return
        now = new.known[number].pick(lanes)
        look = rules.look(now.states)
        quiet = ways.is_quiet(look, now.last)
        if number > passage.first:
            self._check_unseen(now, ~quiet & ~look.terminal, lanes, passage)
        able = ways.table.turns.find_chances(rules, look, now.last) > 0
        step = _Step(number, lanes, look, able, legal.copy(), legal)
        here = np.flatnonzero(self._changes.step[lanes] == number)
        legal[here, self._changes.role[lanes[here]]] = self._changes.row[lanes[here]]
        wrong = self._find_moves(step, passage)
        self._distance[lanes[wrong]] += BROKEN
        self._rate(step, now, passage)
        does = rules.plain(legal)
        if rules.has_experiments:
            changed = (legal != step.recorded).any(axis=1)
            changed[here] = True
            self._draw(now, legal, does, new.does[number][lanes], changed, lanes)
        forgets = ~quiet & (legal[:, ways.role] >= 0)
        after = Known(
            rules.step(now.states, does),
            ways.perceive(now.states, does, now.percepts, forgets),
            now.weight,
            follow_last(rules, now.last, legal) if rules.is_serial else now.last,
        )
        new.legal[number][lanes], new.does[number][lanes] = legal, does
        new.counts[number][lanes] = look.counts()
        _put(after, new.known[number + 1], lanes)

    def _find_moves(self, step: _Step, passage: Passage) -> NDArray[np.bool_]:
        """Give all roles moves that are legal, in place; tell where there are none that fit."""
        legal, able = step.legal, step.able
        wrong: NDArray[np.bool_]
        if self._rules.is_serial:
            # The same role moves again; what another could do instead is another history.
            acting = legal >= 0
            wrong = np.asarray((acting & ~able).any(axis=1))
        else:
            acting = able
            wrong = np.asarray(~able.any(axis=1))
            legal[~acting] = NO_MOVE
        is_decision = step.number == passage.first and passage.before.is_asked
        counts = step.look.counts()
        for role in range(legal.shape[1]):
            acts = acting[:, role]
            fits = find_places(step.look, role, legal[:, role]) >= 0
            if role == self._ways.role and not (is_decision and passage.played == NO_MOVE):
                # It made its move, or had one only and was not asked.
                wrong |= acts & (~fits if is_decision else counts[:, role] != 1)
            places = np.flatnonzero(acts & ~fits & ~wrong)
            if len(places):
                legal[places, role] = self._choose(step, places, role)
                wrong[places] |= legal[places, role] == NO_MOVE
            # What a role did that does not act any more would have to be drawn on the way back.
            gone = ~acts & (step.recorded[:, role] >= 0)
            old = self._course.counts[step.number][self._changes.source[step.lanes[gone]], role]
            self._log_ratio[step.lanes[gone]] -= np.log(np.maximum(old, 1))
        return wrong

    def _choose(self, step: _Step, places: NDArray[np.intp], role: int) -> Rows:
        """Return moves that were not legal in the old histories; NO_MOVE where there is none."""
        lanes, count = step.lanes[places], len(places)
        part = look_at_part(step.look, places)
        states = self._course.known[step.number].states[self._changes.source[lanes]]
        before = self._rules.look(states)
        owner, entries = list_moves(part, role)
        old_owner, old_entries = list_moves(before, role)
        base = self._rules.known_moves + 1
        new = owner * base + part.rows[entries]
        old = old_owner * base + before.rows[old_entries]
        is_free = ~np.isin(new, old)
        free = np.bincount(owner[is_free], minlength=count)
        if not self._is_strict:
            is_free |= free[owner] == 0
        # The way back has to choose among those that the change has taken away.
        lost = np.bincount(old_owner[~np.isin(old, new)], minlength=count)
        acted = step.recorded[places, role] >= 0
        self._log_ratio[lanes] += np.log(np.maximum(free, 1))
        self._log_ratio[lanes] -= np.where(acted, np.log(np.maximum(lost, 1)), 0.0)
        drawn = pick_marked(owner, is_free, count, self._chance)
        rows: Rows = np.where(drawn >= 0, part.rows[entries[drawn]], NO_MOVE).astype(np.int32)
        return rows

    def _rate(self, step: _Step, now: Known, passage: Passage) -> None:
        """Compare how likely the moves of others and of chance are with those of the old step."""
        model, own = self._ways.model, self._ways.role
        moves = [step.legal.copy(), step.recorded.copy()]
        if step.number == passage.first and passage.before.is_asked:
            for each in moves:
                each[:, own] = NO_MOVE
        source = self._changes.source[step.lanes]
        likely = rate_moves(self._rules, model, now.states, step.look, moves[0], own)
        if model is None:
            counts = np.maximum(self._course.counts[step.number][source], 1)
            before = 1 / np.where(moves[1] >= 0, counts, 1).astype(np.float64).prod(axis=1)
        else:
            states = self._course.known[step.number].states[source]
            look = self._rules.look(states)
            before = rate_moves(self._rules, model, states, look, moves[1], own)
        tiny = np.finfo(np.float64).tiny
        self._log_ratio[step.lanes] += np.log(np.maximum(likely, tiny))
        self._log_ratio[step.lanes] -= np.log(np.maximum(before, tiny))

    def _draw(
        self,
        now: Known,
        legal: Rows,
        does: Rows,
        old: Rows,
        changed: NDArray[np.bool_],
        lanes: NDArray[np.intp],
    ) -> None:
        """Draw experiments where something changed, in place; else they come out as before."""
        does[changed] = draw_outcomes(
            self._rules, now.states[changed], legal[changed], self._chance
        )
        for role in range(does.shape[1]):
            rows = np.flatnonzero(does[:, role] == DRAWN)
            does[rows, role] = old[rows, role]
            if len(rows):
                outcomes = self._rules.outcomes(now.states[rows], legal[rows, role])
                owner = np.repeat(np.arange(len(rows)), np.diff(outcomes.starts))
                hits = outcomes.does == does[rows, role][owner]
                is_possible = np.bincount(owner, hits, len(rows)) > 0
                self._distance[lanes[rows[~is_possible]]] += BROKEN

    # ---- views

    def _check_unseen(
        self,
        now: Known,
        decides: NDArray[np.bool_],
        lanes: NDArray[np.intp],
        passage: Passage,
    ) -> None:
        """Check that nothing was shown where a role had to decide on the way to a view."""
        which = np.flatnonzero(decides)
        if not len(which):
            return
        part = now.pick(which)
        unseen = Glance(passage.before.observation, False)
        wrong = ~self._ways.agrees(part, unseen) | self._ways.agrees(part, passage.glance)
        self._distance[lanes[which[wrong]]] += 1

    def _check_view(self, known: Known, passage: Passage) -> None:
        """Compare what is seen with what was shown."""
        lanes = self._find_going(passage.end - 1)
        if len(lanes):
            part = known.pick(lanes)
            self._distance[lanes] += measure_distance(self._ways, part, passage.glance)


@dataclass(frozen=True)
class _Step:
    """A step of some histories: what is possible, what was done, and what is done now."""

    number: int
    lanes: NDArray[np.intp]
    look: Look
    able: NDArray[np.bool_]
    recorded: Rows
    legal: Rows


def measure_distance(ways: BeliefSteps, known: Known, glance: Glance) -> NDArray[np.int64]:
    """Return in how many entries states differ from a view; 1 if they differ in other ways."""
    distance = np.zeros(len(known), np.int64)
    look = ways.rules.look(known.states)
    good = ways.agrees(known, glance) & ~look.terminal & ~ways.is_quiet(look, known.last)
    far = np.flatnonzero(~good)
    if len(far):
        differs = ways.observe(known.pick(far)) ^ glance.observation[None]
        bits = np.asarray(np.unpackbits(differs, axis=1).sum(axis=1), np.int64)
        distance[far] = np.maximum(bits, 1)
    return distance


def _put(source: Known, target: Known, lanes: NDArray[np.intp]) -> None:
    """Write states into some places of others."""
    target.states[lanes] = source.states
    target.percepts[lanes] = source.percepts
    target.last[lanes] = source.last


def _copy(source: Known, target: Known, lanes: NDArray[np.intp]) -> None:
    if len(lanes):
        _put(source.pick(lanes), target, lanes)
