"""What a role has seen and done, as a digest that grows with it.

An information set is the whole sequence of what a role was shown and did (perfect recall). It is
told apart by a digest of that sequence: the builder of a tree and a player in a match compute the
same one, each from what it has. A role is shown a view when it decides, and when its view has
changed while others decide; forced moves are no part of it.
"""

from __future__ import annotations

from hashlib import blake2b

# Before anything is shown.
NOTHING = b''
_SIZE = 16


def see(digest: bytes, view: bytes) -> bytes:
    """Return the digest after a view that changed while others decide."""
    return _extend(digest, b'see', view)


def ask(digest: bytes, view: bytes, legal: bytes) -> bytes:
    """Return the digest after a question: a view, and the moves that are legal."""
    return _extend(digest, b'ask', len(view).to_bytes(4, 'little') + view + legal)


def do(digest: bytes, move: bytes) -> bytes:
    """Return the digest after the role's own move."""
    return _extend(digest, b'do', move)


def _extend(digest: bytes, what: bytes, more: bytes) -> bytes:
    return blake2b(digest + what + more, digest_size=_SIZE).digest()
