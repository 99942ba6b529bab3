"""Trains open_spiel's DQN on JAX on tic-tac-toe; prints what it took and how it then plays.

python spiel_dqn_peer.py SEED [EPISODES]     with open_spiel, jax, flax and optax installed

One agent for each player, learning from each other's games; options are the defaults of the agent,
except that exploration ends sooner.
"""

from __future__ import annotations

import json
import sys
from time import process_time

import numpy as np
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import random_agent
from open_spiel.python.jax import dqn

GAMES = 1_000


def main() -> None:
    """Train and evaluate."""
    seed = int(sys.argv[1])
    episodes = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    np.random.seed(seed)
    environment = rl_environment.Environment('tic_tac_toe')
    size = environment.observation_spec()['info_state'][0]
    actions = environment.action_spec()['num_actions']
    agents = [
        dqn.DQN(
            player,
            state_representation_size=size,
            num_actions=actions,
            hidden_layers_sizes=[64, 64],
            replay_buffer_capacity=100_000,
            batch_size=128,
            learn_every=10,
            epsilon_decay_duration=20_000,
            seed=seed + player,
        )
        for player in range(2)
    ]
    # Compiling does not count.
    _play(environment, agents, 200)
    start = process_time()
    steps = _play(environment, agents, episodes)
    seconds = process_time() - start
    scores = {}
    for seat, name in enumerate(('x', 'o')):
        counts = [0, 0, 0]
        others = [random_agent.RandomAgent(player, actions) for player in range(2)]
        seats = [agents[p] if p == seat else others[p] for p in range(2)]
        for _ in range(GAMES):
            step = environment.reset()
            while not step.last():
                player = step.observations['current_player']
                action = seats[player].step(step, is_evaluation=True).action
                step = environment.step([action])
            counts[int(np.sign(step.rewards[seat])) + 1] += 1
        scores[name] = dict(zip(('losses', 'draws', 'wins'), counts, strict=True), games=GAMES)
    told = {'steps': steps, 'cpu_seconds': seconds, 'steps_per_cpu_second': steps / seconds}
    print(json.dumps({**told, 'episodes': episodes, 'scores': scores}))


def _play(environment: rl_environment.Environment, agents: list[dqn.DQN], episodes: int) -> int:
    """Play and learn; return the number of steps."""
    steps = 0
    for _ in range(episodes):
        step = environment.reset()
        while not step.last():
            player = step.observations['current_player']
            step = environment.step([agents[player].step(step).action])
            steps += 1
        for agent in agents:
            agent.step(step)
    return steps


if __name__ == '__main__':
    main()
