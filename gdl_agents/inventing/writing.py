"""From a design to its rule file: a header in words, and rules as a person would order them."""

from __future__ import annotations

from gdl_agents.inventing.design import Design, Moving, Placing, Timing
from gdl_agents.inventing.parts.board import tell_board, write_board, write_options
from gdl_agents.inventing.parts.goals import tell_draw, tell_goal, write_axes, write_goal
from gdl_agents.inventing.parts.hidden_placing import tell_hidden_placing, write_hidden_placing
from gdl_agents.inventing.parts.moving import tell_moving, tell_passing, write_moving
from gdl_agents.inventing.parts.placing import tell_placing, write_placing
from gdl_agents.inventing.parts.players import (
    needs_nature,
    tell_limit,
    tell_turns,
    write_players,
)
from gdl_agents.inventing.rule_text import Section, entry, join_sections, join_words, paragraph
from gdl_env.language.formatter import format_text


def write_rules(design: Design, name: str, source: str) -> str:
    """Return the rule file of a game; `source` says where it comes from."""
    sections = (
        write_options(design),
        write_players(design),
        write_board(design),
        write_axes(design),
        *_write_play(design),
        *write_goal(design),
    )
    return format_text(join_sections(_header(design, name, source), sections))


def tell_rules(design: Design) -> list[str]:
    """Return the rules in sentences."""
    play = design.play
    if isinstance(play, Moving):
        acts = tell_moving(design, play)
    elif design.is_hidden:
        acts = tell_hidden_placing(play)
    else:
        acts = tell_placing(design, play)
    words = (
        tell_board(design),
        tell_turns(design),
        *acts,
        *tell_goal(design),
        tell_passing(design),
        tell_limit(design),
        tell_draw(design),
    )
    return [sentence for sentence in words if sentence]


def _write_play(design: Design) -> tuple[Section, ...]:
    play = design.play
    if isinstance(play, Moving):
        return write_moving(design, play)
    assert isinstance(play, Placing)
    if design.is_hidden:
        return write_hidden_placing(design, play)
    return write_placing(design, play)


def _header(design: Design, name: str, source: str) -> str:
    goal, *_ = tell_goal(design) or [tell_passing(design)]
    title = name.replace('_', ' ').title()
    order = 'at the same time' if design.turns is Timing.TOGETHER else 'one at a time'
    hidden = (
        'Each sees its own stones and those it met' if design.is_hidden else 'Everything is open'
    )
    luck = 'chance has a part' if design.has_chance else 'nothing is left to chance'
    role = ' Chance plays role random.' if needs_nature(design) else ''
    dialect = (
        'KMNR22: sees is part of the state.'
        if design.is_hidden
        else 'plain GDL, with experiments.' if design.has_chance and not needs_nature(design)
        else 'plain GDL.'
    )  # fmt: skip
    options = ['rows', 'columns', *(['limit'] if design.limit else [])]
    return '\n'.join(
        (
            paragraph(f'{title} - {goal[0].lower()}{goal[1:]}'),
            ';',
            paragraph(' '.join(tell_rules(design))),
            ';',
            entry('Source', f'{source}.'),
            entry('Options', f'{join_words(options)}.'),
            entry('Players', f'{join_words(design.roles)}, {order}. {hidden}; {luck}.{role}'),
            entry('Dialect', dialect),
        )
    )
