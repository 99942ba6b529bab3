"""Where a match is, as far as one player can know: from what is announced to questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from gdl_agents.errors import AgentError
from gdl_agents.ggp.belief import Belief
from gdl_agents.ggp.lists import ProtocolError
from gdl_agents.ggp.messages import News
from gdl_agents.players.asking import make_question
from gdl_agents.search.game.match_table import MatchTable, open_table
from gdl_env.engine.contract import NATURE, Engine, Move, Role, State
from gdl_env.engine.mapping import Encoding, EncodingError, open_encoding
from gdl_env.engine.registry import open_engine
from gdl_env.environment.match_info import describe_game
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question
from gdl_env.language.game import Game, Information, Turns
from gdl_env.language.reader import read_role, read_term
from gdl_env.language.terms import Term


class FollowedPosition(ABC):
    """What one player knows of the state, step by step."""

    def __init__(self, game: Game, role: str, info: MatchInfo, encoding: Encoding | None) -> None:
        self.info = info
        self.role: Role = read_role(role)
        self.tick = 0
        self._game = game
        self._encoding = encoding

    @abstractmethod
    def follow(self, news: News) -> None:
        """Take in what is announced. Raises ProtocolError if it does not fit the game."""

    @abstractmethod
    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves of the player, as far as they are known."""

    @abstractmethod
    def seen(self) -> State:
        """Return the facts or percepts that the player is shown."""

    def has_news(self) -> bool:
        """Tell whether an agent is to be shown what changed, though it has nothing to decide.

        That matters only where something is hidden.
        """
        return False

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what is held."""

    def question(self, seconds: float) -> Question:
        """Return what an agent is asked now, with the time it has to answer [s]."""
        seen, legal = self.seen(), self.legal_moves()
        return self.show(seen, legal, seconds, is_asked=len(legal) > 1)

    def read_answer(self, answer: Answer) -> Move | None:
        """Return the move of an agent's answer; None if it names none."""
        if answer.action is None:
            return read_term(answer.moves[0]) if answer.moves and answer.moves[0] else None
        action = int(answer.action[0])
        if self._encoding is None or action == NO_ACTION:
            return None
        return self._encoding.move(self.role, action)

    def show(
        self, seen: State, legal: Sequence[Move], seconds: float = 0.0, *, is_asked: bool
    ) -> Question:
        """Return a question that shows something."""
        return make_question(
            self._encoding, self.role, seen, legal, self.tick, seconds, is_asked=is_asked
        )


class OpenPosition(FollowedPosition):
    """A game in which every move is announced: the state is known."""

    def __init__(
        self, engine: Engine, role: str, info: MatchInfo, encoding: Encoding | None
    ) -> None:
        super().__init__(engine.game, role, info, encoding)
        self._engine = engine
        self._state = engine.initial_state

    def follow(self, news: News) -> None:
        """Play the moves that are announced."""
        self.tick += 1
        if not news.moves:
            return
        roles = self._engine.roles
        if len(news.moves) != len(roles):
            raise ProtocolError(
                f'{len(news.moves)} moves were announced for {len(roles)} roles:'
                f' {", ".join(map(str, roles))}'
            )
        moves = {role: read_move(text) for role, text in zip(roles, news.moves, strict=True)}
        if self._game.turns is Turns.SERIAL:
            # Only one role acts at a time: for the others `noop` is announced.
            acting = set(self._engine.actors(self._state))
            moves = {role: move for role, move in moves.items() if role in acting}
        self._state = self._engine.next_state(self._state, moves)

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves of the player."""
        return self._engine.legal_moves(self._state)[self.role]

    def seen(self) -> State:
        """Return the state."""
        return self._engine.view(self._state, self.role)

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()


class HiddenPosition(FollowedPosition):
    """A game of percepts (GDL-II): the states that agree with all that was perceived."""

    def __init__(self, table: MatchTable, role: str, info: MatchInfo, encoding: Encoding) -> None:
        super().__init__(table.game, role, info, encoding)
        self._belief = Belief(table, table.role(role), seed=0)
        self._percepts: frozenset[Term] = frozenset()

    def follow(self, news: News) -> None:
        """Take in percepts: agents are shown those since their last decision together."""
        self.tick += 1
        new = frozenset(map(read_move, news.percepts or ()))
        was_decision = len(self.legal_moves()) > 1
        self._percepts = new if was_decision else self._percepts | new
        if news.own:
            self._belief.follow(read_move(news.own), new)

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves of a state that agrees with what was seen: () if none does."""
        return self._belief.legal_moves()

    def seen(self) -> State:
        """Return what was perceived since the last decision."""
        return self._percepts

    def has_news(self) -> bool:
        """Tell whether others decide, as in a match of ours: forced moves are not shown."""
        return self._belief.is_decision()


def open_position(game: Game, role: str) -> FollowedPosition:
    """Open a game for one player.

    Raises ProtocolError if it has no such role, EngineError or AgentError if it cannot be played.
    """
    roles = {str(known): known for known in game.roles}
    if role not in roles or roles[role] == NATURE:
        known = ', '.join(name for name in roles if roles[name] != NATURE)
        raise ProtocolError(f'the game has no role {role!r} for a player; its roles: {known}')
    if game.information is Information.STATE:
        raise ProtocolError(
            'the game hides parts of its state by (true (sees …)), which the GGP protocol cannot'
            ' announce; it knows moves, and percepts by (sees role percept)'
        )
    encoding: Encoding | None
    try:
        encoding = open_encoding(game)
    except EncodingError:
        encoding = None
    players = tuple(known for known in game.roles if known != NATURE)
    info = describe_game(game, encoding, players)
    if game.information is not Information.PERCEPTS:
        return OpenPosition(open_engine(game), role, info, encoding)
    if encoding is None:
        raise AgentError('this game hides something and has no vector form: it cannot be followed')
    return HiddenPosition(open_table(info), role, info, encoding)


def read_move(text: str) -> Term:
    """Read a move or a percept. Raises ProtocolError."""
    try:
        return read_term(text)
    except ValueError as error:
        raise ProtocolError(f'that is no term: {error}') from error
