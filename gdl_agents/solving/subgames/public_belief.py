"""Histories that players may think of, not only those that one of them holds possible.

What a role does must be good for all that the others may believe of it, and they believe what
agrees with what they saw; so a sub-game begins with the histories that agree with what the role
saw, those that look like one of them to another player, those that look like one of these, and so
on (Zhang, Sandholm 2021). They are followed from the beginning of the game, all while they are
few, else a sample. Only what a role was shown and did itself decides which they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.known import draw_by_weight
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.solving.subgames.roots import Roots
from gdl_agents.solving.subgames.search import Behaviour
from gdl_agents.solving.tree import digests
from gdl_agents.solving.tree.frontier import Frontier, HistoryRows, Turn
from gdl_agents.solving.tree.own_paths import START, Numbers, OwnPaths, PathStart
from gdl_agents.solving.tree.sight import TableSight

# Steps in a row of which a role may be shown nothing.
_MOST_UNSEEN = 64
# How often players are taken to make any move at all, whatever they were found to do.
_TREMBLE = 0.02


@dataclass(frozen=True)
class PublicState:
    """Histories at one tick, before anything is shown, and what players contribute to each."""

    rows: HistoryRows
    # How likely each player makes it: histories by players.
    reach: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Return how likely chance and all players make each history."""
        found: NDArray[np.float64] = self.rows.chance * self.reach.prod(axis=1)
        return found

    def select(self, rows: Numbers | NDArray[np.bool_]) -> PublicState:
        """Return some of the histories."""
        return PublicState(self.rows.select(rows), self.reach[rows])

    @classmethod
    def join(cls, parts: Sequence[PublicState]) -> PublicState:
        """Put parts together."""
        return cls(
            HistoryRows.join([part.rows for part in parts]),
            np.concatenate([part.reach for part in parts]),
        )


