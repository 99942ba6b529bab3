"""What a player knows of every lane of a match, from tick to tick."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.knowledge import Course, Glance, Knowledge, Known
from gdl_agents.search.rules import NO_MOVE
from gdl_agents.search.table import MatchTable
from gdl_env.environment.exchange import Question

# Lanes often go the same way for a while: what is known after the same course is kept.
_KEPT = 4096
# When no state agrees any more, so many times the particles are drawn anew.
_MORE = 4


@dataclass
class _Lane:
    """The course of one lane."""

    episode: int
    tick: int
    known: Known
    # Stands for the whole course.
    digest: bytes
    course: Course = field(default_factory=Course)


class Tracker:
    """Follows one role through all lanes."""

    def __init__(self, table: MatchTable, role: int, seed: int, most: int, particles: int) -> None:
        self._knowledge = Knowledge(table, role, most, particles)
        self._particles = particles
        self._seed = seed
        self._lanes: dict[int, _Lane] = {}
        self._cache: OrderedDict[bytes, Known] = OrderedDict()

    def see(self, question: Question) -> None:
        """Take in what a role is shown, in every lane."""
        if question.observation is None:
            return
        for lane in range(question.lanes):
            glance = _glance(question, lane)
            episode = int(question.episode[lane])
            before = self._lanes.get(lane)
            if before is None or before.episode != episode:
                self._begin(lane, episode, question.tick, glance)
            elif _is_news(before, question.tick, glance):
                self._advance(before, glance)
                before.tick = question.tick

    def played(self, lane: int, row: int) -> None:
        """Note the move that the role has chosen at the tick it saw last."""
        course = self._lanes[lane].course
        course.played[-1] = row

    def known(self, lane: int) -> Known:
        """Return the states of a lane; they may be none, if something went unseen."""
        found = self._lanes[lane]
        if len(found.known):
            return found.known
        redrawn = self.redraw(lane)
        if not len(redrawn):
            # Perhaps another move was played than the one that was chosen.
            found.course.played = [NO_MOVE] * len(found.course.played)
            redrawn = self.redraw(lane)
        found.known = redrawn
        return redrawn

    def redraw(self, lane: int) -> Known:
        """Return the states of a lane drawn anew, from all that was seen."""
        found = self._lanes[lane]
        chance = self._chance(found.digest + b'again')
        return self._knowledge.consistent_states(found.course, chance, _MORE * self._particles)

    # ---- inside

    def _begin(self, lane: int, episode: int, tick: int, glance: Glance) -> None:
        digest = _extend(b'', 0, NO_MOVE, glance)
        known = self._cache.get(digest)
        if known is None:
            known = self._keep(digest, self._knowledge.begin(glance, self._chance(digest)))
        course = Course([glance], [NO_MOVE])
        self._lanes[lane] = _Lane(episode, tick, known, digest, course)

    def _advance(self, lane: _Lane, glance: Glance) -> None:
        course = lane.course
        before, played = course.glances[-1], course.played[-1]
        digest = _extend(lane.digest, int(before.is_asked), played, glance)
        known = self._cache.get(digest)
        if known is None:
            chance = self._chance(digest)
            found = self._knowledge.advance(lane.known, before, played, glance, chance)
            known = self._keep(digest, found)
        lane.known, lane.digest = known, digest
        course.glances.append(glance)
        course.played.append(NO_MOVE)

    def _keep(self, digest: bytes, known: Known) -> Known:
        self._cache[digest] = known
        if len(self._cache) > _KEPT:
            self._cache.popitem(last=False)
        return known

    def _chance(self, digest: bytes) -> np.random.Generator:
        text = blake2b(digest + str(self._seed).encode(), digest_size=16).digest()
        return np.random.Generator(np.random.Philox(key=int.from_bytes(text, 'little')))


def _is_news(lane: _Lane, tick: int, glance: Glance) -> bool:
    """Tell whether something is shown that was not before.

    Lanes are shown together: a look at one in which nothing changed says nothing.
    """
    last = lane.course.glances[-1]
    if glance.is_asked:
        return not last.is_asked or tick > lane.tick
    return not np.array_equal(glance.observation, last.observation)


def _glance(question: Question, lane: int) -> Glance:
    observation: NDArray[np.uint8] = question.observation.data[lane]  # type: ignore[union-attr]
    is_asked = bool(question.to_move[lane])
    legal = question.legal.data[lane] if is_asked and question.legal is not None else None
    return Glance(observation, is_asked, legal)


def _extend(digest: bytes, was_asked: int, played: int, glance: Glance) -> bytes:
    text = blake2b(digest, digest_size=16)
    text.update(f'{was_asked} {played} {glance.is_asked} '.encode())
    text.update(glance.observation.tobytes())
    if glance.legal is not None:
        text.update(glance.legal.tobytes())
    return text.digest()
