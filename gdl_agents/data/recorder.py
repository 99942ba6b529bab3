"""What happens in lanes that each play one game: decisions and ends, written down as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.data.errors import DataError
from gdl_env.engine.batch.contract import States
from gdl_env.environment.decision_batch import DecisionBatch, TickArrays
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes, Mask
from gdl_env.environment.protocol import NO_ACTION

Numbers: TypeAlias = NDArray[np.int64]
# Plays a tick of some lanes (None: of all), and returns what was played on their decisions.
PlayTick: TypeAlias = Callable[[DecisionBatch, Mask | None], tuple[TickArrays, NDArray[np.int32]]]


@dataclass(frozen=True)
class DecisionRows:
    """Decisions, sorted by lane, step and player."""

    lane: Numbers
    # Ticks of the lane before this one.
    step: Numbers
    player: Numbers
    action: NDArray[np.int32]
    # Packed bits: the whole state, what the player saw of it, what was legal.
    state: NDArray[np.uint8]
    observation: NDArray[np.uint8]
    legal: NDArray[np.uint8]

    def select(self, rows: NDArray[np.bool_] | Numbers) -> DecisionRows:
        """Return some of the decisions."""
        return DecisionRows(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def to_lines(self, players: int, lanes: int) -> NDArray[np.int32]:
        """Return the actions of all lanes: steps by players by lanes, NO_ACTION for none."""
        steps = int(self.step.max(initial=-1)) + 1
        lines = np.full((steps, players, lanes), NO_ACTION, np.int32)
        lines[self.step, self.player, self.lane] = self.action
        return lines


@dataclass(frozen=True)
class EndRows:
    """How games ended, sorted by lane."""

    lane: Numbers
    # Ticks of the game.
    length: Numbers
    # Whether the rules ended it: not cut off.
    terminated: NDArray[np.bool_]
    # Of all players: rows by players; -1 where the rules give none.
    goals: NDArray[np.int16]
    reward: NDArray[np.float32]
    state: NDArray[np.uint8]
    # Rows by players by bytes.
    observation: NDArray[np.uint8]


def pack_states(rules_facts: int, states: States) -> NDArray[np.uint8]:
    """Return rows of states as packed bits, one for each fact."""
    width = -(-rules_facts // 8)
    held = np.ascontiguousarray(states, '<u8').view(np.uint8)
    return np.ascontiguousarray(held[:, :width])


def check_lanes(lanes: Lanes) -> int:
    """Return how many facts states have. Raises DataError if states or views are no bits."""
    name = lanes.game.name
    if lanes.mapping is None:
        raise DataError(f'{name} has no vector form: annotate its rules with types, or --mapping')
    if lanes.batch.facts is None:
        raise DataError(f'{name} cannot be grounded, so its states are no rows of facts')
    return len(lanes.batch.facts)


def play_lanes(
    environment: Environment, playing: Mask, first: Numbers, play: PlayTick
) -> tuple[DecisionRows, EndRows]:
    """Play lanes to the end of their game, and write down what happens.

    - playing: the lanes; the others stay as they are
    - first: how many ticks each lane has behind it
    """
    lanes, roles = environment.game, len(environment.roles)
    facts = check_lanes(lanes)
    step, playing = first.copy(), playing.copy()
    decisions: list[DecisionRows] = []
    ends: list[EndRows] = []
    while playing.any():
        waits = environment.decides.any(axis=0) & ~playing
        mask = playing.copy() if waits.any() else None
        batch = environment.decisions(mask)
        if not len(batch):
            break
        lanes.update_rows()
        held = pack_states(facts, lanes.arrays.states[batch.lane])
        seen, legal = batch.observation.data.copy(), batch.legal.data.copy()
        tick, action = play(batch, mask)
        decisions.append(
            DecisionRows(batch.lane, step[batch.lane], batch.player, action, held, seen, legal)
        )
        step[batch.decides.any(axis=0)] += 1
        ended = np.flatnonzero(tick.ended & playing)
        if len(ended):
            final, _ = lanes.final_rows(tick.result)
            among = np.searchsorted(np.flatnonzero(tick.ended), ended)
            views = [tick.final_observation(player) for player in range(roles)]
            ends.append(
                EndRows(
                    ended,
                    step[ended],
                    tick.terminated[ended],
                    tick.goals[:, ended].T.copy(),
                    tick.reward[:, ended].T.copy(),
                    pack_states(facts, final[ended]),
                    np.stack([view.data[among] for view in views if view is not None], axis=1),
                )
            )
            playing[ended] = False
    return _join_decisions(decisions), _join_ends(ends)


def _join_decisions(parts: list[DecisionRows]) -> DecisionRows:
    if not parts:
        raise DataError('there is no decision in this game: nothing to learn from')
    names = DecisionRows.__dataclass_fields__
    joined = DecisionRows(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))
    return joined.select(np.lexsort((joined.player, joined.step, joined.lane)))


def _join_ends(parts: list[EndRows]) -> EndRows:
    if not parts:
        raise DataError('no game came to an end')
    names = EndRows.__dataclass_fields__
    columns = {name: np.concatenate([getattr(p, name) for p in parts]) for name in names}
    order = np.argsort(columns['lane'], kind='stable')
    return EndRows(**{name: column[order] for name, column in columns.items()})
