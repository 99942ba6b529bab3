"""Positions of Connect Four, judged by a perfect player (bitbully)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from time import process_time
from typing import Any

from arena_cells import SEED
from arena_players import label_of, runs_of
import numpy as np
from numpy.typing import NDArray
from parts import Row

from gdl_agents.agent import Agent
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_agents.search.game.match_table import MatchTable, open_table
from gdl_agents.search.game.simulation import Simulation
from gdl_env.engine.batch.contract import BatchGame, States
from gdl_env.environment.bits import Bits
from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import MatchInfo, Question
from gdl_env.language.load import open_game
from gdl_env.language.terms import Compound

# Moves that were played at random before a position: enough for a quick judgement.
_PLIES = (12, 30)
# Positions of a piece; and those that a player is asked about at a time: trees of all of them
# must find room.
_PIECE = 250
_TOGETHER = 32


@dataclass(frozen=True)
class Positions:
    """Positions, to see in how many a player keeps what can be had.

    Only positions in which some moves keep the outcome (a win or a draw) and others do not.
    """

    part: str
    player: str
    wanted: int
    is_alone: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Return what the result is kept by."""
        return self.part, 'connect_four', label_of(self.player), ''

    @property
    def runs(self) -> dict[str, str]:
        """Return the run that the player is from."""
        return runs_of(self.player)

    def measure(self, done: int) -> Row:
        """Judge some of them."""
        count = min(_PIECE, self.wanted - done)
        found = _positions(done, count)
        table = open_table(match_info())
        agent = open_agent(self.player)
        started = process_time()
        kept = best = 0
        for role in (0, 1):
            own = [i for i, mover in enumerate(found.movers) if mover == role]
            columns = choose_columns(agent, table, role, found.states[own])
            for i, column in zip(own, columns, strict=True):
                scores = found.scores[i]
                top = max(scores.values())
                kept += int(np.sign(scores[column]) == np.sign(top))
                best += int(scores[column] == top)
        return {'done': count, 'kept': kept, 'best': best, 'seconds': process_time() - started}


@dataclass(frozen=True)
class Found:
    """Positions with the scores of their moves."""

    states: States
    # Who is to move, and how good each column is.
    movers: list[int]
    scores: list[dict[int, int]]


@lru_cache(maxsize=1)
def match_info() -> MatchInfo:
    """Return the match that questions are of."""
    return Environment.open(open_game('connect_four')).info()


@lru_cache(maxsize=8)
def _positions(first: int, count: int) -> Found:
    """Return positions after random moves; `first` says which."""
    import bitbully

    oracle = bitbully.BitBully()
    rules = open_table(match_info()).rules
    chance = np.random.default_rng(derive_seed(SEED, f'positions {first}'))
    states: list[NDArray[np.generic]] = []
    movers: list[int] = []
    scores: list[dict[int, int]] = []
    while len(states) < count:
        board, simulation = walk(rules, chance, int(chance.integers(*_PLIES)))
        if board.count_tokens() < _PLIES[0]:
            continue
        found = {int(c): int(s) for c, s in oracle.score_all_moves(board).items()}
        if len({int(np.sign(s)) for s in found.values()}) < 2:
            continue
        states.append(rules.from_state(simulation.state)[0])
        movers.append(board.count_tokens() % 2)
        scores.append(found)
    return Found(np.array(states), movers, scores)


def walk(rules: BatchGame, chance: np.random.Generator, plies: int) -> tuple[Any, Simulation]:
    """Return a position after random moves, fewer where the next one would end the game.

    It is that of bitbully, and ours.
    """
    import bitbully

    board, simulation = bitbully.Board(), Simulation(rules)
    for ply in range(plies):
        column = int(chance.choice(board.legal_moves()))
        after = board.copy()
        after.play(column)
        if after.is_game_over():
            break
        board = after
        role = rules.roles[ply % 2]
        moves = (move for move in simulation.choices(role) if isinstance(move, Compound))
        move = next(move for move in moves if str(move.args[0]) == str(column + 1))
        simulation.do({role: move})
    return board, simulation


def choose_columns(agent: Agent, table: MatchTable, role: int, states: States) -> list[int]:
    """Return the column that an agent chooses in each state: it is asked as in a match."""
    name = str(table.rules.roles[role])
    agent.begin(table.info, (name,), SEED)
    chosen: list[int] = []
    for first in range(0, len(states), _TOGETHER):
        question = _ask(table, role, states[first : first + _TOGETHER], first + 1)
        action = agent.choose(question).action
        assert action is not None and table.mapping is not None
        moves = [table.mapping.move(table.rules.roles[role], int(a)) for a in action]
        chosen += [int(str(move.args[0])) - 1 for move in moves]  # type: ignore[union-attr]
    agent.end()
    return chosen


def _ask(table: MatchTable, role: int, states: States, tick: int) -> Question:
    count = len(states)
    percepts = np.zeros((count, table.rules.percept_words), np.uint64)
    shown = table.observe(role, states, percepts)
    look = table.rules.look(states)
    legal: NDArray[np.bool_] = np.zeros((count, table.info.action_size), np.bool_)
    for lane in range(count):
        legal[lane, table.actions_of(look.moves(lane, role))] = True
    return Question(
        tick,
        str(table.rules.roles[role]),
        np.full(count, tick, np.uint64),
        np.ones(count, np.bool_),
        Bits(shown, table.info.observation_size),
        Bits.pack(legal),
    )
