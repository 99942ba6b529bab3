"""The n-th legal action of every lane, on packed masks: no loop over lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.bits import Bits
from gdl_env.environment.exchange import NO_ACTION

_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder='little')
# How many bits each byte has, and where its n-th one is (0 where it has no such bit).
_COUNT = _BYTES.sum(axis=1, dtype=np.uint8)
_PLACE = np.zeros((256, 8), np.int32)
for _value, _row in enumerate(_BYTES):
    _places = np.flatnonzero(_row)
    _PLACE[_value, : len(_places)] = _places


def count_legal(legal: Bits) -> NDArray[np.int32]:
    """Return the number of legal actions of each lane."""
    count: NDArray[np.int32] = _count_bits(_words(legal)).sum(axis=1, dtype=np.int32)
    return count


def pick_first(legal: Bits) -> NDArray[np.int32]:
    """Return the lowest legal action of each lane, NO_ACTION where there is none."""
    if not legal.data.size:
        return np.full(len(legal), NO_ACTION, np.int32)
    column = (legal.data != 0).argmax(axis=1)
    byte = legal.data[np.arange(len(legal)), column]
    return np.where(byte == 0, NO_ACTION, column * 8 + _PLACE[byte, 0]).astype(np.int32)


def pick_nth(legal: Bits, rank: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the legal action of this rank, from 0, of each lane; NO_ACTION if there is none."""
    if not legal.data.size:
        return np.full(len(legal), NO_ACTION, np.int32)
    # Word by word, then the bytes of one word only, then the bits of one byte.
    words = _words(legal)
    word, rest, is_there = _seek(_count_bits(words), rank)
    data = words[np.arange(len(words)), word].view(np.uint8).reshape(-1, 8)
    byte, rest, _ = _seek(_COUNT[data], rest)
    place = _PLACE[data[np.arange(len(data)), byte], np.clip(rest, 0, 7)]
    return np.where(is_there, word * 64 + byte * 8 + place, NO_ACTION).astype(np.int32)


def _seek(
    counts: NDArray[np.uint8], rank: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.bool_]]:
    """Return the column that has the bit of this rank, its rank in there, and whether one has."""
    upto = counts.cumsum(axis=1, dtype=np.int32)
    column = (upto > rank[:, None]).argmax(axis=1)
    lanes = np.arange(len(counts))
    before = upto[lanes, column] - counts[lanes, column]
    return column, rank - before, (rank >= 0) & (rank < upto[:, -1])


def _words(legal: Bits) -> NDArray[np.uint64]:
    """Return the rows as words of 64 bits, filled up with zeros."""
    rows, width = legal.data.shape
    padded = np.zeros((rows, -(-max(width, 1) // 8) * 8), np.uint8)
    padded[:, :width] = legal.data
    return padded.view('<u8')


def _count_bits(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    if hasattr(np, 'bitwise_count'):
        count: Any = np.bitwise_count(words)
        return count  # type: ignore[no-any-return]
    # Before numpy 2: byte by byte.
    table = _COUNT[words.view(np.uint8)]
    return table.reshape(*words.shape, 8).sum(axis=2, dtype=np.uint8)  # type: ignore[no-any-return]
