"""Positions and moves of our chess model, from and to those of python-chess."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from walk import term

from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.engine.contract import Move, State
from gdl_env.language.terms import args_of, name_of

# Positions in which the special moves meet, with the number of sequences of 1, 2, 3 … moves; from
# the collection of the Chess Programming Wiki, and pins, double checks and en passant on purpose.
PERFT = {
    'start': (
        'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1',
        (20, 400, 8902, 197281),
    ),
    'kiwipete': (
        'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1',
        (48, 2039, 97862, 4085603),
    ),
    'rook endgame': ('8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1', (14, 191, 2812, 43238, 674624)),
    'promotions': (
        'r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1',
        (6, 264, 9467, 422333),
    ),
    'talkchess': (
        'rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8',
        (44, 1486, 62379, 2103487),
    ),
    'middle game': (
        'r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10',
        (46, 2079, 89890, 3894594),
    ),
}


def to_state(board: Any) -> State:
    """Return a board of python-chess as a state."""
    return frozenset(map(term, to_facts(board)))


def to_facts(board: Any) -> frozenset[str]:
    """Return a board of python-chess as the facts of a state."""
    import chess

    facts = [f'(control {"white" if board.turn else "black"})']
    facts.append(f'(clock {min(board.halfmove_clock, 100)})')
    for square in chess.SQUARES:
        name = chess.square_name(square)
        piece = board.piece_at(square)
        if piece is None:
            facts.append(f'(blank {name[0]} {name[1]})')
        else:
            colour = 'white' if piece.color else 'black'
            kind = chess.piece_name(piece.piece_type)
            facts.append(f'(cell {name[0]} {name[1]} {colour} {kind})')
    for colour in (chess.WHITE, chess.BLACK):
        name = 'white' if colour else 'black'
        if board.has_kingside_castling_rights(colour):
            facts.append(f'(may_castle {name} kingside)')
        if board.has_queenside_castling_rights(colour):
            facts.append(f'(may_castle {name} queenside)')
    if board.ep_square is not None:
        facts.append(f'(passing {chess.square_name(board.ep_square)[0]})')
    return frozenset(facts)


def to_uci(move: Move, *, is_white: bool) -> str:
    """Return a move as UCI writes it, but without the q of a pawn that becomes a queen."""
    args = [str(arg) for arg in args_of(move)]
    if name_of(move) == 'move':
        return ''.join(args)
    start, end = ('7', '8') if is_white else ('2', '1')
    letter = {'knight': 'n', 'bishop': 'b', 'rook': 'r'}[args[2]]
    return f'{args[0]}{start}{args[1]}{end}{letter}'


def from_uci(text: str) -> Move:
    """Return a move of UCI as a move of the model."""
    if text[4:] in {'', 'q'}:
        return term(f'(move {text[0]} {text[1]} {text[2]} {text[3]})')
    kind = {'n': 'knight', 'b': 'bishop', 'r': 'rook'}[text[4]]
    return term(f'(promote {text[0]} {text[2]} {kind})')


def count_sequences(search: Search, depth: int) -> Iterator[int]:
    """Yield the number of sequences of 1, 2, … `depth` moves from the position of a search."""
    for length in range(1, depth + 1):
        yield _count(search, length)


def _count(search: Search, depth: int) -> int:
    legal = search.legal()
    if depth == 1:
        return len(legal)
    total = 0
    for row in search.does_row[legal]:
        search.do(np.array([row], np.int64))
        total += _count(search, depth - 1)
        search.undo()
    return total
