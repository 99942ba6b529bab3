"""Placing stones that the other player does not see."""

from __future__ import annotations

from gdl_agents.inventing.design import Design, Placing, Secret
from gdl_agents.inventing.parts.players import write_start
from gdl_agents.inventing.rule_text import CELL, Section, rule

_TRIES = '(does ?player (place ?row ?column))'


def write_hidden_placing(design: Design, placing: Placing) -> tuple[Section, ...]:
    """Return the state, the moves, and what they do and show."""
    known = '(next (sees ?player (cell [1,rows]:?row [1,columns]:?column player:{})))'
    moves = (
        rule(f'(legal ?player (place {CELL}))', '(true (control ?player))',
             '(square ?row ?column)', '(not (known ?player ?row ?column))'),
        rule('(known ?player ?row ?column)', '(true (sees ?player (cell ?row ?column ?owner)))'),
        '; This try meets a stone of the other.',
        rule('taken', _TRIES, '(opponent ?player ?other)', '(owns ?other ?row ?column)'),
        '; Players always see their own stones: these are all the stones there are.',
        rule('(owns ?player ?row ?column)', '(true (sees ?player (cell ?row ?column ?player)))'),
    )  # fmt: skip
    after = [
        rule(known.format('?player'), _TRIES, '(not taken)'),
        rule(known.format('?other'), _TRIES, '(opponent ?player ?other)', 'taken'),
        rule(known.format('?owner'), '(true (sees ?player (cell ?row ?column ?owner)))'),
    ]
    turn = '(next (control player:{}))'
    missed = '(not taken)' if placing.secret is Secret.AGAIN else ''
    if missed:
        after.append(rule(turn.format('?player'), '(true (control ?player))', 'taken'))
    after.append(
        rule(
            turn.format('?other'), '(true (control ?player))', '(opponent ?player ?other)', missed
        )
    )
    return (
        Section(
            'the state: (sees player (cell row column owner)), (control player)',
            write_start(design),
        ),
        Section('moves', moves),
        Section('what a move does, and who learns of it', tuple(after)),
    )


def tell_hidden_placing(placing: Placing) -> list[str]:
    """Return in words what players see."""
    after = {
        Secret.AGAIN: 'the player sees it from then on, and tries another cell',
        Secret.LOST: 'the player sees it from then on, but the turn is over',
    }[placing.secret]
    return [
        'A turn places a stone on a cell that is not known to be taken; nobody sees the stones of'
        f' the other. If the cell holds one, {after}.'
    ]
