"""Pieces that move: steps, jumps and slides, captures, and where they begin."""

from __future__ import annotations

from gdl_agents.inventing.design import (
    Capture,
    Design,
    Direction,
    Gait,
    Heads,
    Lineup,
    Moving,
)
from gdl_agents.inventing.parts.board import move_directions, opposite, uses_jumps, word_of
from gdl_agents.inventing.parts.players import write_start, write_turns
from gdl_agents.inventing.rule_text import CELL, Section, facts, rule

_STEP = '(step ?direction ?row ?column ?near ?side)'
_JUMP = (_STEP, '(step ?direction ?near ?side ?far ?end)')
_OWN = '(true (cell ?row ?column ?player))'
_TARGET = '[1,rows]:?far [1,columns]:?end'
_SLIDES = '(does ?player (slide ?row ?column ?far ?end))'
_STEPS = '(does ?player (move ?row ?column ?direction))'
_JUMPS = '(does ?player (jump ?row ?column ?direction))'


def write_moving(design: Design, moving: Moving) -> tuple[Section, ...]:
    """Return the state, the moves, and what they do."""
    content = 'content' if design.has_rocks else 'player'
    parts = [f'(cell row column {content})', '(control player)']
    if design.limit:
        parts.append('(turn number)')
    slides = moving.gait is Gait.SLIDE
    moves = [*_passing(design), *(_slides(moving) if slides else _steps(design, moving))]
    moves.append(rule('(taken ?row ?column)', '(true (cell ?row ?column ?content))'))
    return (
        Section('directions', tuple(_directions(moving))),
        Section(f'the state: {", ".join(parts)}', (*_start(design, moving), *write_start(design))),
        Section('moves', tuple(moves)),
        Section('what a move does', tuple(_after(design, moving))),
        write_turns(design),
    )


def _directions(moving: Moving) -> list[str]:
    forms = []
    if moving.gait is not Gait.SLIDE:
        forms.append(facts(*(f'(type direction {word_of(d)})' for d in move_directions(moving))))
    return forms


def _heads(design: Design, moving: Moving) -> list[str]:
    """Return who moves where, and who captures where; nothing where all do it in all."""
    forms = []
    for relation, own in (('heads', moving.heads.value), ('strikes', _strikes(moving))):
        if not own or (relation == 'heads' and moving.heads.is_alike):
            continue
        first, second = design.roles
        forms.append(
            facts(
                *(f'({relation} {first} {word_of(d)})' for d in own),
                *(f'({relation} {second} {word_of(opposite(d))})' for d in own),
            )
        )
    return forms


def _strikes(moving: Moving) -> tuple[Direction, ...]:
    """Return the directions of captures, where those are others than the moves."""
    if moving.capture is Capture.SLANT:
        return (Direction.SOUTHWEST, Direction.SOUTHEAST)
    return ()


def _start(design: Design, moving: Moving) -> list[str]:
    first, second = design.roles
    homes = [f'(home {first} 1)', rule(f'(home {second} ?row)', '(option rows ?row)')]
    if moving.start is Lineup.ROWS:
        homes[0] = facts(homes[0], f'(home {first} 2)')
        homes.append(rule(f'(home {second} ?row)', '(option rows ?last)', '(add ?row 1 ?last)'))
    where = {
        Lineup.ROW: (),
        Lineup.ROWS: (),
        Lineup.GAPS: ('(mod ?column 2 1)',),
        Lineup.PAIR: ('(outer ?column)',),
        Lineup.SINGLE: ('(option columns ?columns)', '(add ?columns 1 ?more)',
                       '(div ?more 2 ?column)'),
    }[moving.start]  # fmt: skip
    forms = [*_heads(design, moving), *homes]
    if moving.start is Lineup.PAIR:
        forms += ['(outer 1)', rule('(outer ?last)', '(option columns ?last)')]
    head = f'(init (cell {CELL} player:?player))'
    return [*forms, rule(head, '(home ?player ?row)', '(square ?row ?column)', *where)]


# ---- moves


