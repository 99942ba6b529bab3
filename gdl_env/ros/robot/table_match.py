"""The rules and the newest position of a match, for nodes that work with real pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdl_msgs.msg import GameInfo, Spectator

from gdl_env.engine.contract import Engine, State
from gdl_env.engine.registry import open_engine
from gdl_env.errors import GdlError
from gdl_env.language.game import Information
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term
from gdl_env.robot.errors import BoardError
from gdl_env.robot.positions import PositionReader
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.robot.spectator_facts import read_spectator
from gdl_env.ros.transport.names import INFO, SPECTATOR
from gdl_env.ros.transport.qos import spectator_qos
from gdl_env.ros.transport.sources import InfoSubscription, guard


class TableMatch:
    """Follows a match; only games that hide nothing, since a board on a table hides nothing.

    `on_game` is called when another game begins, with everything below known.
    """

    engine: Engine
    reader: PositionReader

    def __init__(self, node: RosNode, on_game: Callable[[], None]) -> None:
        self._node = node
        self._on_game = on_game
        self._facts: list[Term] = []
        self._seen: Spectator | None = None
        # Why there is no board; '' once there is one.
        self.problem = 'no match has begun'
        # Rises with each position.
        self.turn = 0
        self._infos = InfoSubscription(node, INFO, self._on_info)
        take = guard(node, SPECTATOR, self._on_spectator)
        node.create_subscription(Spectator, SPECTATOR, take, spectator_qos())

    @property
    def state(self) -> State | None:
        """Return the newest position; None before the first one."""
        if self.problem or self._seen is None:
            return None
        return frozenset(read_spectator(self._seen, self._facts))

    def read_state(self, facts: Iterable[str]) -> State:
        """Return a position from text, or the newest one if there are no facts.

        Raises BoardError if there is none.
        """
        if self.problem:
            raise BoardError(self.problem)
        try:
            told = frozenset(read_term(text) for text in facts)
        except ValueError as error:
            raise BoardError(f'these facts are no GDL: {error}') from error
        if told:
            return told
        state = self.state
        if state is None:
            raise BoardError('the match has not shown a position yet')
        return state

    def _on_info(self, info: GameInfo) -> None:
        self.problem = self._open(info)
        if self.problem:
            self._node.get_logger().error(self.problem)
            return
        self._on_game()

    def _open(self, info: GameInfo) -> str:
        """Open the game; return what is wrong with it, in words."""
        try:
            game = game_from_text(info.rules, info.name)
            if game.information is not Information.COMPLETE:
                return f'{info.name} hides something: a board on a table shows all its pieces'
            self.engine = open_engine(game)
            self.reader = PositionReader(game, info.name, info.facts)
            self.reader.read(self.engine.initial_state)
        except (GdlError, ValueError) as error:
            return f'{info.name} cannot be played on a table: {error}'
        self._facts = [read_term(text) for text in info.facts]
        # A position may have come before the rules.
        self.turn += 1
        return ''

    def _on_spectator(self, seen: Spectator) -> None:
        self._seen = seen
        self.turn += 1
