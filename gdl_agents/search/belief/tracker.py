"""What a player knows of every lane of a match, from tick to tick."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.histories import Histories
from gdl_agents.search.belief.knowledge import Knowledge
from gdl_agents.search.belief.known import Glance, Known, ViewLog
from gdl_agents.search.game.match_table import MatchTable
from gdl_env.engine.batch.contract import NO_MOVE, BatchGame
from gdl_env.environment.protocol import Question

# Lanes often go the same way for a while: what is known after the same log of views is kept.
_KEPT = 4096
# When no state agrees any more, this many times the particles are drawn again.
_MORE = 4
# A sample of fewer states than this is too small.
_FEW = 64
# How often histories of a game are searched for again: that takes long.
_REDRAWS = 3
# Games at whose beginning so much is dealt that no state was found.
_dealt: WeakSet[BatchGame] = WeakSet()


@dataclass
class _Lane:
    """What is known of one lane."""

    episode: int
    tick: int
    known: Known
    # They stand for the log of views up to each glance.
    digests: list[bytes]
    log: ViewLog = field(default_factory=ViewLog)
    # What the states come from, where states that are drawn blindly hardly ever agree.
    histories: Histories | None = None
    # They are searched for when they are needed: some lanes only wait.
    is_behind: bool = False
    # The rows of the states mean nothing any more: they must be found again.
    is_stale: bool = False
    redraws: int = 0
    # What stood for the log when histories were changed last, for a decision.
    renewed: bytes = b''

    @property
    def digest(self) -> bytes:
        """Return what stands for the whole log."""
        return self.digests[-1]


class Tracker:
    """Follows one role through all lanes."""

    def __init__(self, table: MatchTable, role: int, seed: int, most: int, particles: int) -> None:
        self._table = table
        self._role = role
        self._knowledge = Knowledge(table, role, most, particles)
        self._particles = particles
        self._seed = seed
        self._lanes: dict[int, _Lane] = {}
        # The episode before, of each lane: its end may be taken back.
        self._ended: dict[int, _Lane] = {}
        self._cache: OrderedDict[bytes, Known] = OrderedDict()
        self._generation = table.generation

    def follow_question(self, question: Question) -> None:
        """Take in what a role is shown, in every lane."""
        if question.observation is None:
            return
        self._drop_stale_rows()
        for lane in range(question.lanes):
            glance = _glance(question, lane)
            episode = int(question.episode[lane])
            before = self._lanes.get(lane)
            if before is not None and before.episode != episode:
                self._ended[lane], before = before, self._ended.get(lane)
            if before is None or before.episode != episode:
                self._begin(lane, episode, question.tick, glance)
                continue
            self._lanes[lane] = before
            if _is_news(before, question.tick, glance):
                self._advance(before, glance)
                before.tick = question.tick

    def note_move(self, lane: int, row: int) -> None:
        """Note the move that the role has chosen at the tick it saw last."""
        log = self._lanes[lane].log
        log.played[-1] = row

    def known(self, lane: int) -> Known:
        """Return the states of a lane; they may be none, if something went unseen."""
        self._drop_stale_rows()
        found = self._lanes[lane]
        self._catch_up(found)
        if found.histories is not None and len(found.histories) and found.renewed != found.digest:
            found.histories.renew(self._chance(found.digest + b'renewed'))
            found.known, found.renewed = found.histories.known(), found.digest
        if len(found.known) or (found.histories is not None and found.redraws >= _REDRAWS):
            return found.known
        found.redraws += 1
        redrawn = self.redraw(lane)
        if not len(redrawn):
            # Perhaps another move was played than the one that was chosen.
            found.log.played = [NO_MOVE] * len(found.log.played)
            redrawn = self.redraw(lane)
        found.known = redrawn
        return redrawn

    def redraw(self, lane: int) -> Known:
        """Return the states of a lane drawn again, from all that was seen."""
        found = self._lanes[lane]
        if found.histories is not None:
            found.histories.follow(found.log, self._chance(found.digest + b'again'))
            found.is_behind = False
            return found.histories.known()
        return self._draw(found.log, found.digest)

    # ---- inside

    def _begin(self, lane: int, episode: int, tick: int, glance: Glance) -> None:
        digest = _extend(b'', 0, NO_MOVE, glance)
        known = self._cache.get(digest)
        log = ViewLog([glance], [NO_MOVE])
        rules, histories = self._table.rules, None
        if known is None and rules not in _dealt:
            known = self._keep(digest, self._knowledge.begin(glance, self._chance(digest)))
            if not len(known):
                _dealt.add(rules)
        if known is None or rules in _dealt:
            histories = Histories(self._table, self._role)
            known = histories.known()
        is_behind = histories is not None
        self._lanes[lane] = _Lane(episode, tick, known, [digest], log, histories, is_behind)

    def _drop_stale_rows(self) -> None:
        """Forget rows of states that mean nothing any more."""
        if self._generation == self._table.generation:
            return
        self._generation = self._table.generation
        self._cache.clear()
        for lane in (*self._lanes.values(), *self._ended.values()):
            lane.is_stale = True

    def _catch_up(self, lane: _Lane) -> None:
        """Find the states again, or histories of what was shown, if that was put off."""
        if lane.is_stale:
            lane.is_stale = False
            lane.is_behind = lane.histories is not None
            if lane.histories is None:
                lane.known = self._draw(lane.log, lane.digest)
        if lane.is_behind and lane.histories is not None:
            lane.histories.follow(lane.log, self._chance(lane.digest))
            lane.known = lane.histories.known()
            lane.is_behind = False

    def _advance(self, lane: _Lane, glance: Glance) -> None:
        self._catch_up(lane)
        log = lane.log
        before, played = log.glances[-1], log.played[-1]
        digest = _extend(lane.digest, int(before.is_asked), played, glance)
        known = self._cache.get(digest)
        if lane.histories is not None:
            lane.histories.advance(before, played, glance, self._chance(digest))
            known = lane.histories.known()
        elif known is None:
            chance = self._chance(digest)
            found = self._knowledge.advance(lane.known, before, played, glance, chance)
            known = self._keep(digest, found)
        is_sample = not (known if len(known) else lane.known).is_complete
        if lane.histories is None and is_sample and len(known) < _FEW:
            # Hardly anything is left of the sample: whole histories are followed from now on.
            log = ViewLog([*log.glances, glance], [*log.played, NO_MOVE])
            histories = Histories(self._table, self._role)
            histories.follow(log, self._chance(digest))
            if len(histories):
                lane.histories, known = histories, histories.known()
        if not len(known) and self._go_back(lane, glance):
            return
        lane.known = known
        lane.digests.append(digest)
        lane.log.glances.append(glance)
        lane.log.played.append(NO_MOVE)

    def _go_back(self, lane: _Lane, glance: Glance) -> bool:
        """Forget all after the last time that the same was shown; False if there is none.

        Moves were taken back then: what is shown cannot follow from what was shown last.
        """
        log = lane.log
        same = [i for i, old in enumerate(log.glances) if _is_same(old, glance)]
        if not same:
            return False
        end = same[-1] + 1
        del log.glances[end:], log.played[end:], lane.digests[end:]
        log.played[-1] = NO_MOVE
        known = self._cache.get(lane.digest)
        if lane.histories is not None:
            lane.histories.follow(log, self._chance(lane.digest))
            known = lane.histories.known()
        lane.known = known if known is not None else self._draw(log, lane.digest)
        return True

    def _draw(self, log: ViewLog, digest: bytes) -> Known:
        chance = self._chance(digest + b'again')
        return self._knowledge.consistent_states(log, chance, _MORE * self._particles)

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
    last = lane.log.glances[-1]
    if glance.is_asked:
        return not last.is_asked or tick > lane.tick
    return not np.array_equal(glance.observation, last.observation)


def _is_same(one: Glance, other: Glance) -> bool:
    if one.is_asked != other.is_asked:
        return False
    shown = [(glance.legal, glance.observation) for glance in (one, other)]
    # Whoever is not asked is shown no moves.
    return all(
        (a is b) or (a is not None and b is not None and np.array_equal(a, b))
        for a, b in zip(*shown, strict=True)
    )


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
