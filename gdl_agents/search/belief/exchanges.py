"""Draws of chance that change places, in many histories of a game at once.

A history has a slot for each of its steps, and one for each draw that other histories made and it
did not. Two slots that hold draws may be exchanged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.draw_subjects import DrawSubjects
from gdl_env.engine.batch.contract import NO_MOVE, Rows

# How often draws are chosen among those of which nothing is known.
_FREE = 0.9
# And how often three are exchanged instead of two.
_RINGS = 0.4

Flags = NDArray[np.bool_]


class Exchanges:
    """The draws of some histories, to be exchanged."""

    def __init__(self, steps: list[Rows], nature: int, subjects: DrawSubjects) -> None:
        """Take over the draws; the steps themselves are left alone."""
        self._steps = steps
        self._nature = nature
        self._subjects = subjects
        drawn = np.array([step[:, nature] for step in steps])
        self._every = np.unique(drawn[drawn >= 0])
        # Slots by histories; NO_MOVE: no draw.
        self._draws: Rows = np.concatenate([drawn, self._find_left(drawn)]).astype(np.int32)

    def _find_left(self, drawn: Rows) -> Rows:
        """Return the draws that each history left out, slots by histories.

        Those that are alike are as many as any history has made of them.
        """
        count = drawn.shape[1]
        alike = self._subjects.are_alike(self._every)
        first = np.argmax(alike, axis=1)
        made = np.zeros((len(self._every), count), np.int64)
        place, history = np.nonzero(drawn >= 0)
        np.add.at(made, (first[np.searchsorted(self._every, drawn[place, history])], history), 1)
        left = made.max(axis=1, initial=0)[:, None] - made
        return np.concatenate(
            [
                np.where(left > number, self._every[:, None], NO_MOVE)
                for number in range(left.max(initial=0))
            ]
            or [drawn[:0]]
        )

    def exchange_any(
        self, chance: np.random.Generator, settled: Flags, missing: Flags | None = None
    ) -> list[Rows]:
        """Return the steps with two draws of each history exchanged, or three.

        They are mostly such of which nothing is known: not settled, that is steps by histories,
        nor played out. One is about an entry that is missing, histories by entries, if there are.
        """
        if not len(self._every):
            return [step.copy() for step in self._steps]
        number = np.searchsorted(self._every, np.maximum(self._draws, self._every[0]))
        held = self._draws >= 0
        free = held & ~self._are_played(number)
        free[: len(settled)] &= ~settled
        any_free = (free.sum(axis=0) > 1) & (chance.random(free.shape[1]) < _FREE)
        allowed = np.where(any_free, free, held)
        wanted = allowed
        if missing is not None:
            match = self._subjects.match(self._every).astype(np.float32)
            about = match @ missing.T.astype(np.float32) > 0
            fitting = held & np.take_along_axis(about, number, axis=0)
            wanted = np.where(fitting.any(axis=0), fitting, allowed)
        one = _pick(wanted, chance)
        other = self._swap(one, allowed, chance)
        # Three cards in a ring, now and then: two of them alone may not fit in each other's place.
        ring = chance.random(len(one)) < _RINGS
        self._swap(other, allowed & ring, chance)
        return self._make_steps()

    def _swap(
        self, one: NDArray[np.intp], allowed: Flags, chance: np.random.Generator
    ) -> NDArray[np.intp]:
        """Exchange a slot of each history with any that is allowed, if there is one; return it."""
        every = np.arange(len(one))
        allowed[one, every] = False
        other = np.where(allowed.any(axis=0), _pick(allowed, chance), one)
        draws = self._draws
        draws[one, every], draws[other, every] = draws[other, every], draws[one, every]
        return other

    def exchange_towards(
        self, chance: np.random.Generator, wrong: Flags, missing: Flags, causes: Rows
    ) -> tuple[list[Rows], Flags]:
        """Return the steps with what is shown wrongly exchanged for what should be shown.

        All are histories by entries; causes are the steps by which they came to be shown, or -1.
        Also return in which histories anything was exchanged.
        """
        changed = np.zeros(len(wrong), np.bool_)
        about = self._subjects.match(self._every)
        is_drawn = about.any(axis=0)
        for history in range(len(wrong) if len(self._every) else 0):
            lacking = chance.permutation(np.flatnonzero(missing[history] & is_drawn))
            surplus = chance.permutation(np.flatnonzero(wrong[history] & is_drawn))
            right = np.flatnonzero((causes[history] >= 0) & ~wrong[history])
            settled = set(causes[history, right].tolist())
            for bad, good in zip(surplus.tolist(), lacking.tolist(), strict=False):
                one = self._find(history, bad, settled, about, chance, int(causes[history, bad]))
                other = self._find(history, good, settled, about, chance)
                if one < 0 or other < 0:
                    continue
                own = self._draws[:, history]
                own[one], own[other] = own[other], own[one]
                settled.add(one)
                changed[history] = True
        return self._make_steps(), changed

    def _find(
        self,
        history: int,
        entry: int,
        settled: set[int],
        about: Flags,
        chance: np.random.Generator,
        cause: int = -1,
    ) -> int:
        """Return a slot whose draw is about an entry: its cause if it is, else any; or -1."""
        own = self._draws[:, history]
        number = np.searchsorted(self._every, np.maximum(own, self._every[0]))
        fitting = (own >= 0) & about[number, entry]
        if cause >= 0 and fitting[cause]:
            return cause
        fitting[list(settled)] = False
        slots = np.flatnonzero(fitting)
        return int(chance.choice(slots)) if len(slots) else -1

    def _are_played(self, number: NDArray[np.intp]) -> Flags:
        """Tell which draws were played out: as many moves are about them as there are draws."""
        players = [role for role in range(self._steps[0].shape[1]) if role != self._nature]
        moves = np.array([step[:, players] for step in self._steps])
        every, which = np.unique(moves, return_inverse=True)
        if every[-1] < 0:
            return np.zeros(number.shape, np.bool_)
        count = self._draws.shape[1]
        history = np.broadcast_to(np.arange(count)[None, :, None], moves.shape)
        made = np.zeros((len(every), count), np.float32)
        np.add.at(made, (which.ravel(), history.ravel()), 1)
        is_move = every >= 0
        match = self._subjects.match_moves(self._every, every[is_move]).astype(np.float32)
        moved = match @ made[is_move]
        here = np.zeros((len(self._every), count), np.float32)
        slot, owner = np.nonzero(self._draws[: len(self._steps)] >= 0)
        np.add.at(here, (number[slot, owner], owner), 1)
        alike = self._subjects.are_alike(self._every).astype(np.float32)
        is_out = (moved > 0) & (moved >= alike @ here)
        out: Flags = np.take_along_axis(is_out, number, axis=0)
        return out

    def _make_steps(self) -> list[Rows]:
        steps = [step.copy() for step in self._steps]
        for step, drawn in zip(steps, self._draws, strict=False):
            step[:, self._nature] = drawn
        return steps


def _pick(allowed: Flags, chance: np.random.Generator) -> NDArray[np.intp]:
    """Return one of the allowed slots for each history; where there is none, the first."""
    picked: NDArray[np.intp] = np.argmax(chance.random(allowed.shape) * allowed, axis=0)
    return picked
