"""The table of a match: its rules, and how its vectors and indices are read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_agents.search.game.open_games import OpenGame, acquire_game
from gdl_agents.search.game.partners import find_partners, find_teams
from gdl_agents.search.game.turns import TurnOrder
from gdl_env.engine.batch.contract import BatchGame, Rows, States
from gdl_env.engine.contract import State
from gdl_env.engine.grounding.outside import is_mark
from gdl_env.engine.mapping import Encoding, EncodingError, open_encoding
from gdl_env.engine.mapping.table_encoding import TableEncoding
from gdl_env.environment.protocol import MatchInfo, Question
from gdl_env.language.game import Information
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term
from gdl_env.play.visibility import visible_facts

# Observations that states are compared with again and again, for a while.
_KEPT_VIEWS = 4_096


@dataclass(frozen=True)
class _Expected:
    """What is true of states that show an observation, as rows of words.

    Of the facts of a mask, those that are held; and one at least of each group.
    """

    mask: NDArray[np.uint64]
    held: NDArray[np.uint64]
    groups: NDArray[np.uint64]


class MatchTable:
    """The rules of a match, and what its observations and actions mean in them."""

    def __init__(self, info: MatchInfo, opened: OpenGame) -> None:
        rules = opened.rules
        self.rules = rules
        self.info = info
        self._opened = opened
        self.turns = TurnOrder.of(info.turn)
        self._partners: dict[int, tuple[int, ...]] = {}
        self.game = rules.game
        self.mapping = _find_mapping(info, rules)
        self._is_by_percepts = self.game.information is Information.PERCEPTS
        self._names = {str(role): index for index, role in enumerate(rules.roles)}
        # Actions of legal moves, as far as they were asked for; -1 for none.
        self._actions = np.zeros(0, np.int32)
        self._rows: dict[int, NDArray[np.int32]] = {}
        self._columns: dict[int, NDArray[np.int64]] = {}
        self._expected: OrderedDict[tuple[int, bytes], _Expected] = OrderedDict()
        self._sorted: dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]] = {}

    @property
    def generation(self) -> int:
        """Return a number that changes when the rows of states made so far lose their meaning."""
        return self._opened.generation

    def trim(self) -> None:
        """Forget states, if very many are kept. Rows that are held must be made again then."""
        self._opened.trim()

    def role(self, name: str) -> int:
        """Return the index of a role."""
        return self._names[name]

    def partners(self, role: int) -> tuple[int, ...]:
        """Return the players that share the goal of one, itself left out."""
        if role not in self._partners:
            self._partners[role] = find_partners(self.rules, role, self.info.teams)
        return self._partners[role]

    def teams(self) -> tuple[tuple[str, ...], ...]:
        """Return the roles that play together, team by team; who is alone is in none."""
        return find_teams(self.rules, self.info.teams)

    # ---- moves

    def actions_of(self, rows: Rows) -> NDArray[np.int32]:
        """Return the actions of legal moves. Raises AgentError without an action table."""
        most = int(rows.max(initial=-1))
        if most >= len(self._actions):
            known = len(self._actions)
            more = [self._action(row) for row in range(known, most + 1)]
            self._actions = np.concatenate([self._actions, np.array(more, np.int32)])
        return self._actions[rows]

    def row_of(self, role: int, action: int) -> int:
        """Return the legal move of an action; -1 if it can never be legal."""
        if self.mapping is None:
            raise AgentError(f'{self.game.name} has no table of actions')
        return self.rules.legal_row(role, self.mapping.move(self.rules.roles[role], action))

    def _action(self, row: int) -> int:
        role, move = self.rules.legal_move(row)
        if self.mapping is None or role == self.rules.nature:
            return -1
        return self.mapping.action_index(self.rules.roles[role], move)

    # ---- states

    def is_open(self, role: int, question: Question) -> bool:
        """Tell whether what a role is shown determines the state."""
        if self.game.information is not Information.COMPLETE:
            return False
        if question.facts and question.lanes == 1:
            return True
        if self.mapping is None or self.rules.facts is None:
            return False
        is_own = [not is_mark(fact) for fact in self.rules.facts]
        columns = self.columns(role)[is_own]
        return bool((columns >= 0).all()) and len(np.unique(columns)) == len(columns)

    def read(self, role: int, question: Question, lanes: NDArray[np.intp]) -> States:
        """Return the states of lanes, in a game in which they are shown."""
        if question.facts and question.lanes == 1:
            state = frozenset(read_term(fact) for fact in question.facts)
            return self.rules.from_state(state)
        if question.observation is None or self.rules.facts is None:
            raise AgentError(f'the question at tick {question.tick} shows neither facts nor bits')
        observation = question.observation
        seen = np.unpackbits(
            observation.data[lanes], axis=1, count=observation.size, bitorder='little'
        )
        # The last entry is for what is not shown: marks of values outside their range.
        return pack_bits(np.pad(seen, ((0, 0), (0, 1)))[:, self.columns(role)])

    def columns(self, role: int) -> NDArray[np.int64]:
        """Return the entry of an observation for each fact, or percept; -1: not shown."""
        if role not in self._columns:
            if self._is_by_percepts:
                found = self.rules.percepts_of(role)
                terms: Sequence[Term] = list(found)
                columns = np.full(max(found.values(), default=-1) + 1, -1, np.int64)
                columns[list(found.values())] = self._places(terms, role)
            else:
                terms = self.rules.facts or ()
                columns = self._places(terms, role)
            self._columns[role] = columns
        return self._columns[role]

    def _places(self, terms: Sequence[Term], role: int) -> NDArray[np.int64]:
        if not isinstance(self.mapping, TableEncoding):
            raise AgentError(f'{self.game.name} has no table of observations')
        return self.mapping.observation_columns(list(terms), self.rules.roles[role])

    def visible(self, role: int) -> NDArray[np.uint64] | None:
        """Return a mask of the facts, or percepts, that a role is shown.

        None without facts: states are numbers then, and those that are the same look the same.
        """
        if self.rules.facts is None:
            return None
        shown: NDArray[np.uint64] = self._pack(self.columns(role)[None] >= 0)[0]
        return shown

    def observe(self, role: int, states: States, percepts: States) -> NDArray[np.uint8]:
        """Return what a role is shown, as packed rows of an observation.

        `percepts` is what was perceived since the role's last decision, of all roles.
        """
        size = self.mapping.observation_size if self.mapping else 0
        if self.rules.facts is None:
            return self._observe_slowly(role, states, percepts)
        columns = self.columns(role)
        bits = self._unpack(states, percepts)
        shown = np.zeros((len(states), size), np.uint8)
        single, shared = self._sort(role)
        shown[:, columns[single]] = bits[:, single]
        rows, which = np.nonzero(bits[:, shared])
        shown[rows, columns[shared[which]]] = 1
        return np.packbits(shown, axis=1, bitorder='little')

    def shows(
        self, role: int, states: States, percepts: States, observation: NDArray[np.uint8]
    ) -> NDArray[np.bool_]:
        """Tell which states show a role exactly this observation, a packed row."""
        agrees: NDArray[np.bool_]
        if self.rules.facts is None:
            seen = self.observe(role, states, percepts)
            agrees = np.all(seen == observation[None], axis=1)
            return agrees
        key = role, observation.tobytes()
        expected = self._expected.get(key)
        if expected is None:
            expected = self._expected[key] = self._expect(role, observation)
            if len(self._expected) > _KEPT_VIEWS:
                self._expected.popitem(last=False)
        source = percepts if self._is_by_percepts else states
        agrees = np.all(source & expected.mask == expected.held, axis=1)
        for group in expected.groups:
            agrees &= (source & group).any(axis=1)
        return agrees

    def _expect(self, role: int, observation: NDArray[np.uint8]) -> _Expected:
        """Return what is true of states that show an observation."""
        columns = self.columns(role)
        single, shared = self._sort(role)
        wanted = np.unpackbits(observation, bitorder='little')
        bits = np.zeros((2, len(columns)), np.uint8)
        bits[0, single] = 1
        bits[1, single] = wanted[columns[single]]
        # Of facts that share an entry none may hold, or one must.
        bits[0, shared] = 1 - wanted[columns[shared]]
        entries = [entry for entry in np.unique(columns[shared]).tolist() if wanted[entry]]
        groups = self._pack(columns == np.array(entries, np.int64)[:, None])
        mask, held = self._pack(bits)
        if np.delete(wanted, columns[columns >= 0]).any():
            # It has entries that no fact can set: nothing agrees.
            groups = np.zeros((1, len(mask)), np.uint64)
        return _Expected(mask, held, groups)

    def _unpack(self, states: States, percepts: States) -> NDArray[np.uint8]:
        """Return the bits of facts, or percepts."""
        source = percepts if self._is_by_percepts else states
        held = np.ascontiguousarray(source).view(np.uint8)
        return np.unpackbits(held, axis=1, bitorder='little')

    def _pack(self, held: NDArray[np.uint8] | NDArray[np.bool_]) -> States:
        """Return bits of facts, or percepts, as rows of words, as many as those have."""
        rules = self.rules
        words = rules.percept_words if self._is_by_percepts else rules.initial.shape[1]
        return pack_bits(held, words)

    def _sort(self, role: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return facts, or percepts, with an entry of their own, and those that share one."""
        if role not in self._sorted:
            columns = self.columns(role)
            known = np.flatnonzero(columns >= 0)
            sharing = np.bincount(columns[known])[columns[known]] > 1
            self._sorted[role] = known[~sharing], known[sharing]
        return self._sorted[role]

    def _observe_slowly(self, role: int, states: States, percepts: States) -> NDArray[np.uint8]:
        if self.mapping is None:
            raise AgentError(f'{self.game.name} has no table of observations')
        name = self.rules.roles[role]
        views: list[State] = []
        for i in range(len(states)):
            if self._is_by_percepts:
                bits = self.rules.percepts_of(role).items()
                views.append(
                    frozenset(t for t, b in bits if int(percepts[i, b >> 6]) >> (b & 63) & 1)
                )
                continue
            views.append(visible_facts(self.game, self.rules.to_state(states[i]), name))
        return np.packbits(self.mapping.observe_batch(views, name), axis=1, bitorder='little')


