"""Chess is chess: compared with python-chess, position by position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from chess_positions import (
    PERFT,
    count_sequences,
    from_uci,
    to_facts,
    to_state,
    to_uci,
)
import numpy as np
import pytest
from walk import term

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.engine.contract import Engine, State
from gdl_env.engine.mapping import open_encoding
from gdl_env.language.load import open_game as named_game

chess = pytest.importorskip('chess', reason='pip install chess')

WHITE, BLACK = term('white'), term('black')

# Where one rule decides: a position, moves that are legal there and moves that are not.
RULES = {
    'en passant': ('4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2', 'e5d6 e5e6', 'e5f6'),
    'only at once': ('4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2', 'e5e6', 'e5d6'),
    'both pawns leave the rank': ('8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1', 'e4e3', 'e4d3'),
    'the same from the other side': ('8/8/8/8/R2Pp2k/8/8/3K4 b - d3 0 1', 'e4e3', 'e4d3'),
    'diagonal of the taken pawn': ('8/8/4k3/8/2pP4/8/B7/4K3 b - d3 0 1', 'e6d6', 'c4c3'),
    'pawn that gives check is taken': ('8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1', 'e4d3', 'e4e3'),
    'pinned pawn takes along the pin': ('4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 1', 'c4d5', 'e5e6'),
    'castling': ('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', 'e1g1 e1c1', 'e1b1'),
    'no right to castle': ('r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1', 'e1f1', 'e1g1 e1c1'),
    'castling through check': ('4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1', 'e1c1', 'e1g1'),
    'castling out of check': ('4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1', 'e1f1', 'e1g1 e1c1'),
    'castling into check': ('2r3k1/8/8/8/8/8/8/R3K2R w KQ - 0 1', 'e1g1', 'e1c1'),
    'rook may pass attacked squares': ('1r4k1/8/8/8/8/8/8/R3K2R w KQ - 0 1', 'e1c1', ''),
    'king hides not behind himself': ('4r2k/8/8/8/4K3/8/8/8 w - - 0 1', 'e4d3', 'e4e3'),
    'defended piece': ('7k/8/8/8/8/5b2/4q3/4K3 w - - 0 1', '', 'e1e2'),
    'double check': ('4k3/8/8/8/8/5n2/8/3RKr1R w - - 0 1', '', 'h1f1 d1d2'),
    'pinned knight': ('4r2k/8/8/8/8/4N3/8/4K3 w - - 0 1', 'e1d1', 'e3d5'),
    'pinned rook': ('4r2k/8/8/8/8/4R3/8/4K3 w - - 0 1', 'e3e8 e3e4', 'e3d3'),
    'promotion': ('8/4P2k/8/8/8/8/8/4K3 w - - 0 1', 'e7e8q e7e8n e7e8b e7e8r', ''),
    'promotion by capture': ('3r4/4P2k/8/8/8/8/8/4K3 w - - 0 1', 'e7d8q e7d8n', 'e7f8n'),
}

# How a game ends: position, goal of white (-1: it continues).
ENDS = {
    'mate of white': ('rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3', 0),
    'mate of black': ('4R1k1/5ppp/8/8/8/8/8/6K1 b - - 0 1', 100),
    'stalemate': ('7k/5Q2/6K1/8/8/8/8/8 b - - 0 1', 50),
    'fifty moves': ('7k/3Q4/8/4K3/8/8/8/8 b - - 100 80', 50),
    'almost fifty moves': ('7k/3Q4/8/4K3/8/8/8/8 b - - 99 80', -1),
    'mate with the hundredth move': ('4R1k1/5ppp/8/8/8/8/8/6K1 b - - 100 80', 100),
    'kings alone': ('7k/8/8/4K3/8/8/8/8 b - - 0 1', 50),
    'a knight': ('7k/8/8/4K3/8/8/8/N7 b - - 0 1', 50),
    'a bishop': ('7k/8/8/4K3/8/8/8/b7 b - - 0 1', 50),
    'bishops of one shade': ('7k/8/8/4K3/8/4B3/8/b7 b - - 0 1', 50),
    'bishops of both shades': ('7k/8/8/4K3/8/3B4/8/b7 b - - 0 1', -1),
    'two knights': ('7k/8/8/4K3/8/8/8/NN6 b - - 0 1', -1),
    'knight against knight': ('7k/8/8/4K3/8/8/8/N6n b - - 0 1', -1),
    'knight and bishop': ('7k/8/8/4K3/8/8/8/N6b b - - 0 1', -1),
    'a pawn': ('7k/8/8/4K3/8/8/P7/8 b - - 0 1', -1),
}


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> CircuitEngine:
    engine = open_game('chess')
    assert isinstance(engine, CircuitEngine)
    return engine


def spelled(board: Any) -> list[str]:
    """Return the legal moves of python-chess as the model spells them."""
    return sorted(move.uci().removesuffix('q') for move in board.legal_moves)


def legal(engine: Engine, state: State) -> list[str]:
    moves = engine.legal_moves(state)
    white = [to_uci(move, is_white=True) for move in moves[WHITE]]
    return sorted(white + [to_uci(move, is_white=False) for move in moves[BLACK]])


def goal_of_white(board: Any) -> int:
    """Return the goal by python-chess, -1 if the game continues."""
    if board.is_checkmate():
        return 0 if board.turn else 100
    is_draw = board.is_stalemate() or board.is_insufficient_material()
    return 50 if is_draw or board.halfmove_clock >= 100 else -1


def test_initial_state(engine: CircuitEngine) -> None:
    assert engine.initial_state == to_state(chess.Board())


@pytest.mark.parametrize(
    ('name', 'actions'), [('chess', 4096 + 8 * 8 * 3), ('chess(promotions=queen)', 4096)]
)
def test_dimensions(name: str, actions: int) -> None:
    mapping = open_encoding(named_game(name))
    assert (mapping.observation_size, mapping.action_size) == (851, actions)


@pytest.mark.parametrize('name', RULES)
def test_rule(engine: CircuitEngine, name: str) -> None:
    fen, allowed, forbidden = RULES[name]
    board = chess.Board(fen)
    found = legal(engine, to_state(board))
    assert {move.removesuffix('q') for move in allowed.split()} <= set(found)
    assert not set(forbidden.split()) & set(found)
    assert found == spelled(board)


@pytest.mark.parametrize('name', ENDS)
def test_end(engine: CircuitEngine, name: str) -> None:
    fen, expected = ENDS[name]
    board = chess.Board(fen)
    state = to_state(board)
    assert goal_of_white(board) == expected
    assert engine.is_terminal(state) == (expected >= 0)
    if expected >= 0:
        assert engine.goals(state) == {WHITE: expected, BLACK: 100 - expected}


def affordable(length: int) -> list[Any]:
    """Return the positions and depths with about so many sequences at most."""
    found = []
    for name, (fen, known) in PERFT.items():
        depth = max(d for d in range(1, len(known) + 1) if known[d - 1] <= length)
        found.append(pytest.param(fen, known[:depth], id=f'{name}-{depth}'))
    return found


def check_perft(engine: CircuitEngine, fen: str, known: tuple[int, ...]) -> None:
    search = Search(engine.compiled, to_state(chess.Board(fen)))
    assert tuple(count_sequences(search, len(known))) == known


@pytest.mark.parametrize(('fen', 'known'), affordable(200_000))
def test_number_of_move_sequences(engine: CircuitEngine, fen: str, known) -> None:
    check_perft(engine, fen, known)


@pytest.mark.slow
@pytest.mark.parametrize(('fen', 'known'), affordable(5_000_000))
def test_number_of_longer_move_sequences(engine: CircuitEngine, fen: str, known) -> None:
    check_perft(engine, fen, known)


def compare_games(engine: CircuitEngine, seeds: range) -> None:
    """Play random games with both; every position, its moves and its end must be the same."""
    names = [str(fact) for fact in engine.vocabulary.facts]
    written = [to_uci(move, is_white=role == WHITE) for role, move in engine.vocabulary.legal]
    search = Search(engine.compiled)
    for seed in seeds:
        random = Random(seed)
        board = chess.Board()
        search.place()
        while goal_of_white(board) < 0:
            rows = {written[row]: row for row in search.legal()}
            assert sorted(rows) == spelled(board), board.fen()
            assert {names[row] for row in np.flatnonzero(search.facts)} == to_facts(board)
            assert not search.is_terminal, board.fen()
            move = random.choice(list(board.legal_moves))
            board.push(move)
            row = search.does_row[rows[move.uci().removesuffix('q')]]
            search.do(np.array([row], np.int64))
        assert search.is_terminal, board.fen()
        goals = engine.goals(search.state())
        assert goals[WHITE] == goal_of_white(board), board.fen()


def test_random_games_are_those_of_python_chess(engine: CircuitEngine) -> None:
    compare_games(engine, range(20))


@pytest.mark.slow
@pytest.mark.parametrize('hundred', range(10))
def test_thousand_random_games_are_those_of_python_chess(
    engine: CircuitEngine, hundred: int
) -> None:
    compare_games(engine, range(1000 + 100 * hundred, 1100 + 100 * hundred))


def restless(board: Any, random: Random) -> Any:
    """Choose a move, more often than not back to where the piece was."""
    back = board.move_stack[-2].uci() if len(board.move_stack) > 1 else ''
    back = back[2:4] + back[:2]
    moves = list(board.legal_moves)
    if random.random() < 0.7 and any(move.uci() == back for move in moves):
        return chess.Move.from_uci(back)
    officers = [move for move in moves if board.piece_type_at(move.from_square) != chess.PAWN]
    return random.choice(officers if officers and random.random() < 0.8 else moves)


def compare_repetitions(engine: CircuitEngine, seeds: range) -> Counter[str]:
    """Play restless games; the third occurrence of a position must end them, and nothing else."""
    search = Search(engine.compiled)
    rows = {(str(role), str(move)): n for n, (role, move) in enumerate(engine.vocabulary.does)}
    ends: Counter[str] = Counter()
    for seed in seeds:
        random = Random(seed)
        fen = random.choice([*(fen for fen, _ in PERFT.values()), *REPEATING])
        board = chess.Board(fen)
        search.place(to_state(board))
        while True:
            is_third = board.is_repetition(3)
            assert search.is_terminal == (is_third or goal_of_white(board) >= 0), (
                seed,
                board.fen(),
                len(board.move_stack),
            )
            if search.is_terminal:
                ends['repetition' if is_third else 'other'] += 1
                break
            move = restless(board, random)
            role = 'white' if board.turn else 'black'
            search.do(np.array([rows[role, str(from_uci(move.uci()))]], np.int64))
            board.push(move)
    return ends


# Where it matters what is the same position: rights to castle, and to take en passant.
REPEATING = (
    'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1',
    '4k2r/8/8/8/3Pp3/8/8/RN2K3 b Q d3 0 1',
    '4k2r/8/8/8/3Pp3/8/8/RN2K2R b - d3 0 1',
    '4k1n1/8/8/8/3P4/8/8/RN2K3 b - d3 0 1',
)


@pytest.fixture(scope='module')
def repeating() -> Iterator[CircuitEngine]:
    from gdl_env.engine.registry import open_engine

    with open_engine(named_game('chess(repetition=threefold)')) as engine:
        assert isinstance(engine, CircuitEngine)
        yield engine


def test_third_occurrence_is_a_draw(repeating: CircuitEngine) -> None:
    ends = compare_repetitions(repeating, range(30))
    assert ends['repetition'] > 10


@pytest.mark.slow
@pytest.mark.parametrize('hundred', range(5))
def test_third_occurrence_is_a_draw_in_many_games(repeating: CircuitEngine, hundred: int) -> None:
    ends = compare_repetitions(repeating, range(100 + 100 * hundred, 200 + 100 * hundred))
    assert ends['repetition'] > 30


@pytest.mark.parametrize(('moves', 'is_draw'), [(8, True), (7, False)])
def test_knights_that_go_forth_and_back(
    repeating: CircuitEngine, moves: int, is_draw: bool
) -> None:
    state = repeating.initial_state
    for text in ('g1f3 g8f6 f3g1 f6g8 ' * 2).split()[:moves]:
        role = WHITE if text in {'g1f3', 'f3g1'} else BLACK
        state = repeating.next_state(state, {role: from_uci(text)})
    assert repeating.is_terminal(state) == is_draw
    assert repeating.goals(state) == {WHITE: 50, BLACK: 50}


def test_engines_agree_on_tactical_positions(engine: CircuitEngine) -> None:
    """The Prolog program of the same rules answers the same."""
    from gdl_env.engine.registry import open_engine

    with open_engine(engine.game, 'prolog') as prolog:
        for fen in (fen for fen, _ in PERFT.values()):
            board = chess.Board(fen)
            state = to_state(board)
            assert prolog.legal_moves(state) == engine.legal_moves(state)
            move = from_uci(next(iter(board.legal_moves)).uci())
            role = WHITE if board.turn else BLACK
            assert prolog.next_state(state, {role: move}) == engine.next_state(state, {role: move})
