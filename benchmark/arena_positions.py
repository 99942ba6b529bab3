"""Positions of Connect Four, judged by a perfect player (bitbully)."""

from __future__ import annotations

from time import monotonic
from typing import Any

from arena_tables import short_name
import numpy as np

from gdl_agents.registry import open_agent
from gdl_agents.search.opening import open_rules
from gdl_agents.search.player import SearchAgent
from gdl_agents.search.simulation import Simulation
from gdl_agents.search.task import Task
from gdl_env.environment.environment import Environment
from gdl_env.language.load import open_game

# Moves that were played at random before a position: enough for a quick judgement.
_PLIES = (12, 30)


def measure_optimal(players: list[str], count: int, seed: int) -> dict[str, Any]:
    """Return for each player the share of positions in which it keeps what could be had.

    Only positions in which some moves keep the outcome (a win or a draw) and others do not.
    """
    import bitbully

    oracle = bitbully.BitBully()
    game = open_game('connect_four')
    rules = open_rules(game)
    chance = np.random.default_rng(seed)
    states, movers, scores = [], [], []
    while len(states) < count:
        board, simulation = bitbully.Board(), Simulation(rules)
        for ply in range(int(chance.integers(*_PLIES))):
            column = int(chance.choice(board.legal_moves()))
            after = board.copy()
            after.play(column)
            if after.is_game_over():
                break
            board = after
            role = rules.roles[ply % 2]
            move = next(m for m in simulation.choices(role) if str(m.args[0]) == str(column + 1))
            simulation.do({role: move})
        if board.count_tokens() < _PLIES[0]:
            continue
        found = {int(c): int(s) for c, s in oracle.score_all_moves(board).items()}
        outcomes = {int(np.sign(s)) for s in found.values()}
        if len(outcomes) < 2:
            continue
        states.append(rules.from_state(simulation.state)[0])
        movers.append(board.count_tokens() % 2)
        scores.append(found)
    info = Environment.open(game).info()
    rows = []
    for name in players:
        agent = open_agent(name)
        started = monotonic()
        kept = best = 0
        for role in (0, 1):
            own = [i for i, mover in enumerate(movers) if mover == role]
            columns = _choose(agent, info, rules, role, np.array([states[i] for i in own]), seed)
            for i, column in zip(own, columns, strict=True):
                top = max(scores[i].values())
                kept += np.sign(scores[i][column]) == np.sign(top)
                best += scores[i][column] == top
        rows.append(
            {
                'player': short_name(name),
                'kept': float(kept / count),
                'best': best / count,
                'seconds': round(monotonic() - started, 1),
            }
        )
        print(rows[-1], flush=True)
    return {'positions': count, 'rows': rows}


def _choose(agent: Any, info: Any, rules: Any, role: int, states: Any, seed: int) -> list[int]:
    """Return the column that an agent chooses in each state."""
    chance = np.random.default_rng(seed)
    if not isinstance(agent, SearchAgent):
        look = rules.look(states)
        rows = [chance.choice(look.moves(i, role)) for i in range(len(states))]
        return [_column(rules, int(row)) for row in rows]
    agent.begin(info, (str(rules.roles[role]),), seed)
    count = len(states)
    every, ones = np.arange(count), np.ones(count)
    episode = np.ones(count, np.uint64)
    own = agent.table.rules
    task = Task(own, role, every, episode, states, every, ones, seed, float('inf'))
    choices = agent.judge(task)
    chosen = []
    for lane in range(count):
        row = int(chance.choice(choices.row[choices.lane == lane]))
        chosen.append(_column(own, row))
    return chosen


def _column(rules: Any, row: int) -> int:
    return int(str(rules.legal_move(row)[1].args[0])) - 1
