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

from gdl_agents.learning.game_properties.copied_game import CopiedGame, CopiedStates
from gdl_env.engine.contract import NATURE
from gdl_env.engine.mapping import Planes
from gdl_env.engine.mapping.template import Shape, build, leaves, shape_of
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.language.game import Game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term

# Actions are matched in at most this many positions.
_POSITIONS = 300
# The match is checked by playing this many copies of the game for `_STEPS` steps, and for up to
# `_MOST_STEPS` until `_ENDS` games ended.
_CHECK_COPIES = 64
_STEPS, _MOST_STEPS, _ENDS = 100, 1_000, 32
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


def find_symmetries(game: Game, mapping: str = 'auto') -> Symmetries:
    """Return the symmetries of a game; only those of games with a board and without chance."""
    lanes = open_lanes(game, 1, mapping=mapping)
    encoding = lanes.mapping
    none = Symmetries.none(lanes.observation_size, lanes.action_size)
    try:
        if encoding is None or encoding.action_size > _MOST_ACTIONS:
            return none
        planes = encoding.planes()
        if planes is None or NATURE in lanes.roles or lanes.batch.has_experiments:
            return none
        names = map(encoding.observation_name, range(encoding.observation_size))
        try:
            facts = [read_term(name) for name in names]
        except ValueError:
            # A mapping by hand may call its entries what it likes.
            return none
        copied = CopiedGame(lanes, encoding)
        found = [(none.observation[0], none.action[0])]
        for renaming in _candidates(facts, planes)[1:]:
            action = _match_actions(copied, encoding.action_size, renaming)
            if action is not None and _is_same_game(copied, renaming, action):
                found.append((renaming, action))
    finally:
        lanes.close()
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
    game: CopiedGame, actions: int, renaming: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return which action becomes which; None if games differ, or if not all of it is found."""
    known = np.full(actions, -1, np.int64)
    chance = np.random.default_rng(1)
    one = two = game.initial
    for _ in range(_POSITIONS):
        terminal, legal = game.read_legal_actions(one)
        if terminal[0]:
            one = two = game.initial
            continue
        player = _find_only_player(legal)
        others_terminal, others_legal = game.read_legal_actions(two)
        if (
            player is None
            or others_terminal[0]
            or _find_only_player(others_legal) != player
            or not np.array_equal(game.observe(one)[..., renaming], game.observe(two))
        ):
            return None
        tried, views = _try_actions(game, one, player, legal)
        others, others_views = _try_actions(game, two, player, others_legal)
        by_view = {view.tobytes(): other for view, other in zip(others_views, others, strict=True)}
        if not len(by_view) == len(others) == len(tried):
            # No observation tells apart moves that lead to the same position.
            return None
        for action, view in zip(tried, views, strict=True):
            other = by_view.get(view[..., renaming].tobytes(), -1)
            if other < 0 or known[action] not in (-1, other):
                return None
            known[action] = other
        if known.min() >= 0:
            return known if len(set(known.tolist())) == len(known) else None
        drawn = int(chance.choice(tried))
        one = game.play(one, _put_actions(legal, player, np.array([drawn])))
        two = game.play(two, _put_actions(legal, player, known[[drawn]]))
    return None


def _find_only_player(legal: NDArray[np.bool_]) -> int | None:
    """Return who can act in the first position; None for no player or several."""
    found = np.flatnonzero(legal[0].any(axis=1))
    return int(found[0]) if len(found) == 1 else None


def _try_actions(
    game: CopiedGame, position: CopiedStates, player: int, legal: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Play each legal action in a copy of a position; return them, and what players see then."""
    actions = np.flatnonzero(legal[0, player])
    after = game.play(position.repeat(len(actions)), _put_actions(legal, player, actions))
    return actions, game.observe(after)


def _put_actions(
    legal: NDArray[np.bool_], player: int, actions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what all players do in copies in which one player acts."""
    played = np.full((len(actions), legal.shape[1]), -1, np.int64)
    played[:, player] = actions
    return played


def _is_same_game(
    game: CopiedGame, renaming: NDArray[np.int64], action: NDArray[np.int64]
) -> bool:
    """Play random games and their renamed copies; tell whether they agree, up to their goals."""
    start = game.initial.repeat(_CHECK_COPIES)
    one = two = start
    chance = np.random.default_rng(2)
    legal_of = np.argsort(action)
    ends = steps = 0
    while steps < _STEPS or ends < _ENDS:
        steps += 1
        if steps > _MOST_STEPS:
            return False
        terminal, legal = game.read_legal_actions(one)
        others_terminal, others_legal = game.read_legal_actions(two)
        if not np.array_equal(terminal, others_terminal):
            return False
        if terminal.any():
            if not np.array_equal(game.goals(one)[terminal], game.goals(two)[terminal]):
                return False
            ends += int(terminal.sum())
            one, two = one.replace(terminal, start), two.replace(terminal, start)
            legal, others_legal = (game.read_legal_actions(copy)[1] for copy in (one, two))
        if not np.array_equal(game.observe(one)[..., renaming], game.observe(two)):
            return False
        if not np.array_equal(legal[..., legal_of], others_legal):
            return False
        drawn = np.where(legal, chance.random(legal.shape), -1).argmax(axis=2)
        can_act = legal.any(axis=2)
        one = game.play(one, np.where(can_act, drawn, -1))
        two = game.play(two, np.where(can_act, action[drawn], -1))
    return True
