"""Chance that belongs to a question, not to a stream: asked again, it comes out the same."""

from __future__ import annotations


def question_key(seed: int, role: str, tick: int) -> int:
    """Return the 64 bits that decide all chance of a question."""
    return _digest(f'{seed} {tick} {role}')


def derive_seed(seed: int, name: str) -> int:
    """Return a seed that belongs to a name, such as a role, from one that all share."""
    return _digest(f'{seed} {name}') >> 1


def _digest(text: str) -> int:
    # Only here: it loads OpenSSL, 4 MB that a stand-by does without.
    from hashlib import blake2b

    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), 'little')