def _passing(design: Design) -> list[str]:
    if not design.has_passes:
        return []
    return [rule('(legal ?player pass)', '(true (control ?player))', '(not (mobile ?player))')]


def _steps(design: Design, moving: Moving) -> list[str]:
    heads = '' if moving.heads.is_alike else '(heads ?player ?direction)'
    owner = '(type player ?player)' if design.has_rocks and not heads else ''
    quiet = '(not must_capture)' if moving.is_forced else ''
    move = f'(move {CELL} direction:?direction)'
    jump = f'(jump {CELL} direction:?direction)'
    turn = '(true (control ?player))'
    forms = [
        rule(f'(legal ?player {move})', turn, '(steps ?player ?row ?column ?direction)', quiet),
        rule('(steps ?player ?row ?column ?direction)', _OWN, owner, heads, _STEP,
             '(not (taken ?near ?side))'),
    ]  # fmt: skip
    if moving.gait is Gait.HOP:
        over = '(taken ?near ?side)'
        if moving.capture is Capture.LEAP:
            # Jumps over others are captures.
            over = '(true (cell ?near ?side ?player))'
        forms += [
            rule(f'(legal ?player {jump})', turn, '(hops ?player ?row ?column ?direction)', quiet),
            rule('(hops ?player ?row ?column ?direction)', _OWN, owner, heads, *_JUMP, over,
                 '(not (taken ?far ?end))'),
        ]  # fmt: skip
    other = ('(true (cell ?near ?side ?other))', '(opponent ?player ?other)')
    strikes = '(strikes ?player ?direction)' if moving.capture is Capture.SLANT else heads
    if moving.capture is not Capture.NONE:
        is_leap = moving.capture is Capture.LEAP
        taken = rule(
            '(captures ?player ?row ?column ?direction)', _OWN, strikes,
            *((*_JUMP, *other, '(not (taken ?far ?end))') if is_leap else (_STEP, *other)),
        )  # fmt: skip
        forms += [
            rule(f'(legal ?player {jump if is_leap else move})', turn,
                 '(captures ?player ?row ?column ?direction)'),
            taken,
        ]  # fmt: skip
    if moving.is_forced:
        forms.append(rule('must_capture', turn, '(captures ?player ?row ?column ?direction)'))
    for relation in ('steps', 'hops', 'captures'):
        if any(form.startswith(f'(<= ({relation} ') for form in forms):
            forms.append(rule('(mobile ?player)', f'({relation} ?player ?row ?column ?direction)'))
    return forms


def _slides(moving: Moving) -> list[str]:
    turn = '(true (control ?player))'
    move = f'(slide {CELL} {_TARGET})'
    quiet = '(not must_capture)' if moving.is_forced else ''
    along = '(clear ?direction ?row ?column ?far ?end)'
    on = '(step ?direction ?near ?side ?far ?end)'
    forms = [
        rule(f'(legal ?player {move})', turn, _OWN, along, quiet),
        '; The cells that a piece can reach in a direction, over empty cells only.',
        rule(along, '(taken ?row ?column)', '(step ?direction ?row ?column ?far ?end)',
             '(not (taken ?far ?end))'),
        rule(along, '(clear ?direction ?row ?column ?near ?side)', on, '(not (taken ?far ?end))'),
        rule('(mobile ?player)', '(type player ?player)', _OWN, along),
    ]  # fmt: skip
    if moving.capture is Capture.NONE:
        return forms
    found = '(captures ?player ?row ?column ?far ?end)'
    other = ('(true (cell ?far ?end ?other))', '(opponent ?player ?other)')
    forms += [
        rule(f'(legal ?player {move})', turn, found),
        rule(found, _OWN, '(step ?direction ?row ?column ?far ?end)', *other),
        rule(found, _OWN, '(clear ?direction ?row ?column ?near ?side)', on, *other),
        rule('(mobile ?player)', found),
    ]
    if moving.is_forced:
        forms.append(rule('must_capture', turn, found))
    return forms


# ---- what a move does


