"""A match as those who take part are told of it at its beginning."""

from __future__ import annotations

from gdl_env.environment.exchange import MatchInfo
from gdl_env.environment.lane_game import LaneGame
from gdl_env.environment.options import Options


def describe_match(
    lane_game: LaneGame, options: Options, *, with_rules: bool, longest: int
) -> MatchInfo:
    """Describe a match. Tables longer than `longest` are left out."""
    mapping = lane_game.mapping
    moves: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    if mapping and mapping.action_size <= longest:
        role = lane_game.players[0]
        moves = tuple(str(mapping.move(role, i)) for i in range(mapping.action_size))
    if mapping and mapping.observation_size <= longest:
        facts = tuple(mapping.observation_name(i) for i in range(mapping.observation_size))
    return MatchInfo(
        lane_game.game.name,
        lane_game.game.text if with_rules else '',
        tuple(map(str, lane_game.players)),
        lane_game.lanes,
        lane_game.observation_size,
        lane_game.action_size,
        moves,
        facts,
        teams=options.teams,
    )
