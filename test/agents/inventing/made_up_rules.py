"""Rules of games that are not worth playing, and why."""

from __future__ import annotations

_FRAME = """
(role a) (role b)
(type player a) (type player b)
(opponent a b) (opponent b a)
(init (control a))
(<= (next (control player:?other)) (true (control ?player)) (opponent ?player ?other))
(<= (goal ?player 100) (type player ?player) (true (control ?player)) {end})
(<= (goal ?player 0) (type player ?player) (not (true (control ?player))) {end})
(<= terminal {end})
"""

_COUNTED = """
(init (turn 0))
(<= (next (turn [0,{last}]:?after)) (true (turn ?before)) (add ?before 1 ?after))
(<= (legal ?player (go [1,2]:?way)) (true (control ?player)) (type [1,2] ?way) {unless})
"""


def counting_game(last: int, stuck_at: int | None = None) -> str:
    """Return a game that whoever is in control after so many turns wins, whatever was played."""
    unless = '' if stuck_at is None else f'(not (true (turn {stuck_at})))'
    text = _COUNTED.format(last=last, unless=unless)
    return _FRAME.format(end=f'(true (turn {last}))') + text


def endless_game() -> str:
    """Return a game that ends only when a player wants it to, and the other does, at once."""
    moves = """
(<= (legal ?player (go [1,9]:?way)) (true (control ?player)) (type [1,9] ?way))
(init (heap 0))
(<= (next (heap [0,9]:?way)) (does ?player (go ?way)) (not again))
(<= again (does ?player (go ?way)) (not (true (heap ?way))))
(<= (next (heap 0)) again)
(<= never (true (heap 9)) (true (heap 8)))
"""
    return _FRAME.format(end='never') + moves
