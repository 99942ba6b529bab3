"""Designs drawn at random: parts that go together, in sizes that make sense."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from gdl_agents.inventing.design import (
    Aim,
    BoardDesign,
    Capture,
    Design,
    Effect,
    Gait,
    Goal,
    Heads,
    Lineup,
    Links,
    Luck,
    Moving,
    Outline,
    Placing,
    Secret,
    Spot,
    Timing,
)

_COLOURS = (
    ('white', 'black'),
    ('black', 'white'),
    ('red', 'blue'),
    ('red', 'yellow'),
    ('blue', 'yellow'),
)
_THREE = ('red', 'yellow', 'blue')
_PLACING_AIMS = (
    Aim.LINE,
    Aim.LINE,
    Aim.NO_LINE,
    Aim.BLOCK,
    Aim.CONNECT,
    Aim.CONNECT,
    Aim.MOST,
    Aim.MOST,
    Aim.STUCK,
    Aim.STUCK_FIRST,
)
_MOVING_AIMS = (
    Aim.REACH,
    Aim.REACH,
    Aim.WIPE_OUT,
    Aim.FEW,
    Aim.SUMMIT,
    Aim.STUCK,
    Aim.STUCK,
    Aim.LINE,
    Aim.BLOCK,
    Aim.MOST,
)
# Turns of a game that would not end by itself, for each cell of the board.
_TURNS_A_CELL = 2


def draw_design(random: Random) -> Design:
    """Return a design whose parts go together."""
    draw, aims = random.choice(((_draw_placing, _PLACING_AIMS), (_draw_moving, _MOVING_AIMS)))
    # Chosen once: some aims go together with few other parts.
    aim = random.choice(aims)
    while True:
        design = draw(random, aim)
        if goes_together(design):
            return design


# ---- placing


def _draw_placing(random: Random, aim: Aim) -> Design:
    kind = random.choices(('open', 'hidden', 'together', 'three'), (10, 2, 2, 2))[0]
    goal = _draw_goal(random, aim)
    board = _draw_board(random, goal)
    placing = Placing(
        spot=random.choices(list(Spot), (5, 2, 3, 3))[0],
        effect=random.choices(list(Effect), (6, 2, 2, 2))[0],
        luck=random.choices(list(Luck), (8, 1, 1))[0],
    )
    turns = random.choices((Timing.ROUND, Timing.COIN), (8, 1))[0]
    roles = random.choice(_COLOURS)
    if kind == 'hidden':
        turns = Timing.ROUND
        placing = Placing(secret=random.choice((Secret.AGAIN, Secret.LOST)))
        board = replace(board, rows=random.randint(3, 4), columns=random.randint(3, 4))
    elif kind == 'together':
        turns = Timing.TOGETHER
        placing = Placing(spot=random.choice((Spot.FREE, Spot.DROP, Spot.BESIDE)))
    is_plain = placing.effect is Effect.NONE and placing.spot in {Spot.FREE, Spot.DROP}
    if is_plain and aim is not Aim.CONNECT:
        # Nothing asks which cells are neighbours.
        board = replace(board, links=Links.ALL)
    design = Design(_THREE if kind == 'three' else roles, board, placing, goal, turns)
    is_lost = placing.spot is Spot.APART and goal.aim is Aim.STUCK
    limit = _limit(board) if placing.effect is Effect.PINCER else 0
    if kind == 'together':
        # About as many rounds as fill the board.
        limit = board.rows * board.columns // 2 + 2
    return replace(design, is_stuck_lost=is_lost, limit=limit)


def _draw_goal(random: Random, aim: Aim) -> Goal:
    if aim in {Aim.LINE, Aim.NO_LINE}:
        number = random.choices((3, 4, 5), (4, 4, 1))[0]
        lines = random.choices((Links.ALL, Links.CROSS, Links.DIAGONAL), (5, 2, 1))[0]
        return Goal(aim, number, lines, random.random() < 0.3)
    if aim is Aim.FEW:
        return Goal(aim, random.randint(2, 4), has_count=random.random() < 0.5)
    return Goal(aim, has_count=aim is not Aim.MOST and random.random() < 0.3)


def _draw_board(random: Random, goal: Goal) -> BoardDesign:
    sizes = {3: (3, 5), 4: (5, 7), 5: (6, 8)}.get(goal.number, (4, 6))
    rows = random.randint(*sizes)
    columns = rows if random.random() < 0.5 else random.randint(*sizes)
    outline = random.choices(list(Outline), (6, 2, 2, 2))[0]
    links = random.choices((Links.CROSS, Links.ALL, Links.HEX), (3, 2, 2))[0]
    if goal.lines is Links.ALL and links is Links.HEX and goal.number:
        # On hexagons a diagonal of the rhombus is no line.
        return BoardDesign(rows, columns, outline, Links.ALL)
    return BoardDesign(rows, columns, outline, links)


# ---- moving


def _draw_moving(random: Random, aim: Aim) -> Design:
    goal = _draw_goal(random, aim)
    if goal.aim is Aim.LINE:
        goal = replace(goal, number=random.choice((3, 3, 4)))
    rows, columns = random.randint(4, 7), random.randint(4, 7)
    outline = random.choices(list(Outline), (6, 1, 2, 2))[0]
    board = BoardDesign(rows, columns, outline, Links.ALL)
    moving = Moving(
        gait=random.choices(list(Gait), (5, 2, 3))[0],
        heads=random.choice(list(Heads)),
        capture=random.choices(list(Capture), (3, 4, 2, 3))[0],
        start=random.choices(list(Lineup), (4, 3, 3, 1, 2))[0],
        is_forced=random.random() < 0.2,
        leaves_rocks=random.random() < 0.2,
    )
    turns = random.choices((Timing.ROUND, Timing.COIN), (9, 1))[0]
    is_lost = turns is Timing.ROUND and (goal.aim is Aim.STUCK or random.random() < 0.5)
    ends = moving.leaves_rocks or moving.heads in {Heads.STRAIGHT, Heads.AHEAD}
    limit = 0 if ends else _limit(board)
    return Design(random.choice(_COLOURS), board, moving, goal, turns, is_lost, limit)


def _limit(board: BoardDesign) -> int:
    return 10 * (_TURNS_A_CELL * board.rows * board.columns // 10)


# ---- what goes together


def goes_together(design: Design) -> bool:
    """Tell whether the parts of a design make a game: no part without use, no contradiction."""
    play = design.play
    if isinstance(play, Placing):
        return _placing_fits(design, play) and _goal_fits(design)
    return _moving_fits(design, play) and _goal_fits(design)


def _placing_fits(design: Design, placing: Placing) -> bool:
    aim, board = design.goal.aim, design.board
    is_apart = placing.spot is Spot.APART
    is_special = design.turns is Timing.TOGETHER or design.is_hidden
    count = design.goal.has_count or aim is Aim.MOST
    flanks = placing.effect in {Effect.FLANK, Effect.PINCER}
    return not any(
        (
            aim in {Aim.STUCK, Aim.STUCK_FIRST} and not is_apart,
            # Otherwise both have as many stones as the board allows.
            count and ((placing.effect is Effect.NONE and not is_apart) or is_special),
            placing.luck is not Luck.NONE
            and (
                is_apart or placing.effect is not Effect.NONE or design.turns is not Timing.ROUND
            ),
            placing.luck is Luck.DIE and placing.spot is Spot.DROP,
            is_apart and placing.effect is not Effect.NONE,
            is_apart and aim not in {Aim.STUCK, Aim.STUCK_FIRST, Aim.MOST},
            is_apart and aim is not Aim.MOST and design.turns is Timing.COIN,
            flanks and board.outline is Outline.CYLINDER,
            placing.effect is Effect.PINCER and placing.spot is Spot.DROP,
            placing.effect is Effect.FLANK and board.links is Links.HEX,
            is_special and aim not in {Aim.LINE, Aim.BLOCK, Aim.CONNECT},
            design.is_hidden and board.outline is Outline.CYLINDER,
            design.is_hidden and design.goal.number > min(board.rows, board.columns, 3),
            len(design.roles) > 2 and (flanks or aim not in {Aim.LINE, Aim.BLOCK, Aim.MOST}),
            len(design.roles) > 2 and placing.luck is not Luck.NONE,
        )
    )


def _moving_fits(design: Design, moving: Moving) -> bool:
    aim, board = design.goal.aim, design.board
    captures = moving.capture is not Capture.NONE
    few_pieces = moving.start in {Lineup.SINGLE, Lineup.PAIR}
    both_ways = moving.heads.is_alike
    slides = moving.gait is Gait.SLIDE
    counts = aim in {Aim.WIPE_OUT, Aim.FEW, Aim.MOST} or design.goal.has_count
    return not any(
        (
            counts and not captures,
            captures and few_pieces,
            moving.is_forced and not captures,
            moving.capture is Capture.SLANT and moving.heads is not Heads.STRAIGHT,
            moving.heads is Heads.STRAIGHT and moving.capture is not Capture.SLANT,
            moving.capture is Capture.SLANT and moving.gait is not Gait.STEP,
            slides and (not both_ways or moving.capture is Capture.LEAP),
            slides and board.outline is Outline.CYLINDER,
            moving.leaves_rocks and (captures or moving.gait is Gait.HOP or not both_ways),
            moving.leaves_rocks and (aim is not Aim.STUCK or not few_pieces),
            few_pieces and not moving.leaves_rocks,
            moving.gait is Gait.HOP and moving.heads is Heads.DIAGONAL,
            # Pieces that never come back meet nobody again.
            aim in {Aim.WIPE_OUT, Aim.FEW, Aim.LINE, Aim.BLOCK, Aim.MOST, Aim.SUMMIT}
            and not both_ways,
            aim in {Aim.LINE, Aim.BLOCK} and (captures or moving.start is Lineup.ROWS),
            # A row of pieces is a line from the start.
            aim is Aim.LINE and moving.start is not Lineup.GAPS,
            needed_pieces(design.goal) > count_pieces(moving, board),
            aim is Aim.LINE and moving.heads is Heads.DIAGONAL,
            aim is Aim.REACH and moving.heads is Heads.DIAGONAL,
            aim is Aim.STUCK
            and (design.turns is Timing.COIN or (slides and not moving.leaves_rocks)),
            aim is Aim.STUCK and both_ways and not captures and not moving.leaves_rocks,
            aim is Aim.STUCK and not design.is_stuck_lost,
            aim is Aim.MOST and design.is_stuck_lost,
            # Nothing else ends such a game.
            design.goal.has_count and design.is_stuck_lost and not design.limit,
            moving.start is Lineup.ROWS and board.rows < 5,
        )
    )


def needed_pieces(goal: Goal) -> int:
    """Return with how many pieces a player must begin, so that the aim can be missed and met."""
    # Two at least must be captured before there are too few.
    return {Aim.LINE: goal.number, Aim.BLOCK: 4, Aim.FEW: goal.number + 1}.get(goal.aim, 1)


def count_pieces(moving: Moving, board: BoardDesign) -> int:
    """Return with how many pieces a player begins."""
    corners = 2 if board.outline is Outline.CORNERS else 0
    return {
        Lineup.ROW: board.columns - corners,
        Lineup.ROWS: 2 * board.columns - corners,
        # Odd columns; of an odd number of columns both corners are among them.
        Lineup.GAPS: (board.columns + 1) // 2 - (corners if board.columns % 2 else corners // 2),
        Lineup.PAIR: 2 - corners,
        Lineup.SINGLE: 1,
    }[moving.start]


def _goal_fits(design: Design) -> bool:
    goal, board = design.goal, design.board
    smallest = min(board.rows, board.columns)
    return not any(
        (
            goal.number > smallest and goal.aim in {Aim.LINE, Aim.NO_LINE},
            goal.aim is Aim.NO_LINE and (goal.has_count or len(design.roles) > 2),
            goal.aim is Aim.CONNECT and (board.outline is not Outline.RECTANGLE or goal.has_count),
            goal.aim is Aim.SUMMIT and board.outline is Outline.HOLE,
            goal.aim is Aim.SUMMIT and not (board.rows % 2 and board.columns % 2),
            board.outline is Outline.HOLE and not (board.rows % 2 and board.columns % 2),
            board.links is Links.HEX and board.outline is not Outline.RECTANGLE,
            # Three cells in a row with holes in them leave no lines.
            board.has_holes and smallest < 4,
            goal.has_count and goal.aim in {Aim.STUCK, Aim.STUCK_FIRST, Aim.CONNECT},
        )
    )
