"""A trained player as a folder in the form of a model hub: weights, configuration, card.

| file | what it holds |
|---|---|
| `model.safetensors` | the weights, by the names of the network's parameters |
| `config.json` | game, roles, algorithm, sizes, the network, and the tables of views |
| `README.md` | the card of the run, with the header that hubs read |
"""

from __future__ import annotations

from dataclasses import asdict
import json
from pathlib import Path
from typing import Any

from safetensors.torch import save

from gdl_agents.learning.alphazero.model import AlphaZeroModel
from gdl_agents.learning.export.exported_network import ExportedPlayer
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.training.state_file import write_file

WEIGHTS, CONFIG, CARD, ONNX_NAME = 'model.safetensors', 'config.json', 'README.md', 'model.onnx'

_HEADER = """\
---
library_name: gdl_env
pipeline_tag: reinforcement-learning
tags:
- reinforcement-learning
- general-game-playing
- {algorithm}
model-index:
- name: {name}
  results:
  - task:
      type: reinforcement-learning
    dataset:
      type: {game}
      name: {game}
    metrics:
    - type: mean_reward
      name: mean reward against random players
      value: {reward:.2f}
---

"""


def write_folder(player: ExportedPlayer, folder: Path, name: str, card: str) -> None:
    """Write weights, configuration and card. Raises RunError.

    - name: of the run
    - card: its text; may be empty
    """
    about = player.model.about
    weights = {key: value.contiguous() for key, value in player.model.weights.items()}
    write_file(folder / WEIGHTS, save(weights, metadata={'format': 'pt'}))
    told = json.dumps(describe(player), indent=2, ensure_ascii=False)
    write_file(folder / CONFIG, f'{told}\n'.encode())
    header = _HEADER.format(
        algorithm=about.algorithm, name=name, game=about.game, reward=about.reward
    )
    # The picture stays with the run.
    lines = [line for line in card.splitlines() if not line.startswith('![')]
    write_file(folder / CARD, f'{header}{chr(10).join(lines)}\n'.encode())


def describe(player: ExportedPlayer) -> dict[str, Any]:
    """Return all that is needed to build and use the network, but the weights."""
    model, network = player.model, player.build()
    told: dict[str, Any] = {
        'game': model.about.game,
        'algorithm': model.about.algorithm,
        'roles': list(player.roles),
        'episodes': model.about.episodes,
        'reward': model.about.reward,
        'proved': model.about.proved,
        # Moves and facts are numbered by these tables: under others, numbers mean something else.
        'tables': model.about.tables,
        'observation_size': model.shape.observation_size,
        'action_size': model.shape.action_size,
        'network': model.spec.to_dict(),
        'inputs': list(network.inputs),
        'outputs': list(network.outputs),
    }
    if isinstance(model, MmdModel):
        return told | {'state_size': model.make_network().state_size}
    if isinstance(model, AlphaZeroModel):
        return told | {'players': model.players}
    views = {role: [int(entry) for entry in view] for role, view in model.views.items()}
    head = {'head': asdict(model.head), 'range': [model.low, model.high], 'views': views}
    return told | head
