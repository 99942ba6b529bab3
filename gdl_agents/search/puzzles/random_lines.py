"""Random games of a puzzle: what they lead to, and what they teach of its facts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.puzzles.line import Line
from gdl_agents.search.puzzles.puzzle import Puzzle
from gdl_agents.search.puzzles.search_effort import SearchEffort
from gdl_env.engine.batch.contract import Rows, States

# Moves after which a random game is given up.
LONGEST = 400


@dataclass(frozen=True)
class RandomLines:
    """What was met in random games that were played side by side."""

    # Steps: states before and after each, after how many moves, and the move.
    before: States
    after: States
    depth: NDArray[np.int64]
    rows: Rows
    # The best line of them.
    best: Line
    # How many moves a game took in the mean, and how many were legal in all its states together.
    length: float
    choices: float

    def find_clock(self) -> States:
        """Return a row with the bits that are the same in all games at the same time, but change.

        They count moves, or seem to: none in games of which too few were met.
        """
        agrees = np.zeros(self.before.shape[1], np.uint64)
        always = ~agrees
        never, ones = always.copy(), always.copy()
        differs = agrees.copy()
        for depth in range(int(self.depth.max(initial=-1)) + 1):
            states = self.after[self.depth == depth]
            if len(states) < 2:
                continue
            all_set = np.bitwise_and.reduce(states, axis=0)
            some_set = np.bitwise_or.reduce(states, axis=0)
            differs |= all_set ^ some_set
            ones &= all_set
            never &= ~some_set
        clock: States = ~(differs | ones | never)
        return clock


def play_random_lines(
    puzzle: Puzzle, start: States, games: int, chance: np.random.Generator, effort: SearchEffort
) -> RandomLines:
    """Play random games from a state, as long as the effort allows."""
    states = np.repeat(start[None], games, axis=0)
    lanes = np.arange(games)
    played = np.full((LONGEST, games), -1, np.int32)
    before, after, depths, moves = [states[:0]], [states[:0]], [], [played[0, :0]]
    best, made, choices = Line(np.zeros(0, np.int32), -1), 0, 0
    for depth in range(LONGEST):
        look = puzzle.rules.look(states)
        counts = look.counts()[:, puzzle.role]
        counts[look.terminal] = 0
        going = counts > 0
        if not going.any() or effort.is_over:
            break
        lanes, states = lanes[going], states[going]
        places = look.starts[going, puzzle.role]
        places = places + (chance.random(len(lanes)) * counts[going]).astype(np.int64)
        rows = look.rows[places]
        found = puzzle.follow(states, np.arange(len(lanes)), rows)
        played[depth, lanes] = rows
        before.append(states)
        after.append(found.states)
        depths.append(np.full(len(lanes), depth))
        moves.append(rows)
        made += len(lanes)
        choices += int(counts.sum())
        effort.spend(len(lanes))
        goals = found.goals[:, puzzle.role]
        if goals.max() > best.goal:
            lane = lanes[goals.argmax()]
            best = Line(played[: depth + 1, lane].copy(), int(goals.max()))
        states = found.states
    return RandomLines(
        np.concatenate(before),
        np.concatenate(after),
        np.concatenate([np.zeros(0, np.int64), *depths]),
        np.concatenate(moves),
        best,
        made / games,
        choices / games,
    )
