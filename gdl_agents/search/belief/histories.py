"""Whole histories of a game that agree with what a role was shown, changed bit by bit.

Where much is dealt or chosen unseen, hardly any history that is drawn blindly shows what the role
was shown. So a number of histories is kept: each is continued in all ways to the next view, and
drawn from those that lead there. Changes at one place (see `replay`), accepted by the rule of
Metropolis and Hastings, make new histories from old ones, each as likely as it should be. Where
none leads to a view, histories that come near are changed until one does.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.belief_steps import Guide
from gdl_agents.search.belief.course import Course, Passage
from gdl_agents.search.belief.draw_effects import DrawEffects, watch_first_deal
from gdl_agents.search.belief.knowledge import Knowledge
from gdl_agents.search.belief.known import Glance, Known, ViewLog, draw_by_weight
from gdl_agents.search.belief.mending import mend
from gdl_agents.search.belief.move_model import MoveModel
from gdl_agents.search.belief.renewal import Renewal
from gdl_agents.search.belief.replay import measure_distance
from gdl_agents.search.belief.trail import Trail
from gdl_agents.search.game.match_table import MatchTable
from gdl_env.engine.batch.contract import NO_MOVE

# Histories that are expanded at a time, in states; and drawn where that is too many.
_MOST = 8_192
_DRAWN = 512
# Changes of each history for a decision, and more of them where many are copies.
_CHANGES = 8
_MORE_CHANGES = 16
# How often histories are searched for, before a view counts as impossible.
# The first time with what is known of draws, then with what they are found to do, once without.
_TRIES = 12
_UNGUIDED = 2
# Histories near to a view that a search begins with.
_NEAREST = 24


class Histories:
    """A number of histories of one lane, as seen by one role."""

    def __init__(
        self, table: MatchTable, role: int, count: int = 64, model: MoveModel | None = None
    ) -> None:
        self._knowledge = Knowledge(table, role, _MOST, max(_DRAWN, 2 * count), model)
        self._ways = self._knowledge.steps
        self._count = count
        self._course = Course()
        self._renewal = Renewal(self._ways)

    def __len__(self) -> int:
        return len(self._course)

    @property
    def course(self) -> Course:
        """Return the histories, step by step."""
        return self._course

    def known(self) -> Known:
        """Return the states that the histories lead to."""
        if not len(self):
            return self._knowledge.start().pick(np.zeros(1, np.bool_))
        return self._course.known[-1].scale()

    def follow(self, log: ViewLog, chance: np.random.Generator) -> None:
        """Find histories of a whole log, from its beginning; there may be none."""
        self._begin(log.glances[0], chance)
        for (before, glance), played in zip(pairwise(log.glances), log.played, strict=False):
            if not len(self):
                break
            self.advance(before, played, glance, chance)

    def advance(
        self, before: Glance, played: int, glance: Glance, chance: np.random.Generator
    ) -> None:
        """Continue to the next view; `played` is the role's move, or NO_MOVE."""
        ways = self._ways
        for number in range(_TRIES if len(self) else 0):
            now = self._course.known[-1]
            trail = ways.trail = Trail(len(ways.rules.roles))
            start = replace(now.scale(), node=trail.mark_starts(len(now)))
            ways.guide = self._find_guide(number, start, before, played, glance, chance)
            found = self._knowledge.advance(start, before, played, glance, chance)
            ways.guide = None
            way = Passage(len(self._course.legal), 0, before, played, glance)
            if self._continue(found, trail, way, chance, mends=number > 0):
                return
            if 0 < number < _TRIES - 1:
                self._renewal.run(self._course, _MORE_CHANGES, chance)
        self._course = Course()

    def renew(self, chance: np.random.Generator, changes: int = _CHANGES) -> None:
        """Change every history some times, so that the sample is a new one."""
        self._renewal.run(self._course, changes, chance)

    # ---- inside

    def _begin(self, glance: Glance, chance: np.random.Generator) -> None:
        """Find histories that lead to a first view."""
        ways = self._ways
        for _ in range(_TRIES):
            trail = ways.trail = Trail(len(ways.rules.roles))
            start = self._knowledge.start(self._count)
            self._course = Course(known=[start])
            ways.guide = self._find_first_guide(glance)
            found = self._knowledge.begin(glance, chance, start)
            ways.guide = None
            public = Glance(ways.observe(start.pick(np.arange(1)))[0], False)
            if self._continue(
                found, trail, Passage(0, 0, public, NO_MOVE, glance), chance, mends=True
            ):
                return
        self._course = Course()

    def _find_first_guide(self, glance: Glance) -> Guide | None:
        """Return what leads draws to a view, by what they do at the beginning of a game."""
        ways = self._ways
        if ways.rules.nature < 0:
            return None
        effects = watch_first_deal(ways, self._knowledge.start())
        return effects.make_guide(ways, glance) if effects.is_dealt else None

    def _find_guide(
        self,
        number: int,
        start: Known,
        before: Glance,
        played: int,
        glance: Glance,
        chance: np.random.Generator,
    ) -> Guide | None:
        """Return what leads draws to a view: what is known of them, what is new, or nothing."""
        ways = self._ways
        if number == 0 or ways.rules.nature < 0:
            return self._find_first_guide(glance)
        if number == _UNGUIDED:
            return None
        trail, ways.trail = ways.trail, None
        stepped = ways.step(start, before.is_asked, played, chance)
        ways.trail = trail
        look = ways.rules.look(stepped.states)
        quiet = stepped.pick(ways.is_quiet(look, stepped.last))
        if not len(quiet):
            return None
        return DrawEffects(ways, quiet, chance).make_guide(ways, glance)

    def _continue(
        self,
        found: Known,
        trail: Trail,
        way: Passage,
        chance: np.random.Generator,
        *,
        mends: bool,
    ) -> bool:
        """Take over histories that lead to a view, or find some near others that do not."""
        if len(found):
            drawn = draw_by_weight(found.weight, self._count, chance)
            self._course = self._extend(found.node[drawn], trail, way)
            if self._is_poor():
                self._renewal.run(self._course, _MORE_CHANGES, chance)
            return True
        if not mends or not self._knowledge.missed:
            return False
        missed = Known.join(self._knowledge.missed)
        far = measure_distance(self._ways, missed, way.glance)
        order = np.argsort(far + chance.random(len(far)), kind='stable')
        near = self._extend(missed.node[order[:_NEAREST]], trail, way)
        mended = mend(self._ways, near, chance)
        if not len(mended):
            return False
        self._course = mended.pick(chance.integers(len(mended), size=self._count))
        self._renewal.run(self._course, _MORE_CHANGES, chance)
        return True

    def _extend(self, nodes: NDArray[np.int64], trail: Trail, way: Passage) -> Course:
        """Return histories that continue to some nodes of a trail."""
        roots, legal, does = trail.read_paths(nodes)
        course = self._course.pick(roots)
        course.extend(self._ways, legal, does, way)
        return course

    def _is_poor(self) -> bool:
        """Tell whether many histories lead to the same states."""
        return 2 * len(np.unique(self._course.known[-1].states, axis=0)) < len(self)
