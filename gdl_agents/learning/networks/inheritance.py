"""Larger networks that begin where smaller ones ended: the same outputs, and room to learn more.

After Net2Net (Chen, Goodfellow and Shlens, 2016). A layer that is twice as wide holds every unit
twice, and what comes after divides their weights among the two, unevenly, so that they go apart in
training. A new layer returns what it is given, and a new block adds nothing at first. A network
that joins beside others is not heard by the head yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

import torch
from torch import Tensor, nn

from gdl_agents.learning.networks.body import Eyes, JoinedBodies, ResidualBlock
from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.network import ValueNetwork
from gdl_agents.learning.networks.noisy import NoisyLinear

_Weights: TypeAlias = nn.Linear | nn.Conv2d | NoisyLinear

# A new feature, which the smaller network does not have.
_NEW = -1
# How unevenly weights are divided among two units that are the same: 1 ± this.
_UNEVEN = 0.5


@dataclass(frozen=True)
class _Stage:
    """A layer with weights and its norm, or a residual block."""

    weights: nn.Linear | nn.Conv2d | None = None
    norm: nn.LayerNorm | nn.GroupNorm | None = None
    block: ResidualBlock | None = None


def inherit(small: ValueNetwork, large: ValueNetwork, seed: int) -> None:
    """Give a network the weights of a smaller one that it has grown from.

    Both then have the same outputs, noise apart, up to rounding. Raises NetworkError, and leaves
    the network as good as new, where that is not possible.
    """
    if small.spec.norm != large.spec.norm or small.spec.activation != large.spec.activation:
        raise NetworkError(f'{large.spec} has another norm or activation than {small.spec}')
    with torch.no_grad():
        _Inheritance(large.spec.activation, seed).take(small, large)


class _Inheritance:
    """Copies weights; `source` says for each feature which one of the smaller network it is."""

    def __init__(self, activation: str, seed: int) -> None:
        self._activation = activation
        self._chance = torch.Generator().manual_seed(seed)

    def take(self, small: ValueNetwork, large: ValueNetwork) -> None:
        old, new = _bodies(small.body), _bodies(large.body)
        if len(old) > len(new):
            raise NetworkError(f'{large.spec} has fewer parts than {small.spec}')
        sources: list[Tensor] = []
        offset = 0
        for before, after in zip_longest(old, new):
            if before is None:
                sources.append(torch.full((_features(after),), _NEW))
                continue
            sources.append(self._body(before, after) + offset)
            offset += _features(before)
        source = torch.cat(sources)
        for name in ('value', 'advantage'):
            self._stream(getattr(small.head, name), getattr(large.head, name), source)

    def _stream(self, small: nn.Module | None, large: nn.Module | None, source: Tensor) -> None:
        """Copy a part of the head, whose first layer alone sees the features."""
        if small is None or large is None:
            if small is not large:
                raise NetworkError('one head is dueling and the other is not')
            return
        first, *rest = zip(_linears(small), _linears(large), strict=True)
        self._weights(*first, source, torch.arange(_outputs(first[0])))
        for before, after in rest:
            after.load_state_dict(before.state_dict())

    def _body(self, small: nn.Module, large: nn.Module) -> Tensor:
        """Copy one body; return where its features come from."""
        old_eyes, old_flat = _parts(small)
        new_eyes, new_flat = _parts(large)
        if (old_eyes is None) != (new_eyes is None):
            raise NetworkError('one network sees a board and the other does not')
        if old_eyes is None or new_eyes is None:
            return self._stages(old_flat, new_flat, None)
        board = old_eyes.board
        channels = self._stages(old_eyes.convolutions, new_eyes.convolutions, None)
        cells = board.rows * board.columns
        lying = (channels[:, None] * cells + torch.arange(cells)).flatten()
        beside = old_eyes.features - len(board.beside) + torch.arange(len(board.beside))
        return self._stages(old_flat, new_flat, torch.cat((lying, beside)))

    def _stages(self, small: nn.Module, large: nn.Module, source: Tensor | None) -> Tensor:
        """Copy layers one after the other; those that only the larger network has are neutral.

        Without a source, both see the same.
        """
        old = _stages(small)
        if source is None:
            seen = old[0].weights if old else None
            if seen is None:
                raise NetworkError('a network without layers has nothing to inherit')
            source = torch.arange(seen.weight.shape[1])
        place = 0
        for stage in _stages(large):
            if place < len(old) and _fit(old[place], stage):
                source = self._copy(old[place], stage, source)
                place += 1
            else:
                self._insert(stage, source)
        if place < len(old):
            raise NetworkError('a layer of the smaller network has no place in the larger one')
        return source

    def _copy(self, old: _Stage, new: _Stage, source: Tensor) -> Tensor:
        if old.block is not None and new.block is not None:
            # Blocks are as wide as what comes in.
            for before, after in zip(
                _stages(old.block.inner), _stages(new.block.inner), strict=True
            ):
                self._layer(before, after, source, source)
            return source
        assert old.weights is not None and new.weights is not None
        count, wanted = old.weights.weight.shape[0], new.weights.weight.shape[0]
        rows = torch.arange(count).repeat(wanted // count)
        self._layer(old, new, source, rows)
        return rows

    def _layer(self, old: _Stage, new: _Stage, source: Tensor, rows: Tensor) -> None:
        assert old.weights is not None and new.weights is not None
        self._weights(old.weights, new.weights, source, rows)
        if old.norm is not None and new.norm is not None:
            new.norm.weight.copy_(old.norm.weight[rows])
            new.norm.bias.copy_(old.norm.bias[rows])

    def _insert(self, stage: _Stage, source: Tensor) -> None:
        """Make a new stage return what it is given."""
        if self._activation != 'relu':
            raise NetworkError(f'a new layer with {self._activation} changes what it is given')
        if stage.block is not None:
            *_, last = _stages(stage.block.inner)
            silent = last.norm if last.norm is not None else last.weights
            assert silent is not None and silent.bias is not None
            silent.weight.zero_()
            silent.bias.zero_()
            return
        weights = stage.weights
        if stage.norm is not None or not isinstance(weights, nn.Linear):
            raise NetworkError(
                'a new layer with a norm, or on the board, changes what it is given'
            )
        if weights.weight.shape != (len(source), len(source)):
            raise NetworkError('a new layer of another width changes what it is given')
        weights.weight.copy_(torch.eye(len(source)))
        weights.bias.zero_()

    def _weights(self, old: _Weights, new: _Weights, source: Tensor, rows: Tensor) -> None:
        """Copy weights: row i is row rows[i], column j a share of column source[j]."""
        if new.weight.shape[:2] != (len(rows), len(source)):
            raise NetworkError('the widths of the layers do not fit each other')
        share = self._divide(len(rows), source, old.weight.shape[1])
        columns = old.weight[rows][:, source.clamp(min=0)]
        new.weight.copy_(columns * share.view(*share.shape, *(1,) * (columns.dim() - 2)))
        if old.bias is not None and new.bias is not None:
            new.bias.copy_(old.bias[rows])
        if isinstance(old, NoisyLinear) and isinstance(new, NoisyLinear):
            # Noise of two units that are independent adds up like this.
            noise = old.weight_sigma[rows][:, source.clamp(min=0)] * share.sqrt()
            new.weight_sigma.copy_(torch.where(source >= 0, noise, new.weight_sigma))
            new.bias_sigma.copy_(old.bias_sigma[rows])

    def _divide(self, rows: int, source: Tensor, columns: int) -> Tensor:
        """Return which share of a weight each column gets; the shares of one add up to 1."""
        drawn = torch.rand(rows, len(source), generator=self._chance)
        drawn = 1 + _UNEVEN * (2 * drawn - 1)
        drawn[:, source < 0] = 0
        known = source.clamp(min=0)
        sums = torch.zeros(rows, columns).index_add_(1, known, drawn)
        return torch.where(source < 0, 0.0, drawn / sums[:, known].clamp(min=1e-6))


def _bodies(body: nn.Module) -> list[nn.Module]:
    return list(body.bodies) if isinstance(body, JoinedBodies) else [body]


def _features(body: nn.Module) -> int:
    """Return how many features leave a body."""
    eyes, flat = _parts(body)
    stages = [stage.weights for stage in _stages(flat) if stage.weights is not None]
    if stages:
        return int(stages[-1].weight.shape[0])
    if eyes is None:
        raise NetworkError('a network without layers has nothing to inherit')
    return eyes.features


def _parts(body: nn.Module) -> tuple[Eyes | None, nn.Module]:
    children = list(body.children())
    if children and isinstance(children[0], Eyes):
        return children[0], children[1]
    return None, body


def _stages(layers: nn.Module) -> list[_Stage]:
    found: list[_Stage] = []
    for module in layers.children():
        if isinstance(module, ResidualBlock):
            found.append(_Stage(block=module))
        elif isinstance(module, nn.Linear | nn.Conv2d):
            found.append(_Stage(module))
        elif isinstance(module, nn.LayerNorm | nn.GroupNorm):
            found[-1] = _Stage(found[-1].weights, module)
    return found


def _fit(old: _Stage, new: _Stage) -> bool:
    """Tell whether a stage can hold what another one has learned."""
    if old.block is not None or new.block is not None:
        both = old.block is not None and new.block is not None
        return both and _kernel(_first(old)) == _kernel(_first(new))
    if type(old.weights) is not type(new.weights) or _kernel(old) != _kernel(new):
        return False
    assert old.weights is not None and new.weights is not None
    # A norm sees the same mean and deviation only if all units are there equally often.
    return new.weights.weight.shape[0] in {
        old.weights.weight.shape[0],
        2 * old.weights.weight.shape[0],
    }


def _first(stage: _Stage) -> _Stage:
    assert stage.block is not None
    return _stages(stage.block.inner)[0]


def _kernel(stage: _Stage) -> tuple[int, ...]:
    return tuple(stage.weights.weight.shape[2:]) if stage.weights is not None else ()


def _linears(stream: nn.Module) -> list[_Weights]:
    modules = [stream, *stream.children()]
    return [module for module in modules if isinstance(module, nn.Linear | NoisyLinear)]


def _outputs(layer: _Weights) -> int:
    return int(layer.weight.shape[0])