class PublicBelief:
    """Follows histories from tick to tick."""

    def __init__(self, sight: TableSight, most: int) -> None:
        """Keep `most` histories while a tick is worked out, and a quarter of them for the next."""
        self._frontier = Frontier(sight)
        self.most = most

    @property
    def paths(self) -> int:
        """Return the number of different things that players may have seen and done so far."""
        return sum(len(own.digests) for own in self._frontier.own)

    def begin(self) -> PublicState | None:
        """Return the histories up to the first decision; None if they are too many."""
        now = PublicState(self._frontier.begin(), np.ones((1, len(self._frontier.own))))
        for _ in range(_MOST_UNSEEN):
            turn, _ = self._frontier.find_turns(now.rows)
            if not len(turn.histories) or turn.decides.any():
                break
            if turn.count_branches().sum() > self.most:
                return None
            now = self._step(turn, now.select(turn.origin), (), np.random.default_rng(0))
        return now if len(now) and len(now) <= self.most else None

    def advance(
        self,
        before: PublicState,
        player: int,
        trail: AbstractSet[bytes],
        question: bytes,
        behaviours: Sequence[Behaviour],
        key: int,
        *,
        has_moved: bool,
    ) -> PublicState | None:
        """Return the histories at a question to a player; None if none was found.

        - trail: the digests of all that the player has seen and done; question: the last of them
        - behaviours: what players are taken to do, as far as that is known; any move elsewhere
        - has_moved: whether the state before is that of an earlier decision of the player
        """
        chance = np.random.Generator(np.random.Philox(key=key))
        now, found = before, []
        turn, _ = self._frontier.find_turns(now.rows)
        now = now.select(turn.origin)
        role = self._frontier.players[player]
        for number in range(_MOST_UNSEEN):
            if number or has_moved:
                now = self._step(turn, now, behaviours, chance)
                turn, _ = self._frontier.find_turns(now.rows)
                now = now.select(turn.origin)
            paths = turn.histories.paths
            is_own, is_here = self._compare(player, paths[:, player], trail, question)
            is_here &= turn.decides[:, role]
            stays = np.ones(len(now), np.bool_)
            if is_here.any():
                layers = find_layers(paths, is_here)
                chosen = np.flatnonzero(layers >= 0)
                # Where several may be next, a history has an entry for each of them.
                _, single = np.unique(turn.origin[chosen], return_index=True)
                kept, weight = thin_out(
                    layers[chosen[single]],
                    now.weight[chosen[single]],
                    self.most // 4,
                    chance,
                )
                found.append(_reweigh(now.select(chosen[single[kept]]), weight))
                stays[chosen] = False
            if not (is_own & ~is_here & stays).any():
                break
            turn, now = turn.select(np.flatnonzero(stays)), now.select(stays)
        return PublicState.join(found) if found else None

    def make_roots(
        self,
        state: PublicState,
        player: int | None,
        question: bytes,
        room: tuple[int, int],
        promises: Sequence[dict[bytes, float]],
        key: int,
    ) -> Roots:
        """Return the roots of a sub-game: the histories, or a sample of them.

        - player: whose question it is, None for the beginning of a game
        - room: histories at most, and those after their first step
        - promises: of each player, by what it knows: what it must not get more than
        """
        frontier = self._frontier
        turn, _ = frontier.find_turns(state.rows)
        is_single = len(np.unique(turn.origin)) == len(turn.origin)
        state = state.select(turn.origin) if is_single else state
        known = turn.histories.paths if is_single else state.rows.paths
        layers = np.zeros(len(state), np.int64)
        if player is not None and is_single:
            _, is_here = self._compare(player, known[:, player], frozenset(), question)
            layers = find_layers(known, is_here)
            # A sample may have lost what led to some.
            layers[layers < 0] = layers.max() + 1
        mean = float(turn.count_branches().sum()) / max(1, len(state))
        most = max(16, min(room[0], int(room[1] / max(1.0, mean))))
        chance = np.random.Generator(np.random.Philox(key=key))
        kept, weight = thin_out(layers, state.weight, most, chance)
        rows, known = state.rows.select(kept), known[kept]
        rows.chance[:] = weight / weight.sum()
        numbers, starts, promised = [], [], []
        for place, own in enumerate(frontier.own):
            shown, first, which = np.unique(
                known[:, place], return_index=True, return_inverse=True
            )
            numbers.append(which)
            before = rows.paths[first, place].tolist()
            starts.append(tuple(_start_of(own, path) for path in before))
            held = promises[place] if place < len(promises) and is_single else {}
            values = [held.get(own.digests[path], np.nan) for path in shown.tolist()]
            promised.append(np.array(values, np.float64))
        return Roots(rows, np.stack(numbers, axis=1), tuple(starts), tuple(promised))

    # ---- inside

    def _compare(
        self, player: int, paths: Numbers, trail: AbstractSet[bytes], question: bytes
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell which histories agree with all that the player saw, and which show the question."""
        known, which = np.unique(paths, return_inverse=True)
        held = [self._frontier.own[player].digests[path] for path in known.tolist()]
        is_own = np.array([d in trail or d == digests.NOTHING for d in held], np.bool_)
        is_here = np.array([d == question for d in held], np.bool_)
        return is_own[which], is_here[which]

    def _step(
        self,
        turn: Turn,
        now: PublicState,
        behaviours: Sequence[Behaviour],
        chance: np.random.Generator,
    ) -> PublicState:
        """Return the histories after all moves, or a sample of them if they are too many."""
        frontier = self._frontier
        if turn.count_branches().sum() <= self.most:
            rows, entry = frontier.branch(turn)
        else:
            rows, entry = self._draw(turn, now, chance)
        reach = now.reach[entry].copy()
        for player, own in enumerate(frontier.own):
            chose = np.flatnonzero(turn.decides[entry, frontier.players[player]])
            if len(chose):
                held = behaviours[player] if player < len(behaviours) else {}
                sequences = own.sequence_of[rows.paths[chose, player]]
                reach[chose, player] *= _read_likely(own, sequences, held)
        if not frontier.can_merge:
            return PublicState(rows, reach)
        rows, first = rows.join_alike()
        return PublicState(rows, reach[first])

    def _draw(
        self, turn: Turn, now: PublicState, chance: np.random.Generator
    ) -> tuple[HistoryRows, Numbers]:
        """Return histories after moves that are drawn, and the entry of the turn of each."""
        frontier, rules = self._frontier, self._frontier.rules
        count = self.most // 2
        weight = turn.histories.chance * now.reach.prod(axis=1)
        entry = np.asarray(draw_by_weight(weight, count, chance), np.int64)
        part = turn.select(entry)
        states = part.histories.states
        legal = sample_moves(rules, part.look, part.acting, chance)
        does = draw_outcomes(rules, states, legal, chance)
        every = np.arange(count)
        rows = frontier.advance(part, every, legal, does, rules.step(states, does))
        # Any move was as likely to be drawn.
        moves = np.where(part.acting, part.look.counts(), 1)[:, list(rules.players)]
        share = weight.sum() / count / now.reach[entry].prod(axis=1)
        rows.chance[:] = share * moves.prod(axis=1)
        return rows, entry


def find_layers(paths: Numbers, is_here: NDArray[np.bool_]) -> Numbers:
    """Return how far histories (by players: what each knows) are from those of a player.

    0: the player may be there; 1: another thinks so in one of these; 2: someone thinks so in one
    of those; -1: nobody ever does.
    """
    layers: Numbers = np.where(is_here, 0, -1)
    newest, number = is_here, 0
    while newest.any():
        number += 1
        reached = np.zeros(len(paths), np.bool_)
        for known in paths.T:
            reached |= np.isin(known, np.unique(known[newest]))
        newest = reached & (layers < 0)
        layers[newest] = number
    return layers


def thin_out(
    layers: Numbers, weight: NDArray[np.float64], count: int, chance: np.random.Generator
) -> tuple[Numbers, NDArray[np.float64]]:
    """Choose some of many histories, and what they weigh then; half of the room for each layer.

    What is left of the room is for the layers that follow.
    """
    if len(layers) <= count:
        return np.arange(len(layers)), weight
    kept, weights = [], []
    last = int(layers.max())
    for layer in range(int(layers.min()), last + 1):
        own = np.flatnonzero((layers == layer) & (weight > 0))
        share = count if layer == last else max(1, count // 2)
        if len(own) > share > 0:
            drawn, times = np.unique(
                draw_by_weight(weight[own], share, chance), return_counts=True
            )
            weights.append(weight[own].sum() * times / share)
            own = own[drawn]
        elif share > 0:
            weights.append(weight[own])
        else:
            continue
        kept.append(own)
        count -= len(own)
    return np.concatenate(kept), np.concatenate(weights)


def _reweigh(state: PublicState, weight: NDArray[np.float64]) -> PublicState:
    """Return histories that weigh something else: by their chance."""
    state.rows.chance[:] = weight / state.reach.prod(axis=1)
    return state


def _start_of(own: OwnPaths, path: int) -> PathStart:
    """Return what goes on from a path in another tree."""
    view = int(own.view_of[path])
    if path == START:
        return PathStart()
    return PathStart(own.digests[path], own.views[view] if view >= 0 else None)


def _read_likely(own: OwnPaths, sequences: Numbers, held: Behaviour) -> NDArray[np.float64]:
    """Return how likely the last moves of sequences are."""
    known, which = np.unique(sequences, return_inverse=True)
    sets = np.searchsorted(own.first, known, side='right') - 1
    likely = 1.0 / own.count[sets]
    for place, (number, sequence) in enumerate(zip(sets.tolist(), known.tolist(), strict=True)):
        moves = held.get(own.digests[own.paths[number]])
        if moves is not None:
            chosen = float(moves[sequence - int(own.first[number])])
            likely[place] = (1 - _TREMBLE) * chosen + _TREMBLE * likely[place]
    return likely[which]
