"""Games of a policy against itself, in the lanes of an environment, kept as sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
import torch
from torch import Tensor

from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.mmd.networks import PolicyNetwork, log_policy
from gdl_agents.learning.mmd.seen import SeenViews
from gdl_agents.learning.mmd.sequences import Sequences, join_sequences
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.bits import Bits
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.circuit_lanes import CircuitLanes

# Rows of a seat that there is room for at first.
_ROOM = 8
_ROWS = ('observation', 'legal', 'state', 'last', 'action', 'reward')


class SequenceCollector:
    """Plays all seats of all lanes, tick by tick. A seat is a role in a lane."""

    def __init__(
        self, environment: Environment, seed: int, teams: str = '', *, random_share: float = 0.0
    ) -> None:
        """Begin new games, with a share of random moves. Raises ConfigError for wrong teams."""
        self.environment = environment
        self._random_share = random_share
        self._seed = seed
        self._lanes = environment.game.lanes
        roles = environment.roles
        self._seats = len(roles) * self._lanes
        self._share = find_shares(roles, teams)
        self._player = np.repeat(np.arange(len(roles)), self._lanes)
        self._entries = environment.game.observation_size
        self._actions = environment.game.action_size
        self._seen = SeenViews(self._seats, -(-self._entries // 8))
        self._memory = torch.zeros(self._seats, 0)
        # Rows of each seat so far, and the place of its latest decision, -1 for none.
        self._length = np.zeros(self._seats, np.int64)
        self._latest = np.full(self._seats, -1, np.int64)
        self._rows: dict[str, NDArray[Any]] = {
            'observation': np.zeros((self._seats, _ROOM, -(-self._entries // 8)), np.uint8),
            'legal': np.zeros((self._seats, _ROOM, -(-self._actions // 8)), np.uint8),
            'state': np.zeros((self._seats, _ROOM, self._look().shape[1]), np.uint8),
            'last': np.zeros((self._seats, _ROOM), np.int64),
            'action': np.zeros((self._seats, _ROOM), np.int64),
            'reward': np.zeros((self._seats, _ROOM), np.float32),
        }
        self._ended: list[Sequences] = []
        # Decisions of games that have ended and were not taken yet.
        self.waiting = 0
        # What the first role got in the games that ended since the last row of metrics.
        self.rewards: list[float] = []

    @property
    def state_entries(self) -> int:
        """Return how many bits a whole state has."""
        return 8 * int(self._rows['state'].shape[2])

    def tick(self, network: PolicyNetwork) -> None:
        """Play a decision in every lane."""
        environment = self.environment
        decides = environment.decides.reshape(-1).copy()
        shown = [environment.show(role) for role in environment.roles]
        view = np.concatenate([seen.data for seen, _ in shown if seen is not None])
        legal = np.concatenate([mask.data for _, mask in shown if mask is not None])
        only_decisions = network.only_decisions
        seats = self._seen.find_news(view, decides, only_decisions=only_decisions)
        last = self._seen.take_last(seats)
        logits = self._ask(network, view[seats], last, seats)
        asked = decides[seats]
        action = np.full(len(seats), -1, np.int64)
        action[asked] = self._draw(logits[torch.from_numpy(asked)], legal[seats[asked]])
        self._keep(
            seats,
            observation=view[seats],
            legal=legal[seats],
            state=self._look()[seats % self._lanes],
            last=last,
            action=action,
            reward=np.zeros(len(seats), np.float32),
        )
        deciding = seats[asked]
        self._latest[deciding] = self._length[deciding] - 1
        self._seen.last[deciding] = action[asked]
        told = environment.play(action[asked].astype(np.int32))
        self._pay((self._share @ told.reward).reshape(-1).astype(np.float32))
        if told.ended.any():
            self.rewards += told.reward[0, told.ended].tolist()
            self._end(np.flatnonzero(np.tile(told.ended, len(environment.roles))))

    def take_rewards(self, *, is_row: bool) -> list[float]:
        """Return what the first role got since the last row of metrics; forget it with a row."""
        rewards = self.rewards
        if is_row:
            self.rewards = []
        return rewards

    def take(self) -> Sequences:
        """Return all games that have ended, and forget them."""
        found = join_sequences(self._ended)
        self._ended, self.waiting = [], 0
        return found

    # ---- continuing later

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are."""
        ended = [join_sequences(self._ended)] if self._ended else []
        return {
            'environment': self.environment.snapshot(),
            'seen': self._seen.to_tree(),
            'memory': self._memory.clone(),
            'counts': [self._length.copy(), self._latest.copy()],
            'rows': {name: array.copy() for name, array in self._rows.items()},
            'ended': [vars(one) for one in ended],
            'rewards': list(self.rewards),
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options."""
        self.environment.restore(tree['environment'])
        self._seen.restore(tree['seen'])
        self._memory = tree['memory'].clone()
        self._length, self._latest = (array.copy() for array in tree['counts'])
        self._rows = {name: array.copy() for name, array in tree['rows'].items()}
        self._ended = [Sequences(**one) for one in tree['ended']]
        self.waiting = sum(one.decisions for one in self._ended)
        self.rewards = list(tree['rewards'])

    # ---- inside

    def _ask(
        self,
        network: PolicyNetwork,
        view: NDArray[np.uint8],
        last: NDArray[np.int64],
        seats: NDArray[np.int64],
    ) -> Tensor:
        """Show seats what is new; return their logits."""
        if self._memory.shape[1] != network.state_size:
            self._memory = torch.zeros(self._seats, network.state_size)
        where = torch.from_numpy(seats)
        with torch.no_grad():
            observation = torch.from_numpy(Bits(view, self._entries).unpack()).float()
            player = torch.from_numpy(self._player[seats])
            inputs = network.make_inputs(observation, torch.from_numpy(last), player)
            logits, memory = network.advance(inputs, self._memory[where])
        self._memory[where] = memory
        return logits

    def _draw(self, logits: Tensor, legal: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Draw an action in each row, as likely as its policy says."""
        mask = torch.from_numpy(Bits(legal, self._actions).unpack())
        key = derive_seed(self._seed, f'actions {self.environment.tick}')
        chance = np.random.Generator(np.random.Philox(key=key))
        noise = chance.gumbel(size=tuple(mask.shape)).astype(np.float32)
        logs = log_policy(logits, mask)
        if self._random_share:
            any_legal = log_policy(torch.zeros_like(logits), mask).exp()
            logs = torch.lerp(logs.exp(), any_legal, self._random_share).log()
        drawn = (logs + torch.from_numpy(noise)).argmax(dim=1)
        found: NDArray[np.int64] = drawn.numpy()
        return found

    def _look(self) -> NDArray[np.uint8]:
        """Return the whole state of each lane as bytes, or what all roles see of it."""
        lanes = self.environment.game
        if isinstance(lanes, CircuitLanes):
            lanes.update_rows()
            return lanes.arrays.states.view(np.uint8)
        # States of other engines are no bits.
        shown = [self.environment.show(role)[0] for role in self.environment.roles]
        return np.concatenate([seen.data for seen in shown if seen is not None], axis=1)

    def _keep(self, seats: NDArray[np.int64], **rows: NDArray[Any]) -> None:
        """Add a row to seats."""
        places = self._length[seats]
        room = self._rows['last'].shape[1]
        if places.max(initial=0) >= room:
            for name, array in self._rows.items():
                more = np.zeros((self._seats, room, *array.shape[2:]), array.dtype)
                self._rows[name] = np.concatenate((array, more), axis=1)
        for name, values in rows.items():
            self._rows[name][seats, places] = values
        self._length[seats] += 1

    def _pay(self, reward: NDArray[np.float32]) -> None:
        """Add rewards to the latest decisions of seats."""
        seats = np.flatnonzero((reward != 0) & (self._latest >= 0))
        self._rows['reward'][seats, self._latest[seats]] += reward[seats]

    def _end(self, seats: NDArray[np.int64]) -> None:
        """Put away what seats saw and did up to their last decision; begin new games there."""
        kept = seats[self._latest[seats] >= 0]
        lengths = self._latest[kept] + 1
        inside = np.arange(int(lengths.max(initial=0))) < lengths[:, None]
        parts = (self._rows[name][kept][:, : inside.shape[1]][inside] for name in _ROWS)
        self._ended.append(Sequences(lengths, self._player[kept], *parts))
        self.waiting += self._ended[-1].decisions
        self._length[seats], self._latest[seats] = 0, -1
        self._memory[torch.from_numpy(seats)] = 0
        self._seen.begin(seats)


def find_shares(roles: tuple[str, ...], teams: str) -> NDArray[np.float32]:
    """Return what each role learns from: the share of each role's reward, roles by roles.

    Team-mates share theirs. Raises ConfigError where teams name others than roles, or one twice.
    """
    named = [team.split('+') for team in teams.split()]
    members = [role for team in named for role in team]
    wrong = [role for role in members if role not in roles or members.count(role) > 1]
    if wrong:
        raise ConfigError(
            f'teams={teams}: {wrong[0]!r} is no role, or in two teams; roles: {", ".join(roles)}'
        )
    shares = np.eye(len(roles), dtype=np.float32)
    for team in named:
        places = [roles.index(role) for role in team]
        for place in places:
            shares[place] = 0
            shares[place, places] = 1 / len(places)
    return shares
