"""A match by the GGP protocol: every role is asked at every step, and all moves are announced.

A move that is late, illegal or missing becomes a random legal one, and counts as a strike. Chance
is drawn here: an experiment in a move is announced as what was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random
from time import time

from gdl_agents.ggp.messages import News, Start
from gdl_agents.ggp.plain_rules import rules_for_others
from gdl_agents.ggp.seats import GgpSeat
from gdl_env.engine.contract import Engine, Move, Role
from gdl_env.engine.dead_ends import DeadEnd
from gdl_env.engine.interpreter import Interpreter
from gdl_env.errors import DeadEndError, GdlError
from gdl_env.language.game import Information, Turns
from gdl_env.language.reader import read_term
from gdl_env.play.noop import NOOP_MOVE


@dataclass(frozen=True)
class MatchClocks:
    """Seconds to get ready, and for each move."""

    start: float = 30.0
    play: float = 10.0


@dataclass(frozen=True)
class Strike:
    """A move that a player did not give."""

    # Counted from 1.
    step: int
    role: str
    reason: str


class Manager:
    """Runs one match between players."""

    def __init__(
        self,
        engine: Engine,
        seats: Mapping[str, GgpSeat],
        clocks: MatchClocks,
        match: str,
        seed: int,
    ) -> None:
        """Take the players by role. Raises GdlError if the protocol cannot announce the game."""
        game = engine.game
        if game.information is Information.STATE:
            raise GdlError(
                f'{game.name} hides parts of its state by (true (sees …)), which the GGP protocol'
                ' cannot announce'
            )
        self._game = game
        self._engine = engine
        # The match itself: state, history, goals.
        self.match = Interpreter(engine, seed)
        self._seats = {role: seats[str(role)] for role in self.match.roles}
        self._clocks = clocks
        self._random = Random(seed)
        # Who receives plain rules, and these.
        self._plain: list[GgpSeat] = []
        self._plain_rules = ''
        # Steps that the players know of; -1 before they were asked for the first time.
        self._announced = -1
        self.name = match
        self.strikes: list[Strike] = []
        # When each state was reached, the first one first [s since 1970].
        self.times: list[float] = []

    def run(self, on_step: Callable[[], None] = lambda: None, max_steps: int = 0) -> None:
        """Play to the end, or for `max_steps` steps; call `on_step` after each.

        Raises DeadEndError where no role has a move although the game is not over; the players are
        asked to stop before.
        """
        # Before clocks run.
        self._plain = [seat for seat in self._seats.values() if seat.knows_plain_rules_only()]
        self._plain_rules = rules_for_others(self._engine) if self._plain else ''
        with ThreadPoolExecutor(max(1, len(self._seats))) as workers:
            self._ask_all(workers, self._start, {})
            self._keep_time()
            on_step()
            while self.match.actors() and not 0 < max_steps <= len(self.match.history):
                self._play(workers)
                self._keep_time()
                on_step()
            last = len(self.match.history)
            self._ask_all(workers, lambda role, seat: seat.stop(self._news(role, last)), {})
        if not self.match.actors() and not self.match.is_terminal:
            raise DeadEndError(f'{self._game.name}: {DeadEnd.of_match(self.match)}')

    def _keep_time(self) -> None:
        # Chance may have played steps of its own.
        self.times += [time()] * (len(self.match.history) + 1 - len(self.times))

    def _start(self, role: Role, seat: GgpSeat) -> None:
        clocks = self._clocks
        rules = self._plain_rules if seat in self._plain else self._game.text
        seat.start(Start(self.name, str(role), rules, clocks.start, clocks.play))

    def _play(self, workers: ThreadPoolExecutor) -> None:
        """Announce every step that is new, ask every role for its move, and play the next step.

        Where only chance moved, the answers do not count.
        """
        replies: dict[Role, str] = {}
        last = len(self.match.history)
        while self._announced < last:
            self._announced += 1
            replies.clear()
            self._ask_all(workers, self._ask_for_move, replies)
        moves = {
            role: self._choose(role, replies)
            for role in self.match.roles
            if self.match.legal_moves(role)
        }
        if self._game.turns is Turns.SERIAL:
            actor = self.match.actors()[0]
            moves = {actor: moves[actor]}
        self.match.step(moves)

    def _ask_for_move(self, role: Role, seat: GgpSeat) -> str:
        return seat.play(self._news(role, self._announced))

    def _choose(self, role: Role, replies: Mapping[Role, str]) -> Move:
        legal = self.match.legal_moves(role)
        if role not in replies:
            # The strike was counted when the answer did not come.
            return self._random.choice(legal)
        try:
            move = read_term(replies[role])
        except ValueError:
            move = None
        if move in legal:
            return move
        if self._game.turns is Turns.SERIAL and role not in self.match.actors():
            return legal[0]
        self._strike(role, f'answered {replies[role]!r}, which is not legal')
        return self._random.choice(legal)

    def _ask_all(
        self,
        workers: ThreadPoolExecutor,
        ask: Callable[[Role, GgpSeat], str | None],
        replies: dict[Role, str],
    ) -> None:
        """Ask all players at the same time; who fails has a strike."""
        futures = {role: workers.submit(ask, role, seat) for role, seat in self._seats.items()}
        for role, future in futures.items():
            try:
                reply = future.result()
            except GdlError as error:
                self._strike(role, str(error))
            else:
                if reply is not None:
                    replies[role] = reply

    def _strike(self, role: Role, reason: str) -> None:
        self.strikes.append(Strike(len(self.match.history) + 1, str(role), reason))

    def _news(self, role: Role, number: int) -> News:
        """Return what a role learns of a step, counted from 1; of 0 nothing."""
        if not number:
            return News(percepts=() if self._is_hidden else None)
        step = self.match.history[number - 1]
        if self._is_hidden:
            percepts = tuple(sorted(map(str, step.percepts.get(role, ()))))
            own = str(step.played.get(role, NOOP_MOVE))
            return News(percepts=percepts, own=own, turn=number)
        return News(tuple(str(step.played.get(r, NOOP_MOVE)) for r in self._engine.roles))

    @property
    def _is_hidden(self) -> bool:
        return self._game.information is Information.PERCEPTS
