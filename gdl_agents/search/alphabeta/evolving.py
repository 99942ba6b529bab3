"""Evolution of an evaluation: variants of it play, and the better ones are mixed.

An evolution strategy: the weights of all facts, for each player, are one vector. In each
generation variants are drawn around it, in pairs to both sides; each plays on every seat, half of
its games against random players and half against the vector itself; the better half is averaged,
the best with the largest share, and the spread shrinks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_agents.search.belief.consequences import Moves
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.search.game.turn_kernels import NOBODY
from gdl_agents.search.game.turns import TurnOrder, follow_last
from gdl_agents.search.players.evolution import KIND
from gdl_agents.search.players.task import SearchTask
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import Rows
from gdl_env.engine.batch.make import open_batch
from gdl_env.language.game import Game, Information

# Steps after which a game is broken off: it counts as a draw.
_LONGEST = 500
# Stands for a player who moves at random.
_ANYBODY = -1


@dataclass(frozen=True)
class EvolutionSettings:
    """How to evolve."""

    generations: int = 40
    # Variants of a generation, and games of each on every seat.
    population: int = 24
    games: int = 16
    # The spread of variants at first, and what is left of it after each generation.
    spread: float = 0.3
    decay: float = 0.97
    seed: int = 0


@dataclass(frozen=True)
class Generation:
    """How a generation fared: mean goals, 0 to 100, of all variants and of the best."""

    number: int
    mean: float
    best: float
    # The vector itself against random players.
    strength: float


class Evolution:
    """Evolves the evaluation of one game."""

    def __init__(self, game: Game, settings: EvolutionSettings | None = None) -> None:
        """Open the game.

        Raises AgentError if it hides something or does not compile, or there are no two variants.
        """
        self.settings = settings or EvolutionSettings()
        if self.settings.population < 2:
            raise AgentError(f'a population has 2 or more, not {self.settings.population}')
        rules = open_batch(game)
        if not isinstance(rules, CircuitBatch) or game.information is not Information.COMPLETE:
            raise AgentError(f'only games that compile and hide nothing evolve; not {game.name}')
        self._rules = rules
        self._facts = len(rules.vocabulary.facts)
        # For each player a weight a fact, and a constant.
        self.weights = np.zeros((len(rules.players), self._facts + 1))
        self.history: list[Generation] = []

    def run(self, watch: Callable[[Generation], None] = lambda generation: None) -> None:
        """Evolve for all generations."""
        for number in range(len(self.history), self.settings.generations):
            self.history.append(self._next(number))
            watch(self.history[-1])

    def save(self, path: Path) -> None:
        """Write what was evolved, by the text of facts."""
        rules = self._rules
        facts = [str(fact) for fact in rules.vocabulary.own_facts]
        names = [str(rules.roles[role]) for role in rules.players]
        content = {
            'kind': KIND,
            'game': rules.game.name,
            'weights': {
                name: {f: round(float(w), 6) for f, w in zip(facts, row, strict=False)}
                for name, row in zip(names, self.weights, strict=True)
            },
            'constants': {n: float(row[-1]) for n, row in zip(names, self.weights, strict=True)},
            'generations': len(self.history),
            'strength': self.history[-1].strength if self.history else 0.0,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1) + '\n', encoding='utf-8')

    # ---- inside

    def _next(self, number: int) -> Generation:
        settings = self.settings
        key = (settings.seed << 32) + number
        chance = np.random.Generator(np.random.Philox(key=key))
        spread = settings.spread * settings.decay**number
        half = settings.population // 2
        steps = chance.standard_normal((half, *self.weights.shape))
        variants = self.weights + spread * np.concatenate([steps, -steps])
        goals = self._play(variants, chance)
        order = np.argsort(-goals)[:half]
        shares = np.log(half + 1) - np.log(np.arange(1, half + 1))
        self.weights = np.tensordot(shares / shares.sum(), variants[order], 1)
        strength = self._play(self.weights[None], chance, against_random=True)[0]
        return Generation(number + 1, float(goals.mean()), float(goals.max()), float(strength))

    def _play(
        self,
        variants: NDArray[np.float64],
        chance: np.random.Generator,
        *,
        against_random: bool = False,
    ) -> NDArray[np.float64]:
        """Return the mean goal of each variant over all seats."""
        rules, players = self._rules, self._rules.players
        games = self.settings.games * (4 if against_random else 1)
        count, seats = len(variants), len(players)
        # Who decides for each player in each lane: a variant, the vector itself, or anybody.
        pool = np.concatenate([variants, self.weights[None]])
        lanes = count * seats * games
        variant = np.repeat(np.arange(count), seats * games)
        seat = np.tile(np.repeat(np.arange(seats), games), count)
        other = np.where(np.arange(lanes) % 2 | against_random, _ANYBODY, count)
        decider = np.repeat(other[:, None], seats, axis=1)
        decider[np.arange(lanes), seat] = variant
        states = np.repeat(rules.initial, lanes, axis=0)
        last = np.full(lanes, NOBODY)
        turns = TurnOrder()
        goal = np.full(lanes, 50.0)
        active = np.arange(lanes)
        for _ in range(_LONGEST):
            look = rules.look(states[active])
            over = active[look.terminal]
            if len(over):
                found = rules.goals(states[over])[
                    np.arange(len(over)), np.array(players)[seat[over]]
                ]
                goal[over] = np.where(found < 0, 50, found)
                active = active[~look.terminal]
                if not len(active):
                    break
                look = rules.look(states[active])
            acting = turns.find_acting(rules, look, last[active], chance)
            legal = sample_moves(rules, look, acting, chance)
            for index, role in enumerate(players):
                asked = acting[:, role] & (look.counts()[:, role] > 1)
                asked &= decider[active, index] != _ANYBODY
                rows = np.flatnonzero(asked)
                if len(rows):
                    weights = pool[decider[active[rows], index], index]
                    legal[rows, role] = self._choose(states[active[rows]], role, weights, chance)
            does = draw_outcomes(rules, states[active], legal, chance)
            states[active] = rules.step(states[active], does)
            last[active] = follow_last(rules, last[active], legal)
        return np.bincount(variant, goal, count) / (seats * games)

    def _choose(
        self,
        states: NDArray[np.uint64],
        role: int,
        weights: NDArray[np.float64],
        chance: np.random.Generator,
    ) -> Rows:
        """Return the move of each state whose children its weights like best."""
        rules, count = self._rules, len(states)
        every = np.arange(count)
        episodes = np.zeros(count, np.uint64)
        task = SearchTask(
            rules, role, every, episodes, states, every, np.ones(count), 0, float('inf')
        )
        moves = Moves(task)
        lane = moves.children.parent
        held = rules.unpack(moves.children.states)
        values = 50 + 49 * np.tanh(
            np.einsum('cf,cf->c', held, weights[lane, :-1]) + weights[lane, -1]
        )
        over = np.flatnonzero(moves.look.terminal)
        goals = rules.goals(moves.children.states[over])[:, role]
        values[over] = np.where(goals < 0, 50, goals)
        mean = moves.mean(values)
        mean += 1e-6 * chance.random(len(mean))
        best = np.full(count, -np.inf)
        np.maximum.at(best, moves.lane, mean)
        chosen = np.flatnonzero(mean == best[moves.lane])
        rows = np.empty(count, np.int32)
        rows[moves.lane[chosen]] = moves.row[chosen]
        return rows