def pack_bits(held: NDArray[np.uint8] | NDArray[np.bool_], words: int = 0) -> States:
    """Turn a matrix of bits into rows of words, as many as given, or needed."""
    words = words or max(1, -(-held.shape[1] // 64))
    padded = np.zeros((len(held), 64 * words), np.uint8)
    padded[:, : held.shape[1]] = held
    return np.packbits(padded, axis=1, bitorder='little').view(np.uint64)


def open_table(info: MatchInfo) -> MatchTable:
    """Open the table of a match.

    Raises AgentError if the match keeps its rules back, GameError or EngineError if they cannot
    be run.
    """
    if not info.rules:
        raise AgentError(
            f'the match of {info.name} keeps its rules back, and a player that thinks ahead needs'
            ' them: start it with publish_rules'
        )
    opened = acquire_game(info.name, info.rules)
    try:
        table = MatchTable(info, opened)
    except BaseException:
        opened.release()
        raise
    # A match has no end that every user of a table would hear of: the table's own end counts.
    finalize(table, opened.release)
    return table


def _find_mapping(info: MatchInfo, rules: BatchGame) -> Encoding | None:
    """Return the mapping that the match uses; None if it goes by text."""
    if not info.action_size:
        return None
    try:
        mapping = open_encoding(rules.game)
    except EncodingError:
        return None
    sizes = mapping.observation_size, mapping.action_size
    if sizes != (info.observation_size, info.action_size):
        raise AgentError(
            f'the match of {info.name} maps facts and moves in a way of its own'
            f' ({info.observation_size} entries, {info.action_size} actions); players that think'
            f' ahead read the automatic mapping only ({sizes[0]} entries, {sizes[1]} actions)'
        )
    return mapping
