"""Chess models in UCI's words, and a real engine that plays them."""

from pathlib import Path
from random import Random
import sys

from agent_questions import ask_text, make_info, make_text_info
import pytest

from gdl_agents.errors import AgentError, LateError
from gdl_agents.players.chess_notation import ChessNotation
from gdl_agents.players.uci import UciAgent
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.reader import read_term

NOTATION = ChessNotation()
START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR'
ROW = ('rook', 'knight', 'bishop', 'queen', 'king', 'bishop', 'knight', 'rook')


def start_facts(form: str) -> list[str]:
    """Write the initial position in one of the ways authors do."""
    facts = ['(control white)', '(step 1)', '(moved white rook a 1)']
    for rank, colour, kinds in (
        (1, 'white', ROW),
        (2, 'white', ['pawn'] * 8),
        (7, 'black', ['pawn'] * 8),
        (8, 'black', ROW),
    ):
        for number, kind in enumerate(kinds, start=1):
            letter = 'n' if kind == 'knight' else kind[0]
            facts.append(
                form.format(
                    file='abcdefgh'[number - 1], number=number, rank=rank, colour=colour,
                    kind=kind, short=f'{colour[0]}{letter}',
                )
            )  # fmt: skip
    return facts


@pytest.mark.parametrize(
    'form',
    [
        '(cell {file} {rank} {colour} {kind})',
        '(cell {number} {rank} {short})',
        '(piece {short}{file} {file} {rank})',
        '(at {file}{rank} {colour}_{kind})',
        '(location (square {file} {rank}) {kind} {colour})',
    ],
)
def test_positions(form: str) -> None:
    position = NOTATION.read_position(start_facts(form))
    assert NOTATION.write_fen(position, ['e2e4'], is_white=True) == f'{START} w - - 0 1'


@pytest.mark.parametrize(
    ('move', 'is_white', 'written'),
    [
        ('(move knight b 1 a 3)', True, 'b1a3'),
        ('(move wp 5 2 5 4)', True, 'e2e4'),
        ('(move e2 e4)', True, 'e2e4'),
        ('(move pawn (square e 2) (square e 4))', True, 'e2e4'),
        ('(move queen c 7 c 8)', True, 'c7c8q'),
        ('(promote c 7 d 8 knight)', True, 'c7d8n'),
        ('(move pawn c 7 c 8)', True, 'c7c8q'),
        ('(move c7 c8 wr)', True, 'c7c8r'),
        ('(move rook h 7 h 8)', True, 'h7h8'),
        ('(promote c d knight)', True, 'c7d8n'),
        ('(promote c b rook)', False, 'c2b1r'),
        ('castlekingside', True, 'e1g1'),
        ('(castle black queenside)', False, 'e8c8'),
        ('(move king e 1 g 1)', True, 'e1g1'),
        ('noop', True, ''),
        ('(select e 2)', True, ''),
    ],
)
def test_moves(move: str, is_white: bool, written: str) -> None:
    position = {'c7': 'P', 'h7': 'R', 'e2': 'P', 'e1': 'K'}
    assert NOTATION.write_move(move, position, is_white=is_white) == written


def test_rights_are_taken_from_the_moves_there_are() -> None:
    facts = ['(cell e 1 wk)', '(cell h 1 wr)', '(cell e 5 wp)', '(cell d 5 bp)', '(cell e 8 bk)']
    position = NOTATION.read_position(facts)
    fen = NOTATION.write_fen(position, ['e1g1', 'e5d6', 'e5e6'], is_white=True)
    assert fen == '4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1'
    # Engines refuse rights of kings and rooks that are not at home.
    assert NOTATION.write_fen(position, ['e8c8'], is_white=False).split()[1:4] == ['b', '-', '-']
    position = NOTATION.read_position([*facts, '(cell a 8 br)'])
    assert NOTATION.write_fen(position, ['e8c8'], is_white=False).split()[1:4] == ['b', 'q', '-']


@pytest.mark.parametrize(
    ('facts', 'rights', 'clock'),
    [
        (['(may_castle white kingside)', '(may_castle black queenside)', '(clock 7)'], 'Kq', '7'),
        (['(can_castle black_short)', '(halfmove_clock 12)', '(clock a b)'], 'k', '12'),
        (['(castling_right w q)', '(fifty 3)'], 'Q', '3'),
        (['(castled white kingside)', '(may_castle white)', '(step 9)'], '-', '0'),
    ],
)
def test_rights_and_clock_are_taken_from_facts(facts: list[str], rights: str, clock: str) -> None:
    board = start_facts('(cell {file} {rank} {short})')
    position = NOTATION.read_position(board)
    told = NOTATION.write_fen(position, ['e2e4'], is_white=True, facts=[*board, *facts])
    assert told == f'{START} w {rights} - {clock} 1'


