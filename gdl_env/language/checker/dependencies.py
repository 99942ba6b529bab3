"""What may depend on the state, and what on the moves."""

from __future__ import annotations

from gdl_env.language.checker.graph import DependencyGraph, Edge
from gdl_env.language.checker.report import Report, see
from gdl_env.language.dependencies import Relation
from gdl_env.language.game import Game

_TRUE: Relation = ('true', 1)
_DOES: Relation = ('does', 2)

_STATIC = 'rules that look neither at the state nor at moves'
_BEFORE_MOVES = "the current state ('true') and rules about it, but no moves"

# What is asked for in a state; roles are known before there is one.
_ABOUT_PLAY: tuple[Relation, ...] = (
    ('legal', 2),
    ('goal', 2),
    ('terminal', 0),
    ('next', 1),
    ('sees', 2),
)

# What each keyword may not depend on, and what it may.
_FORBIDDEN: dict[Relation, tuple[tuple[Relation, ...], str]] = {
    ('legal', 2): ((_DOES,), _BEFORE_MOVES),
    ('goal', 2): ((_DOES,), _BEFORE_MOVES),
    ('terminal', 0): ((_DOES,), _BEFORE_MOVES),
    ('random', 3): ((_DOES,), _BEFORE_MOVES),
    ('init', 1): ((_TRUE, _DOES), _STATIC),
    ('role', 1): ((*_ABOUT_PLAY, _TRUE, _DOES), _STATIC),
    ('base', 1): ((_TRUE, _DOES), _STATIC),
    ('input', 2): ((_TRUE, _DOES), _STATIC),
    ('typemap', 3): ((_TRUE, _DOES), _STATIC),
}

_REASON = {
    _DOES: 'but moves are known only after it is asked',
    _TRUE: 'but there is no current state when it is asked',
    **dict.fromkeys(_ABOUT_PLAY, 'but roles are known before a game begins'),
}


def check_dependencies(game: Game, graph: DependencyGraph, report: Report) -> None:
    """Report each rule of a keyword that asks, directly or not, for what it may not know."""
    sources = {edge.source for edge in graph.edges} & _FORBIDDEN.keys()
    goals_of = {goal for source in sources for goal in _FORBIDDEN[source][0]}
    ways = {goal: graph.ways_to(goal) for goal in goals_of}
    reported: set[tuple[int, Relation]] = set()
    for edge in graph.edges:
        if edge.source not in _FORBIDDEN or edge.source[0] in game.redefined:
            continue
        goals, allowed = _FORBIDDEN[edge.source]
        for goal in goals:
            if edge.target != goal and edge.target not in ways[goal]:
                continue
            if (id(edge.rule), goal) in reported:
                continue
            reported.add((id(edge.rule), goal))
            way = _way(edge, goal, ways[goal])
            _report(way, goal, allowed, report)
            if goal in _ABOUT_PLAY:
                # One reason is enough: what is asked for in play depends on the state, too.
                break


def _way(first: Edge, goal: Relation, ways: dict[Relation, Edge]) -> list[Edge]:
    way = [first]
    while way[-1].target != goal:
        way.append(ways[way[-1].target])
    return way


def _report(way: list[Edge], goal: Relation, allowed: str, report: Report) -> None:
    keyword, name = way[0].source[0], goal[0]
    between = [f"'{edge.target[0]}'" for edge in way[:-1]]
    through = f' through {", then ".join(between)}' if between else ''
    report.error(
        f'depends-on-{name}',
        f"'{keyword}' depends on '{name}'{through}, {_REASON[goal]}",
        way[0].atom.span,
        f'{allowed} below {keyword!r}',
        see(way[-1].atom.term, f"'{name}' is asked for here") if between else (),
    )
