"""What roles are shown of states, and how their moves are numbered, as a match would tell them.

A match with a vector form shows packed observations and numbers moves by its encoding; one
without shows facts as text. Both sides are here: rows of states, for a tree, and questions, for a
player.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.match_table import MatchTable, open_table
from gdl_env.engine.batch.contract import Rows, States
from gdl_env.engine.contract import NATURE
from gdl_env.engine.mapping import Encoding, EncodingError, open_encoding
from gdl_env.environment.match_info import describe_game
from gdl_env.environment.protocol import Question
from gdl_env.language.game import Game, Information
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term
from gdl_env.play.visibility import visible_facts


def open_sight(game: Game, turn: str) -> TableSight:
    """Open a game as its players will see it. Raises GameError, EngineError or AgentError."""
    encoding: Encoding | None
    try:
        encoding = open_encoding(game)
    except EncodingError:
        encoding = None
    players = tuple(role for role in game.roles if role != NATURE)
    info = describe_game(game, encoding, players)
    return TableSight(open_table(replace(info, turn=turn)))


class TableSight:
    """Reads views and moves of a match, from states or from questions."""

    def __init__(self, table: MatchTable) -> None:
        self.table = table
        self.rules = table.rules
        self._has_vectors = table.mapping is not None
        # Without vectors: texts of moves, numbered as they come.
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []
        self._row_numbers = np.zeros(0, np.int32)

    # ---- from states

    def look_at(
        self, role: int, states: States, percepts: States
    ) -> tuple[list[bytes], NDArray[np.int64]]:
        """Return the different views that a role is shown of states, and which is that of each."""
        if self._has_vectors:
            rows = self.table.observe(role, states, percepts)
            first, which = group_rows(rows)
            return [rows[index].tobytes() for index in first.tolist()], which
        source = percepts if self.table.game.information is Information.PERCEPTS else states
        first, which = group_rows(source)
        views = [
            _join(self._read(role, states[index], percepts[index])) for index in first.tolist()
        ]
        return views, which

    def _read(self, role: int, state: States, percepts: States) -> Iterable[str]:
        rules = self.rules
        if self.table.game.information is Information.PERCEPTS:
            own = rules.percepts_of(role).items()
            return [str(t) for t, bit in own if int(percepts[bit >> 6]) >> (bit & 63) & 1]
        return map(str, visible_facts(rules.game, rules.to_state(state), rules.roles[role]))

    def number_moves(self, rows: Rows) -> NDArray[np.int32]:
        """Return the numbers of legal moves of players: actions, or places in a list of texts."""
        if self._has_vectors:
            return self.table.actions_of(rows)
        most = int(rows.max(initial=-1))
        if most >= len(self._row_numbers):
            known = range(len(self._row_numbers), most + 1)
            more = [self._number(str(self.rules.legal_move(row)[1])) for row in known]
            self._row_numbers = np.concatenate([self._row_numbers, np.array(more, np.int32)])
        return self._row_numbers[rows]

    def rows_of(self, role: int, numbers: NDArray[np.int32]) -> Rows:
        """Return the rows of legal moves, by the numbers they have."""
        known, which = np.unique(numbers, return_inverse=True)
        rows = [self.rules.legal_row(role, self._move(role, number)) for number in known.tolist()]
        return np.array(rows, np.int32)[which]

    def _move(self, role: int, number: int) -> Term:
        if self.table.mapping is None:
            return read_term(self._texts[number])
        return self.table.mapping.move(self.rules.roles[role], number)

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return self._numbers[text]

    def move_text(self, role: int, number: int) -> str:
        """Return the move of a number as text."""
        return str(self._move(role, number))

    # ---- bytes that stand for moves, in digests

    def move_bytes(self, number: int) -> bytes:
        """Return what stands for a move of the role itself."""
        return _to_bytes([number]) if self._has_vectors else self._texts[number].encode()

    def legal_bytes(self, numbers: NDArray[np.int32]) -> bytes:
        """Return what stands for legal moves, in any order."""
        if self._has_vectors:
            return _to_bytes(np.sort(numbers))
        return _join(self._texts[number] for number in numbers.tolist())


def group_rows(rows: NDArray[np.generic]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a place of each different row of a matrix, and which of these each row is like."""
    if not rows.shape[1] or not len(rows):
        return np.zeros(min(1, len(rows)), np.int64), np.zeros(len(rows), np.int64)
    held = np.ascontiguousarray(rows)
    keys: NDArray[Any]
    if held.dtype.itemsize * held.shape[1] == 8:
        keys = held.view(np.uint64)[:, 0]
    else:
        keys = held.view(np.dtype((np.void, held.dtype.itemsize * held.shape[1])))[:, 0]
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which


def read_view(question: Question, lane: int) -> bytes:
    """Return what a question shows in a lane: as `TableSight.look_at` does."""
    if question.observation is not None:
        return bytes(question.observation.data[lane])
    return _join(question.facts)


def read_legal(question: Question, lane: int) -> tuple[list[int], bytes]:
    """Return the legal moves of a lane, and what stands for them.

    Without vectors their numbers are places in the list of texts.
    """
    if question.legal is None:
        return list(range(len(question.legal_moves))), _join(question.legal_moves)
    actions = np.flatnonzero(question.legal.row(lane))
    return actions.tolist(), _to_bytes(actions)


def read_move(question: Question, number: int) -> bytes:
    """Return what stands for a move, by its number in `read_legal`."""
    if question.legal is None:
        return question.legal_moves[number].encode()
    return _to_bytes([number])


def _to_bytes(numbers: NDArray[np.integer] | list[int]) -> bytes:
    return np.asarray(numbers, '<i4').tobytes()


def _join(texts: Iterable[str]) -> bytes:
    return '\n'.join(sorted(texts)).encode()
