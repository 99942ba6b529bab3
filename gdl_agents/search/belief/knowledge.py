"""What a player knows in a game that hides something: the states it may be in, and how likely.

Others are taken to play any of their moves, or as a model says. All states are kept while they are
few; beyond that a sample of them, each with its weight, which can be drawn again at any time.
"""

from __future__ import annotations

import numpy as np

from gdl_agents.search.belief.belief_steps import BeliefSteps
from gdl_agents.search.belief.known import Glance, Known, ViewLog
from gdl_agents.search.belief.move_model import MoveModel
from gdl_agents.search.belief.trail import Trail
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.turn_kernels import NOBODY
from gdl_env.engine.batch.contract import NO_MOVE

# Decisions in a row of which nothing is shown, and how likely more of them must be to be thought
# of; states that were reached and do not show the right thing, kept to begin a search with.
_MOST_UNSEEN = 64
_LEAST = 1e-9
_MOST_MISSED = 4_096


class Knowledge:
    """The states that agree with all that one role was shown."""

    def __init__(
        self,
        table: MatchTable,
        role: int,
        most: int = 20_000,
        particles: int = 2_000,
        model: MoveModel | None = None,
    ) -> None:
        """Keep `most` states at most; beyond that, a sample of `particles`."""
        self.steps = BeliefSteps(table, role, most, particles, model)
        # States that were met on a trail and did not agree with the last view that was looked for.
        self.missed: list[Known] = []

    def start(self, count: int = 1) -> Known:
        """Return copies of the initial state, with which a trail may begin."""
        rules = self.steps.rules
        return Known(
            np.repeat(rules.initial, count, axis=0),
            np.zeros((count, rules.percept_words), np.uint64),
            np.full(count, 1 / count),
            np.full(count, NOBODY),
            node=Trail.mark_starts(count),
        )

    def begin(
        self, first: Glance, chance: np.random.Generator, start: Known | None = None
    ) -> Known:
        """Return what is known at the first tick of a game."""
        start = start if start is not None else self.start()
        self.missed = []
        known = self.steps.settle(start, chance)
        shown = self.steps.agrees(known, first)
        if shown.any():
            return known.pick(shown).scale()
        # Others may have moved before anything was shown.
        public = Glance(self.steps.observe(start.pick(np.arange(1)))[0], False)
        missed = known
        found = self.advance(start, public, NO_MOVE, first, chance)
        self._miss(missed)
        return found

    def advance(
        self,
        known: Known,
        before: Glance,
        played: int,
        glance: Glance,
        chance: np.random.Generator,
    ) -> Known:
        """Return what is known when the next glance comes; `played` is the move, or NO_MOVE.

        How often others moved in between is not known: as long as nothing changes for the player,
        and nothing is asked, it is shown nothing.
        """
        found = []
        was_asked = before.is_asked
        unseen = Glance(before.observation, False)
        ways = self.steps
        self.missed = []
        for _ in range(_MOST_UNSEEN):
            known = ways.settle(ways.step(known, was_asked, played, chance), chance)
            shown = ways.agrees(known, glance)
            found.append(known.pick(shown))
            # What would have been shown is not looked at any further.
            is_unseen = ways.agrees(known, unseen)
            self._miss(known.pick(~shown))
            known = known.pick(~shown & is_unseen)
            was_asked, played = False, NO_MOVE
            if not len(known) or known.weight.sum() < _LEAST:
                break
        return ways.merge(found).scale()

    def consistent_states(
        self, log: ViewLog, chance: np.random.Generator, particles: int = 0
    ) -> Known:
        """Return the states that agree with a whole log of views; drawn again if they are many.

        An empty answer says that no state agrees, or that none was found among the
        particles.
        """
        kept = self.steps.particles
        self.steps.particles = particles or kept
        try:
            known = self.begin(log.glances[0], chance)
            for tick in range(1, len(log.glances)):
                known = self.advance(
                    known,
                    log.glances[tick - 1],
                    log.played[tick - 1],
                    log.glances[tick],
                    chance,
                )
        finally:
            self.steps.particles = kept
        return known

    def _miss(self, known: Known) -> None:
        """Note states from which a search for the right ones can begin."""
        room = _MOST_MISSED - sum(map(len, self.missed))
        if self.steps.trail is not None and len(known) and room > 0:
            self.missed.append(known.pick(np.arange(min(room, len(known)))))
