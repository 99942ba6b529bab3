"""A trained network as an ONNX file, which runs without this project and without PyTorch."""

from __future__ import annotations

import contextlib
import io
import logging
from pathlib import Path
import warnings

import numpy as np
import torch

from gdl_agents.learning.errors import LearningError
from gdl_agents.learning.export.exported_network import ExportedMemory, ExportedPlayer
from gdl_env.requirements import ONNX, ONNX_RUNTIME, ONNX_SCRIPT, is_installed, require

# Rows on which the file and the network must agree.
_ROWS = 64
_CLOSE = 1e-3


def write_onnx(player: ExportedPlayer, path: Path) -> None:
    """Write a network, with any number of rows.

    Raises MissingPackageError; LearningError if the file does not compute what the network does.
    """
    require('ONNX files', ONNX, ONNX_SCRIPT)
    network = player.build()
    inputs = make_inputs(player, _ROWS)
    rows = torch.export.Dim('rows', min=1)
    # PyTorch says what it does, and which packages it does without.
    logging.getLogger('torch.onnx').setLevel(logging.ERROR)
    said = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(said):
        warnings.simplefilter('ignore')
        torch.onnx.export(
            network,
            tuple(torch.from_numpy(inputs[name]) for name in network.inputs),
            str(path),
            input_names=list(network.inputs),
            output_names=list(network.outputs),
            dynamic_shapes=tuple({0: rows} for _ in network.inputs),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    if is_installed(ONNX_RUNTIME):
        _check(player, path)


def make_inputs(player: ExportedPlayer, rows: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return random inputs: some entries that hold, and at least one legal action a row."""
    chance = np.random.default_rng(seed)
    shape = player.model.shape
    legal = chance.random((rows, shape.action_size)) < 0.5
    legal[np.arange(rows), chance.integers(shape.action_size, size=rows)] = True
    found = {
        'observation': (chance.random((rows, shape.observation_size)) < 0.3).astype(np.float32),
        'legal': legal,
        'role': chance.integers(len(player.roles), size=rows),
    }
    network = player.build()
    if isinstance(network, ExportedMemory):
        size = network.network.state_size
        found['last'] = chance.integers(-1, shape.action_size, size=rows)
        found['state'] = chance.normal(size=(rows, size)).astype(np.float32)
    return found


def _check(player: ExportedPlayer, path: Path) -> None:
    """Raise LearningError if the file and the network answer differently."""
    from onnxruntime import InferenceSession

    inputs = make_inputs(player, _ROWS + 1, seed=1)
    session = InferenceSession(str(path), providers=['CPUExecutionProvider'])
    found = session.run(None, inputs)
    with torch.no_grad():
        network = player.build()
        wanted = network(*(torch.from_numpy(inputs[name]) for name in network.inputs))
    for own, other in zip(wanted[1:], found[1:], strict=True):
        if not np.allclose(own.numpy(), other, rtol=_CLOSE, atol=_CLOSE):
            path.unlink()
            raise LearningError('the ONNX file would not compute what the network does')
