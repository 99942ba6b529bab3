"""One lane of a question as text, for people, programs and chess engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gdl_env.environment.protocol import MatchInfo, Question


@dataclass(frozen=True)
class LaneView:
    """What a role sees in one lane, and what it may do there."""

    lane: int
    episode: int
    # GDL text; empty if neither text nor the table of facts was sent.
    facts: tuple[str, ...]
    # The legal moves as GDL text, and their actions; no actions if the game has no action table.
    moves: tuple[str, ...]
    actions: tuple[int, ...]


def view_lane(info: MatchInfo, question: Question, lane: int) -> LaneView:
    """Return one lane as text: by the tables of the match, or as it was sent for lane 0."""
    moves: tuple[str, ...] = ()
    actions: tuple[int, ...] = ()
    if question.legal is not None and info.moves:
        actions = tuple(map(int, np.flatnonzero(question.legal.row(lane))))
        moves = tuple(info.moves[action] for action in actions)
    elif lane == 0:
        moves = question.legal_moves
    facts: tuple[str, ...] = ()
    if lane == 0 and question.facts:
        facts = question.facts
    elif question.observation is not None and info.facts:
        facts = tuple(info.facts[i] for i in np.flatnonzero(question.observation.row(lane)))
    return LaneView(lane, int(question.episode[lane]), facts, moves, actions)
