"""Symmetries of a game, found from its board and checked by playing: one experience is several.

A symmetry renames cells of the board (mirrored, turned) so that the game stays the same: what was
seen and done, renamed, could have been seen and done as well. Candidates come from the board; each
is played in step with the original on many games, and dropped at the first difference. What is
seen after each move also tells which action becomes which.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import NATURE
from gdl_env.engine.mapping import Planes
from gdl_env.engine.mapping.template import Shape, build, leaves, shape_of
from gdl_env.environment.chance import Chance
from gdl_env.environment.lane_game import LaneGame
from gdl_env.environment.opening import open_lane_game
from gdl_env.language.game import Game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term

# Positions in which actions are matched at most; steps of games in all lanes to check them, and
# more of them, up to so many, until so many games ended.
_POSITIONS, _STEPS, _MOST_STEPS, _ENDS = 300, 100, 1_000, 32
_CHECK_LANES = 64
# Trying every action of every state of larger games takes longer than it is worth.
_MOST_ACTIONS = 512


@dataclass(frozen=True)
class Symmetries:
    """Renamings of entries and actions, one a row; the first changes nothing.

    Entry i of a renamed observation is entry `observation[k, i]` of the original; action a becomes
    `action[k, a]`, and what is legal at a was legal at `legal[k, a]`.
    """

    observation: NDArray[np.int64]
    action: NDArray[np.int64]

    @classmethod
    def none(cls, observations: int, actions: int) -> Symmetries:
        """Return the renaming that changes nothing."""
        return cls(np.arange(observations)[None], np.arange(actions)[None])

    def __len__(self) -> int:
        return len(self.action)

    @cached_property
    def legal(self) -> NDArray[np.int64]:
        """Return the action that becomes each action."""
        return np.argsort(self.action, axis=1)


def find_symmetries(game: Game) -> Symmetries:
    """Return the symmetries of a game; those of games with a board and without chance only."""
    one = open_lane_game(game, 1)
    mapping = one.mapping
    none = Symmetries.none(one.observation_size, one.action_size)
    one.close()
    if mapping is None or NATURE in one.roles or mapping.action_size > _MOST_ACTIONS:
        return none
    planes = mapping.planes()
    if planes is None:
        return none
    try:
        facts = [read_term(mapping.observation_name(i)) for i in range(mapping.observation_size)]
    except ValueError:
        # A mapping by hand may call its entries what it likes.
        return none
    pairs = [
        open_lane_game(game, lanes) for lanes in (mapping.action_size, _CHECK_LANES) for _ in 'ab'
    ]
    found = [(none.observation[0], none.action[0])]
    for renaming in _candidates(facts, planes)[1:]:
        action = _match_actions(pairs[0], pairs[1], renaming)
        if action is not None and _agree(pairs[2], pairs[3], renaming, action):
            found.append((renaming, action))
    for lane_game in pairs:
        lane_game.close()
    observation, action = (np.array(rows) for rows in zip(*found, strict=True))
    return Symmetries(observation, action)


def _candidates(facts: list[Term], planes: Planes) -> list[NDArray[np.int64]]:
    """Return renamings of entries by mirrored and turned boards; the first is the identity."""
    rows, columns = list(planes.rows), list(planes.columns)
    is_square = set(rows) == set(columns)
    kinds = _coordinates(facts, set(rows), set(columns))
    index = {fact: number for number, fact in enumerate(facts)}
    found = []
    for turned, upside, mirrored in product((False, True) if is_square else (False,), *['01'] * 2):
        renaming = np.arange(len(facts))
        for number, fact in enumerate(facts):
            shape = shape_of(fact)
            values = list(leaves(fact, shape) or [])
            row, column = kinds[shape]
            if row is not None and upside == '1':
                values[row] = rows[-1 - rows.index(values[row])]
            if column is not None and mirrored == '1':
                values[column] = columns[-1 - columns.index(values[column])]
            if turned and row is not None and column is not None:
                values[row], values[column] = values[column], values[row]
            renamed = index.get(build(shape, iter(values)))
            if renamed is None:
                break
            renaming[renamed] = number
        else:
            if len(set(renaming.tolist())) == len(facts):
                found.append(renaming)
    return found


def _coordinates(
    facts: list[Term], rows: set[Term], columns: set[Term]
) -> dict[Shape, tuple[int | None, int | None]]:
    """Return the places of row and column among the values of each kind of fact."""
    values: dict[Shape, list[set[Term]]] = {}
    for fact in facts:
        shape = shape_of(fact)
        found = leaves(fact, shape) or []
        places = values.setdefault(shape, [set() for _ in found])
        for place, value in zip(places, found, strict=True):
            place.add(value)
    kinds = {}
    for shape, places in values.items():
        row = next((n for n, place in enumerate(places) if place == rows), None)
        column = next((n for n, place in enumerate(places) if place == columns and n != row), None)
        kinds[shape] = row, column
    return kinds


def _match_actions(
    one: LaneGame, two: LaneGame, renaming: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return which action becomes which; None if games go different ways, or not all is known.

    Every lane of a pair is in the same state, and plays another action.
    """
    lanes = one.lanes
    everywhere = np.ones(lanes, np.bool_)
    known = np.full(one.action_size, -1, np.int64)
    chance = np.random.default_rng(1)
    positions = 0
    while known.min() < 0:
        one.restart(everywhere)
        two.restart(everywhere)
        while known.min() < 0 and not one.look().terminal[0]:
            positions += 1
            if positions > _POSITIONS:
                return None
            player = _only_player(one)
            if player is None or _only_player(two) != player or not _alike(one, two, renaming):
                return None
            held = one.snapshot(), two.snapshot()
            after = [_try_all(game, player) for game in (one, two)]
            actions, views = after[0]
            others = {row.tobytes(): other for other, row in zip(*after[1], strict=True)}
            if len(others) != len(actions) or len(after[1][0]) != len(actions):
                # Moves that lead to the same are told apart by no observation.
                return None
            for action, view in zip(actions, views, strict=True):
                other = others.get(view[..., renaming].tobytes(), -1)
                if other < 0 or known[action] not in (-1, other):
                    return None
                known[action] = other
            one.restore(held[0])
            two.restore(held[1])
            drawn = int(chance.choice(actions))
            _play(one, player, np.full(lanes, drawn, np.int32))
            _play(two, player, np.full(lanes, known[drawn], np.int32))
    return known if len(set(known.tolist())) == len(known) else None


