"""What an invented game is made of, as values. Nothing here writes rules or draws at random."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Direction(Enum):
    """Where a step on the board leads: rows down, columns to the right."""

    NORTH = (-1, 0)
    SOUTH = (1, 0)
    WEST = (0, -1)
    EAST = (0, 1)
    NORTHWEST = (-1, -1)
    NORTHEAST = (-1, 1)
    SOUTHWEST = (1, -1)
    SOUTHEAST = (1, 1)


_CROSS = (Direction.NORTH, Direction.SOUTH, Direction.WEST, Direction.EAST)
_SALTIRE = (Direction.NORTHWEST, Direction.NORTHEAST, Direction.SOUTHWEST, Direction.SOUTHEAST)


class Links(Enum):
    """Which cells are neighbours."""

    CROSS = _CROSS
    ALL = (*_CROSS, *_SALTIRE)
    # Six of them: the board is a rhombus of hexagons.
    HEX = (*_CROSS, Direction.NORTHEAST, Direction.SOUTHWEST)
    DIAGONAL = _SALTIRE

    @property
    def axes(self) -> tuple[Direction, ...]:
        """Return one direction of each line through a cell."""
        return tuple(d for d in self.value if d.value > (0, 0))


class Outline(Enum):
    """The shape of a board."""

    RECTANGLE = 'rectangle'
    # Without its four corners.
    CORNERS = 'corners'
    # Without the cell in its middle.
    HOLE = 'hole'
    # The first and the last column are neighbours.
    CYLINDER = 'cylinder'


@dataclass(frozen=True)
class BoardDesign:
    """Where a game is played."""

    rows: int
    columns: int
    outline: Outline
    links: Links

    @property
    def has_holes(self) -> bool:
        """Tell whether some cells of the rectangle are missing."""
        return self.outline in {Outline.CORNERS, Outline.HOLE}


class Timing(Enum):
    """Who acts when."""

    ROUND = 'one after the other'
    # A coin says who moves next.
    COIN = 'coin'
    # All at the same time.
    TOGETHER = 'together'


class Spot(Enum):
    """Where a stone may be placed: on an empty cell, and besides ..."""

    FREE = 'anywhere'
    # Where it rests on the edge or on something else.
    DROP = 'drop'
    # Next to a stone, whoever owns it.
    BESIDE = 'beside'
    # Next to no own stone.
    APART = 'apart'


class Effect(Enum):
    """What a placed stone does to the stones of others."""

    NONE = 'none'
    # Neighbours change their owner.
    TURN = 'turn'
    # Whole lines between two own stones change their owner.
    FLANK = 'flank'
    # Single stones between two own ones are taken off the board.
    PINCER = 'pincer'


class Luck(Enum):
    """What chance does to placements."""

    NONE = 'none'
    # A die says in which column.
    DIE = 'die'
    # One placement of four fails, and leaves a rock.
    MISS = 'miss'


class Secret(Enum):
    """What becomes of a try on a cell that was not known to be taken."""

    OPEN = 'nothing is hidden'
    AGAIN = 'another try'
    LOST = 'the turn is lost'


@dataclass(frozen=True)
class Placing:
    """Stones are placed, and stay where they are."""

    spot: Spot = Spot.FREE
    effect: Effect = Effect.NONE
    luck: Luck = Luck.NONE
    secret: Secret = Secret.OPEN


class Gait(Enum):
    """How a piece moves."""

    STEP = 'step'
    # Steps, and jumps over one neighbour, whoever owns it.
    HOP = 'hop'
    # Any number of empty cells in a line.
    SLIDE = 'slide'


class Heads(Enum):
    """In which directions a piece moves, for the player whose side is the first row."""

    STRAIGHT = (Direction.SOUTH,)
    AHEAD = (Direction.SOUTH, Direction.SOUTHWEST, Direction.SOUTHEAST)
    # Never back.
    SIDEWAYS = (Direction.SOUTH, Direction.WEST, Direction.EAST)
    CROSS = _CROSS
    DIAGONAL = _SALTIRE
    ALL = (*_CROSS, *_SALTIRE)

    @property
    def is_alike(self) -> bool:
        """Tell whether both players move in the same directions."""
        return self in {Heads.CROSS, Heads.DIAGONAL, Heads.ALL}


class Capture(Enum):
    """How pieces of the other are captured."""

    NONE = 'none'
    # By moving onto them.
    REPLACE = 'replace'
    # By moving onto them diagonally ahead, where moves are straight.
    SLANT = 'slant'
    # By jumping over them.
    LEAP = 'leap'


class Lineup(Enum):
    """Where pieces begin, on the two sides of the board."""

    ROW = 'one row'
    ROWS = 'two rows'
    GAPS = 'every other cell of a row'
    PAIR = 'both ends of a row'
    SINGLE = 'the middle of a row'


@dataclass(frozen=True)
class Moving:
    """Pieces move."""

    gait: Gait = Gait.STEP
    heads: Heads = Heads.ALL
    capture: Capture = Capture.NONE
    start: Lineup = Lineup.ROW
    # Whether who can capture must.
    is_forced: bool = False
    # Whether a rock is left on the cell from which a piece moves.
    leaves_rocks: bool = False


class Aim(Enum):
    """What wins."""

    LINE = 'line'
    # Who makes a line loses.
    NO_LINE = 'no line'
    BLOCK = 'block'
    CONNECT = 'connect'
    REACH = 'reach'
    SUMMIT = 'summit'
    MOST = 'most'
    WIPE_OUT = 'wipe out'
    # The other has fewer pieces than a number.
    FEW = 'few'
    # The other has no move.
    STUCK = 'stuck'
    # Who has no move wins.
    STUCK_FIRST = 'stuck first'


@dataclass(frozen=True)
class Goal:
    """What a game is played for."""

    aim: Aim
    # Of stones in a line, or of pieces that are too few.
    number: int = 0
    # The lines that count.
    lines: Links = Links.ALL
    # Whether more stones or pieces decide a game that ends without a winner.
    has_count: bool = False


@dataclass(frozen=True)
class Design:
    """All parts of a game."""

    roles: tuple[str, ...]
    board: BoardDesign
    play: Placing | Moving
    goal: Goal
    turns: Timing = Timing.ROUND
    # Whether who has no move loses; otherwise such a player passes.
    is_stuck_lost: bool = False
    # Turns after which a game ends; 0: it ends by itself.
    limit: int = 0

    @property
    def is_hidden(self) -> bool:
        """Tell whether players do not see the stones of others."""
        return isinstance(self.play, Placing) and self.play.secret is not Secret.OPEN

    @property
    def has_rocks(self) -> bool:
        """Tell whether cells can be blocked by what belongs to nobody."""
        if isinstance(self.play, Moving):
            return self.play.leaves_rocks
        return self.play.luck is Luck.MISS or self.turns is Timing.TOGETHER

    @property
    def has_chance(self) -> bool:
        """Tell whether anything is left to chance."""
        luck = self.play.luck if isinstance(self.play, Placing) else Luck.NONE
        return self.turns is Timing.COIN or luck is not Luck.NONE

    @property
    def can_stick(self) -> bool:
        """Tell whether a player may be without a move while another has one."""
        if isinstance(self.play, Moving):
            return True
        return self.play.spot is Spot.APART

    @property
    def has_passes(self) -> bool:
        """Tell whether a player without a move passes."""
        is_won = self.goal.aim is Aim.STUCK_FIRST
        return self.can_stick and not self.is_stuck_lost and not is_won

    @property
    def thing(self) -> str:
        """Return what is on the board: a stone or a piece."""
        return 'piece' if isinstance(self.play, Moving) else 'stone'
