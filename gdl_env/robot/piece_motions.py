"""Which pieces have to be moved to get from one position to another, of any game with a board.

In chess, (move e 1 g 1) moves two pieces: the king from e1 to g1, the rook from h1 to f1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl_env.robot.positions import Place, Position
from gdl_env.robot.trays import Slot, Trays

Spot: TypeAlias = Place | Slot

# Why a piece is moved. A piece that another one takes the place of, such as a pawn that becomes a
# queen, is exchanged; one that has to make room for a while is parked.
MOVE, CAPTURE, EXCHANGE, PLACE, FLIP, PARK = (
    'move',
    'capture',
    'exchange',
    'place',
    'flip',
    'park',
)


@dataclass(frozen=True)
class Motion:
    """A piece that is picked at one spot and put down at another, or turned over where it is."""

    piece: str
    purpose: str
    origin: Spot
    target: Spot
    # What it is after a flip.
    becomes: str = ''


@dataclass(frozen=True)
class Plan:
    """Motions in the order in which they are possible, and what the trays hold after them."""

    motions: tuple[Motion, ...]
    trays: Trays


# Two pieces that are the two sides of one.
Flips: TypeAlias = Collection[frozenset[str]]


def plan_motions(
    before: Position,
    after: Position,
    trays: Trays,
    paths: Iterable[tuple[Place, Place]] = (),
    flips: Flips = (),
) -> Plan:
    """Return how to get from one position to another.

    `paths` says where moves lead, as far as they name two squares: of several pieces that are
    alike, the one on the path is moved. Raises TrayError.
    """
    return _Planner(before, after, trays, dict(paths), flips).plan()


def apply_motions(
    position: Position, trays: Trays, motions: Iterable[Motion]
) -> tuple[Position, Trays]:
    """Return position and trays after motions.

    Raises ValueError if one of them takes a piece that is not on top of its square, TrayError if
    it is not in its slot.
    """
    stacks = {place: list(pieces) for place, pieces in position.items()}
    for motion in motions:
        piece, trays = _pick(stacks, trays, motion)
        if motion.purpose == FLIP:
            piece = motion.becomes
        if isinstance(motion.target, Slot):
            trays = trays.put(piece, motion.target)
        else:
            stacks.setdefault(motion.target, []).append(piece)
    return {place: tuple(pieces) for place, pieces in stacks.items() if pieces}, trays


def _pick(stacks: dict[Place, list[str]], trays: Trays, motion: Motion) -> tuple[str, Trays]:
    if isinstance(motion.origin, Slot):
        piece, trays = trays.pick(motion.origin)
    else:
        stack = stacks.get(motion.origin, [])
        piece = stack.pop() if stack else 'nothing'
    if piece != motion.piece:
        raise ValueError(f'{motion.origin} has {piece} on top, not {motion.piece}')
    return piece, trays


@dataclass
class _Job:
    """A piece that leaves its place: where it goes, and to which height; None: off the board."""

    piece: str
    origin: Place
    target: Place | None
    level: int = 0
    purpose: str = MOVE


@dataclass
class _Planner:
    before: Position
    after: Position
    trays: Trays
    paths: Mapping[Place, Place]
    flips: Flips
    motions: list[Motion] = field(default_factory=list)
    # What still has to leave its place, and what stands where now.
    _jobs: list[_Job] = field(default_factory=list)
    _stacks: dict[Place, list[str]] = field(default_factory=dict)

    def plan(self) -> Plan:
        self._stacks = {place: list(pieces) for place, pieces in self.before.items()}
        flips = self._find_flips()
        turned = {place: (*self.after[place],) for place, _ in flips}
        start = {**self.before, **turned}
        leaving, arriving = self._changes(start)
        jobs = self._match(leaving, arriving)
        self._jobs = jobs
        self._run(jobs, arriving)
        for place, piece in flips:
            self._emit(Motion(piece, FLIP, place, place, self.after[place][-1]))
        return Plan(tuple(self.motions), self.trays)

    def _find_flips(self) -> list[tuple[Place, str]]:
        """Return the pieces that only have to be turned over."""
        found = []
        for place, pieces in sorted(self.before.items()):
            wanted = self.after.get(place, ())
            is_alike = len(pieces) == len(wanted) and pieces[:-1] == wanted[:-1]
            if is_alike and frozenset({pieces[-1], wanted[-1]}) in self.flips:
                found.append((place, pieces[-1]))
        return found

    def _changes(self, start: Position) -> tuple[list[_Job], list[tuple[Place, int, str]]]:
        """Return what leaves its place, the upper pieces first, and what is missing where."""
        leaving: list[_Job] = []
        arriving: list[tuple[Place, int, str]] = []
        for place in sorted({*start, *self.after}):
            old, new = start.get(place, ()), self.after.get(place, ())
            pairs = zip(old, new, strict=False)
            kept = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
            leaving += [_Job(piece, place, None) for piece in reversed(old[kept:])]
            arriving += [(place, kept + i, piece) for i, piece in enumerate(new[kept:])]
        return leaving, arriving

    def _match(self, leaving: list[_Job], arriving: list[tuple[Place, int, str]]) -> list[_Job]:
        """Give leaving pieces their places, and take from `arriving` what they fill."""
        pairs = [
            (self._distance(job.origin, place), number, job, slot)
            for number, job in enumerate(leaving)
            for slot in arriving
            for place in (slot[0],)
            if job.piece == slot[2]
        ]
        taken: set[int] = set()
        for _, number, job, slot in sorted(pairs, key=lambda pair: (pair[0], pair[1], pair[3])):
            if number not in taken and slot in arriving:
                taken.add(number)
                arriving.remove(slot)
                job.target, job.level = slot[0], slot[1]
        missing = Counter(place for place, _, _ in arriving)
        for number, job in enumerate(leaving):
            if number not in taken:
                # Something else comes from a tray to where it goes, or where it stands.
                end = self.paths.get(job.origin, job.origin)
                is_met = job.origin in self.paths.values() and job.origin not in self.paths
                job.purpose = EXCHANGE if missing[end] and not is_met else CAPTURE
        return leaving

    def _distance(self, origin: Place, target: Place) -> tuple[int, int]:
        if self.paths.get(origin) == target:
            return (0, 0)
        apart = abs(origin.row - target.row) + abs(origin.column - target.column)
        return (1 if origin.board == target.board else 2, apart)

    def _run(self, jobs: list[_Job], missing: list[tuple[Place, int, str]]) -> None:
        """Do what is possible, until all is done; park a piece where nothing is."""
        parked: list[tuple[Slot, _Job]] = []
        while jobs or missing or parked:
            if not (self._move_one(jobs, parked) or self._fill_one(missing)):
                job = next(job for job in jobs if self._is_on_top(job, jobs))
                slot = self.trays.find_room(job.piece)
                self._emit(Motion(job.piece, PARK, job.origin, slot))
                jobs.remove(job)
                parked.append((slot, job))

    def _move_one(self, jobs: list[_Job], parked: list[tuple[Slot, _Job]]) -> bool:
        # Whatever leaves the board goes first, and then what the move names.
        order = sorted(jobs, key=lambda j: (j.target is not None, j.origin not in self.paths))
        for job in order:
            if not self._is_on_top(job, jobs):
                continue
            if job.target is None:
                slot = self.trays.find_room(job.piece)
                self._emit(Motion(job.piece, job.purpose, job.origin, slot))
            elif job.target != job.origin and self._is_ready(job.target, job.level):
                self._emit(Motion(job.piece, MOVE, job.origin, job.target))
            else:
                continue
            jobs.remove(job)
            return True
        for slot, job in parked:
            if job.target is not None and self._is_ready(job.target, job.level):
                self._emit(Motion(job.piece, MOVE, slot, job.target))
                parked.remove((slot, job))
                return True
        return False

    def _fill_one(self, missing: list[tuple[Place, int, str]]) -> bool:
        for place, level, piece in missing:
            if self._is_ready(place, level):
                self._emit(Motion(piece, PLACE, self.trays.find_piece(piece), place))
                missing.remove((place, level, piece))
                return True
        return False

    def _is_ready(self, place: Place, level: int) -> bool:
        """Tell whether the next piece that is put there gets to that height, to stay there."""
        is_left = all(job.origin != place for job in self._jobs)
        return is_left and len(self._stacks.get(place, ())) == level

    def _is_on_top(self, job: _Job, jobs: Sequence[_Job]) -> bool:
        """Tell whether nothing that has to leave first lies above; upper pieces come first."""
        return next(other for other in jobs if other.origin == job.origin) is job

    def _emit(self, motion: Motion) -> None:
        position, self.trays = apply_motions(
            {place: tuple(stack) for place, stack in self._stacks.items()}, self.trays, [motion]
        )
        self._stacks = {place: list(stack) for place, stack in position.items()}
        self.motions.append(motion)