def test_positions_of_our_chess_are_those_of_another_program() -> None:
    chess = pytest.importorskip('chess', reason='python-chess is not installed')
    from gdl_env.engine.registry import open_engine
    from gdl_env.language.load import open_game

    seen: set[str] = set()
    with open_engine(open_game('chess')) as engine:
        for seed in range(3):
            random, match, board = Random(seed), Interpreter(engine), chess.Board()
            while not match.is_terminal and len(match.history) < 60:
                role = match.roles[len(match.history) % 2]
                moves = match.legal_moves(role)
                facts = list(map(str, match.view(role).facts))
                position = NOTATION.read_position(facts)
                written = {
                    NOTATION.write_move(str(move), position, is_white=board.turn): move
                    for move in moves
                }
                fen = NOTATION.write_fen(
                    position, tuple(written), is_white=board.turn, facts=facts
                )
                assert fen.split()[:5] == board.fen(en_passant='legal').split()[:5]
                seen |= set(fen.split()[2:4])
                text = random.choice(sorted(written))
                board.push_uci(text)
                match.step({role: written[text]})
    # Rights were lost one by one.
    assert len(seen) > 5


def test_no_position_is_an_error() -> None:
    for facts in ([], ['(cell 1 1 x)'], ['(cell e 1 wk)']):
        with pytest.raises(AgentError, match='no chess position'):
            NOTATION.read_position(facts)


def test_an_engine_that_is_not_there() -> None:
    with pytest.raises(AgentError, match='apt install no_such_engine'):
        UciAgent('no_such_engine depth=3')


def test_a_program_that_is_no_engine() -> None:
    agent = UciAgent('true')
    with pytest.raises(AgentError, match='ended with code 0'):
        agent.begin(make_info(), ('white',), 1)
    agent.end()


ENGINE = """
import sys, time
for line in sys.stdin:
    word, *rest = line.split()
    if word == 'uci': print('id name slow\\nuciok')
    if word == 'isready': print('readyok')
    if word == 'setoption': print(line, file=sys.stderr)
    if word == 'go' and 'movetime' in rest: time.sleep(0.6)
    if word == 'go': print('info depth 1\\nbestmove', rest[rest.index('searchmoves') + 1])
    if word == 'quit': break
    sys.stdout.flush()
"""


def test_limits_options_and_late_answers(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / 'engine.py'
    path.write_text(ENGINE)
    agent = UciAgent(f'{sys.executable} {path} depth=2 Skill_Level=3')
    agent.begin(make_text_info(), ('x',), 1)
    facts = tuple(start_facts('(cell {file} {rank} {short})'))
    with pytest.raises(LateError):
        agent.choose(ask_text('(move e2 e4)', facts=facts, time_left=0.3))
    answer = agent.choose(ask_text('(move d2 d4)', '(move e2 e4)', facts=facts))
    assert answer.moves == ('(move d2 d4)',)
    agent.end()
    assert 'setoption name Skill Level value 3' in capfd.readouterr().err


@pytest.fixture
def stockfish() -> UciAgent:
    try:
        return UciAgent('stockfish nodes=5000')
    except AgentError as error:
        pytest.skip(str(error))


def test_stockfish_plays_our_chess(stockfish: UciAgent) -> None:
    """It finds a move of the model wherever it is asked, and mates one who plays at random."""
    from gdl_env.engine.registry import open_engine
    from gdl_env.language.load import open_game

    random = Random(1)
    stockfish.begin(make_text_info(), ('white',), 1)
    with open_engine(open_game('chess')) as engine:
        match = Interpreter(engine)
        white, black = match.roles
        while not match.is_terminal:
            moves = match.legal_moves(white)
            facts = tuple(map(str, match.view(white).facts))
            if moves:
                question = ask_text(*map(str, moves), role='white', facts=facts)
                (answer,) = stockfish.choose(question).moves
                match.step({white: read_term(answer)})
            else:
                match.step({black: random.choice(match.legal_moves(black))})
        assert match.goals() == {white: 100, black: 0}
        assert len(match.history) < 120
    stockfish.end()


def test_stockfish_mates(stockfish: UciAgent) -> None:
    """A real engine finds a mate in one among the moves of the model, and only among those."""
    stockfish.begin(make_text_info(), ('white', 'black'), 1)
    facts = ('(cell g 1 white king)', '(cell a 1 white rook)', '(cell g 8 black king)')
    facts += tuple(f'(cell {file} 7 black pawn)' for file in 'fgh')
    moves = [f'(move rook a 1 a {rank})' for rank in range(2, 9)]
    answer = stockfish.choose(ask_text(*moves, role='white', facts=facts))
    assert answer.moves == ('(move rook a 1 a 8)',)
    again = stockfish.choose(ask_text(*moves[:3], role='white', facts=facts, time_left=5.0))
    assert again.moves[0] in moves[:3]
    # Models in which kings are taken, and those that go on after mate.
    king = '(move rook a 1 g 8)'
    taken = stockfish.choose(ask_text(moves[0], king, role='white', facts=facts))
    assert taken.moves == (king,)
    mated = ('(cell g 1 black king)', '(cell a 1 white rook)', '(cell g 3 white king)')
    step = '(move king g 1 f 1)'
    assert stockfish.choose(ask_text(step, role='black', facts=mated)).moves == (step,)
    stockfish.end()
