"""What wins, when a game is over, and what everybody gets."""

from __future__ import annotations

from gdl_agents.inventing.design import Aim, Design, Direction, Links, Timing
from gdl_agents.inventing.parts.board import middle_rule, tell_neighbours, word_of
from gdl_agents.inventing.rule_text import Section, rule

_LINES = {
    Links.CROSS: 'in a row or a column',
    Links.ALL: 'in a row, a column or a diagonal',
    Links.HEX: 'in one of the three directions of the board',
    Links.DIAGONAL: 'in a diagonal',
}


def write_goal(design: Design) -> tuple[Section, ...]:
    """Return what wins, and the end of the game."""
    return (
        Section('what wins', tuple(_aim(design))),
        Section('the end', tuple(_end(design))),
    )


def _owned(design: Design, row: str, column: str, player: str = '?player') -> str:
    if design.is_hidden:
        return f'(owns {player} {row} {column})'
    return f'(true (cell {row} {column} {player}))'


# ---- what wins


def _aim(design: Design) -> list[str]:
    goal = design.goal
    forms = _achieves(design)
    if goal.aim is not Aim.MOST and design.is_stuck_lost:
        forms.append(_stuck())
    if goal.has_count or goal.aim is Aim.MOST:
        forms += _leads()
    if goal.has_count or goal.aim in {Aim.MOST, Aim.FEW}:
        forms.append(
            rule('(pieces ?player ?number)', '(type player ?player)',
                 f'(count ?number {_owned(design, "?row", "?column")})')
        )  # fmt: skip
    return forms


def _achieves(design: Design) -> list[str]:
    """Return what a player must do; nothing where only the end decides, or a lack of moves."""
    goal = design.goal
    opponent = '(opponent ?player ?other)'
    own = _owned(design, '?row', '?column')
    if goal.aim is Aim.CONNECT:
        return _connect(design)
    if goal.aim is Aim.REACH:
        return _reach(design)
    found: dict[Aim, list[str]] = {
        Aim.LINE: [_line(design, '(achieves ?player)')],
        Aim.NO_LINE: [
            rule('(achieves ?player)', opponent, '(line ?other)'),
            _line(design, '(line ?player)'),
        ],
        Aim.BLOCK: [_block(design)],
        Aim.SUMMIT: [
            rule('(achieves ?player)', '(summit ?row ?column)', '(type player ?player)', own),
            middle_rule('(summit ?row ?column)'),
        ],
        Aim.WIPE_OUT: [
            rule('(achieves ?player)', opponent, '(not (present ?other))'),
            rule('(present ?player)', own),
        ],
        Aim.FEW: [
            rule(
                '(achieves ?player)',
                opponent,
                '(pieces ?other ?number)',
                f'(less ?number {goal.number})',
            ),
        ],
        Aim.STUCK_FIRST: [
            rule('(achieves ?player)', '(true (control ?player))', '(not (mobile ?player))')
        ],
    }
    return found.get(goal.aim, [])


def _stuck() -> str:
    head = '(achieves ?player)'
    body = ('(true (control ?other))', '(opponent ?player ?other)', '(not (mobile ?other))')
    return rule(head, *body)


def _line(design: Design, head: str) -> str:
    body = ['(axis ?direction)', '(type player ?player)', _owned(design, '?row1', '?column1')]
    for number in range(2, design.goal.number + 1):
        before = number - 1
        body.append(f'(step ?direction ?row{before} ?column{before} ?row{number} ?column{number})')
        body.append(_owned(design, f'?row{number}', f'?column{number}'))
    return rule(head, *body)


def _block(design: Design) -> str:
    return rule(
        '(achieves ?player)',
        '(down ?row ?below)',
        '(right ?column ?beside)',
        '(type player ?player)',
        _owned(design, '?row', '?column'),
        _owned(design, '?row', '?beside'),
        _owned(design, '?below', '?column'),
        _owned(design, '?below', '?beside'),
    )


def _connect(design: Design) -> list[str]:
    first, second = design.roles
    step = '(step ?direction ?row ?column ?near ?side)'
    return [
        rule(f'(achieves {first})', '(option rows ?last)', f'(linked {first} ?last ?column)'),
        rule(f'(achieves {second})', '(option columns ?last)', f'(linked {second} ?row ?last)'),
        f'; Stones that are connected with the first side of {first} or {second}.',
        rule(f'(linked {first} 1 ?column)', _owned(design, '1', '?column', first)),
        rule(f'(linked {second} ?row 1)', _owned(design, '?row', '1', second)),
        rule('(linked ?player ?near ?side)', '(linked ?player ?row ?column)', step,
             _owned(design, '?near', '?side')),
    ]  # fmt: skip


def _reach(design: Design) -> list[str]:
    first, second = design.roles
    return [
        rule(f'(achieves {first})', '(option rows ?last)',
             _owned(design, '?last', '?column', first)),
        rule(f'(achieves {second})', _owned(design, '1', '?column', second)),
    ]  # fmt: skip


