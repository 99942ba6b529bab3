"""Takes a win, blocks a loss, and plays at random otherwise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.consequences import Moves, Replies, any_of, evaluate_in_parts
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.players.task import BestMoves, SearchTask


class TacticalAgent(SearchAgent):
    """Plays at random, but takes a win and blocks a loss.

    If it can win at once, it does. If another threatens to win by a move next, it makes that move
    itself, before the other does; where moves cannot be taken away like that, it makes one after
    which no other player can win next. It does not see the threats that its own move brings about.
    """

    name = 'tactical'

    def evaluate_moves(self, task: SearchTask) -> BestMoves:
        """Prefer wins, then blocks."""
        return evaluate_in_parts(task, self._evaluate)

    def _evaluate(self, task: SearchTask) -> BestMoves:
        moves = Moves(task)
        wins = moves.are_certain(moves.won[:, task.role])
        replies = Replies(moves)
        others = task.opponents
        lost = any_of(replies.won, others)
        takes, threatened = _blocks(moves, replies, lost)
        evades = threatened[moves.lane] & ~moves.any(replies.any(lost))
        return moves.choose(wins, takes, evades)


def _blocks(
    moves: Moves, replies: Replies, lost: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which moves take a threat away, and which lanes are threatened.

    A reply is a threat if it wins after each own move but the one that is written alike.
    """
    rules = moves.task.rules
    number = rules.same_moves(moves.row)
    parent = replies.children.parent[lost]
    won = replies.won[lost]
    winner = won.argmax(axis=1)
    reply = rules.same_moves(replies.children.legal[lost, winner])
    most = int(max(number.max(initial=0), reply.max(initial=0))) + 1
    group = moves.group[parent]
    # Each own move and reply once, whatever chance and others do.
    pairs = np.unique(group * most + reply)
    group, reply = np.divmod(pairs, most)
    own = reply == number[group]
    lane = moves.lane[group]
    threats, counts = np.unique((lane * most + reply)[~own], return_counts=True)
    lanes, reply = np.divmod(threats, most)
    alike = np.isin(threats, moves.lane * most + number)
    # Moves that win are not there to be replied to, and are played before this matters.
    wanted = np.bincount(moves.lane, minlength=len(moves.task.lanes))[lanes] - alike
    real = counts >= wanted
    threatened = np.zeros(len(moves.task.lanes), np.bool_)
    threatened[lanes[real]] = True
    takes: NDArray[np.bool_] = np.isin(moves.lane * most + number, threats[real])
    return takes, threatened
