"""A match in lanes: questions, answers, feedback, one tick after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.answers import Decision, Decisions
from gdl_env.environment.bits import Bits
from gdl_env.environment.exchange import NO_GOAL, Answer, Feedback, MatchInfo, Origin, Question
from gdl_env.environment.lane_game import LaneGame, Look, Mask
from gdl_env.environment.opening import open_lane_game
from gdl_env.environment.options import Options, OptionsError, Policy
from gdl_env.environment.rewards import Results, open_reward
from gdl_env.environment.tallies import Tallies
from gdl_env.environment.turns import FIRST, open_turn_rule
from gdl_env.errors import GdlError
from gdl_env.language.game import Game, Turns

# More steps in a row without a decision than any game deals cards.
_MAX_QUIET_STEPS = 10_000


@dataclass(frozen=True)
class Step:
    """What came of one tick."""

    tick: int
    feedback: Mapping[str, Feedback]
    # Lanes whose episode ended.
    ended: Mask
    # The moves of the last step in lane 0, as text, of every player; '' did not move.
    moves: tuple[str, ...]


class Environment:
    """N copies of a game, stepped by the answers of its players.

    `questions()` says what is asked at this tick, `step(answers)` goes on to the next. An answer
    that is missing counts as late: whoever runs the environment decides how long to wait.
    """

    def __init__(self, lane_game: LaneGame, options: Options | None = None) -> None:
        self.options = options or Options(lanes=lane_game.lanes)
        if self.options.lanes != lane_game.lanes:
            raise OptionsError(f'{self.options.lanes} lanes wanted, {lane_game.lanes} opened')
        self.game = lane_game
        self.roles = tuple(str(role) for role in lane_game.players)
        self.policies = dict.fromkeys(self.roles, Policy.AGENT)
        self.tick = 0
        self._reward = open_reward(self.options.reward)
        self._turn = open_turn_rule(self.options.turn)
        self._is_serial = lane_game.game.turns is Turns.SERIAL
        self._decisions = Decisions(self.options.illegal, lane_game.action_size)
        self.episode = np.zeros(lane_game.lanes, np.uint64)
        self._seen: dict[str, bytes] = {}
        self.reset(self.options.seed, self.options.episodes)

    @classmethod
    def open(
        cls, game: Game, options: Options | None = None, engine: str = 'auto', mapping: str = 'auto'
    ) -> Environment:
        """Open a game with the engine and the mapping of these names."""
        options = options or Options()
        return cls(open_lane_game(game, options.lanes, engine, mapping), options)

    # ---- running

    def reset(self, seed: int | None = None, episodes: int = 0) -> None:
        """Begin new episodes in all lanes, and new tallies. Ticks go on counting."""
        if seed is not None:
            self.seed = seed
        lanes = self.game.lanes
        self.tallies = Tallies.of(self.roles)
        # Episodes each lane has still to begin after its current one; -1 is without end.
        share, rest = divmod(episodes, lanes)
        self._left = np.full(lanes, share, np.int64) + (np.arange(lanes) < rest)
        self._left = np.full(lanes, -1, np.int64) if not episodes else self._left
        self._open = self._left != 0
        self._left -= self._open & (self._left > 0)
        self.episode += np.uint64(1)
        self.steps = np.zeros(lanes, np.int64)
        self._last = np.full(lanes, -1, np.int64)
        self._chance = self._generator()
        self._fresh_tick()
        self.game.restart(np.ones(lanes, np.bool_))
        self._settle()
        self.tick += 1

    def step(self, answers: Mapping[str, Answer]) -> Step:
        """Play the answers; roles that should have answered and did not are late.

        An answer counts if it echoes the tick; others are taken for missing.
        """
        self._chance = self._generator()
        self._fresh_tick()
        decisions = self._decide(answers)
        punished = np.zeros(self.game.lanes, np.bool_)
        for decision in decisions:
            punished |= decision.ends
        acting, action = self._acting(decisions)
        acting &= ~punished
        moved = acting.any(axis=0)
        origin = self._origins(decisions, acting)
        for player in range(len(self.roles)):
            self.game.forget(player, acting[player])
        # In a game without a mapping, moves have their names before they are played only.
        named = [d.action.copy() for d in decisions]
        texts = [self._name(player, a) for player, a in enumerate(named)]
        self.game.play(acting, action, self._chance)
        self._count(moved, acting)
        if self.game.mapping is not None:
            texts = [
                self.game.move_text(p, 0, int(action[p, 0]) if acting[p, 0] else -1)
                for p in range(len(self.roles))
            ]
        self._settle(punished)
        step = self._feedback(decisions, action, acting, origin, tuple(texts))
        self.tick += 1
        return step

    # ---- asking

    @property
    def is_finished(self) -> bool:
        """Tell whether all episodes that were asked for have been played."""
        return not self._open.any()

    @property
    def awaited(self) -> tuple[str, ...]:
        """Return the roles whose answers this tick needs."""
        return tuple(
            role
            for player, role in enumerate(self.roles)
            if self.policies[role] is Policy.AGENT and self.decides[player].any()
        )

    @property
    def is_first_enough(self) -> bool:
        """Tell whether one answer is enough, because the first one wins."""
        return self._is_serial and self.options.turn == FIRST

    def info(self, *, with_rules: bool = True, longest: int = 100_000) -> MatchInfo:
        """Describe the match. Tables longer than `longest` are left out."""
        mapping = self.game.mapping
        moves: tuple[str, ...] = ()
        facts: tuple[str, ...] = ()
        if mapping and mapping.action_size <= longest:
            moves = tuple(
                str(mapping.move(self.game.players[0], i)) for i in range(mapping.action_size)
            )
        if mapping and mapping.observation_size <= longest:
            facts = tuple(mapping.observation_name(i) for i in range(mapping.observation_size))
        return MatchInfo(
            self.game.game.name,
            self.game.game.source.text if with_rules else '',
            self.roles,
            self.game.lanes,
            self.game.observation_size,
            self.game.action_size,
            moves,
            facts,
            teams=self.options.teams,
        )

    def question(self, role: str, *, with_text: bool = False) -> Question:
        """Return what a role sees now, and what it may do."""
        player = self.roles.index(role)
        has_mapping = self.game.mapping is not None
        decides = self.decides[player]
        if self.policies[role] is not Policy.AGENT:
            decides = np.zeros_like(decides)
        legal = self._legal(player) if decides.any() else self._no_legal()
        question = Question(
            self.tick,
            role,
            self.episode.copy(),
            decides,
            self.game.observe(player) if has_mapping else None,
            legal if has_mapping else None,
        )
        if not with_text:
            return question
        facts = tuple(sorted(map(str, self.game.view(player, 0))))
        moves = tuple(self.game.moves(player, 0)) if decides[0] else ()
        return replace(question, facts=facts, legal_moves=moves)

    def questions(self, *, with_text: bool = False, only_decisions: bool = False) -> list[Question]:
        """Return the questions of all roles that decide or, if wanted, whose view changed."""
        found = []
        for player, role in enumerate(self.roles):
            decides = self.policies[role] is Policy.AGENT and self.decides[player].any()
            if only_decisions and not decides:
                continue
            question = self.question(role, with_text=with_text)
            seen = self._fingerprint(question)
            if decides or seen != self._seen.get(role):
                found.append(question)
            self._seen[role] = seen
        return found

    def close(self) -> None:
        """Release what is held."""
        self.game.close()

    # ---- inside: a tick

    def _generator(self) -> np.random.Generator:
        """Return the chance of this tick: it depends on nothing that came before."""
        key = np.array([self.seed, self.tick], np.uint64)
        return np.random.Generator(np.random.Philox(key=key))

    def _fresh_tick(self) -> None:
        lanes, players = self.game.lanes, len(self.roles)
        self._ended = np.zeros(lanes, np.bool_)
        self._terminated = np.zeros(lanes, np.bool_)
        self._goals = np.full((players, lanes), -1, np.int16)
        self._final: list[NDArray[np.uint8]] = []
        self._final_views: list[dict[int, frozenset]] = [{} for _ in range(players)]  # type: ignore[type-arg]
        self._asked_episode = self.episode.copy()

    def _decide(self, answers: Mapping[str, Answer]) -> list[Decision]:
        if self.is_first_enough:
            self._choose_first(answers)
        found = []
        for player, role in enumerate(self.roles):
            answer = answers.get(role)
            if answer is not None and (answer.tick != self.tick or answer.role != role):
                answer = None
            decides = self.decides[player]
            legal = self._legal(player) if decides.any() else None
            found.append(
                self._decisions.read(
                    self.policies[role],
                    decides,
                    legal,
                    answer,
                    lambda lane, p=player: self.game.moves(p, lane),  # type: ignore[misc]
                )
            )
        return found

    def _choose_first(self, answers: Mapping[str, Answer]) -> None:
        """Let the first who answered act, in lanes where several could."""
        taken = np.zeros(self.game.lanes, np.bool_)
        order = [r for r in answers if r in self.roles]
        chosen = np.zeros_like(self.decides)
        for role in order:
            player = self.roles.index(role)
            chosen[player] = self.decides[player] & ~taken
            taken |= chosen[player]
        fallback = self._turn(self.decides, self._last, self._chance)
        left = self.decides.any(axis=0) & ~taken
        chosen[fallback[left], np.flatnonzero(left)] = True
        self.decides = chosen

    def _acting(self, decisions: list[Decision]) -> tuple[Mask, NDArray[np.int32]]:
        """Return who acts in lanes with a decision, and what; negative is drawn."""
        lanes = self.decides.any(axis=0)
        acting = self._acts & lanes
        if self._is_serial:
            acting[:-1] = self.decides
            acting[-1] = False
        action = np.stack([decision.action for decision in decisions])
        return acting, action

    def _origins(self, decisions: list[Decision], acting: Mask) -> NDArray[np.uint8]:
        origin = np.stack([decision.origin for decision in decisions])
        for player in range(len(self.roles)):
            forced = acting[player] & ~self.decides[player]
            origin[player][forced] = Origin.FORCED
        return origin

    def _settle(self, punished: Mask | None = None) -> None:
        """Play on until every lane has a decision, or has begun an episode without one."""
        ending = punished.copy() if punished is not None else np.zeros(self.game.lanes, np.bool_)
        if ending.any():
            self._end(ending, is_terminal=False, terminated=True)
        for _ in range(_MAX_QUIET_STEPS):
            look = self.game.look()
            stuck = ~look.terminal & ~look.has.any(axis=0)
            limit = self.options.max_steps
            late = (self.steps >= limit) & ~look.terminal if limit else np.zeros_like(stuck)
            over = self._open & ~self._ended
            ending = (look.terminal | stuck | late) & over
            if ending.any():
                terminal = ending & look.terminal
                if terminal.any():
                    self._end(terminal, is_terminal=True, terminated=True)
                if (ending & ~terminal).any():
                    self._end(ending & ~terminal, is_terminal=False, terminated=False)
                continue
            idle = look.terminal | stuck | late | ~self._open
            self._find_actors(look, idle)
            quiet = ~idle & ~self.decides.any(axis=0)
            if not quiet.any():
                return
            action = np.full((len(self.roles), self.game.lanes), -1, np.int32)
            acting = self._acts & quiet
            self.game.play(acting, action, self._chance)
            self._count(quiet, acting)
        raise GdlError(f'no role had a decision to make for {_MAX_QUIET_STEPS} steps')

    def _find_actors(self, look: Look, idle: Mask) -> None:
        """Say who acts next in each lane and for whom that is a decision."""
        players = len(self.roles)
        self._legal_bits: dict[int, Bits] = {}
        if not self._is_serial:
            self._acts = look.has & ~idle
            self.decides = look.many[:players] & ~idle
            return
        nature = look.has[players] & ~idle
        able = look.real[:players] & ~idle & ~nature
        # Nobody has more to do than to pass.
        able = np.where(able.any(axis=0), able, look.has[:players] & ~idle & ~nature)
        several = able.sum(axis=0) > 1
        chosen = np.zeros_like(able)
        if able.any():
            turn = self._turn(able, self._last, self._chance)
            lanes = np.flatnonzero(able.any(axis=0))
            chosen[turn[lanes], lanes] = True
        first = several & (self.options.turn == FIRST)
        self._acts = np.concatenate([np.where(first, able, chosen), nature[None]])
        self.decides = np.where(first, able, chosen & look.many[:players])

    def _end(self, lanes: Mask, *, is_terminal: bool, terminated: bool) -> None:
        """Note how the episodes of lanes ended, and begin their next ones."""
        goals = np.full((len(self.roles), int(lanes.sum())), -1, np.int16)
        if is_terminal:
            goals = self.game.goals()[:, lanes]
        self._goals[:, lanes] = goals
        self.tallies.add_ends(goals)
        self._keep_last(lanes)
        self._ended |= lanes
        if terminated:
            self._terminated |= lanes
        again = lanes & (self._left != 0)
        self._open &= ~lanes | again
        self._left -= again & (self._left > 0)
        self.episode += again.astype(np.uint64)
        self.steps[again] = 0
        self._last[again] = -1
        self.game.restart(again)

    def _keep_last(self, lanes: Mask) -> None:
        """Keep the last observations (and views, if the reward wants them) of ending lanes."""
        if self.game.mapping is not None:
            if not self._final:
                size = (self.game.lanes, -(-self.game.observation_size // 8))
                self._final = [np.zeros(size, np.uint8) for _ in self.roles]
            for player, kept in enumerate(self._final):
                kept[lanes] = self.game.observe(player).data[lanes]
        if self._reward.wants_states:
            for player, views in enumerate(self._final_views):
                views.update((int(n), self.game.view(player, int(n))) for n in np.flatnonzero(lanes))

    def _count(self, lanes: Mask, acting: Mask) -> None:
        self.steps += lanes
        self.tallies.steps += int(lanes.sum())
        players = acting[:-1]
        moved = players.any(axis=0)
        self._last[moved] = players.argmax(axis=0)[moved]

    # ---- inside: what is told

    def _legal(self, player: int) -> Bits:
        if player not in self._legal_bits:
            bits = self.game.legal(player)
            data = np.where(self.decides[player][:, None], bits.data, np.uint8(0))
            self._legal_bits[player] = Bits(data, bits.size)
        return self._legal_bits[player]

    def _no_legal(self) -> Bits:
        size = self.game.action_size
        return Bits(np.zeros((self.game.lanes, -(-size // 8)), np.uint8), size)

    def _name(self, player: int, action: NDArray[np.int32]) -> str:
        if self.game.mapping is not None or action[0] < 0:
            return ''
        return self.game.move_text(player, 0, int(action[0]))

    def _fingerprint(self, question: Question) -> bytes:
        seen = question.observation.to_bytes() if question.observation is not None else b''
        return seen + '\n'.join(question.facts).encode() + question.episode.tobytes()

    def _feedback(
        self,
        decisions: list[Decision],
        action: NDArray[np.int32],
        acting: Mask,
        origin: NDArray[np.uint8],
        texts: tuple[str, ...],
    ) -> Step:
        told = {}
        for player, role in enumerate(self.roles):
            acted = acting[player]
            decision = decisions[player]
            account = self.tallies[role]
            account.late += int((origin[player] == Origin.LATE).sum())
            account.illegal += int((origin[player] == Origin.ILLEGAL).sum())
            account.strikes = account.late + account.illegal
            results = Results(
                role,
                self._goals[player],
                self._ended,
                acted,
                origin[player] != Origin.ILLEGAL,
                self._asked_episode,
                self._views(player, acted | decision.ends),
            )
            final = None
            if self._final and self._ended.any():
                final = Bits(self._final[player][self._ended], self.game.observation_size)
            has_table = self.game.mapping is not None
            told[role] = Feedback(
                self.tick,
                role,
                self._asked_episode,
                self._reward(results),
                np.where(results.goal < 0, NO_GOAL, results.goal).astype(np.uint8),
                self._terminated,
                self._ended & ~self._terminated,
                np.where(acted, action[player], -1) if has_table else np.zeros(0, np.int32),
                origin[player],
                final,
                texts[player],
            )
        return Step(self.tick, told, self._ended, texts)

    def _views(self, player: int, lanes: Mask) -> dict[int, frozenset]:  # type: ignore[type-arg]
        if not self._reward.wants_states:
            return {}
        going = np.flatnonzero(lanes & ~self._ended)
        now = {int(lane): self.game.view(player, int(lane)) for lane in going}
        return {**now, **self._final_views[player]}
