"""Trains AlphaZero: games against itself in lanes, and a network that learns from them.

Departures from the paper: values are those of all players, so any number can play; what search has
proved is taken as it is; no symmetries; one process.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
import torch
from torch.nn import functional

from gdl_agents.draws import derive_seed
from gdl_agents.learning.alphazero import AlphaZeroAgent
from gdl_agents.learning.alphazero_judge import NetworkJudge
from gdl_agents.learning.alphazero_model import AlphaZeroModel, build_policy_value
from gdl_agents.learning.config import TrainingConfig
from gdl_agents.learning.evaluation import Arena, mean_reward
from gdl_agents.learning.milestone import Milestone
from gdl_agents.learning.model import About, digest
from gdl_agents.learning.networks import Shape, open_network
from gdl_agents.learning.trainer import Status
from gdl_agents.registry import open_agent
from gdl_agents.search.expansion import find_acting
from gdl_agents.search.forest import Forest
from gdl_agents.search.mcts import choose_rows
from gdl_agents.search.rules import NO_MOVE
from gdl_agents.search.sampling import draw_outcomes, sample_moves
from gdl_agents.search.table import open_table
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

# Judgements for a move, of them at a time; the share and the shape of noise at the root.
PLAYOUTS = 48
_TOGETHER = 2
_NOISE, _SHAPE = 0.25, 0.6
# Moves at the start of a game that are drawn by how often they were tried; later the best is made.
_DRAWN = 12
_EXPLORATION = 1.5
_WEIGHT_DECAY = 1e-4
# Evaluations search less than players.
_EVALUATION_PLAYOUTS = 16
_EVALUATION_LANES = 64


@dataclass
class _Memory:
    """Positions that were decided: what was seen, by whom, what search said, how it ended."""

    capacity: int
    seen: NDArray[np.uint8]
    player: NDArray[np.int64]
    policy: NDArray[np.float32]
    value: NDArray[np.float32]
    count: int = 0

    @classmethod
    def empty(cls, capacity: int, seen: int, actions: int, players: int) -> _Memory:
        return cls(
            capacity,
            np.zeros((capacity, -(-seen // 8)), np.uint8),
            np.zeros(capacity, np.int64),
            np.zeros((capacity, actions), np.float32),
            np.zeros((capacity, players), np.float32),
        )

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return all columns."""
        return self.seen, self.player, self.policy, self.value

    def add(
        self,
        seen: NDArray[np.uint8],
        player: int,
        policy: NDArray[np.float32],
        value: NDArray[np.float32],
    ) -> None:
        place = self.count % self.capacity
        self.seen[place], self.player[place] = seen, player
        self.policy[place], self.value[place] = policy, value
        self.count += 1


@dataclass
class _Game:
    """A game in progress: its positions wait for the end."""

    positions: list[tuple[NDArray[np.uint8], int, NDArray[np.float32]]] = field(
        default_factory=list
    )
    moves: int = 0


