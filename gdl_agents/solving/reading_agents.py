"""The strategy of an agent: what it does at every information set of a game.

An agent that says how likely its moves are (`Agent.policy`) is asked once at each information
set. Any other is asked for its choice there, several times, with different seeds: what it does is
then known as far as these samples tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.solving.exploitability import Strategy, uniform_strategy
from gdl_agents.solving.game_tree import GameTree
from gdl_agents.solving.questions import Asker, Glimpse, write_scripts
from gdl_env.environment.protocol import Answer, Question

# Lanes of a match at most.
_LANES = 1024


@dataclass(frozen=True)
class ReadStrategy:
    """What agents do at all information sets of all players."""

    strategy: Strategy
    # Of each player: the times its agent was asked for a choice at each information set, at
    # least; 0 where it has told its probabilities.
    samples: tuple[int, ...]
    # Choices that were not legal, in all.
    illegal: int


def read_strategy(
    tree: GameTree, agents: Sequence[Agent], samples: int = 1, seed: int = 0
) -> ReadStrategy:
    """Ask an agent for each player. Raises AgentError, or what agents raise in `begin`."""
    strategy = uniform_strategy(tree.form)
    counts, illegal = [], 0
    for player, agent in enumerate(agents):
        reader = _Reader(tree, player, agent)
        counts.append(reader.read(samples, seed))
        illegal += reader.illegal
        start, end = tree.form.sequence_start[player : player + 2]
        strategy[start:end] = reader.find_strategy()
    return ReadStrategy(strategy, tuple(counts), illegal)


class _Reader:
    """Asks one agent at all information sets of one player."""

    def __init__(self, tree: GameTree, player: int, agent: Agent) -> None:
        self._tree = tree
        self._player = player
        self._agent = agent
        self._own = tree.own[player]
        self._weight = np.zeros(len(self._own.moves))
        self.illegal = 0

    def read(self, samples: int, seed: int) -> int:
        """Ask everywhere; return how often, 0 if the agent tells its probabilities."""
        if not len(self._own):
            return 0
        scripts = write_scripts(self._tree, self._player)
        lanes = 1 if self._agent.wants_text or self._tree.sight.table.mapping is None else _LANES
        for sample in range(samples):
            tells = False
            for start in range(0, len(scripts), lanes):
                tells = self._read_part(scripts[start : start + lanes], seed + sample)
            if tells:
                return 0
        return samples

    def find_strategy(self) -> NDArray[np.float64]:
        """Return how likely each sequence's move is at its information set."""
        own = self._own
        found = np.ones(len(own.moves))
        for first, count in zip(own.first, own.count, strict=True):
            mass = self._weight[first : first + count]
            found[first : first + count] = mass / mass.sum()
        return found

    def _read_part(self, scripts: list[list[Glimpse]], seed: int) -> bool:
        """Play through scripts, a lane each; tell whether the agent told its probabilities."""
        agent, role = self._agent, self._tree.roles[self._player]
        info = replace(self._tree.sight.table.info, lanes=len(scripts))
        agent.begin(info, (role,), seed)
        tells = True
        asker = Asker(self._tree, self._player, scripts)
        for question, scenes in asker.ask(1, 1):
            if not question.is_decision:
                agent.notice(question)
                continue
            likely = agent.policy(question)
            if likely is None:
                tells = False
                self._count(question, agent.choose(question), scenes)
            else:
                self._add(question, likely, scenes)
            agent.note_played(question, asker.played(scenes))
        agent.end()
        return tells

    def _add(
        self, question: Question, likely: NDArray[np.float64], scenes: list[Glimpse | None]
    ) -> None:
        for lane in np.flatnonzero(question.to_move).tolist():
            first, moves = self._find(scenes[lane])
            row = likely[lane, moves] if question.legal is not None else likely[0]
            if row.shape != (len(moves),) or (row < 0).any() or abs(row.sum() - 1) > 1e-6:
                raise AgentError(
                    f'{self._agent.name} gives probabilities {row.tolist()} for the legal moves'
                    f' of {question.role} at tick {question.tick}: they must add up to 1'
                )
            self._weight[first : first + len(moves)] = row

    def _count(self, question: Question, answer: Answer, scenes: list[Glimpse | None]) -> None:
        for lane in np.flatnonzero(question.to_move).tolist():
            first, moves = self._find(scenes[lane])
            place = self._find_choice(question, answer, lane, moves)
            if place < 0:
                # A match plays any legal move then.
                self.illegal += 1
                self._weight[first : first + len(moves)] += 1.0 / len(moves)
            else:
                self._weight[first + place] += 1.0

    def _find(self, scene: Glimpse | None) -> tuple[int, list[int]]:
        assert scene is not None
        own = self._own
        return int(own.first[scene.information_set]), own.legal_moves(scene.information_set)

    def _find_choice(self, question: Question, answer: Answer, lane: int, moves: list[int]) -> int:
        if answer.action is not None:
            action = int(answer.action[lane])
            return moves.index(action) if action in moves else -1
        role, sight = self._own.role, self._tree.sight
        texts = [sight.move_text(role, move) for move in moves]
        said = answer.moves[lane] if answer.moves else ''
        return texts.index(said) if said in texts else -1
