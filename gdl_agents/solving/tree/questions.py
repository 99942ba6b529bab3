"""Questions about information sets, as a match would ask them on the way there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.tree.game_tree import GameTree
from gdl_agents.solving.tree.sight import TableSight
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import NO_ACTION, Question
from gdl_env.language.game import Information
from gdl_env.play.visibility import SEES


@dataclass(frozen=True)
class Glimpse:
    """What a player is shown at one tick on the way to an information set."""

    view: bytes
    # The information set that it is, -1 if others decide; and the move that is played there, by
    # its place among the legal ones, -1 at the last one.
    information_set: int
    chosen: int


def write_scripts(tree: GameTree, player: int) -> list[list[Glimpse]]:
    """Return ways to information sets that go through all of them, from the first view on."""
    own = tree.own[player]
    is_inner = np.zeros(len(own), np.bool_)
    sequence_set = np.repeat(np.arange(len(own)), own.count)
    before = np.array(own.before, np.int64)
    is_inner[sequence_set[before[before > 0] - 1]] = True
    return [_write_script(tree, player, int(last)) for last in np.flatnonzero(~is_inner)]


def _write_script(tree: GameTree, player: int, last: int) -> list[Glimpse]:
    own = tree.own[player]
    path = own.paths[last]
    scenes, chosen = [], -1
    while path > 0:
        parent = own.parents[path]
        if parent > 0 and (above := own.set_at(parent)) >= 0:
            # The path is a move.
            chosen = int(own.sequence_of[path] - own.first[above])
        else:
            scenes.append(Glimpse(own.views[own.view_of[path]], own.set_at(path), chosen))
            chosen = -1
        path = parent
    return scenes[::-1]


def write_facts(sight: TableSight, role: str, view: bytes) -> tuple[str, ...]:
    """Return what a view shows a role, as text."""
    mapping = sight.table.mapping
    if mapping is None:
        return tuple(view.decode().split('\n')) if view else ()
    bits = np.unpackbits(np.frombuffer(view, np.uint8), bitorder='little')
    names = [mapping.observation_name(i) for i in np.flatnonzero(bits).tolist()]
    if sight.table.game.information is Information.STATE:
        # An encoding shows each role its own facts without its name.
        own = f'({SEES} '
        names = [
            f'{own}{role} {name[len(own) :]}' if name.startswith(own) else name for name in names
        ]
    return tuple(sorted(names))


class Asker:
    """Makes questions of scenes: one lane for each script, side by side."""

    def __init__(self, tree: GameTree, player: int, scripts: Sequence[Sequence[Glimpse]]) -> None:
        self._tree = tree
        self._own = tree.own[player]
        self._role = tree.roles[player]
        self._scripts = scripts
        self._mapping = tree.sight.table.mapping

    def ask(self, tick: int, episode: int) -> Iterator[tuple[Question, list[Glimpse | None]]]:
        """Yield the question of each tick, and the scene of each lane; None where it is over."""
        scripts = self._scripts
        for step in range(max(map(len, scripts))):
            scenes = [script[step] if step < len(script) else None for script in scripts]
            yield self._make(tick + step, episode, step, scenes), scenes

    def _make(self, tick: int, episode: int, step: int, scenes: list[Glimpse | None]) -> Question:
        shown = [scene or script[-1] for scene, script in zip(scenes, self._scripts, strict=True)]
        asked = np.array([s is not None and s.information_set >= 0 for s in scenes])
        observation = legal = None
        if self._mapping is not None:
            data = np.frombuffer(b''.join(scene.view for scene in shown), np.uint8)
            observation = Bits(data.reshape(len(shown), -1), self._mapping.observation_size)
            mask = np.zeros((len(shown), self._mapping.action_size), np.bool_)
            for lane in np.flatnonzero(asked).tolist():
                mask[lane, self._own.legal_moves(shown[lane].information_set)] = True
            legal = Bits.pack(mask)
        return Question(
            tick,
            self._role,
            np.full(len(shown), episode, np.uint64),
            asked,
            observation,
            legal,
            0.0,
            self._write_facts(shown[0]),
            self._write_moves(shown[0]) if asked[0] else (),
        )

    def _write_facts(self, scene: Glimpse) -> tuple[str, ...]:
        """Return a view as text, for lane 0, which agents may want to read."""
        if len(self._scripts) > 1:
            return ()
        return write_facts(self._tree.sight, self._role, scene.view)

    def _write_moves(self, scene: Glimpse) -> tuple[str, ...]:
        if len(self._scripts) > 1:
            return ()
        moves = self._own.legal_moves(scene.information_set)
        return tuple(self._tree.sight.move_text(self._own.role, move) for move in moves)

    def played(self, scenes: list[Glimpse | None]) -> NDArray[np.int32]:
        """Return what is played at a tick: an action, or the place of a move, for each lane."""
        action = np.full(len(scenes), NO_ACTION, np.int32)
        for lane, scene in enumerate(scenes):
            if scene is not None and scene.chosen >= 0:
                moves = self._own.legal_moves(scene.information_set)
                action[lane] = scene.chosen if self._mapping is None else moves[scene.chosen]
        return action
