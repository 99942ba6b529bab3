"""Placing stones: where, and what it does to other stones."""

from __future__ import annotations

from gdl_agents.inventing.design import (
    Design,
    Effect,
    Luck,
    Placing,
    Spot,
    Timing,
)
from gdl_agents.inventing.parts.board import tell_neighbours
from gdl_agents.inventing.parts.players import write_start, write_turns
from gdl_agents.inventing.rule_text import CELL, Section, facts, rule

_OWNED = f'(next (cell {CELL} player:?player))'
_PLACES = '(does ?player (place ?row ?column))'
_HITS = '(does ?player (place ?row ?column hit))'


def write_placing(design: Design, placing: Placing) -> tuple[Section, ...]:
    """Return the state, the moves, and what they do."""
    luck = (
        '; What a throw gives, by weight.',
        facts('(random throw 3 hit)', '(random throw 1 miss)'),
    )
    state = Section(f'the state: {_tell_state(design, placing)}', write_start(design))
    moves = [*luck] if placing.luck is Luck.MISS else []
    moves += _legal(design, placing)
    moves += _spot(placing)
    after = [*_stones(design, placing), *_turned(placing)]
    return (
        state,
        Section('moves', tuple(moves)),
        Section('what a move does', tuple(after)),
        write_turns(design),
    )


def _tell_state(design: Design, placing: Placing) -> str:
    content = 'content' if design.has_rocks else 'player'
    parts = [f'(cell row column {content}) for each stone']
    if design.turns is not Timing.TOGETHER:
        parts.append('(control player)')
    if design.limit:
        parts.append('(turn number)')
    if placing.luck is Luck.DIE:
        parts.append('(die column)')
    return ', '.join(parts)


# ---- moves


def _legal(design: Design, placing: Placing) -> list[str]:
    move = f'(place {CELL} throw)' if placing.luck is Luck.MISS else f'(place {CELL})'
    whose = (
        '(type player ?player)' if design.turns is Timing.TOGETHER else '(true (control ?player))'
    )
    playable = _playable(placing)
    die = '(true (die ?column))' if placing.luck is Luck.DIE else ''
    forms = [rule(f'(legal ?player {move})', whose, die, playable)]
    if placing.luck is Luck.DIE:
        forms += [
            rule('(legal random (roll [1,columns]:?column))', '(playable ?row ?column)',
                 '(not rolled)'),
            rule('rolled', '(true (die ?column))'),
        ]  # fmt: skip
    if design.has_passes:
        forms.append(
            rule('(legal ?player pass)', '(true (control ?player))', '(not (mobile ?player))')
        )
    if design.can_stick:
        forms.append(rule('(mobile ?player)', playable))
    return forms


def _playable(placing: Placing) -> str:
    """Return the condition for cells where a stone may be placed."""
    return f'(playable {"?player " if placing.spot is Spot.APART else ""}?row ?column)'


def _spot(placing: Placing) -> list[str]:
    head = _playable(placing)
    taken = rule('(taken ?row ?column)', '(true (cell ?row ?column ?content))')
    open_ = rule('(open ?row ?column)', '(square ?row ?column)', '(not (taken ?row ?column))')
    step = '(step ?direction ?row ?column ?near ?side)'
    if placing.spot is Spot.FREE:
        return [rule(head, '(square ?row ?column)', '(not (taken ?row ?column))'), taken]
    if placing.spot is Spot.DROP:
        return [
            rule(head, '(open ?row ?column)', '(not (hanging ?row ?column))'),
            rule('(hanging ?row ?column)', '(down ?row ?below)', '(open ?below ?column)'),
            open_,
            taken,
        ]
    if placing.spot is Spot.BESIDE:
        return [
            rule(head, '(open ?row ?column)', '(not started)'),
            rule(head, '(open ?row ?column)', step, '(taken ?near ?side)'),
            rule('started', '(taken ?row ?column)'),
            open_,
            taken,
        ]
    return [
        rule(head, '(open ?row ?column)', '(type player ?player)',
             '(not (crowded ?player ?row ?column))'),
        rule('(crowded ?player ?row ?column)', step, '(true (cell ?near ?side ?player))'),
        open_,
        taken,
    ]  # fmt: skip


# ---- what a move does