class AlphaZeroTrainer:
    """Runs training tick by tick: a tick is one move in every lane."""

    def __init__(self, game: Game, config: TrainingConfig) -> None:
        self.config = config
        torch.set_num_threads(config.threads)
        self.arena = Arena(game, _EVALUATION_LANES, config.engine, config.max_steps)
        self.info = self.arena.info
        self._table = open_table(self.info)
        self.roles = self.info.roles
        mapping = self._table.mapping
        assert mapping is not None
        self.shape = Shape.of(game, mapping)
        self.spec = open_network(config.network, self.shape)
        seed = derive_seed(config.seed, 'alphazero')
        players = len(self.roles)
        self._network = build_policy_value(self.spec, self.shape, players, seed)
        self._optimiser = torch.optim.AdamW(
            self._network.parameters(),
            lr=config.learner.learning_rate,
            weight_decay=_WEIGHT_DECAY,
        )
        self._judge = NetworkJudge(self._network, self._table)
        self._memory = _Memory.empty(
            config.learner.capacity, self.shape.observation_size, self.shape.action_size, players
        )
        self._states = np.repeat(self._table.rules.initial, config.lanes, axis=0)
        self._last = np.full(config.lanes, -1, np.int64)
        self._games = [_Game() for _ in range(config.lanes)]
        self._ticks = self.episodes = self._steps = self._updates = 0
        self._owed = 0.0
        self._losses: list[float] = []
        self._rewards: list[float] = []
        self.score = float('nan')
        self._snapshots = Milestone(config.episodes / config.snapshots)
        # The one learner plays all roles.
        self.learners = {'all': self._network}

    # ---- what a run asks for

    @property
    def is_done(self) -> bool:
        """Tell whether all episodes have been played."""
        return self.episodes >= self.config.episodes

    def roles_of(self, name: str) -> tuple[str, ...]:
        """Return the roles of a learner."""
        return self.roles

    def status(self, *, is_row: bool = False) -> Status:
        """Return how far training is; with `is_row` means begin anew."""
        reward = float(np.mean(self._rewards)) if self._rewards else float('nan')
        loss = float(np.mean(self._losses)) if self._losses else float('nan')
        if is_row:
            self._losses, self._rewards = [], []
        decisions = self._memory.count
        return Status(
            self.episodes, self._steps, decisions, self._updates, reward, loss, 0.0, self.score
        )

    def tick(self) -> dict[str, AlphaZeroModel] | None:
        """Make a move in every lane, and learn; return snapshots that were taken."""
        self._ticks += 1
        self._network.eval()
        self._move()
        self._learn()
        if self._snapshots.is_due(self.episodes) or self.is_done:
            model = self.model()
            self.score = mean_reward(self.evaluate(self.config.evaluation_games, model))
            return {'all': model.with_about(reward=self.score)}
        return None

    def model(self) -> AlphaZeroModel:
        """Return what the network is now."""
        weights = {k: v.detach().clone() for k, v in self._network.state_dict().items()}
        about = About(
            self.info.name, self.roles, 'alphazero', self.episodes, 0.0, digest(self.info)
        )
        return AlphaZeroModel(self.spec, self.shape, len(self.roles), weights, about)

    def evaluate(self, games: int, model: AlphaZeroModel) -> dict[str, Score]:
        """Return how a model fares on every seat against the judge of the options."""
        return self.arena.seat_in_turn(
            lambda role: AlphaZeroAgent.of(model, playouts=_EVALUATION_PLAYOUTS),
            games,
            derive_seed(self.config.seed, 'evaluation'),
            make_other=lambda role: open_agent(self.config.judge),
        )

    def close(self) -> None:
        """Release what is held."""
        self.arena.close()

    # ---- going on later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""
        memory, games = self._memory, self._games
        kept = min(memory.count, memory.capacity)
        waiting = [(lane, *p) for lane, game in enumerate(games) for p in game.positions]
        lanes, seen, players, policies = zip(*waiting, strict=True) if waiting else [()] * 4
        return {
            'network': dict(self._network.state_dict()),
            'optimiser': self._optimiser.state_dict(),
            'memory': [array[:kept] for array in memory.arrays],
            'counts': [memory.count, self._ticks, self.episodes, self._steps, self._updates],
            'milestone': self._snapshots.count,
            'score': self.score,
            'means': [self._losses, self._rewards],
            'owed': self._owed,
            'states': self._states,
            'last': self._last,
            'moves': [game.moves for game in games],
            'waiting': [list(lanes), list(players), np.array(seen), np.array(policies)],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self._network.load_state_dict(tree['network'])
        self._optimiser.load_state_dict(tree['optimiser'])
        memory = self._memory
        kept = len(tree['memory'][0])
        for mine, theirs in zip(memory.arrays, tree['memory'], strict=True):
            mine[:kept] = theirs
        memory.count, self._ticks, self.episodes, self._steps, self._updates = tree['counts']
        self._snapshots.count = tree['milestone']
        self.score = tree['score']
        if 'waiting' not in tree:
            # Written by a version that kept no games in progress: they begin anew.
            return
        self._losses, self._rewards = tree['means']
        self._owed = tree['owed']
        self._states, self._last = tree['states'], tree['last']
        self._games = [_Game(moves=moves) for moves in tree['moves']]
        for lane, player, seen, policy in zip(*tree['waiting'], strict=True):
            self._games[lane].positions.append((seen, player, policy))

    # ---- playing

    def _move(self) -> None:
        rules = self._table.rules
        key = derive_seed(self.config.seed, f'tick {self._ticks}')
        chance = np.random.Generator(np.random.Philox(key=key))
        look = rules.look(self._states)
        acting = find_acting(rules, look, None, self._last)
        legal = sample_moves(rules, look, acting, chance)
        deciding = (look.counts() > 1) & acting
        seen = np.packbits(self._judge.observe(self._states), axis=1, bitorder='little')
        lanes = np.flatnonzero(np.any(deciding[:, rules.players], axis=1))
        if len(lanes):
            forest, roots = self._search(lanes, key, chance)
            for lane, root in zip(lanes.tolist(), roots.tolist(), strict=True):
                self._games[lane].moves += 1
                for index, role in enumerate(rules.players):
                    if deciding[lane, role]:
                        rows, policy = self._policy(forest, root, role)
                        legal[lane, role] = self._choose(rows, policy, lane, chance)
                        target = np.zeros(self.shape.action_size, np.float32)
                        target[self._table.actions_of(rows)] = policy
                        self._games[lane].positions.append((seen[lane], index, target))
        does = draw_outcomes(rules, self._states, legal, chance)
        self._states = rules.step(self._states, does)
        self._steps += len(self._states)
        for role in rules.players:
            self._last[legal[:, role] != NO_MOVE] = role
        self._end_games()

    def _search(
        self, lanes: NDArray[np.intp], key: int, chance: np.random.Generator
    ) -> tuple[Forest, NDArray[np.int64]]:
        rules = self._table.rules
        forest = Forest(
            rules, key, PLAYOUTS * 4 * len(lanes) + 4096, _EXPLORATION, judge=self._judge
        )
        roots = np.empty(len(lanes), np.int64)
        # Who moves next is part of a node in a serial game only.
        for last in np.unique(self._last[lanes]) if rules.is_serial else [-1]:
            chosen = np.flatnonzero(self._last[lanes] == last) if rules.is_serial else slice(None)
            roots[chosen] = forest.plant(self._states[lanes][chosen], -1 if last < 0 else last)
        priors = forest.arrays.arms[2]
        for root in roots.tolist():
            for role in rules.players:
                part = forest.arms_of(root, role)
                size = part.stop - part.start
                if size > 1:
                    noise = chance.dirichlet(np.full(size, _SHAPE))
                    priors[part] = (1 - _NOISE) * priors[part] + _NOISE * noise
        for _ in range(PLAYOUTS // _TOGETHER):
            going = np.array([root for root in roots.tolist() if not forest.is_solved(root)])
            if not len(going):
                break
            forest.grow(np.repeat(going, _TOGETHER))
        return forest, roots

    def _policy(
        self, forest: Forest, root: int, role: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return moves and how good search finds them, adding up to 1."""
        moves = forest.root_moves(root, role)
        rows = moves['rows']
        if forest.is_solved(root) or moves['visits'].sum() == 0:
            best = np.isin(rows, choose_rows([moves]))
            return rows, (best / best.sum()).astype(np.float32)
        return rows, (moves['visits'] / moves['visits'].sum()).astype(np.float32)

    def _choose(
        self,
        rows: NDArray[np.int32],
        policy: NDArray[np.float32],
        lane: int,
        chance: np.random.Generator,
    ) -> int:
        if self._games[lane].moves <= _DRAWN:
            sums = np.cumsum(policy)
            place = int(np.searchsorted(sums, chance.random() * sums[-1]))
            return int(rows[min(place, len(rows) - 1)])
        return int(rows[policy.argmax()])

    def _end_games(self) -> None:
        rules = self._table.rules
        over = np.flatnonzero(rules.look(self._states).terminal)
        longest = self.config.max_steps or 1_000
        late = [lane for lane, game in enumerate(self._games) if game.moves >= longest]
        goals = rules.goals(self._states[over])[:, rules.players]
        values = np.where(goals < 0, 50, goals).astype(np.float32) / 100
        for lane, value in zip(over.tolist(), values, strict=True):
            for seen, player, policy in self._games[lane].positions:
                self._memory.add(seen, player, policy, value)
                self._owed += self.config.learner.updates
            self._rewards.append(float(20 * value[0] - 10))
            self.episodes += 1
        for lane in {*over.tolist(), *late}:
            self._games[lane] = _Game()
            self._states[lane] = rules.initial[0]
            self._last[lane] = -1

    # ---- learning

    def _learn(self) -> None:
        learner = self.config.learner
        if self._memory.count < learner.warm_up:
            return
        self._network.train()
        while self._owed >= 1:
            self._owed -= 1
            self._losses.append(self._update(learner.batch))
        share = min(1.0, 2 - 2 * self.episodes / self.config.episodes)
        for group in self._optimiser.param_groups:
            group['lr'] = learner.learning_rate * max(learner.learning_rate_end, share)

    def _update(self, size: int) -> float:
        self._updates += 1
        memory = self._memory
        key = derive_seed(self.config.seed, f'update {self._updates}')
        chance = np.random.Generator(np.random.Philox(key=key))
        rows = chance.integers(0, min(memory.count, memory.capacity), size)
        seen = np.unpackbits(
            memory.seen[rows], axis=1, count=self.shape.observation_size, bitorder='little'
        )
        logits, values = self._network(torch.from_numpy(seen.astype(np.float32)))
        mine = logits[torch.arange(size), torch.from_numpy(memory.player[rows])]
        policy = torch.from_numpy(memory.policy[rows])
        loss = functional.cross_entropy(mine, policy)
        loss = loss + functional.binary_cross_entropy_with_logits(
            values, torch.from_numpy(memory.value[rows])
        )
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), learner_norm(self.config))
        self._optimiser.step()
        return float(loss.detach())


def learner_norm(config: TrainingConfig) -> float:
    """Return how long gradients may be."""
    return config.learner.gradient_norm or float('inf')
