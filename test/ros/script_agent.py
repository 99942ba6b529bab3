"""An agent that plays the moves of its detail, in this order, as far as they are legal."""

from __future__ import annotations

from gdl_agents.errors import LateError
from gdl_agents.players.text_agent import TextAgent
from gdl_env.environment.protocol import Question


class Script(TextAgent):
    """Plays `(mark 1 1);(mark 1 2)`, then the first legal move; `stop` at the end says nothing."""

    def __init__(self, detail: str = '') -> None:
        super().__init__()
        self._script = detail.split(';')

    def choose_move(self, view: object, question: Question, deadline: float | None) -> str:
        legal = [str(move) for move in view.moves]  # type: ignore[attr-defined]
        for move in self._script:
            if move in legal:
                return move
        if 'stop' in self._script:
            raise LateError('the script is over')
        return legal[0]
