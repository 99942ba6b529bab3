"""A table with physics as an executor: pieces are held by friction, can fall, slip and roll."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from gdl_env.robot.executor import Executor, MotionError, Report
from gdl_env.robot.physics.arm import Arm, OnPath
from gdl_env.robot.physics.person_hand import PersonHand
from gdl_env.robot.physics.piece_kinds import find_kinds
from gdl_env.robot.physics.table_layout import TableLayout
from gdl_env.robot.physics.world import PieceBody, World
from gdl_env.robot.piece_motions import FLIP, Spot, plan_motions
from gdl_env.robot.positions import Place, Position
from gdl_env.robot.robot_setup import Geometry, Point
from gdl_env.robot.transfers import Transfer
from gdl_env.robot.trays import CAPTURED, RESERVE, Slot, Trays

# Spare pieces of every kind, beside those that a match begins with, where pieces are moved.
_SPARE = 6
# Where fewer squares than this share have pieces at first, pieces are placed.
_PLACING = 0.2
# A piece belongs to the square whose middle is nearer than this [squares].
_NEAR = 0.4
# A careful person moves what stands farther from it than this [squares].
_ASKEW = 0.08
# What is held is as wide as it should be, within this share.
_WIDTH = 0.35
# Above the table, where a piece is lowered more slowly [m].
_HEIGHT = 0.004


@dataclass(frozen=True)
class TableOptions:
    """How a simulated table behaves."""

    # Times real time; 0: as fast as it can.
    speed: float = 0.0
    # The share of motions in which the gripper loses its hold.
    slips: float = 0.0
    seed: int = 0


class PhysicalTable(Executor):
    """Arm, pieces and a person's hand in one world. Where pieces are, only its camera may tell."""

    def __init__(
        self,
        geometry: Geometry,
        layout: TableLayout,
        start: Position,
        options: TableOptions | None = None,
    ) -> None:
        options = options or TableOptions()
        self._geometry = geometry
        self._slips = options.slips
        self._random = Random(options.seed)
        kinds = find_kinds(geometry, start, _find_spare(geometry, start))
        self.world = World(geometry, layout, kinds, options.speed)
        self._arm = Arm(self.world)
        self._hand = PersonHand(self.world, geometry.setup.clearance)
        # Pieces that are neither on the board nor in a tray.
        self._stored = set(self.world.bodies)
        # What the magazines have handed out.
        self._taken: dict[str, int] = {}
        self.set_up(start)

    def follow_paths(self, on_path: OnPath) -> None:
        """Show each path of the arm to a viewer before it is followed."""
        self._arm.on_path = on_path

    # ---- where pieces are

    @property
    def position(self) -> Position:
        """Return where pieces really stand; fallen ones stand nowhere."""
        found: dict[Place, tuple[str, ...]] = {}
        for place in self._geometry.reader.places:
            stack = self._standing(place)
            if stack:
                found[place] = tuple(self._name(body) for body in stack)
        return found

    def set_up(self, position: Position) -> None:
        """Put all pieces where they should be, at once."""
        for body in self.world.bodies:
            self._store(body)
        for place, stack in position.items():
            for level, piece in enumerate(stack):
                point = self._geometry.point(place, stack[:level])
                self._place(self._spare(piece), point, piece)
        self._taken.clear()
        for slot in self._geometry.slots():
            if slot.tray == RESERVE:
                self._fill(slot)
        self.world.settle()

    # ---- the arm

    def transfer(self, transfer: Transfer, report: Report) -> None:
        """Move a piece. Raises MotionError if the gripper closes on nothing, or loses it."""
        motion, shape = transfer.motion, transfer.shape
        above = self._geometry.setup.clearance + shape.grasp
        pick, put = transfer.pick, transfer.put
        is_lost = self._random.random() < self._slips
        if isinstance(motion.target, Slot) and motion.target.tray == RESERVE:
            self._swallow(motion.target)
        try:
            report('approach')
            # In turn along both diagonals, so that pieces get back to the middle of their squares.
            self._arm.turn_fingers()
            self._arm.go(_raised(pick, above))
            self._arm.open(shape.opening)
            self._arm.go(_raised(pick, shape.grasp))
            report('grasp')
            self._arm.close(shape.width)
            self._check_hold(transfer, 'the gripper closed on nothing')
            report('lift')
            self._arm.go(_raised(pick, above))
            self._check_hold(transfer, 'the gripper has lost it')
            if motion.purpose == FLIP:
                self._arm.turn()
                # What was above the pads is below them now.
                put = _raised(put, shape.height - 2 * shape.grasp)
            else:
                report('carry')
                self._arm.go(_raised(put, above))
            if is_lost:
                self._arm.lose_grip()
            self._check_hold(transfer, 'the gripper has lost it')
            report('lower')
            self._arm.go(_raised(put, shape.grasp + _HEIGHT))
            self._arm.go(_raised(put, shape.grasp), is_careful=True)
            report('release')
            self._arm.open(shape.opening)
            report('retreat')
            self._arm.go(_raised(put, above))
        except MotionError:
            self._arm.open(shape.opening)
            raise
        finally:
            if isinstance(motion.origin, Slot) and motion.origin.tray == RESERVE:
                self._refill(motion.origin)

    def rest(self) -> None:
        """Get the arm out of the camera's view."""
        self._arm.rest()
        self.world.settle()

    def close(self) -> None:
        """Stop whatever moves."""
        self.world.close()

    def _check_hold(self, transfer: Transfer, problem: str) -> None:
        """Compare the gap between the pads with the piece. Raises MotionError."""
        gap, width = self.world.gap(), transfer.shape.width
        if abs(gap - width) > _WIDTH * width:
            where = transfer.motion.origin
            name = self._words(where)
            raise MotionError(f'{problem}: no {transfer.motion.piece} from {name}')

    # ---- the person

    def rearrange(self, position: Position) -> None:
        """Bring pieces to a position by hand, one after the other."""
        # What has fallen or stands between squares is taken away first, and what stands askew is
        # put straight.
        for body in [*self.world.loose(self._stored), *self._strays()]:
            self._take_away(body)
        self._straighten()
        plan = plan_motions(
            self.position,
            position,
            Trays(room=10_000, magazines=self._geometry.reader.pieces),
            flips=self._geometry.setup.flips,
        )
        for motion in plan.motions:
            body = self._find(motion.origin, motion.piece)
            if isinstance(motion.target, Slot):
                self._take_away(body)
                continue
            below = tuple(self._name(other) for other in self._standing(motion.target))
            if motion.purpose == FLIP:
                below = below[:-1]
            name = motion.becomes or motion.piece
            self._stored.discard(body)
            point = self._geometry.point(motion.target, below)
            self._hand.carry(body, point, name == body.kind.below)
        self._hand.leave()

    def _strays(self) -> list[PieceBody]:
        """Return the pieces that stand where there is neither a square nor a slot."""
        geometry = self._geometry
        placed = {body for place in geometry.reader.places for body in self._standing(place)}
        placed |= {body for slot in geometry.slots() for body in self._at_slot(slot)}
        upright = (body for body in self.world.bodies if self.world.turn_of(body))
        return [body for body in upright if body not in placed and body not in self._stored]

    def _straighten(self) -> None:
        most = _ASKEW * self._geometry.setup.square
        for place in self._geometry.reader.places:
            below: tuple[str, ...] = ()
            for body in self._standing(place):
                name, point = self._name(body), self._geometry.point(place, below)
                x, y, _ = self.world.point(body)
                if max(abs(x - point[0]), abs(y - point[1])) > most:
                    self._hand.carry(body, point, name == body.kind.below)
                below = (*below, name)

    def knock_over(self, place: Place) -> None:
        """Knock against what stands on a square, as sleeves do."""
        x, y, z = self._geometry.point(place)
        (body, *_) = reversed(self._standing(place))
        half, tip = 0.45 * self._geometry.setup.square, 0.02 * self.world.layout.scale
        high = 0.75 * body.kind.shape.height - tip
        self._hand.sweep((x, y - 1.2 * half, z + high), (x, y + half, z + high))
        self._hand.leave()

    # ---- bodies

    def _standing(self, place: Place) -> list[PieceBody]:
        near = _NEAR * self._geometry.setup.square
        point = self._geometry.point(place)
        return [b for b in self.world.standing(point, near) if b not in self._stored]

    def _name(self, body: PieceBody) -> str:
        is_down = self.world.turn_of(body) < 0 and body.kind.below
        return body.kind.below if is_down else body.kind.name

    def _find(self, spot: Spot, piece: str) -> PieceBody:
        return self._standing(spot)[-1] if isinstance(spot, Place) else self._spare(piece)

    def _spare(self, piece: str) -> PieceBody:
        for body in sorted(self._stored, key=lambda body: body.number):
            if body.kind.holds(piece):
                return body
        # What was captured and not needed since can be used again.
        for slot in reversed(self._geometry.slots()):
            for body in self._at_slot(slot) if slot.tray == CAPTURED else ():
                if body.kind.holds(piece):
                    self._store(body)
                    return body
        raise MotionError(f'the table has no {piece} left')

    def _place(self, body: PieceBody, point: Point, piece: str) -> None:
        self._stored.discard(body)
        self.world.put(body, point, piece == body.kind.below)

    def _store(self, body: PieceBody) -> None:
        self._stored.add(body)
        self.world.put(body, self.world.layout.stored(body.number))

    def _take_away(self, body: PieceBody) -> None:
        self._hand.carry(body, self.world.layout.stored(body.number))
        self._stored.add(body)

    # ---- the magazines

    def _at_slot(self, slot: Slot) -> list[PieceBody]:
        near = _NEAR * self._geometry.setup.square
        found = self.world.standing(self._geometry.point(slot), near)
        return [body for body in found if body not in self._stored]

    def _fill(self, slot: Slot) -> None:
        piece = self._geometry.empty_trays().magazines[slot.number]
        count = self._geometry.setup.counts.get(piece)
        if count is None or self._taken.get(piece, 0) < count:
            self._place(self._spare(piece), self._geometry.point(slot), piece)

    def _refill(self, slot: Slot) -> None:
        if not self._at_slot(slot):
            piece = self._geometry.empty_trays().magazines[slot.number]
            self._taken[piece] = self._taken.get(piece, 0) + 1
            self._fill(slot)

    def _swallow(self, slot: Slot) -> None:
        """Take in what a magazine shows, so that another piece has room there."""
        piece = self._geometry.empty_trays().magazines[slot.number]
        self._taken[piece] = self._taken.get(piece, 0) - 1
        for body in self._at_slot(slot):
            self._store(body)

    def _words(self, spot: Spot) -> str:
        if isinstance(spot, Place):
            return self._geometry.reader.words(spot)
        return spot.name.replace('_', ' ')


def _find_spare(geometry: Geometry, start: Position) -> int:
    places, setup = len(geometry.reader.places), geometry.setup
    if len(start) >= _PLACING * places:
        return _SPARE
    # Sides place as many pieces as each other.
    kinds = max(1, len(geometry.reader.pieces) - len(setup.flips))
    return _SPARE + (places + kinds - 1) // kinds


def _raised(point: Point, height: float) -> Point:
    return point[0], point[1], point[2] + height
