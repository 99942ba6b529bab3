"""Bits in words and rows: places, bytes, masks."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch import word_bits
from gdl_env.engine.batch.bit_rows import (
    add_where,
    clear_where,
    match_bytes,
    raise_where,
    spread_byte,
)
from gdl_env.engine.batch.word_bits import deposit_bits, find_one
from gdl_env.environment.bits import Bits


def test_places_of_bits() -> None:
    random = np.random.default_rng(1)
    for _ in range(300):
        word = int(random.integers(1, 2**64, dtype=np.uint64)) & int(
            random.integers(0, 2**64, dtype=np.uint64)
        )
        places = [place for place in range(64) if word >> place & 1]
        for rank, place in enumerate(places):
            given = np.uint64(word), np.uint64(rank)
            assert find_one(*given) == place
            # The same on processors without the instruction.
            assert word_bits._find_one(*given) == place


def test_bits_are_laid_where_a_mask_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    masks = [0, 1, 2**63, 2**64 - 1, *random.integers(0, 2**64, 50, np.uint64).tolist()]
    found = []
    for mask in masks:
        bits = int(random.integers(0, 2**64, dtype=np.uint64))
        places = [place for place in range(64) if mask >> place & 1]
        expected = sum(1 << place for rank, place in enumerate(places) if bits >> rank & 1)
        assert deposit_bits(np.uint64(bits), np.uint64(mask)) == expected
        found.append((bits, mask, expected))
    # The same on processors without the instruction.
    monkeypatch.setattr(word_bits, '_HAS_DEPOSIT', False)
    for bits, mask, expected in found:
        assert deposit_bits.py_func(np.uint64(bits), np.uint64(mask)) == expected


@compile_kernel(nogil=True)
def match(row, value):  # type: ignore[no-untyped-def]
    return match_bytes(row, value)


@pytest.mark.parametrize('value', [0, 3, 255])
def test_bytes_of_a_value(value: int) -> None:
    row = np.random.default_rng(4).choice(np.array([0, 3, 4, 255], np.uint8), 64)
    expected = sum(1 << place for place in range(64) if row[place] == value)
    assert match(row, np.uint8(value)) == expected


def test_bytes_of_bits() -> None:
    for byte in range(256):
        spread = int(spread_byte(np.uint64(byte))).to_bytes(8, 'little')
        assert list(spread) == [byte >> place & 1 for place in range(8)]


@compile_kernel(nogil=True)
def change_numbers(raised, added, cleared, bits):  # type: ignore[no-untyped-def]
    raise_where(raised, 3, bits, np.int16(50))
    add_where(added, 3, bits)
    clear_where(cleared, 3, bits)


def test_numbers_change_where_bits_are_set() -> None:
    random = np.random.default_rng(2)
    numbers = random.integers(-1, 101, 70)
    bits = random.integers(0, 2**64, dtype=np.uint64)
    raised, added, cleared = numbers.astype(np.int16), numbers.copy(), numbers.copy()
    change_numbers(raised, added, cleared, bits)
    chosen = np.zeros(70, np.bool_)
    chosen[3:67] = [int(bits) >> place & 1 for place in range(64)]
    assert raised.tolist() == np.where(chosen, np.maximum(numbers, 50), numbers).tolist()
    assert added.tolist() == (numbers + chosen).tolist()
    assert cleared.tolist() == np.where(chosen, 0, numbers).tolist()


@pytest.mark.parametrize('size', [0, 1, 7, 8, 9, 29, 63, 64, 65, 130])
@pytest.mark.parametrize('rows', [0, 1, 2, 70])
def test_packed_rows_come_back(rows: int, size: int) -> None:
    matrix = np.random.default_rng(size).random((rows, size)) < 0.4
    packed = Bits.pack(matrix)
    assert packed.unpack().tolist() == matrix.tolist()
    # Rows need not lie side by side.
    wide = np.zeros((rows, packed.data.shape[1] + 3), np.uint8)
    wide[:, 1 : 1 + packed.data.shape[1]] = packed.data
    view = Bits(wide[:, 1 : 1 + packed.data.shape[1]], size)
    assert view.unpack().tolist() == matrix.tolist()