def _after(design: Design, moving: Moving) -> list[str]:
    arrives, leaves = [], []
    if moving.gait is Gait.SLIDE:
        arrives.append(rule('(arrives ?player ?far ?end)', _SLIDES))
        leaves.append(rule('(left ?row ?column)', _SLIDES))
    else:
        arrives.append(rule('(arrives ?player ?near ?side)', _STEPS, _STEP))
        leaves.append(rule('(left ?row ?column)', _STEPS))
    if uses_jumps(moving):
        arrives.append(rule('(arrives ?player ?far ?end)', _JUMPS, *_JUMP))
        leaves.append(rule('(left ?row ?column)', _JUMPS))
    gone = ['(not (left ?row ?column))']
    captured = []
    if moving.capture is Capture.LEAP:
        gone.append('(not (captured ?row ?column))')
        captured.append(
            rule('(captured ?near ?side)', _JUMPS, _STEP, '(true (cell ?near ?side ?other))',
                 '(opponent ?player ?other)')
        )  # fmt: skip
    elif moving.capture is not Capture.NONE:
        gone.append('(not (captured ?row ?column))')
        captured.append(rule('(captured ?row ?column)', '(arrives ?player ?row ?column)'))
    kind = 'content' if design.has_rocks else 'player'
    forms = [
        rule(f'(next (cell {CELL} player:?player))', '(arrives ?player ?row ?column)'),
        rule(f'(next (cell {CELL} {kind}:?owner))', '(true (cell ?row ?column ?owner))', *gone),
    ]
    if moving.leaves_rocks:
        forms.append(rule(f'(next (cell {CELL} obstacle:rock))', '(left ?row ?column)'))
    return [*forms, *arrives, *leaves, *captured]


# ---- in words

_WAYS = {
    Heads.STRAIGHT: 'straight ahead',
    Heads.AHEAD: 'ahead, straight or diagonally',
    Heads.SIDEWAYS: 'straight ahead or sideways',
    Heads.CROSS: 'along its row or its column',
    Heads.DIAGONAL: 'diagonally',
    Heads.ALL: 'in any of the eight directions',
}
_STARTS = {
    Lineup.ROW: 'a row of pieces',
    Lineup.ROWS: 'two rows of pieces',
    Lineup.GAPS: 'a piece on every other cell of a row',
    Lineup.PAIR: 'two pieces, at the ends of a row',
    Lineup.SINGLE: 'one piece, in the middle of a row',
}


def tell_moving(design: Design, moving: Moving) -> list[str]:
    """Return in words how pieces begin and move."""
    first, second = design.roles
    words = [
        f'Each player begins with {_STARTS[moving.start]}: {first} on the side of the first row,'
        f' {second} on that of the last.'
    ]
    way = _WAYS[moving.heads]
    if moving.gait is Gait.SLIDE:
        words.append(f'A piece slides {way}, over any number of empty cells.')
    else:
        words.append(f'A piece steps {way}, onto an empty cell.')
    if moving.gait is Gait.HOP:
        over = 'an own piece' if moving.capture is Capture.LEAP else 'any piece'
        words.append(f'In the same directions it jumps over {over} beside it, onto an empty cell.')
    captures = {
        Capture.NONE: '',
        Capture.REPLACE: 'It captures a piece of the other by moving onto it.',
        Capture.SLANT: 'It captures a piece of the other by a diagonal step ahead onto it.',
        Capture.LEAP: 'It captures a piece of the other by jumping over it onto the empty cell'
        ' behind, in the same directions.',
    }[moving.capture]
    words.append(captures)
    if moving.is_forced:
        words.append('Who can capture must.')
    if moving.leaves_rocks:
        words.append('A rock is left where a piece has stood, and nothing moves there any more.')
    return [sentence for sentence in words if sentence]


def tell_passing(design: Design) -> str:
    """Return in words what becomes of a player without a move."""
    if design.is_stuck_lost:
        return 'A player who has no move loses.'
    if not design.has_passes:
        return ''
    return 'A player who has no move passes; when nobody has one, the game is over.'
