"""The agent contract: a plain class that answers questions, in a process of its own or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.protocol import Answer, Feedback, MatchInfo, Question

# Says something to the team-mates of a role: role, text, bytes.
Tell: TypeAlias = Callable[[str, str, bytes], None]


def _tell_nobody(role: str, text: str, data: bytes) -> None:
    """Say something where no one listens."""


class Agent(ABC):
    """A player of one or more roles.

    The same seed, questions and order of questions must give the same answers: chance comes from
    the seed given to `begin`, and an agent that draws should draw by (seed, role, tick), so that
    a question asked again, after a restart, is answered alike.
    """

    # Whether `learn` is wanted. Feedback is not sent to agents that ignore it.
    wants_feedback: bool = False
    # Whether questions must hold text (`facts`, `legal_moves`): people and programs read it.
    wants_text: bool = False
    # Whether it plays from a run, so that its node can follow a learner and offer levels.
    follows_policy: bool = False

    # Who answers; strikes are counted by it. Set by whatever runs the agent.
    name: str = 'agent'
    # Set by whatever runs the agent: `self.tell(role, text, data)` reaches the role's team-mates.
    tell: Tell = staticmethod(_tell_nobody)

    def warm_up(self, info: MatchInfo, roles: tuple[str, ...]) -> None:  # noqa: B027
        """Compile and load what a match takes. A node calls it before `begin`, and answers after.

        Raises GdlError if it cannot play this game.
        """

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:  # noqa: B027
        """Get ready for a match, to play these roles.

        Raises GdlError if it cannot play this game.
        """

    @abstractmethod
    def choose(self, question: Question) -> Answer:
        """Answer a question in which something is to be decided."""

    def report_status(self) -> dict[str, int]:
        """Return figures about its play so far, by name, for tables and diagnostics; {} for none.

        Players of games that hide something count `hidden_decisions`, and those of them that were
        `blind_decisions`: nothing was found that agrees with what they were shown.
        """
        return {}

    @property
    def seconds_a_move(self) -> float:
        """Return how long it thinks about each move [s]; 0 if that does not depend on a clock."""
        return 0.0

    def policy(self, question: Question) -> NDArray[np.float64] | None:
        """Return how likely `choose` takes each action: lanes by actions, legal ones only.

        In a game without an action table: one row, the listed moves in their order. None if that
        is not known; `choose` must be asked often then. The question counts as seen.
        """
        return None

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:  # noqa: B027
        """Take note of what was played where that is not what `choose` has answered.

        One action a lane, NO_ACTION where nothing was decided; without an action table, the place
        of the move in the list.
        """

    def preference_range(self, role: str) -> tuple[float, float] | None:
        """Return the preferences of moves that lose and win for certain; None if unknown."""
        return None

    def notice(self, question: Question) -> None:  # noqa: B027
        """See a view that changed while others move."""

    def ponder(self, question: Question, is_wanted: Callable[[], bool]) -> None:  # noqa: B027
        """Think about a position while there is nothing to answer, for as long as that is wanted.

        What was found may help with later questions.
        """

    def learn(self, feedback: Feedback) -> None:  # noqa: B027
        """Receive the feedback of a tick."""

    def hear(self, team: str, role: str, text: str, data: bytes) -> None:  # noqa: B027
        """Listen to what the team-mate who plays `role` said."""

    def end(self) -> None:  # noqa: B027
        """Release what is held; the match is over, or `begin` failed."""