def _stones(design: Design, placing: Placing) -> list[str]:
    if design.turns is Timing.TOGETHER:
        return [
            rule(_OWNED, _PLACES, '(not (clash ?row ?column))'),
            '; Where both place a stone, neither gets the cell.',
            rule(f'(next (cell {CELL} obstacle:rock))', '(clash ?row ?column)'),
            rule('(clash ?row ?column)', _PLACES, '(does ?other (place ?row ?column))',
                 '(opponent ?player ?other)'),
            _kept(design, ''),
        ]  # fmt: skip
    if placing.luck is Luck.MISS:
        return [
            rule(_OWNED, _HITS),
            rule(
                f'(next (cell {CELL} obstacle:rock))', '(does ?player (place ?row ?column miss))'
            ),
            _kept(design, ''),
        ]
    forms = [rule(_OWNED, _PLACES)]
    if placing.luck is Luck.DIE:
        forms.append(rule('(next (die [1,columns]:?column))', '(does random (roll ?column))'))
    if placing.effect in {Effect.TURN, Effect.FLANK}:
        forms.append(rule(_OWNED, '(turned ?row ?column)', '(true (control ?player))'))
        return [*forms, _kept(design, '(not (turned ?row ?column))')]
    if placing.effect is Effect.PINCER:
        return [*forms, _kept(design, '(not (removed ?row ?column))')]
    return [*forms, _kept(design, '')]


def _kept(design: Design, unless: str) -> str:
    kind = 'content' if design.has_rocks else 'player'
    return rule(f'(next (cell {CELL} {kind}:?owner))', '(true (cell ?row ?column ?owner))', unless)


def _turned(placing: Placing) -> list[str]:
    step = '(step ?direction ?row ?column ?near ?side)'
    other = ('(true (cell ?near ?side ?other))', '(opponent ?player ?other)')
    if placing.effect is Effect.TURN:
        return [rule('(turned ?near ?side)', _PLACES, step, *other)]
    if placing.effect is Effect.PINCER:
        return [
            rule('(removed ?near ?side)', _PLACES, step, *other,
                 '(step ?direction ?near ?side ?far ?end)', '(true (cell ?far ?end ?player))')
        ]  # fmt: skip
    if placing.effect is Effect.NONE:
        return []
    return [
        '; Stones from the new one on in a direction, as far as they are enclosed.',
        rule('(turned ?row ?column)', '(turned_along ?direction ?row ?column)'),
        rule('(turned_along ?direction ?near ?side)', _PLACES, step,
             '(enclosed ?direction ?near ?side)'),
        rule('(turned_along ?direction ?near ?side)', '(turned_along ?direction ?row ?column)',
             step, '(enclosed ?direction ?near ?side)'),
        '; From this stone on, only stones of others follow, and then an own one.',
        rule('(enclosed ?direction ?row ?column)', '(against ?row ?column)', step,
             '(true (control ?player))', '(true (cell ?near ?side ?player))'),
        rule('(enclosed ?direction ?row ?column)', '(against ?row ?column)', step,
             '(enclosed ?direction ?near ?side)'),
        rule('(against ?row ?column)', '(true (control ?player))', '(opponent ?player ?other)',
             '(true (cell ?row ?column ?other))'),
    ]  # fmt: skip


# ---- in words


def tell_placing(design: Design, placing: Placing) -> list[str]:
    """Return in words where stones are placed, and what they do."""
    near = tell_neighbours(design)
    where = {
        Spot.FREE: 'on any empty cell',
        Spot.DROP: 'on an empty cell that lies on the last row or on a cell that is taken',
        Spot.BESIDE: f'on an empty cell next to another stone ({near}), the first one anywhere',
        Spot.APART: f'on an empty cell next to no stone of their own ({near})',
    }[placing.spot]
    who = 'Each places' if design.turns is Timing.TOGETHER else 'A turn places'
    words = [f'{who} a stone {where}.']
    if placing.spot is Spot.BESIDE and placing.luck is Luck.MISS:
        words[0] = words[0].replace('another stone', 'one that is taken')
    if design.turns is Timing.TOGETHER:
        words.append(
            'Where both choose the same cell, a rock falls on it, which belongs to nobody.'
        )
    words += _tell_effect(placing, near)
    if placing.luck is Luck.DIE:
        words.append('Before each turn a die says in which column the stone must be placed.')
    if placing.luck is Luck.MISS:
        words.append(
            'One stone of four misses: the cell gets a rock instead, which belongs to nobody.'
        )
    return words


def _tell_effect(placing: Placing, near: str) -> list[str]:
    if placing.effect is Effect.TURN:
        return [f'All neighbours of the new stone ({near}) that belong to others change sides.']
    if placing.effect is Effect.FLANK:
        return [
            'Stones of others that lie in an unbroken line between the new stone and another one'
            f' of its owner ({near}) change sides.'
        ]
    if placing.effect is Effect.PINCER:
        return [
            'A single stone of the other between the new stone and another one of its owner'
            f' ({near}) is taken off the board.'
        ]
    return []
