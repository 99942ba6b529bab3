"""A match at the terminal: asks the players, tells what happened, takes back, records."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
import sys
from time import sleep
from typing import Protocol

from gdl_env.cli.human import Human, Wish, read_line
from gdl_env.engine.board import Board
from gdl_env.engine.contract import Move, Role
from gdl_env.engine.interpreter import Interpreter, Step
from gdl_env.engine.recording import RecordingWriter
from gdl_env.language.game import Information, Turns
from gdl_env.language.keywords import NOOP

# Clears the screen of a terminal and what can be scrolled back to.
CLEAR = '\x1b[2J\x1b[3J\x1b[H'


class Player(Protocol):
    """Plays a role."""

    def choose(self, match: Interpreter, role: Role) -> Move | Wish:
        """Return a legal move, or a wish."""


class RandomPlayer:
    """Plays any legal move, each with the same probability."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def choose(self, match: Interpreter, role: Role) -> Move | Wish:
        """Return a random legal move."""
        return self._random.choice(match.legal_moves(role))


class Session:
    """One match between players."""

    def __init__(
        self,
        match: Interpreter,
        players: Mapping[Role, Player],
        random: Random,
        *,
        writer: RecordingWriter | None = None,
        delay: float = 0.0,
    ) -> None:
        self._match = match
        self._players = players
        self._random = random
        self._writer = writer
        self._delay = delay
        self._is_open = match.engine.game.information is Information.COMPLETE
        self._board = Board(match.engine.game)
        self._humans = [role for role, player in players.items() if isinstance(player, Human)]
        # Who sat at the keyboard last, where people must not see each other's view.
        self._seated: Role | None = None
        # The lengths of the history at which a person had a choice, for undo.
        self._decisions: list[int] = []

    def run(self) -> None:
        """Play until the game is over, nobody can move, or a person stops."""
        match = self._match
        self._tell(match.history)
        self._show_to_spectator()
        while actors := match.actors():
            if match.engine.game.turns is Turns.SERIAL:
                actors = (self._random.choice(actors),)
            moves = self._ask(actors)
            if moves is Wish.QUIT:
                print('Stopped before the end.')
                self._record_end()
                return
            if moves is Wish.UNDO:
                self._undo()
            else:
                self._step(moves)
        self._finish()

    def _ask(self, actors: tuple[Role, ...]) -> dict[Role, Move] | Wish:
        moves: dict[Role, Move] = {}
        length = len(self._match.history)
        for role in actors:
            has_choice = role in self._humans and len(self._match.legal_moves(role)) > 1
            if has_choice and not self._hand_over(role, actors):
                return Wish.QUIT
            answer = self._players[role].choose(self._match, role)
            if isinstance(answer, Wish):
                return answer
            if has_choice and self._decisions[-1:] != [length]:
                self._decisions.append(length)
            moves[role] = answer
        return moves

    def _hand_over(self, role: Role, actors: tuple[Role, ...]) -> bool:
        """Let people change places where they must not see each other's view or choice."""
        acting = [r for r in actors if r in self._humans and len(self._match.legal_moves(r)) > 1]
        is_secret = len(self._humans) > 1 and (not self._is_open or len(acting) > 1)
        if not is_secret or role == self._seated:
            return True
        self._seated = role
        if sys.stdout.isatty():
            print(CLEAR, end='')
        try:
            read_line(f'{role}, it is your turn: press Enter when nobody else is looking. ')
        except EOFError:
            return False
        return True

    def _step(self, moves: dict[Role, Move]) -> None:
        before = len(self._match.history)
        self._match.step(moves)
        if self._writer is not None:
            self._writer.follow(self._match)
        self._tell(self._match.history[before:])
        self._show_to_spectator()
        if not self._humans and self._delay:
            sleep(self._delay)

    def _undo(self) -> None:
        length = len(self._match.history)
        # A second person may take back what the first one chose in the same step.
        pending = self._decisions[-1:] == [length]
        if not self._decisions:
            print('  there is nothing to take back')
            return
        target = self._decisions.pop()
        while len(self._match.history) > target and self._match.undo():
            pass
        for player in self._players.values():
            if isinstance(player, Human):
                player.forget(target)
        if self._writer is not None:
            self._writer.follow(self._match)
        if pending:
            print('  choose again')
        elif self._is_open:
            print(f'  back before step {target + 1}')
        else:
            # A number would tell how many steps the others made unseen.
            print('  back before the last choice')

    def _tell(self, steps: list[Step]) -> None:
        """Print the moves that those at the terminal may know.

        In a joint game `noop` only fills the turn of others; in a serial one it is a turn.
        """
        is_joint = self._match.engine.game.turns is Turns.JOINT
        for step in steps:
            for role, move in step.played.items():
                may_know = self._is_open or not self._humans or self._humans == [role]
                if may_know and not (is_joint and str(move) == NOOP):
                    print(f'{role}: {move}')

    def _show_to_spectator(self) -> None:
        if not self._humans:
            print(f'\n{self._board.draw(self._match.state)}\n')

    def _finish(self) -> None:
        match = self._match
        for role in self._humans:
            player = self._players[role]
            if isinstance(player, Human):
                player.show(match, role)
        if match.is_terminal:
            print('The game is over.')
            for role, goal in match.goals().items():
                print(f'  {role}: {"no goal" if goal is None else goal}')
        else:
            print('Nobody has a legal move, though the game is not over.')
        self._record_end()

    def _record_end(self) -> None:
        if self._writer is not None:
            self._writer.end(self._match)
