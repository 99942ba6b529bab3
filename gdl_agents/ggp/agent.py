"""A player of the GGP protocol as an agent: in matches on the graph, in `gdl eval`, anywhere."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
import os

import numpy as np

from gdl_agents.errors import AgentError
from gdl_agents.ggp.messages import News, Start
from gdl_agents.ggp.move_finder import MoveFinder
from gdl_agents.ggp.plain_rules import rules_for_others
from gdl_agents.ggp.seats import RemoteSeat
from gdl_agents.players.lane_view import LaneView
from gdl_agents.players.text_agent import TextAgent, normalise
from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.engine.registry import open_engine
from gdl_env.environment.protocol import Feedback, MatchInfo, Question
from gdl_env.errors import GdlError
from gdl_env.language.game import Information
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_role, read_term
from gdl_env.play.noop import NOOP_MOVE

# The clocks of a player where the match has none [s].
_START_CLOCK, _PLAY_CLOCK = 30.0, 10.0
_matches = count(1)


@dataclass
class _LaneMatch:
    """One game of one role in one lane, as the player knows it."""

    seat: RemoteSeat
    episode: int
    # The last state of which the player knows, whether it was asked, and what it answered.
    state: State
    is_asked: bool = False
    reply: str = ''
    own: tuple[Role, Move] | None = field(default=None)


class GgpAgent(TextAgent):
    """Lets a player at an address play, such as `ggp:http://localhost:9147`.

    It receives the moves of all roles, as the protocol has it; these are found from the states
    that the agent is shown. So it plays games in which nothing is hidden and nothing is drawn by
    weights.
    """

    name = 'ggp'
    wants_feedback = True

    def __init__(self, url: str = '') -> None:
        """Take the address. Raises AgentError if it is none."""
        RemoteSeat(url)
        self._url = url
        self._engine: Engine | None = None
        self._lanes: dict[tuple[str, int], _LaneMatch] = {}

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Open the rules. Raises AgentError if the protocol cannot announce this game's moves."""
        super().begin(info, roles, seed)
        self._close()
        game = game_from_text(info.rules, info.name)
        if game.information is not Information.COMPLETE:
            raise AgentError(f'ggp: {info.name} hides something; ggp players see every move')
        if game.experiments:
            raise AgentError(f'ggp: {info.name} draws {", ".join(sorted(game.experiments))}')
        self._engine = open_engine(game)
        self._finder = MoveFinder(self._engine)
        is_plain = RemoteSeat(self._url).knows_plain_rules_only()
        self._rules = rules_for_others(self._engine) if is_plain else info.rules

    def choose_move(self, view: LaneView, question: Question, deadline: float | None) -> str:
        """Announce what has happened, step by step; return the player's answer to the last."""
        match = self._find_match(question.role, view)
        state = frozenset(map(read_term, view.facts))
        if not match.is_asked:
            # Before anything has happened.
            match.reply = match.seat.play(News())
            match.is_asked = True
        elif state == match.state:
            # Asked again, for example after a restart of the environment.
            return match.reply
        for joint in self._finder.find(match.state, state, match.own):
            assert self._engine is not None
            roles = self._engine.roles
            moves = tuple(str(joint.get(role, NOOP_MOVE)) for role in roles)
            match.reply = match.seat.play(News(moves))
        match.state = state
        role = read_role(question.role)
        move = normalise(match.reply)
        match.own = (role, read_term(move)) if move in view.moves else None
        return match.reply

    def learn(self, feedback: Feedback) -> None:
        """Release the player where a game is over."""
        for lane in map(int, np.flatnonzero(feedback.is_over)):
            match = self._lanes.pop((feedback.role, lane), None)
            if match is not None:
                with suppress(GdlError):
                    match.seat.abort()

    def end(self) -> None:
        """Release the player and the rules."""
        self._close()

    def _find_match(self, role: str, view: LaneView) -> _LaneMatch:
        """Return the match of a lane; started now if its episode is new."""
        key = role, view.lane
        match = self._lanes.get(key)
        if match is not None and match.episode == view.episode:
            return match
        assert self._engine is not None
        seat = RemoteSeat(self._url)
        info = self._info
        start_clock, play_clock = info.start_clock or _START_CLOCK, info.play_clock or _PLAY_CLOCK
        name = f'{info.name}.{os.getpid()}.{next(_matches)}'
        seat.start(Start(name, role, self._rules, start_clock, play_clock))
        found = _LaneMatch(seat, view.episode, self._engine.initial_state)
        self._lanes[key] = found
        return found

    def _close(self) -> None:
        for match in self._lanes.values():
            with suppress(GdlError):
                match.seat.abort()
        self._lanes.clear()
        if self._engine is not None:
            self._engine.close()
            self._engine = None