def _leads() -> list[str]:
    return [
        rule('(leads ?player)', '(type player ?player)', '(not (matched ?player))'),
        rule('(matched ?player)', '(pieces ?player ?own)', '(pieces ?other ?others)',
             '(distinct ?player ?other)', '(not (less ?others ?own))'),
    ]  # fmt: skip


# ---- the end


def _end(design: Design) -> list[str]:
    forms = _terminal(design)
    has_count = design.goal.has_count or design.goal.aim is Aim.MOST
    has_aim = design.goal.aim is not Aim.MOST
    if has_aim:
        unless = ('(opponent ?player ?other)', '(not (achieves ?other))')
        both = unless if design.turns is Timing.TOGETHER else ()
        forms.append(rule('(wins ?player)', '(achieves ?player)', *both))
    if has_count:
        forms.append(
            rule('(wins ?player)', 'exhausted', '(not decided)' if has_aim else '',
                 '(leads ?player)')
        )  # fmt: skip
    return [
        *forms,
        rule('(goal ?player 100)', '(wins ?player)'),
        rule('(goal ?player 50)', '(type player ?player)', '(not won)'),
        rule('(goal ?player 0)', '(opponent ?player ?other)', '(wins ?other)'),
        rule('won', '(wins ?player)'),
    ]


def _terminal(design: Design) -> list[str]:
    forms = []
    if design.goal.aim is not Aim.MOST:
        forms += [rule('terminal', 'decided'), rule('decided', '(achieves ?player)')]
    ends = _exhaustion(design)
    if ends:
        forms.append(rule('terminal', 'exhausted'))
    return [*forms, *ends]


def _exhaustion(design: Design) -> list[str]:
    """Return when a game ends without anybody having achieved anything."""
    forms = []
    if design.limit:
        forms.append(rule('exhausted', '(option limit ?last)', '(true (turn ?last))'))
    if design.is_stuck_lost or design.goal.aim is Aim.STUCK_FIRST:
        return forms
    if design.has_passes:
        return [
            *forms,
            rule('exhausted', '(not anybody_mobile)'),
            rule('anybody_mobile', '(mobile ?player)'),
        ]
    if design.is_hidden:
        return [
            *forms,
            rule('exhausted', '(not room)'),
            rule('room', '(square ?row ?column)', '(not (occupied ?row ?column))'),
            rule('(occupied ?row ?column)', '(owns ?player ?row ?column)'),
        ]
    return [
        *forms,
        rule('exhausted', '(not room)'),
        rule('room', '(playable ?row ?column)'),
    ]


def write_axes(design: Design) -> Section:
    """Return the directions of lines that count."""
    if design.goal.aim not in {Aim.LINE, Aim.NO_LINE}:
        return Section('', ())
    axes: tuple[Direction, ...] = design.goal.lines.axes
    return Section('', ('\n'.join(f'(axis {word_of(axis)})' for axis in axes),))


# ---- in words


def tell_goal(design: Design) -> list[str]:
    """Return in words what wins, and what a game without a winner is."""
    goal = design.goal
    first, last = design.roles[0], design.roles[-1]
    near = tell_neighbours(design)
    lines = f'{goal.number} own {design.thing}s side by side {_LINES[goal.lines]}'
    words = {
        Aim.LINE: f'The first with {lines} wins.',
        Aim.NO_LINE: f'Who gets {lines} loses.',
        Aim.BLOCK: f'The first with a square of two by two own {design.thing}s wins.',
        Aim.CONNECT: f'{first.capitalize()} wins by a chain of neighbours ({near})'
        f' from the first row to the last, {last} by one from the first column to the last.',
        Aim.REACH: 'The first with a piece on the far side of the board wins.',
        Aim.SUMMIT: f'The first with a {design.thing} on the cell in the middle wins.',
        Aim.MOST: '',
        Aim.WIPE_OUT: 'Who has captured all pieces of the other wins.',
        Aim.FEW: f'Who leaves the other with fewer than {goal.number} pieces wins.',
        Aim.STUCK: '',
        Aim.STUCK_FIRST: 'A player who has no move wins.',
    }[goal.aim]
    found = [words] if words else []
    if goal.aim is Aim.MOST:
        found.append(f'At the end, most {design.thing}s win; the same number is a draw.')
    elif goal.has_count:
        found.append(f'If nobody has done that, most {design.thing}s win in the end.')
    if design.turns is Timing.TOGETHER and goal.aim is not Aim.MOST:
        found.append('If both do it at once, nobody wins.')
    return found


def tell_draw(design: Design) -> str:
    """Return in words what becomes of a game that nobody has won."""
    has_count = design.goal.has_count or design.goal.aim is Aim.MOST
    return 'Otherwise the game is a draw.' if _exhaustion(design) and not has_count else ''