def _try_all(game: LaneGame, player: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Play each legal action in a lane of its own; return them, and what all players see then."""
    actions = np.flatnonzero(game.legal(player).row(0))
    played = np.full(game.lanes, actions[0], np.int32)
    played[: len(actions)] = actions
    _play(game, player, played)
    views = [game.observe(seat).unpack()[: len(actions)] for seat in range(len(game.players))]
    return actions, np.stack(views, axis=1)


def _agree(
    one: LaneGame, two: LaneGame, renaming: NDArray[np.int64], action: NDArray[np.int64]
) -> bool:
    """Tell whether games that differ by the renaming go the same way, to their goals."""
    everywhere = np.ones(one.lanes, np.bool_)
    one.restart(everywhere)
    two.restart(everywhere)
    chance = np.random.default_rng(2)
    legal_of = np.argsort(action)
    ends = steps = 0
    while steps < _STEPS or ends < _ENDS:
        steps += 1
        if steps > _MOST_STEPS:
            return False
        terminal = one.look().terminal.copy()
        ends += int(terminal.sum())
        if not np.array_equal(terminal, two.look().terminal):
            return False
        if terminal.any() and not np.array_equal(
            one.goals()[:, terminal], two.goals()[:, terminal]
        ):
            return False
        for game in (one, two):
            game.restart(terminal)
        if not _alike(one, two, renaming):
            return False
        has = one.look().has.copy()
        if not np.array_equal(has, two.look().has):
            return False
        played = np.full((len(one.players), one.lanes), -1, np.int32)
        for player in range(len(one.players)):
            legal = one.legal(player).unpack()
            if not np.array_equal(legal[:, legal_of], two.legal(player).unpack()):
                return False
            drawn = np.where(legal, chance.random(legal.shape), -1).argmax(axis=1)
            played[player] = np.where(has[player], drawn, -1)
        renamed = np.where(played >= 0, action[played], -1).astype(np.int32)
        one.play(has, played, Chance(0, 0))
        two.play(has, renamed, Chance(0, 0))
    return True


def _alike(one: LaneGame, two: LaneGame, renaming: NDArray[np.int64]) -> bool:
    return all(
        np.array_equal(one.observe(p).unpack()[:, renaming], two.observe(p).unpack())
        for p in range(len(one.players))
    )


def _only_player(game: LaneGame) -> int | None:
    """Return who moves in the first lane; None if that is nobody, or are several."""
    movers = np.flatnonzero(game.look().has[:, 0])
    return int(movers[0]) if len(movers) == 1 and movers[0] < len(game.players) else None


def _play(game: LaneGame, player: int, action: NDArray[np.int32]) -> None:
    acting = np.zeros((len(game.players) + 1, game.lanes), np.bool_)
    acting[player] = True
    played = np.full((len(game.players), game.lanes), -1, np.int32)
    played[player] = action
    game.play(acting, played, Chance(0, 0))
