"""One match that one of our agents plays for a GGP server: clocks, and a move in any case."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
import logging
from random import Random
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from gdl_agents.agent import Agent
from gdl_agents.ggp.messages import News, Start
from gdl_agents.ggp.position import FollowedPosition, open_position
from gdl_agents.ggp.spelling import Spelling
from gdl_agents.ggp.stopgap import Stopgap
from gdl_agents.registry import open_agent
from gdl_env.engine.contract import Move
from gdl_env.environment.protocol import Question
from gdl_env.errors import GdlError
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text
from gdl_env.play.noop import NOOP_MOVE

# What an answer needs on its way at the least [s]. How much later than allowed an agent answered
# is added to it, so that the margin is what this machine needs.
MARGIN = 0.25
# The share of a clock that the margin may take.
_MOST = 0.5

_Result = TypeVar('_Result')
_log = logging.getLogger(__name__)


class PlayerMatch:
    """An agent, the position it is in, and the clock.

    The agent works in a thread of its own. If it fails, or has no answer when the clock is nearly
    up, a random legal move is answered. Until it is asked for its first move it thinks ahead, and
    with `ponders` also between its moves.
    """

    def __init__(self, agent: str, start: Start, seed: int, *, ponders: bool = False) -> None:
        self.start = start
        # How much earlier than the clock says an answer is given [s].
        self.margin = min(MARGIN, _MOST * start.play_clock)
        # Moves that were drawn because the agent gave none.
        self.drawn = 0
        self._name = agent
        self._seed = seed
        self._random = Random(seed)
        self._lock = Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=f'ggp-{start.match}')
        # Announced before the rules were ready; and who moves until they are.
        self._pending: list[News] = []
        self._game: Game | None = None
        self._stopgap: Stopgap | None = None
        self._drawn: Move | None = None
        self._drawn_after = 0
        self._helper = ThreadPoolExecutor(1, thread_name_prefix=f'ggp-draw-{start.match}')
        self._spelling = Spelling(start.rules)
        self._ponders = ponders
        # What the agent thinks about while it is not asked.
        self._next: Question
        # Set while the agent is not to think ahead.
        self._is_asked = Event()
        self._prepared: Future[tuple[FollowedPosition, Agent]] = self._worker.submit(self._prepare)
        self._worker.submit(self._ponder, start.start_clock)

    def begin(self) -> None:
        """Load the rules and have the agent get ready, within the start clock.

        What takes longer continues while the first moves are asked for. Raises GdlError if the
        game cannot be played at all.
        """
        clock = self.start.start_clock
        if self._wait(self._prepared, clock - min(MARGIN, _MOST * clock)) is None:
            # The first moves will not be the agent's.
            self._helper.submit(self._draw)

    def choose(self, news: News) -> str:
        """Return the next move as GDL text, within the play clock.

        Raises ProtocolError if what is announced does not fit the game.
        """
        end = monotonic() + self.start.play_clock
        self._is_asked.set()
        # A server that gave up on an answer asks again while that one is still worked on.
        with self._lock:
            answer = self._spelling.write(self._answer(news, end))
            if self._ponders and self._prepared.done():
                # Here, as only one thread at a time may ask for what is possible.
                self._next = self._prepared.result()[0].question(0.0)
                self._is_asked.clear()
                self._worker.submit(self._ponder, self.start.play_clock)
            return answer

    def stop(self) -> None:
        """Release what is held, once the agent has stopped thinking."""
        self._is_asked.set()
        self._worker.submit(self._close)
        self._worker.shutdown(wait=False)
        if self._stopgap is not None:
            self._helper.submit(self._stopgap.close)
        self._helper.shutdown(wait=False)

    # ---- inside

    def _answer(self, news: News, end: float) -> str:
        self._pending.append(news)
        # Half of the time is left to find a legal move without the agent.
        wait = _MOST * self.start.play_clock
        prepared = self._wait(self._prepared, end - max(self.margin, wait) - monotonic())
        if prepared is None:
            self.drawn += 1
            _log.warning('%s: the game is not ready yet; a move is drawn', self.start.match)
            found = self._wait(self._helper.submit(self._draw), end - self.margin - monotonic())
            return str(found or NOOP_MOVE)
        position, agent = prepared
        if self._stopgap is not None:
            self._helper.submit(self._stopgap.close)
            self._stopgap = None
        while self._pending:
            position.follow(self._pending.pop(0))
        return str(self._choose(position, agent, end))

    def _draw(self) -> Move | None:
        """Return a random legal move by an engine that is ready at once; None if there is none."""
        game = self._game
        if game is None:
            return None
        try:
            if self._stopgap is None:
                self._stopgap = Stopgap(game, self.start.role, self._seed)
            while self._drawn_after < len(self._pending):
                self._drawn = self._stopgap.choose(self._pending[self._drawn_after])
                self._drawn_after += 1
        except GdlError as error:
            _log.warning('%s: %s', self.start.match, error)
            return None
        return self._drawn

    def _prepare(self) -> tuple[FollowedPosition, Agent]:
        self._game = game = game_from_text(self.start.rules, self.start.match)
        position = open_position(game, self.start.role)
        agent = open_agent(self._name)
        agent.begin(position.info, (self.start.role,), self._seed)
        self._next = position.question(0.0)
        return position, agent

    def _ponder(self, seconds: float) -> None:
        """Let the agent think ahead until it is asked, or the server must have given up."""
        end = monotonic() + seconds + self.start.play_clock
        if self._prepared.exception() or self._is_asked.is_set():
            return
        _, agent = self._prepared.result()
        try:
            agent.ponder(self._next, lambda: not self._is_asked.is_set() and monotonic() < end)
        # An agent of the user's own may raise anything.
        except Exception as error:
            _log.warning('%s: %s', self._name, error)

    def _choose(self, position: FollowedPosition, agent: Agent, end: float) -> Move:
        legal = position.legal_moves()
        question = position.question(max(end - self.margin - monotonic(), 0.01))
        if len(legal) < 2:
            if position.has_news():
                self._worker.submit(agent.notice, question)
            return legal[0] if legal else NOOP_MOVE
        asked = monotonic()
        found = self._wait(
            self._worker.submit(self._ask, position, agent, question), end - MARGIN / 2 - asked
        )
        # An agent that took longer than it was given will do so again.
        late = monotonic() - asked - question.time_left
        if late > 0:
            self.margin = min(self.margin + 1.5 * late, _MOST * self.start.play_clock)
        if found in legal:
            return found
        self.drawn += 1
        _log.warning('%s: %s gave no legal move; one is drawn', self.start.match, self._name)
        return self._random.choice(legal)

    def _ask(self, position: FollowedPosition, agent: Agent, question: Question) -> Move | None:
        try:
            return position.read_answer(agent.choose(question))
        # An agent of the user's own may raise anything: the match is not lost by that.
        except Exception as error:
            _log.warning('%s: %s', self._name, error)
            return None

    def _wait(self, future: Future[_Result], seconds: float) -> _Result | None:
        """Wait for a result; None if there is none by then."""
        try:
            return future.result(timeout=max(seconds, 0.0))
        except TimeoutError:
            return None

    def _close(self) -> None:
        if not self._prepared.exception():
            position, agent = self._prepared.result()
            agent.end()
            position.close()
