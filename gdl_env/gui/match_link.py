"""One match on the graph, as the pages see it: only public topics, services and actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic
from typing import Any

from gdl_msgs.msg import Action, Evaluation, GameInfo, Reward, Spectator, Status
import numpy as np

from gdl_env.errors import GdlError
from gdl_env.gui.agent_evaluation import MoveValues
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.frames import Frames, final_frame
from gdl_env.gui.seats.seat import Seat
from gdl_env.gui.study.drawn_moves import DrawnMoves
from gdl_env.gui.texts import TextError
from gdl_env.gui.views import find_view
from gdl_env.language.families.designation import Designation
from gdl_env.language.game import Game, Information
from gdl_env.language.load import game_from_text
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.transport.names import (
    EVALUATION,
    INFO,
    SPECTATOR,
    STATUS,
    action_topic,
    reward_topic,
)
from gdl_env.ros.transport.passing_topics import create_passing_subscription
from gdl_env.ros.transport.qos import (
    action_qos,
    evaluation_qos,
    reward_qos,
    spectator_qos,
    status_qos,
)
from gdl_env.ros.transport.sources import InfoSubscription, guard

# Silent for longer, the environment is taken for gone [s]; it tells its status twice a second.
SILENCE = 3.0
# Positions that may wait to be taken in: the answer of a quick agent follows at once.
_WAITING = 16


class MatchLink:
    """Listens to one match. Made and closed in the thread of ROS."""

    def __init__(self, node: GraphNode, namespace: str) -> None:
        self.node = node
        self.namespace = namespace.rstrip('/')
        self.info: GameInfo | None = None
        self.painter: Painter | None = None
        self.game: Game | None = None
        self.is_open = False
        # What is wrong with the rules or the view file, in words.
        self.trouble: str | TextError = ''
        self.status: Status | None = None
        self.heard = 0.0
        self.frames = Frames()
        self.seats: dict[str, Seat] = {}
        # Who was chosen for each role, if the table was opened here.
        self.players: Mapping[str, str] = {}
        # How many times an environment has told what it plays: once more when it starts again.
        self.lives = 0
        self.move_values = MoveValues()
        self.drawn_moves = DrawnMoves()
        self.evaluations: list[Evaluation] = []
        # What spectators are shown now, and what it was made of.
        self.shared: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        # Rises when anything but the frames changed.
        self.version = 0
        self._value_topics: list[Any] = []
        self._finals: Any = None
        self._infos = InfoSubscription(node, self.name(INFO), self._on_info)
        watching = spectator_qos(_WAITING)
        self._kept = [
            self._subscribe(Spectator, SPECTATOR, self._on_spectator, watching, raw=True),
            self._subscribe(Status, STATUS, self._on_status, status_qos()),
            self._subscribe(Evaluation, EVALUATION, self._on_evaluation, evaluation_qos()),
        ]

    def name(self, relative: str) -> str:
        """Return the full name of a topic or service of the match."""
        return f'{self.namespace}/{relative}'

    @property
    def is_alive(self) -> bool:
        """Tell whether the environment was heard of late."""
        return monotonic() - self.heard < SILENCE

    def take_seat(self, role: str) -> Seat:
        """Join as a role, as an agent does."""
        if role not in self.seats:
            seat = self.seats[role] = Seat(self.node, self.namespace, role)
            if self.info is not None:
                seat.begin(self.info, is_new=False)
            self.version += 1
        return self.seats[role]

    def leave_seat(self, role: str) -> None:
        """Take a role off the graph."""
        seat = self.seats.pop(role, None)
        if seat is not None:
            seat.close()
            self.version += 1

    def subscribe_to_move_values(self) -> None:
        """Subscribe to the values that agents give to moves."""
        if self._value_topics or self.info is None:
            return
        for role in self.info.roles:
            on_action = partial(self._on_action, role)
            self._value_topics.append(
                self._subscribe(Action, action_topic(role), on_action, action_qos())
            )

    def close(self) -> None:
        """Leave the match."""
        for role in list(self.seats):
            self.leave_seat(role)
        self._infos.close()
        finals = [self._finals] if self._finals is not None else []
        for subscription in (*self._kept, *self._value_topics, *finals):
            self.node.destroy_subscription(subscription)
        self._kept, self._value_topics, self._finals = [], [], None

    def _subscribe(
        self,
        kind: type,
        topic: str,
        callback: Callable[[Any], None],
        qos: Any,
        *,
        raw: bool = False,
    ) -> Any:
        name = self.name(topic)
        listen = guard(self.node, name, callback)
        return create_passing_subscription(self.node, kind, name, listen, qos, raw=raw)

    # ---- what comes in

    def _on_info(self, info: GameInfo) -> None:
        is_first = self.info is None
        is_other = not is_first and info != self.info
        self.info = info
        self.heard = monotonic()
        self.lives += 1
        # What came before the first one is of this match.
        for seat in self.seats.values():
            seat.begin(info, is_new=is_other)
        if is_other:
            self.frames.forget()
        if is_other or is_first:
            self.move_values.clear()
            self.drawn_moves.clear()
            self._prepare(info)
        self.version += 1

    def _prepare(self, info: GameInfo) -> None:
        """Get ready to draw the game."""
        self.trouble = ''
        game: Game | None = None
        try:
            told = Designation.read(info.name)
            if info.rules:
                game = game_from_text(info.rules, told.game, told.options, is_trusted=False)
        except GdlError as error:
            self.trouble = TextError('trouble.unreadable', error=error)
        view, problem = find_view(info.name)
        self.trouble = self.trouble or problem
        self.is_open = game is not None and game.information is Information.COMPLETE
        self.game = game
        self.painter = Painter(info.name, info.roles, game, info.facts, info.moves, view)
        if self._finals is not None:
            self.node.destroy_subscription(self._finals)
            self._finals = None
        if self.is_open and info.lanes == 1:
            # Everybody sees the same, so the last position of one role is everybody's.
            topic = reward_topic(info.roles[0])
            self._finals = self._subscribe(Reward, topic, self._on_reward, reward_qos())

    def _on_spectator(self, data: bytes) -> None:
        self.heard = monotonic()
        self.frames.add(Spectator, data)

    def _on_status(self, status: Status) -> None:
        self.status = status
        self.heard = monotonic()
        self.version += 1

    def _on_reward(self, message: Reward) -> None:
        if self.info is not None and message.lanes == 1:
            goal = int(message.goal[0])
            goals = {} if goal == Reward.GOAL_NONE else {message.role: goal}
            frame = final_frame(message, self.info, goals)
            if frame is not None:
                self.frames.add_final(frame)

    def _on_action(self, role: str, message: Action) -> None:
        if self.info is None or not len(message.preference):
            return
        size = len(self.info.moves)
        values = np.frombuffer(message.preference, np.float32)[:size]
        told = {
            self.info.moves[index]: float(values[index])
            for index in np.flatnonzero(np.isfinite(values))
        }
        self.move_values.add(role, int(message.tick), told)
        self.version += 1

    def _on_evaluation(self, message: Evaluation) -> None:
        self.evaluations = [*self.evaluations[-999:], message]
        self.version += 1
