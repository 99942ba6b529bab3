"""What draws of chance show a role, and what they rule out, found by trying them out.

Where much is dealt at once, hardly any deal that is drawn blindly shows what the role was shown.
So random deals are watched: which draws bring which entries of an observation into view, which
entries then stay, and which draws are never legal after which. With that, each draw of a new deal
can be checked: does it show something that must not be seen, or rule out something that must?
"""

from __future__ import annotations

from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.belief_steps import BeliefSteps, Guide
from gdl_agents.search.belief.known import Glance, Known
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.search.game.turns import follow_last
from gdl_env.engine.batch.contract import BatchGame, Look, Rows, States

# Deals that are watched, draws of one deal, and times that a draw must have been seen before it is
# said to rule out another one.
_DEALS = 512
_LONGEST = 400
_LEAST_SEEN = 4
# Draws beyond which what each rules out is not looked at.
_MOST_DRAWS = 6_000

Flags = NDArray[np.bool_]
# The deals that go on, what is drawn in them, and what was possible.
_Draws: TypeAlias = tuple[NDArray[np.intp], Rows, Look]


class DrawEffects:
    """What draws between two decisions do, for one role."""

    def __init__(self, ways: BeliefSteps, start: Known, chance: np.random.Generator) -> None:
        rules = ways.rules
        many = start.pick(chance.integers(len(start), size=_DEALS))
        states, percepts, last = many.states.copy(), many.percepts.copy(), many.last.copy()
        # Draws, deals that made one, and what was legal and seen then: a step each.
        drawn: list[_Draws] = []
        seen = [_see(ways, states, percepts)]
        for _ in range(_LONGEST):
            look = rules.look(states)
            going = np.flatnonzero(ways.is_quiet(look, last))
            if not len(going):
                break
            acting = ways.table.turns.find_acting(rules, look, last, chance)[going]
            part = Look(look.terminal[going], look.starts[going], look.rows)
            legal = sample_moves(rules, part, acting, chance)
            does = draw_outcomes(rules, states[going], legal, chance)
            drawn.append((going, does[:, rules.nature], part))
            before = states[going]
            states[going] = rules.step(before, does)
            nothing = np.zeros(len(going), np.bool_)
            percepts[going] = ways.perceive(before, does, percepts[going], nothing)
            last[going] = follow_last(rules, last[going], legal)
            seen.append(_see(ways, states, percepts))
        self.is_dealt = len(drawn) > 1
        self._watch(rules, drawn, seen)

    def _watch(self, rules: BatchGame, drawn: list[_Draws], seen: list[Flags]) -> None:
        entries = seen[0].shape[1]
        made = [rows[rows >= 0] for _, rows, _ in drawn]
        # Draws that were met, in rising order.
        self._every = np.unique(np.concatenate([*made, np.zeros(0, np.int32)]))
        shows: Flags = np.zeros((len(self._every), entries), np.bool_)
        fades = np.zeros(entries, np.bool_)
        for number, (going, rows, _) in enumerate(drawn):
            new = seen[number + 1][going] & ~seen[number][going]
            is_draw = np.flatnonzero(rows >= 0)
            np.logical_or.at(shows, np.searchsorted(self._every, rows[is_draw]), new[is_draw])
            fades |= (new & ~seen[-1][going]).any(axis=0)
        # Entries that a draw brings into view, and that then stay.
        self._stays = shows.any(axis=0) & ~fades
        self._shows = shows
        self._rules_out = self._find_ruled_out(rules, drawn)

    def _find_ruled_out(self, rules: BatchGame, drawn: list[_Draws]) -> Flags:
        """Tell which draws end all chances of which entries: no draw that shows them is left."""
        count = len(self._every)
        if not count or count > _MOST_DRAWS or rules.nature < 0 or rules.has_experiments:
            return np.zeros(self._shows.shape, np.bool_)
        legal_later = np.zeros((_DEALS, count), np.bool_)
        follows = np.zeros((count, count), np.bool_)
        times = np.zeros(count, np.int64)
        plain = rules.plain(np.arange(rules.known_moves, dtype=np.int32))
        for going, rows, look in reversed(drawn):
            is_draw = np.flatnonzero(rows >= 0)
            made = np.searchsorted(self._every, rows[is_draw])
            np.add.at(times, made, 1)
            for row, deal in zip(made.tolist(), going[is_draw].tolist(), strict=True):
                follows[row] |= legal_later[deal]
            counts = look.counts()[:, rules.nature]
            owner = np.repeat(going, counts)
            ends = np.cumsum(counts)
            first = look.starts[:, rules.nature]
            places = np.arange(len(owner)) + np.repeat(first - (ends - counts), counts)
            able = plain[look.rows[places]]
            place = np.minimum(np.searchsorted(self._every, able), count - 1)
            is_known = self._every[place] == able
            legal_later[owner[is_known], place[is_known]] = True
        follows |= (times < _LEAST_SEEN)[:, None]
        # Of the draws that show an entry, one at least can follow.
        left = follows.astype(np.float32) @ self._shows.astype(np.float32) > 0
        out: Flags = ~left & self._shows.any(axis=0)
        return out

    def make_guide(self, ways: BeliefSteps, glance: Glance) -> Guide:
        """Return what tells which draws can lead to a view."""
        wanted = _unpack(ways, glance.observation[None])[0]
        unwanted = np.flatnonzero(self._stays & ~wanted)
        asked = np.flatnonzero(self._stays & wanted)
        rules_out = self._rules_out[:, asked]
        every, nature = self._every, ways.rules.nature

        def can_lead(before: Known, does: Rows, after: States) -> Flags:
            """Tell where least that is unwanted is shown, or that is wanted is ruled out."""
            nothing = np.zeros(len(after), np.bool_)
            shown = _see(ways, after, ways.perceive(before.states, does, before.percepts, nothing))
            wrong = shown[:, unwanted].sum(axis=1)
            rows = does[:, nature]
            if len(every):
                place = np.minimum(np.searchsorted(every, rows), len(every) - 1)
                out = rules_out[place] & (every[place] == rows)[:, None]
                wrong += (out & ~shown[:, asked]).sum(axis=1)
            # Better astray than nowhere: what all of them show may be gone again in time.
            return np.asarray(wrong == wrong.min(initial=len(wanted)), np.bool_)

        return can_lead


def _see(ways: BeliefSteps, states: States, percepts: States) -> Flags:
    return _unpack(ways, ways.table.observe(ways.role, states, percepts))


def _unpack(ways: BeliefSteps, observations: NDArray[np.uint8]) -> Flags:
    mapping = ways.table.mapping
    size = mapping.observation_size if mapping else 0
    bits = np.unpackbits(observations, axis=1, count=size, bitorder='little')
    return bits.astype(np.bool_)


_kept: WeakKeyDictionary[BatchGame, dict[int, DrawEffects]] = WeakKeyDictionary()


def watch_first_deal(ways: BeliefSteps, start: Known) -> DrawEffects:
    """Return what draws do at the beginning of a game; it is found out once for each role."""
    known = _kept.setdefault(ways.rules, {})
    if ways.role not in known:
        known[ways.role] = DrawEffects(ways, start, np.random.default_rng(0))
    return known[ways.role]
