"""A chess engine plays a chess model, by the Universal Chess Interface."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
import shlex
import shutil
from time import monotonic

from gdl_agents.errors import AgentError
from gdl_agents.players.chess_notation import ChessNotation
from gdl_agents.players.lane_view import LaneView
from gdl_agents.players.program import PlayerProgram
from gdl_agents.players.text_agent import TextAgent
from gdl_env.environment.protocol import MatchInfo, Question

# Where Debian puts engines; not always on the search path.
_GAMES = Path('/usr/games')
# Enough for a strong move in a blink, and the same move each time, which a time limit is not.
_NODES = 50_000
_LIMITS = ('nodes', 'depth', 'movetime')
# Seconds to get ready.
_READY = 10.0


class UciAgent(TextAgent):
    """Lets a chess engine play.

    It gives the engine what it sees as a position, and the model's moves as the ones to search.
    The detail is a command line, then options: `stockfish depth=8 Skill_Level=3`. nodes, depth and
    movetime (milliseconds) limit the search; all others are options of the engine, with `_` for
    blanks. Another way of writing chess needs another `notation` only.
    """

    name = 'uci'
    notation = ChessNotation()

    def __init__(self, detail: str = '') -> None:
        """Take command and options. Raises AgentError if they cannot be read."""
        words = PlayerProgram(detail or 'stockfish').words
        options = [word.partition('=')[::2] for word in words if '=' in word]
        command = [word for word in words if '=' not in word]
        command[0] = _find(command[0])
        self._limits = {name: value for name, value in options if name in _LIMITS}
        self._options = {name: value for name, value in options if name not in _LIMITS}
        self._program = PlayerProgram(shlex.join(command))

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Start the engine. Raises AgentError if it does not understand UCI."""
        super().begin(info, roles, seed)
        self._run()

    def choose_move(self, view: LaneView, question: Question, deadline: float | None) -> str:
        """Search among the legal moves. Raises AgentError if none is a move of chess."""
        if not self._program.is_running:
            self._run()
        is_white = self._is_white(question.role)
        position = self.notation.read_position(view.facts)
        written = {
            self.notation.write_move(move, position, is_white=is_white): move
            for move in view.moves
        }
        written.pop('', None)
        if not written:
            raise AgentError(f'no legal move of {question.role} is a chess move: {view.moves[:5]}')
        # Some models let kings be taken. Engines do not even look at such positions: some crash.
        for text, move in written.items():
            if position.get(text[2:4], '') in {'k', 'K'}:
                return move
        fen = self.notation.write_fen(
            position, tuple(written), is_white=is_white, facts=view.facts
        )
        # A game of its own, so that the answer depends on nothing that was asked before; and
        # behind it no answer to an older question can be on its way.
        for line in ('stop', 'ucinewgame', 'isready'):
            self._program.send(line)
        self._await('readyok', deadline)
        self._program.send(f'position fen {fen}')
        self._program.send(f'go {self._limit(deadline)} searchmoves {" ".join(written)}')
        best = self._await('bestmove', deadline).split()[1:2]
        if best == ['(none)']:
            # By the rules of chess this is mate; a model that plays on may have any move.
            return next(iter(written.values()))
        if not best or best[0] not in written:
            raise AgentError(f'engine {self._program.command!r} found no move in {fen}')
        return written[best[0]]

    def end(self) -> None:
        """End the engine."""
        if self._program.is_running:
            with suppress(AgentError):
                self._program.send('quit')
        self._program.close()

    def _run(self) -> None:
        self._program.start()
        deadline = monotonic() + _READY
        self._program.send('uci')
        self._await('uciok', deadline)
        for name, value in self._options.items():
            self._program.send(f'setoption name {name.replace("_", " ")} value {value}')
        self._program.send('isready')
        self._await('readyok', deadline)

    def _await(self, word: str, deadline: float | None) -> str:
        """Read on until a line begins with a word; an answer that came too late is passed by."""
        while True:
            line = self._program.read_line(deadline)
            if line.split(' ', 1)[0] == word:
                return line

    def _limit(self, deadline: float | None) -> str:
        limits = dict(self._limits) or {'nodes': str(_NODES)}
        if deadline is not None and 'movetime' not in limits:
            # Some of the time goes by on the way.
            limits['movetime'] = str(max(1, int((deadline - monotonic()) * 800)))
        return ' '.join(f'{name} {value}' for name, value in limits.items())

    def _is_white(self, role: str) -> bool:
        """White is who is called so, else who comes first in the rules."""
        if 'white' in role or 'black' in role:
            return 'white' in role
        return role == self._info.roles[0]


def _find(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=str(_GAMES))
    if found is None:
        raise AgentError(f'no chess engine {name!r} here; on Debian: apt install {name}')
    return found
