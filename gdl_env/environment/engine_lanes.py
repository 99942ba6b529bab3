"""N copies of a game on any engine, one after the other: for games that do not compile."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Dict
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import NATURE, Engine, Move, Role, State
from gdl_env.engine.interpreter import Step, draw
from gdl_env.engine.mapping import Mapping
from gdl_env.environment.bits import Bits
from gdl_env.environment.chance import Chance
from gdl_env.environment.lane_game import LaneGame, Look, Mask, public_part
from gdl_env.errors import EngineError
from gdl_env.language.game import Information
from gdl_env.language.keywords import NOOP
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol, Term


class EngineLanes(LaneGame):
    """Lanes as states of an engine. Without a mapping moves are places among the legal ones."""

    def __init__(self, engine: Engine, mapping: Mapping | None, lanes: int) -> None:
        super().__init__(engine.game, engine.roles, mapping, lanes)
        self._engine = engine
        self._is_percepts = engine.game.information is Information.PERCEPTS
        self._states: list[State] = [engine.initial_state] * lanes
        self._legal: list[Dict[Role, tuple[Move, ...]]] = [{}] * lanes
        self._terminal = np.zeros(lanes, np.bool_)
        self._seen: list[list[set[Term]]] = [[set() for _ in self.players] for _ in range(lanes)]
        self._known: dict[State, tuple[bool, Dict[Role, tuple[Move, ...]]]] = {}
        self._refresh(range(lanes))

    # ---- moving

    def restart(self, lanes: Mask) -> None:
        chosen = np.flatnonzero(lanes)
        for lane in chosen:
            self._states[lane] = self._engine.initial_state
            for seen in self._seen[lane]:
                seen.clear()
        self._refresh(chosen)

    def look(self) -> Look:
        shape = (len(self.players) + 1, self.lanes)
        has, many, real = (np.zeros(shape, np.bool_) for _ in range(3))
        noop = Symbol(NOOP)
        for seat, role in enumerate((*self.players, NATURE)):
            for lane, legal in enumerate(self._legal):
                moves = legal.get(role, ())
                has[seat, lane] = bool(moves)
                many[seat, lane] = len(moves) > 1
                real[seat, lane] = any(move != noop for move in moves)
        return Look(self._terminal.copy(), has, many, real)

    def play(self, acting: Mask, action: NDArray[np.int32], chance: Chance) -> None:
        # One generator for each lane: what happens in one does not depend on the others.
        seeds = chance.integers(0, 2**63, self.lanes)
        moved = np.flatnonzero(acting.any(axis=0))
        for lane in moved:
            random = Random(int(seeds[lane]))
            moves: dict[Role, Move] = {}
            chosen: dict[Role, Move] = {}
            for seat in np.flatnonzero(acting[:, lane]):
                role = NATURE if seat == len(self.players) else self.players[seat]
                legal = self._legal[lane][role]
                if seat == len(self.players):
                    move = random.choice(legal)
                elif action[seat, lane] >= 0:
                    move = self._move(int(seat), int(lane), int(action[seat, lane]))
                else:
                    move = random.choice(legal)
                    action[seat, lane] = self._action(int(seat), int(lane), move)
                chosen[role] = move
                moves[role] = self._draw(self._states[lane], move, random)
            self._step(int(lane), chosen, moves)
        self._refresh(moved)

    def _draw(self, state: State, move: Move, random: Random) -> Move:
        outcomes = self._engine.outcomes(state, move)
        if not outcomes:
            raise EngineError(f'no event of {move} has a weight above 0 in this state')
        return outcomes[0].value if len(outcomes) == 1 else draw(outcomes, random)

    def _step(self, lane: int, chosen: dict[Role, Move], moves: dict[Role, Move]) -> None:
        state = self._states[lane]
        percepts: Dict[Role, frozenset[Term]] = {}
        if self._is_percepts:
            percepts = self._engine.percepts(state, moves)
            for seen, role in zip(self._seen[lane], self.players, strict=True):
                seen |= percepts.get(role, frozenset())
        self._states[lane] = self._engine.next_state(state, moves)
        if self.trace is not None and lane < self.trace.lanes:
            self.trace.step(lane, Step(chosen, moves, self._states[lane], percepts))

    def forget(self, player: int, lanes: Mask) -> None:
        for lane in np.flatnonzero(lanes):
            self._seen[lane][player].clear()

    def snapshot(self) -> dict[str, Any]:
        seen = [[_to_texts(terms) for terms in lane] for lane in self._seen]
        return {'states': [_to_texts(state) for state in self._states], 'seen': seen}

    def restore(self, held: dict[str, Any]) -> None:
        self._states = [frozenset(map(read_term, texts)) for texts in held['states']]
        self._seen = [[set(map(read_term, texts)) for texts in lane] for lane in held['seen']]
        self._refresh(range(self.lanes))

    # ---- asking

    def legal(self, player: int) -> Bits:
        role = self.players[player]
        if self.mapping is None:
            width = max((len(legal.get(role, ())) for legal in self._legal), default=0)
            counts = np.array([len(legal.get(role, ())) for legal in self._legal])
            return Bits.pack(np.arange(width)[None, :] < counts[:, None])
        rows = [self.mapping.action_mask(role, legal.get(role, ())) for legal in self._legal]
        return Bits.pack(np.stack(rows))

    def observe(self, player: int | None) -> Bits:
        if self.mapping is None:
            return Bits(np.zeros((self.lanes, 0), np.uint8), 0)
        views = [self.view(player, lane) for lane in range(self.lanes)]
        role = Symbol('') if player is None else self.players[player]
        return Bits.pack(self.mapping.observe_batch(views, role))

    def goals(self) -> NDArray[np.int16]:
        result = np.full((len(self.players), self.lanes), -1, np.int16)
        for lane in np.flatnonzero(self._terminal):
            goals = self._engine.goals(self._states[lane])
            for player, role in enumerate(self.players):
                value = goals[role]
                result[player, lane] = -1 if value is None else value
        return result

    def view(self, player: int | None, lane: int) -> State:
        if self._is_percepts:
            return frozenset() if player is None else frozenset(self._seen[lane][player])
        if player is None:
            return public_part(self._states[lane], self.game)
        return self._engine.view(self._states[lane], self.players[player])

    def state(self, lane: int) -> State:
        return self._states[lane]

    def moves(self, player: int, lane: int) -> dict[str, int]:
        legal = self._legal[lane].get(self.players[player], ())
        return {str(move): self._action(player, lane, move) for move in legal}

    def move_text(self, player: int, lane: int, action: int) -> str:
        return '' if action < 0 else str(self._move(player, lane, action))

    def close(self) -> None:
        self._engine.close()

    # ---- inside

    def _refresh(self, lanes: Iterable[int]) -> None:
        for lane in lanes:
            state = self._states[lane]
            if state not in self._known:
                if len(self._known) > 4 * self.lanes + 64:
                    self._known.clear()
                over = self._engine.is_terminal(state)
                self._known[state] = over, {} if over else self._engine.legal_moves(state)
            self._terminal[lane], self._legal[lane] = self._known[state]

    def _move(self, player: int, lane: int, action: int) -> Move:
        if self.mapping is not None:
            return self.mapping.move(self.players[player], action)
        return self._legal[lane][self.players[player]][action]

    def _action(self, player: int, lane: int, move: Move) -> int:
        role = self.players[player]
        if self.mapping is not None:
            return self.mapping.action_index(role, move)
        return self._legal[lane][role].index(move)


def _to_texts(terms: Iterable[Term]) -> list[str]:
    return sorted(map(str, terms))
