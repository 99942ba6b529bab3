"""A match as those who take part are told of it at its beginning."""

from __future__ import annotations

from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import MatchInfo


def describe_match(lanes: Lanes, options: Options, *, with_rules: bool, longest: int) -> MatchInfo:
    """Describe a match. Tables longer than `longest` are left out."""
    mapping = lanes.mapping
    moves: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    if mapping and mapping.action_size <= longest:
        role = lanes.players[0]
        moves = tuple(str(mapping.move(role, i)) for i in range(mapping.action_size))
    if mapping and mapping.observation_size <= longest:
        facts = tuple(mapping.observation_name(i) for i in range(mapping.observation_size))
    return MatchInfo(
        lanes.game.name,
        lanes.game.text if with_rules else '',
        tuple(map(str, lanes.players)),
        lanes.lanes,
        lanes.observation_size,
        lanes.action_size,
        moves,
        facts,
        teams=options.teams,
        turn=options.turn,
    )
