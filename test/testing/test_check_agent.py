"""Agents that break their contract are caught, each with its reason."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest

from gdl_agents.agent import Agent
from gdl_agents.players.legal import LegalAgent
from gdl_agents.players.random import RandomAgent
from gdl_env.environment.protocol import Answer, Question
from gdl_env.testing import ConformanceError, check_agent


class Spoiled(LegalAgent):
    """Answers as the legal agent does, but for some fields."""

    def spoil(self, question: Question, answer: Answer) -> dict[str, Any]:
        raise NotImplementedError

    def choose(self, question: Question) -> Answer:
        answer = super().choose(question)
        return replace(answer, **self.spoil(question, answer))


class LateTick(Spoiled):
    def spoil(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {'tick': question.tick - 1}


class OtherRole(Spoiled):
    def spoil(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {'role': 'referee'}


class Illegal(Spoiled):
    def spoil(self, question: Question, answer: Answer) -> dict[str, Any]:
        assert answer.action is not None
        return {'action': np.where(question.to_move, np.int32(0), answer.action)}


class OutOfRange(Spoiled):
    def spoil(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {'action': np.full(question.lanes, 9_999, np.int32)}


class WrongType(Spoiled):
    def spoil(self, question: Question, answer: Answer) -> dict[str, Any]:
        assert answer.action is not None
        return {'action': answer.action.astype(np.float64)}


class NoLanes(Spoiled):
    def spoil(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {'action': np.zeros(0, np.int32)}


class IllegalText(Spoiled):
    wants_text = True

    def spoil(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {'action': None, 'moves': ('(mark 9 9)',)}


class Moody(LegalAgent):
    """Each one made prefers another end of the list."""

    numbers = count()

    def __init__(self) -> None:
        self._last = next(self.numbers) % 2 == 1

    def choose(self, question: Question) -> Answer:
        answer = super().choose(question)
        if self._last and question.legal is not None:
            last = question.legal.unpack()[:, ::-1].argmax(axis=1)
            action = (question.legal.unpack().shape[1] - 1 - last).astype(np.int32)
            answer = replace(answer, action=np.where(question.to_move, action, -1).astype('i4'))
        return answer


BROKEN: dict[type[Agent], str] = {
    LateTick: 'tick 1, role x: tick of the answer is 0',
    OtherRole: "role of the answer is 'referee'",
    Illegal: 'action 0 is illegal in lane',
    OutOfRange: 'action 9999 is illegal',
    WrongType: 'type float64',
    NoLanes: r'action has shape \(0,\)',
    IllegalText: r"move '\(mark 9 9\)' is illegal",
    Moody: 'two agents with the same seed and questions differ',
}


@pytest.mark.parametrize(('kind', 'reason'), BROKEN.items())
def test_a_broken_agent_is_caught(kind: type[Agent], reason: str) -> None:
    with pytest.raises(ConformanceError, match=reason):
        check_agent(kind)


def test_deciding_where_nothing_is_asked_is_caught() -> None:
    class Eager(RandomAgent):
        def choose(self, question: Question) -> Answer:
            answer = super().choose(question)
            assert answer.action is not None
            return replace(answer, action=np.maximum(answer.action, 0))

    # Lanes come to be out of step as games end after different numbers of moves.
    with pytest.raises(ConformanceError, match='which asks nothing'):
        check_agent(Eager, 'kuhn_poker', lanes=16, episodes=64)


@pytest.mark.parametrize('kind', [LegalAgent, RandomAgent])
@pytest.mark.parametrize('game', ['tictactoe', 'kuhn_poker', 'rock_paper_scissors'])
def test_our_own_agents_pass(kind: type[Agent], game: str) -> None:
    check_agent(kind, game, lanes=8, episodes=16)
