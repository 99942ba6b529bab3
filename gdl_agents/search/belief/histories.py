"""Whole histories of a game that agree with what a role was shown, changed bit by bit.

Where cards are dealt, hardly any deal that is drawn blindly has the cards that the role holds. So
histories are drawn and then mended: two draws of chance change places, all moves are played again,
and what comes nearer to what the role sees is kept. Later the same change, kept only where all
that was ever shown stays the same, makes new histories from old ones.

This is for games in which one moves at a time, and chance has moves of its own.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.draw_subjects import DrawSubjects
from gdl_agents.search.belief.exchanges import Exchanges
from gdl_agents.search.belief.knowledge import Glance, Known, ViewLog
from gdl_agents.search.belief.move_paths import MovePaths
from gdl_agents.search.belief.visibility import Sight
from gdl_agents.search.game.expansion import expand
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.game.random_moves import sample_moves
from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, Rows, States

# Changes until a view must be reached.
_MENDING = 20
# Changes when most histories are copies, and tries to have any at all.
_RENEWING = 6
_TRIES = 60
# How often another move is chosen, instead of an exchange of draws.
_MOVES = 0.5
# Steps in a row without a decision; decisions in a row of which nothing is shown, and their
# states; moves in a row by players who have one only.
_MOST_QUIET = 1_000
_MOST_UNSEEN = 12
_MOST_STATES = 4_096
_MOST_FORCED = 6


class Histories:
    """A number of histories of one lane, as seen by one role."""

    def __init__(
        self, table: MatchTable, role: int, subjects: DrawSubjects, count: int = 64
    ) -> None:
        self._rules: BatchGame = table.rules
        self._turns = table.turns
        self._role = role
        self._players = [player for player in table.rules.players if player != role]
        self._subjects = subjects
        self._count = count
        self._sight = Sight(table, role)
        # Legal moves, a step each: histories by roles.
        self._steps: list[Rows] = []
        self._states: States = self._rules.initial[:0]
        # Numbers of steps in which others may have moved in several ways, for all that was shown.
        self._open: set[int] = set()
        # Draws whose outcome the role was shown at once, as its own cards: steps by histories.
        self._settled: NDArray[np.bool_] = np.zeros((0, 0), np.bool_)
        # What was shown, and after how many steps.
        self._shown: list[tuple[int, Glance]] = []

    @staticmethod
    def can_follow(table: MatchTable) -> bool:
        """Tell whether one moves at a time, chance by moves, and what players see are facts."""
        rules = table.rules
        is_plain = not rules.percept_words and not rules.has_experiments
        return is_plain and rules.is_serial and rules.nature >= 0 and rules.facts is not None

    def __len__(self) -> int:
        return len(self._states)

    def known(self) -> Known:
        """Return the states that the histories lead to, all as likely."""
        return self._sight.as_known(self._states)

    def follow(self, log: ViewLog, chance: np.random.Generator) -> None:
        """Find histories of a whole log, from its beginning; there may be none."""
        self._begin(log.glances[0], chance)
        for (before, glance), played in zip(pairwise(log.glances), log.played, strict=False):
            self.advance(before, played, glance, chance)

    def advance(
        self, before: Glance, played: int, glance: Glance, chance: np.random.Generator
    ) -> None:
        """Go on to the next view; `played` is the role's move, or NO_MOVE."""
        self._reach(before, played, glance, chance)
        self._shown.append((len(self._steps), glance))
        self._refresh(chance)

    # ---- going on

    def _begin(self, glance: Glance, chance: np.random.Generator) -> None:
        """Draw histories that lead to a first view."""
        start = np.repeat(self._rules.initial, self._count, axis=0)
        ways = self._settle(MovePaths(np.arange(self._count), start), chance)
        self._steps, self._states, self._shown = list(ways.steps), ways.states, []
        self._open, self._settled = set(), np.zeros((0, len(ways)), np.bool_)
        self._mend(glance, chance)
        if self._sight.agrees(self._states, glance).any():
            self._keep_agreeing(glance, chance)
        else:
            # Others have decided something before.
            self._reach(None, NO_MOVE, glance, chance)
        self._shown = [(len(self._steps), glance)]
        self._refresh(chance)

    def _reach(
        self, before: Glance | None, played: int, glance: Glance, chance: np.random.Generator
    ) -> None:
        """Find ways to the next view, and take one for each history that has any."""
        found, nearest = self._find_ways(before, played, glance, chance)
        for _ in range(_TRIES):
            if len(found) or not len(self):
                break
            self._renew(chance, self._find_missing(nearest, glance))
            found, nearest = self._find_ways(before, played, glance, chance)
        self._open |= {len(self._steps) + number for number in found.find_open(self._players)}
        # One way for each history, drawn.
        ways = found if len(found) else nearest
        order = chance.permutation(len(ways))
        _, first = np.unique(ways.origin[order], return_index=True)
        ways = ways.pick(order[first])
        self._steps = [*(step[ways.origin] for step in self._steps), *ways.steps]
        self._settled = self._settled[:, ways.origin]
        self._states = ways.states
        if len(found):
            self._keep(np.arange(len(ways)), chance)
        else:
            self._mend(glance, chance)
            self._keep_agreeing(glance, chance)

    def _find_ways(
        self, before: Glance | None, played: int, glance: Glance, chance: np.random.Generator
    ) -> tuple[MovePaths, MovePaths]:
        """Return the ways to the next view, through decisions of which nothing is shown.

        And those that come nearest to it, one for each history. Nothing may be shown before.
        """
        ways = MovePaths(np.arange(len(self)), self._states)
        # What each history may show until then: the same, or what the role's own move has changed.
        if before is None:
            same = self._sight.observe(self._states)
        else:
            same = np.repeat(before.observation[None], len(self), axis=0)
        own = same.copy()
        if before is not None and before.is_asked:
            ways = self._settle(self._play(ways, played), chance)
            own[ways.origin] = self._sight.observe(ways.states)
        found, tried = [], []
        for _ in range(_MOST_UNSEEN):
            ways = self._force(ways, chance)
            tried.append(ways)
            agrees = self._sight.agrees(ways.states, glance)
            found.append(ways.pick(agrees))
            ways = ways.pick(~np.isin(ways.origin, ways.origin[agrees]))
            seen = self._sight.observe(ways.states)
            quiet = [np.all(seen == shown[ways.origin], axis=1) for shown in (same, own)]
            ways = ways.pick(quiet[0] | quiet[1])
            if len(ways) > _MOST_STATES:
                ways = ways.pick(chance.permutation(len(ways))[:_MOST_STATES])
            if not len(ways):
                break
            ways = self._settle(self._change(ways, self._players, is_forced=False), chance)
        every = MovePaths.join(tried)
        order = np.argsort(self._sight.distance(every.states, glance), kind='stable')
        _, first = np.unique(every.origin[order], return_index=True)
        return MovePaths.join(found), every.pick(order[first])

    def _play(self, ways: MovePaths, played: int) -> MovePaths:
        """Return where the role's own move leads; where all do, if it is not known."""
        if not len(ways):
            return ways
        look = self._rules.look(ways.states)
        acting = np.zeros(look.counts().shape, np.bool_)
        acting[:, self._role] = look.counts()[:, self._role] > 0
        own, _ = self._expand(ways, look, acting)
        return own if played == NO_MOVE else own.pick(own.steps[-1][:, self._role] == played)

    def _force(self, ways: MovePaths, chance: np.random.Generator) -> MovePaths:
        """Return ways, and those on which players who have one move have made it.

        They are not asked, and nothing is shown before a role has to decide.
        """
        found = [ways]
        players = list(self._rules.players)
        while len(found[-1]) and len(found) <= _MOST_FORCED:
            forced = self._change(found[-1], players, is_forced=True)
            found.append(self._settle(forced, chance))
        return MovePaths.join(found)

    def _change(self, ways: MovePaths, players: list[int], *, is_forced: bool) -> MovePaths:
        """Return what moves of players who have one, or several, lead to.

        Moves that change nothing are no steps: a role passed.
        """
        parts = [ways.pick(np.zeros(0, np.intp))]
        if len(ways):
            look = self._rules.look(ways.states)
            able = look.counts() == 1 if is_forced else look.counts() > 1
            # Passes are no steps, so it is not known who moved last: by rotation, any may move.
            able &= self._turns.find_chances(self._rules, look) > 0
            for player in players:
                after, before = self._expand(
                    ways, look, able & (np.arange(able.shape[1]) == player)
                )
                parts.append(after.pick((after.states != before).any(axis=1)))
        return MovePaths.join(parts)

    def _expand(
        self, ways: MovePaths, look: Look, acting: NDArray[np.bool_]
    ) -> tuple[MovePaths, States]:
        """Return what all moves of those who act lead to, and the states before."""
        if not acting.any():
            return ways.pick(np.zeros(0, np.intp)), ways.states[:0]
        children = expand(self._rules, ways.states, look, acting)
        after = ways.pick(children.parent)
        steps = (*after.steps, children.legal)
        return MovePaths(after.origin, children.states, steps), after.states

    def _settle(self, ways: MovePaths, chance: np.random.Generator) -> MovePaths:
        """Continue where no role has a decision to make: forced moves, and chance."""
        rules = self._rules
        states, steps = ways.states.copy(), list(ways.steps)
        for _ in range(_MOST_QUIET if len(ways) else 0):
            look = rules.look(states)
            quiet = self._sight.is_quiet(look)
            if not quiet.any():
                break
            acting = self._turns.find_acting(rules, look, None, chance) & quiet[:, None]
            legal = sample_moves(rules, look, acting, chance)
            states[quiet] = rules.step(states[quiet], rules.plain(legal[quiet]))
            steps.append(legal)
        return MovePaths(ways.origin, states, tuple(steps))

    # ---- changing what was drawn

    def _mend(self, glance: Glance, chance: np.random.Generator) -> None:
        """Exchange draws until histories lead to a view, or near to it."""
        if not len(self) or not self._steps:
            return
        wanted = self._sight.entries(glance)
        for left in reversed(range(_MENDING)):
            causes, seen = self._watch()
            far = (seen ^ wanted).sum(axis=1)
            if not left or 2 * (far == 0).sum() >= len(self):
                break
            exchanges = Exchanges(self._steps, self._rules.nature, self._subjects)
            steps, changed = exchanges.exchange_towards(
                chance, seen & ~wanted, wanted & ~seen, causes
            )
            if not changed.any():
                break
            states, is_good = self._replay(steps, chance)
            # What others had to decide in one deal, they may not in another.
            ways = self._settle(MovePaths(np.arange(len(self)), states, tuple(steps)), chance)
            better = is_good & (self._sight.distance(ways.states, glance) <= far)
            self._take(list(ways.steps), ways.states, better)
        history, entry = np.nonzero(causes >= 0)
        self._settled = np.zeros((len(self._steps), len(self)), np.bool_)
        self._settled[causes[history, entry], history] = True

    def _refresh(self, chance: np.random.Generator) -> None:
        """Change histories as long as too many of them are copies, within bounds."""
        for _ in range(_RENEWING):
            if 2 * len(np.unique(self._states, axis=0)) >= len(self):
                break
            self._renew(chance)

    def _renew(
        self, chance: np.random.Generator, missing: NDArray[np.bool_] | None = None
    ) -> None:
        """Change each history at one place; keep it where all that was shown stays the same.

        Two draws are exchanged, or another move is chosen where nothing was shown of it. A draw is
        about an entry that the history should show, but does not, if such are given.
        """
        if not len(self) or not self._steps:
            return
        exchanges = Exchanges(self._steps, self._rules.nature, self._subjects)
        steps = exchanges.exchange_any(chance, self._settled, missing)
        again = np.full(len(self), -1)
        if self._open:
            moves = chance.random(len(self)) < _MOVES
            again[moves] = chance.choice(sorted(self._open), int(moves.sum()))
            for step, old in zip(steps, self._steps, strict=True):
                step[moves] = old[moves]
        states, is_good = self._replay(steps, chance, again)
        self._take(steps, states, is_good)

    def _watch(self) -> tuple[Rows, NDArray[np.bool_]]:
        """Return by which step each entry came to be shown, and which are shown at the end.

        Both are histories by entries; -1 for those that are not shown, or were from the start.
        """
        rules = self._rules
        states: States = np.repeat(rules.initial, len(self), axis=0)
        seen = self._sight.find_entries(states)
        causes = np.full(seen.shape, -1, np.int32)
        for number, legal in enumerate(self._steps):
            going = np.flatnonzero((legal >= 0).any(axis=1))
            states[going] = rules.step(states[going], rules.plain(legal[going]))
            shown = self._sight.find_entries(states)
            causes[shown & ~seen] = number
            causes[~shown] = -1
            seen = shown
        return causes, seen

    def _find_missing(self, nearest: MovePaths, glance: Glance) -> NDArray[np.bool_]:
        """Return the entries that the nearest way of each history does not show, but should."""
        wanted = self._sight.entries(glance)
        missing = np.zeros((len(self), len(wanted)), np.bool_)
        missing[nearest.origin] = wanted & ~self._sight.find_entries(nearest.states)
        return missing

    def _replay(
        self,
        steps: list[Rows],
        chance: np.random.Generator,
        again: NDArray[np.int64] | None = None,
    ) -> tuple[States, NDArray[np.bool_]]:
        """Return where steps lead, and whether they are legal and show what was shown.

        Draws that are not legal, but are so with another number, are changed in place; so are
        moves of which nothing was shown, and the step of each history that is given.
        """
        rules = self._rules
        states: States = np.repeat(rules.initial, len(self), axis=0)
        good = np.ones(len(self), np.bool_)
        for number, legal in enumerate(steps):
            going = np.flatnonzero(good & (legal >= 0).any(axis=1))
            if len(going):
                look = rules.look(states[going])
                wrong = ~_are_legal(look, legal[going])
                if number in self._open:
                    redo = wrong if again is None else wrong | (again[going] == number)
                    self._choose_again(look, legal, going, np.flatnonzero(redo), chance)
                for place in np.flatnonzero(wrong).tolist():
                    draw = int(legal[going[place], rules.nature])
                    others = look.moves(place, rules.nature).tolist()
                    legal[going[place], rules.nature] = self._subjects.replace(draw, others)
                good[going] &= _are_legal(look, legal[going])
                going = going[good[going]]
            if len(going):
                states[going] = rules.step(states[going], rules.plain(legal[going]))
            for glance in [glance for after, glance in self._shown if after == number + 1]:
                held = np.flatnonzero(good)
                good[held] &= self._sight.agrees(states[held], glance)
        return states, good

    def _choose_again(
        self,
        look: Look,
        legal: Rows,
        going: NDArray[np.intp],
        places: NDArray[np.intp],
        chance: np.random.Generator,
    ) -> None:
        """Give those who moved in a step another legal move, in some of the histories."""
        for place in places.tolist():
            history = going[place]
            for player in self._players:
                moves = look.moves(place, player)
                if legal[history, player] >= 0 and len(moves):
                    legal[history, player] = chance.choice(moves)

    def _take(self, steps: list[Rows], states: States, which: NDArray[np.bool_]) -> None:
        """Take over some of the changed histories; others wait where those are longer."""
        longer = [np.full_like(step, NO_MOVE) for step in steps[len(self._steps) :]]
        self._steps.extend(longer)
        for step, changed in zip(self._steps, steps, strict=True):
            step[which] = changed[which]
        self._states = np.where(which[:, None], states, self._states)

    def _keep_agreeing(self, glance: Glance, chance: np.random.Generator) -> None:
        self._keep(np.flatnonzero(self._sight.agrees(self._states, glance)), chance)

    def _keep(self, which: NDArray[np.intp], chance: np.random.Generator) -> None:
        """Keep some histories, several times if they are few."""
        if len(which):
            more = chance.choice(which, max(0, self._count - len(which)))
            which = np.concatenate([which, more])[: self._count]
        self._steps = [step[which] for step in self._steps]
        self._states = self._states[which]
        self._settled = self._settled[:, which]


def _are_legal(look: Look, legal: Rows) -> NDArray[np.bool_]:
    """Tell where all moves, states by roles, are legal."""
    counts = look.counts().ravel()
    owner = np.repeat(np.arange(len(counts)), counts)
    hits = np.bincount(owner, look.rows == legal.ravel()[owner], len(counts)) > 0
    found: NDArray[np.bool_] = np.all(hits.reshape(legal.shape) | (legal < 0), axis=1)
    return found
