"""Reads the parts of view files that say how relations are shown, and what boards look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl_env.gui.drawing.errors import ViewError
from gdl_env.gui.drawing.shows import ARGUMENTS, SHOWS, Show
from gdl_env.gui.drawing.view_boards import CardsView, GraphView, PointsView, ResultView
from gdl_env.gui.drawing.view_checks import (
    check_mapping,
    read_argument,
    read_names,
    read_number,
    read_text,
    read_words,
    suggest,
)


def read_show(told: Mapping[str, Any], place: str) -> Show:
    """Return how a relation is shown. Raises ViewError if arguments are missing or too many."""
    given = [key for key in ARGUMENTS if key in told]
    if 'show' not in told:
        if given:
            raise ViewError(f'{place}: {given[0]} goes with show')
        return Show()
    kind = read_text(told['show'], f'{place}: show')
    if kind not in SHOWS:
        raise ViewError(f'{place}: show {kind!r} is unknown{suggest(kind, tuple(SHOWS))}')
    rule = SHOWS[kind]
    for key in rule.needed:
        if key not in told:
            raise ViewError(f'{place}: show: {kind} needs {key}, the number of an argument')
    for key in given:
        if key not in rule.needed + rule.optional:
            allowed = ', '.join(rule.needed + rule.optional) or 'nothing'
            raise ViewError(f'{place}: show: {kind} does not take {key} (allowed: {allowed})')
    numbers = {}
    for key in given:
        if key != 'card':
            index = read_argument(told, key, place)
            numbers[key] = -1 if index is None else index
    return Show(kind, card=read_card(told, place), **numbers)


def read_card(told: Mapping[str, Any], place: str) -> tuple[int, ...]:
    """Return the arguments that are a card."""
    value = told.get('card', [])
    found = value if isinstance(value, list) else [value]
    if len(found) > 2:
        raise ViewError(f'{place}: card should be one argument, or those of rank and suit')
    indices = [read_argument({'card': one}, 'card', place) for one in found]
    return tuple(index for index in indices if index is not None)


def read_points(data: Any, place: str) -> PointsView:
    """Return what is said of a board of points."""
    told = check_mapping(data, ('length', 'turned', 'bar', 'out'), place)
    length = read_number(told, 'length', place, 24)
    if not 4 <= length <= 48 or length % 4:
        raise ViewError(f'{place}: length should be a multiple of 4, from 4 to 48')
    return PointsView(
        length,
        read_words(told, 'turned', place),
        read_text(told.get('bar', ''), f'{place}: bar'),
        read_text(told.get('out', ''), f'{place}: out'),
    )


def read_graph(data: Any, place: str) -> GraphView:
    """Return places and lines between them."""
    told = check_mapping(data, ('nodes', 'edges'), place)
    nodes, edges = told.get('nodes', {}), told.get('edges', [])
    if not isinstance(nodes, dict) or not isinstance(edges, list):
        raise ViewError(f'{place}: nodes: {{a: [0, 50]}} and edges: [[a, b]] are expected')
    places = {}
    for name, at in nodes.items():
        match at:
            case [int() | float() as x, int() | float() as y] if 0 <= x <= 100 and 0 <= y <= 100:
                places[str(name)] = float(x), float(y)
            case _:
                raise ViewError(f'{place}: nodes: {name} should be [x, y], each from 0 to 100')
    lines = []
    for edge in edges:
        if (
            not isinstance(edge, list)
            or len(edge) != 2
            or not {str(e) for e in edge} <= set(places)
        ):
            raise ViewError(f'{place}: edges: {edge} should be two of the nodes')
        lines.append((str(edge[0]), str(edge[1])))
    return GraphView(places, tuple(lines))


def read_cards(data: Any, place: str) -> CardsView:
    """Return how cards are read and sorted."""
    told = check_mapping(data, ('ranks', 'order'), place)
    ranks = read_names(told.get('ranks', {}), f'{place}: ranks')
    return CardsView(ranks, read_words(told, 'order', place))


def read_result(data: Any, place: str) -> ResultView:
    """Return how the end is described."""
    told = check_mapping(data, ('zero', 'each', 'one', 'many', 'parties', 'score'), place)
    if ('each' in told) != ('many' in told):
        raise ViewError(f'{place}: each and many belong together, such as each: 2, many: points')
    many = read_text(told.get('many', ''), f'{place}: many')
    return ResultView(
        read_number(told, 'zero', place, 50),
        read_number(told, 'each', place, 0),
        read_text(told.get('one', many), f'{place}: one'),
        many,
        read_text(told.get('parties', ''), f'{place}: parties'),
        read_text(told.get('score', ''), f'{place}: score'),
    )
