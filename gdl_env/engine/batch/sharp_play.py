"""Random play in which wins are taken and gifts are not given: its tapes, where they are cheap.

Which moves can win at once is seen in random games; whether one does in a state is computed by the
circuit (see `network/foresight.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Look, Rows
from gdl_env.engine.circuit.network.build import Circuit
from gdl_env.engine.circuit.network.foresight import WinningMoves
from gdl_env.engine.circuit.network.vocabulary import RowVocabulary
from gdl_env.engine.circuit.playouts.playouts import PlayoutTapes, make_playout_tapes
from gdl_env.engine.grounding.budget import Budget
from gdl_env.engine.grounding.pipeline import ground_game
from gdl_env.errors import GdlError
from gdl_env.language.game import Game

# Random games that are watched, and steps of each at most.
_WATCHED, _LONGEST = 256, 300
# How often a move must have won, and never not, to be taken for one that always does.
_SURE = 6
# Gates that are tried out at most; operations that a game may take on average, which is about two
# microseconds; and the time to build it all [s].
_MOST_BUILT = 60_000_000
_MOST_OPERATIONS = 4_000_000
_SECONDS = 10.0
_WON = 100


@dataclass(frozen=True)
class Watched:
    """What was seen in random games."""

    # bool, by the rows of legal moves: it won at once; and it did so whenever it was legal.
    can_win: NDArray[np.bool_]
    always_wins: NDArray[np.bool_]
    # Of a game, on average.
    steps: float


def make_sharp_tapes(
    rules: BatchGame, vocabulary: RowVocabulary, plain: PlayoutTapes
) -> PlayoutTapes | None:
    """Return tapes for sharp random play, or None where they cost too much or say nothing."""
    game = rules.game
    gates, has_cycles = len(plain.step.operations), len(plain.step.feedback) > 0
    if game.experiments or has_cycles or gates * len(vocabulary.legal) > _MOST_BUILT:
        return None
    try:
        watched = watch_games(rules)
        if not watched.can_win.any():
            return None
        budget = Budget(_SECONDS)
        circuit = Circuit(ground_game(game, None, budget), budget)
        # States of one order of facts mean nothing in another.
        return _choose_tapes(circuit, game, watched) if circuit.vocabulary == vocabulary else None
    except GdlError:
        # It takes too long, or a value leaves its range: plain random play will tell.
        return None


def _choose_tapes(circuit: Circuit, game: Game, watched: Watched) -> PlayoutTapes | None:
    """Return tapes that see as much as they may, or None."""
    gates, moves = len(circuit.wire()[0].nodes), len(circuit.vocabulary.legal)
    # Each move is tried, and after it each one that might win.
    pairs = moves * (1 + int((watched.can_win & ~watched.always_wins).sum()))
    for sees_replies in (True, False):
        if sees_replies and gates * pairs > _MOST_BUILT:
            continue
        winning = WinningMoves(watched.can_win, watched.always_wins, sees_replies)
        try:
            tapes = make_playout_tapes(circuit, game, winning)
        except MemoryError:
            continue
        if len(tapes.step.operations) * watched.steps <= _MOST_OPERATIONS:
            return tapes
    return None


def watch_games(rules: BatchGame) -> Watched:
    """Watch random games; where several roles decide together, no move is seen to win."""
    chance = np.random.Generator(np.random.Philox(key=2))
    seen, won = np.zeros(rules.known_moves, np.int64), np.zeros(rules.known_moves, np.int64)
    states = np.repeat(rules.initial, _WATCHED, axis=0)
    steps = 0
    for _ in range(_LONGEST):
        look = rules.look(states)
        acting = (look.counts() > 0) & ~look.terminal[:, None]
        if rules.is_serial:
            acting &= np.cumsum(acting, axis=1) == 1
        going = acting.any(axis=1)
        if not going.any():
            break
        if ((look.counts() > 1) & acting).sum(axis=1).max() > 1:
            return Watched(np.zeros(len(won), np.bool_), np.zeros(len(won), np.bool_), 0.0)
        parents, role, legal = _list_moves(look, acting, np.flatnonzero(going), chance)
        found = rules.follow(states, parents, rules.plain(legal))
        rows = legal[np.arange(len(role)), role]
        wins = found.look.terminal & (found.goals[np.arange(len(role)), role] >= _WON)
        np.add.at(seen, rows, 1)
        np.add.at(won, rows, wins)
        steps += int(going.sum())
        drawn = _draw(look, acting, chance)[going]
        states = rules.step(states[going], rules.plain(drawn))
    return Watched(won > 0, (won == seen) & (won >= _SURE), steps / _WATCHED)


def _draw(look: Look, acting: NDArray[np.bool_], chance: np.random.Generator) -> Rows:
    """Draw a legal move for each role that acts."""
    counts = look.counts()
    places = look.starts[:, :-1] + (chance.random(counts.shape) * counts).astype(np.int64)
    rows = look.rows[np.minimum(places, len(look.rows) - 1)]
    drawn: Rows = np.where(acting, rows, NO_MOVE).astype(np.int32)
    return drawn


def _list_moves(
    look: Look, acting: NDArray[np.bool_], chosen: NDArray[np.intp], chance: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64], Rows]:
    """List all moves of all who act in chosen states, beside a drawn one of the others."""
    drawn = _draw(look, acting, chance)
    parents, roles, legal = [], [], []
    for state in chosen.tolist():
        for role in np.flatnonzero(acting[state]).tolist():
            moves = look.moves(state, role)
            both = np.repeat(drawn[state][None], len(moves), axis=0)
            both[:, role] = moves
            legal.append(both)
            parents.append(np.full(len(moves), state))
            roles.append(np.full(len(moves), role))
    return np.concatenate(parents), np.concatenate(roles), np.concatenate(legal)
