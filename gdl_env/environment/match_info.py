"""What those who take part in a match receive at its beginning."""

from __future__ import annotations

from dataclasses import replace

from gdl_env.engine.contract import Role
from gdl_env.engine.mapping import Encoding
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import MatchInfo
from gdl_env.language.game import Game


def describe_match(lanes: Lanes, options: Options, *, with_rules: bool, longest: int) -> MatchInfo:
    """Describe a match. Tables longer than `longest` are left out."""
    info = describe_game(lanes.game, lanes.mapping, lanes.players, longest=longest)
    return replace(
        info,
        rules=info.rules if with_rules else '',
        lanes=lanes.lanes,
        teams=options.teams,
        turn=options.turn,
        first_lane=options.first_lane,
    )


def describe_game(
    game: Game, encoding: Encoding | None, players: tuple[Role, ...], *, longest: int = 100_000
) -> MatchInfo:
    """Describe a match of a game in one lane. Tables longer than `longest` are left out."""
    moves: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    if encoding and encoding.action_size <= longest:
        moves = tuple(str(encoding.move(players[0], i)) for i in range(encoding.action_size))
    if encoding and encoding.observation_size <= longest:
        facts = tuple(encoding.observation_name(i) for i in range(encoding.observation_size))
    return MatchInfo(
        game.name,
        game.text,
        tuple(map(str, players)),
        1,
        encoding.observation_size if encoding else 0,
        encoding.action_size if encoding else 0,
        moves,
        facts,
    )
