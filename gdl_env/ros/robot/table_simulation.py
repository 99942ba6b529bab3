"""What a simulated table is to its node, with physics or without."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Protocol

from gdl_env.engine.contract import Engine, State
from gdl_env.robot.executor import Executor
from gdl_env.robot.perception import SeenSquares
from gdl_env.robot.positions import Position
from gdl_env.robot.robot_setup import Geometry
from gdl_env.robot.simulated_camera import CameraNoise
from gdl_env.robot.simulated_person import SimulatedPerson, TableForHands
from gdl_env.robot.simulated_table import SimulatedTable


class PublishSeen(Protocol):
    """Publishes what a camera has seen."""

    def __call__(self, seen: SeenSquares) -> None:
        """Publish it."""


class TableSimulation(ABC):
    """Arm, camera and the hands of people. All methods but `help` belong to the node's thread."""

    executor: Executor

    @abstractmethod
    def act(self, state: State | None, turn: object) -> None:
        """Let people move; no state: the arm moves, or nothing is known."""

    @abstractmethod
    def publish(self) -> None:
        """Publish what the camera has seen since."""

    def frames(self, stamp: Any) -> Iterable[Any]:
        """Return transforms of what it has besides the board."""
        return ()

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what is held."""

    def help(self, position: Position) -> None:  # noqa: B027 - without physics nothing falls
        """Put pieces back by hand after a motion that has failed; called by the arm's thread."""


class PlainTableSimulation(TableSimulation):
    """A table without physics."""

    def __init__(
        self,
        engine: Engine,
        geometry: Geometry,
        start: Position,
        told: dict[str, Any],
        publish: PublishSeen,
    ) -> None:
        self._table = SimulatedTable(
            geometry.reader,
            geometry.empty_trays(),
            told['motion_seconds'],
            told['slips'],
            told['seed'],
        )
        self._table.set_up(start)
        self._person = make_person(engine, geometry, self._table, told)
        self._noise = CameraNoise(
            told['camera_blind'], told['camera_wrong'], told['camera_confidence']
        )
        self._publish = publish
        self.executor = self._table

    def act(self, state: State | None, turn: object) -> None:
        """Let the person move, which takes no time."""
        if state is not None:
            self._person.act(state, turn)

    def publish(self) -> None:
        """Publish a picture of now."""
        self._publish(self._table.look(self._noise))


def make_person(
    engine: Engine, geometry: Geometry, table: TableForHands, told: dict[str, Any]
) -> SimulatedPerson:
    """Return the person at a simulated table."""
    roles = [role for role in told['hands'] if role]
    return SimulatedPerson(engine, geometry.reader, table, roles, told['blunders'], told['seed'])
