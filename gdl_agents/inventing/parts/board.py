"""The board: its cells, and which cell a step leads to."""

from __future__ import annotations

from gdl_agents.inventing.design import (
    Aim,
    Capture,
    Design,
    Direction,
    Effect,
    Gait,
    Links,
    Moving,
    Outline,
    Placing,
    Spot,
)
from gdl_agents.inventing.rule_text import Section, facts, rule

# Sizes that an author may choose beside the one a game was invented with.
_FEWER, _MORE = 2, 3
_MIDDLES = (
    '(option rows ?rows)',
    '(add ?rows 1 ?more)',
    '(div ?more 2 ?row)',
    '(option columns ?columns)',
    '(add ?columns 1 ?further)',
    '(div ?further 2 ?column)',
)


def write_options(design: Design) -> Section:
    """Return the options of a game."""
    board, least = design.board, _least_size(design)
    forms = [
        _option('rows', board.rows, least),
        _option('columns', board.columns, least),
    ]
    if design.limit:
        forms.append(f'(option limit {design.limit} [{design.limit // 2},{3 * design.limit}])')
    return Section('', (facts(*forms),))


def _least_size(design: Design) -> int:
    """Return the smallest side that leaves room for what the game is about."""
    goal = design.goal
    least = 4 if design.board.has_holes or isinstance(design.play, Moving) else 3
    return max(least, goal.number) if goal.aim in {Aim.LINE, Aim.NO_LINE} else least


def _option(name: str, size: int, least: int) -> str:
    return f'(option {name} {size} [{max(least, size - _FEWER)},{size + _MORE}])'


def write_board(design: Design) -> Section:
    """Return cells, and steps in the directions that anything needs."""
    board = design.board
    forms = [
        rule('(down ?row ?next)', '(type [1,rows] ?row)', '(type [1,rows] ?next)',
             '(add ?row 1 ?next)'),
        rule('(right ?column ?next)', '(type [1,columns] ?column)', '(type [1,columns] ?next)',
             '(add ?column 1 ?next)'),
    ]  # fmt: skip
    if board.outline is Outline.CYLINDER:
        forms.append('; The board is a ring: the first column follows the last.')
        forms.append(rule('(right ?last 1)', '(option columns ?last)'))
    forms += _holes(board.outline)
    hole = '(not (hole ?row ?column))' if board.has_holes else ''
    forms.append(
        rule('(square ?row ?column)', '(type [1,rows] ?row)', '(type [1,columns] ?column)', hole)
    )
    forms += [_step(direction) for direction in needed_directions(design)]
    return Section('the board', tuple(forms))


def _holes(outline: Outline) -> list[str]:
    if outline is Outline.CORNERS:
        return [
            '(hole 1 1)',
            rule('(hole 1 ?last)', '(option columns ?last)'),
            rule('(hole ?bottom 1)', '(option rows ?bottom)'),
            rule('(hole ?bottom ?last)', '(option rows ?bottom)', '(option columns ?last)'),
        ]
    if outline is Outline.HOLE:
        return [rule('(hole ?row ?column)', *_MIDDLES)]
    return []


def middle_rule(head: str) -> str:
    """Return a rule for the cell in the middle, ?row and ?column."""
    return rule(head, *_MIDDLES)


def needed_directions(design: Design) -> tuple[Direction, ...]:
    """Return the directions of steps that some rule asks for, in their usual order."""
    needed: set[Direction] = set()
    play, goal = design.play, design.goal
    if isinstance(play, Moving):
        needed.update(move_directions(play))
    elif play.spot in {Spot.BESIDE, Spot.APART} or play.effect is Effect.TURN:
        needed.update(design.board.links.value)
    if isinstance(play, Placing) and play.effect in {Effect.FLANK, Effect.PINCER}:
        needed.update(flank_directions(design))
    if goal.aim in {Aim.LINE, Aim.NO_LINE}:
        needed.update(goal.lines.axes)
    if goal.aim is Aim.CONNECT:
        needed.update(design.board.links.value)
    return tuple(direction for direction in Direction if direction in needed)


def flank_directions(design: Design) -> tuple[Direction, ...]:
    """Return the directions in which stones can be enclosed."""
    found: tuple[Direction, ...] = design.board.links.value
    return found


def move_directions(moving: Moving) -> tuple[Direction, ...]:
    """Return the directions in which any player moves or captures."""
    own = set(moving.heads.value)
    if moving.capture is Capture.SLANT:
        own |= {Direction.SOUTHWEST, Direction.SOUTHEAST}
    if not moving.heads.is_alike:
        own |= {opposite(direction) for direction in own}
    return tuple(direction for direction in Direction if direction in own)


def opposite(direction: Direction) -> Direction:
    """Return where the other player sees the same step lead: rows are turned round."""
    down, right = direction.value
    return Direction((-down, right))


def word_of(direction: Direction) -> str:
    """Return the name of a direction in rules."""
    return direction.name.lower()


def _step(direction: Direction) -> str:
    down, right = direction.value
    row = {-1: '?up', 0: '?row', 1: '?below'}[down]
    column = {-1: '?left', 0: '?column', 1: '?right'}[right]
    rows = {-1: '(down ?up ?row)', 0: '', 1: '(down ?row ?below)'}[down]
    columns = {-1: '(right ?left ?column)', 0: '', 1: '(right ?column ?right)'}[right]
    return rule(
        f'(step {word_of(direction)} ?row ?column {row} {column})',
        rows,
        columns,
        '(square ?row ?column)',
        f'(square {row} {column})',
    )


def tell_board(design: Design) -> str:
    """Return in words what the board is like."""
    board = design.board
    size = f'{board.rows} rows and {board.columns} columns'
    if board.links is Links.HEX:
        size = f'{size} of hexagons, set as a rhombus'
    more = {
        Outline.RECTANGLE: '',
        Outline.CORNERS: ', without the four corners',
        Outline.HOLE: ', without the cell in the middle',
        Outline.CYLINDER: ', whose first and last column are neighbours',
    }[board.outline]
    return f'The board has {size}{more}.'


def tell_neighbours(design: Design) -> str:
    """Return in words which cells are neighbours."""
    return {
        Links.CROSS: 'in a row or a column',
        Links.ALL: 'in a row, a column or a diagonal',
        Links.HEX: 'on the six sides of a cell',
        Links.DIAGONAL: 'diagonally',
    }[design.board.links]


def uses_jumps(moving: Moving) -> bool:
    """Tell whether pieces jump."""
    return moving.gait is Gait.HOP or moving.capture is Capture.LEAP
