"""Chance that belongs to a question, not to a stream: asked again, it comes out the same."""

from __future__ import annotations

from hashlib import blake2b


def question_key(seed: int, role: str, tick: int) -> int:
    """Return the 64 bits that decide all chance of a question."""
    digest = blake2b(f'{seed} {tick} {role}'.encode(), digest_size=8).digest()
    return int.from_bytes(digest, 'little')


def derive_seed(seed: int, name: str) -> int:
    """Return a seed that belongs to a name, such as a role, from one that all share."""
    digest = blake2b(f'{seed} {name}'.encode(), digest_size=8).digest()
    return int.from_bytes(digest, 'little') >> 1
