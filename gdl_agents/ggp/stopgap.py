"""Legal moves of a game while its compiled engine or the agent is not ready yet."""

from __future__ import annotations

from random import Random

from gdl_agents.errors import AgentError
from gdl_agents.ggp.messages import News
from gdl_agents.ggp.position import OpenPosition
from gdl_env.engine.contract import NATURE, Move
from gdl_env.engine.registry import open_engine
from gdl_env.environment.match_info import describe_game
from gdl_env.errors import GdlError
from gdl_env.language.game import Game, Information

# Engines that do not compile a game as a whole, and how long one question may take [s].
_ENGINES = ('prolog', 'firstorder')
_TIME_LIMIT = 5.0


class Stopgap:
    """Follows a match from its beginning, and draws random legal moves."""

    def __init__(self, game: Game, role: str, seed: int) -> None:
        """Open the first engine that can. Raises AgentError if none can, or moves are hidden."""
        if game.information is not Information.COMPLETE:
            raise AgentError(f'{game.name} hides something: legal moves are not known at once')
        self._random = Random(seed)
        self._position = self._open(game, role)

    def choose(self, news: News) -> Move | None:
        """Take in what is announced, and draw a move; None if there is none."""
        if news.moves:
            self._position.follow(news)
        legal = self._position.legal_moves()
        return self._random.choice(legal) if legal else None

    def close(self) -> None:
        """Close the engine."""
        self._position.close()

    def _open(self, game: Game, role: str) -> OpenPosition:
        players = tuple(known for known in game.roles if known != NATURE)
        info = describe_game(game, None, players)
        for name in _ENGINES:
            try:
                engine = open_engine(game, name, time_limit=_TIME_LIMIT)
                return OpenPosition(engine, role, info, None)
            except GdlError:
                continue
        raise AgentError(f'{game.name}: no engine opens at once')
