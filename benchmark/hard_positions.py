"""Positions of Connect Four that two-ply tactics do not decide, judged by a perfect player."""

from __future__ import annotations

from time import process_time
from typing import Any

from arena_positions import Found, choose_columns, match_info, walk
import numpy as np
from numpy.typing import NDArray
from parts import Row

from gdl_agents.agent import Agent
from gdl_agents.players.draws import derive_seed
from gdl_agents.search.game.match_table import open_table

# Moves that were played at random before a position.
_PLIES = (14, 26)


def find_hard_positions(seed: int, count: int) -> Found:
    """Return positions in which a player that sees two plies may still lose what can be had.

    No move wins at once; of the moves after which the other cannot win at once, some keep the
    outcome and some do not.
    """
    import bitbully

    oracle = bitbully.BitBully()
    rules = open_table(match_info()).rules
    chance = np.random.default_rng(derive_seed(seed, 'hard positions'))
    states: list[NDArray[np.generic]] = []
    movers: list[int] = []
    scores: list[dict[int, int]] = []
    while len(states) < count:
        plies = int(chance.integers(_PLIES[0], _PLIES[1] + 1))
        board, simulation = walk(rules, chance, plies)
        if board.count_tokens() < plies or board.can_win_next():
            continue
        safe = [column for column in board.legal_moves() if not _is_lost_at_once(board, column)]
        if len(safe) < 2:
            continue
        found = {int(c): int(s) for c, s in oracle.score_all_moves(board).items()}
        if len({int(np.sign(found[column])) for column in safe}) < 2:
            continue
        states.append(rules.from_state(simulation.state)[0])
        movers.append(board.count_tokens() % 2)
        scores.append(found)
    return Found(np.array(states), movers, scores)


def _is_lost_at_once(board: Any, column: int) -> bool:
    after = board.copy()
    after.play(column)
    return bool(after.can_win_next())


def measure_positions(agent: Agent, found: Found) -> Row:
    """Return in how many positions an agent keeps the outcome, and the time that it takes."""
    table = open_table(match_info())
    kept, started = 0, process_time()
    for role in (0, 1):
        own = [i for i, mover in enumerate(found.movers) if mover == role]
        columns = choose_columns(agent, table, role, found.states[own])
        for i, column in zip(own, columns, strict=True):
            scores = found.scores[i]
            kept += int(np.sign(scores[column]) == np.sign(max(scores.values())))
    count = len(found.movers)
    seconds = (process_time() - started) / count
    return {'positions': count, 'kept': kept, 'cpu_ms': round(1000 * seconds, 1)}
