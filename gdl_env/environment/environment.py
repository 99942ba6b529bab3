"""A match in lanes: questions, answers, feedback, one tick after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import State
from gdl_env.environment.answers import Decision, Decisions
from gdl_env.environment.bits import Bits
from gdl_env.environment.course import Course
from gdl_env.environment.exchange import NO_GOAL, Answer, Feedback, MatchInfo, Origin, Question
from gdl_env.environment.lane_game import LaneGame, Mask
from gdl_env.environment.opening import open_lane_game
from gdl_env.environment.options import Options, OptionsError, Policy
from gdl_env.environment.rewards import Results, open_reward
from gdl_env.environment.tallies import Tallies
from gdl_env.language.game import Game


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
        self._course = Course(lane_game, self.options, with_views=self._reward.wants_states)
        self._decisions = Decisions(self.options.illegal, lane_game.action_size)
        self._legal_bits: dict[int, Bits] = {}
        # What each role was shown last.
        self._shown: dict[str, bytes] = {}
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
        self._course.begin(episodes, self._generator())
        self._next_tick()

    def step(self, answers: Mapping[str, Answer]) -> Step:
        """Play the answers; roles that should have answered and did not are late.

        An answer counts if it echoes the tick and its role; others are taken for missing.
        """
        chance = self._generator()
        course = self._course
        if course.is_first_enough:
            course.prefer([self.roles.index(role) for role in answers if role in self.roles], chance)
        decisions = [self._decide(player, answers) for player in range(len(self.roles))]
        punished = np.zeros(self.game.lanes, np.bool_)
        for decision in decisions:
            if decision.ends is not None:
                punished |= decision.ends
        acting = self._acting(punished)
        for player in range(len(self.roles)):
            self.game.forget(player, acting[player])
        action = np.stack([decision.action for decision in decisions])
        # Without a mapping, moves have their names before they are played only.
        has_table = self.game.mapping is not None
        moves = () if has_table else self._name_moves(acting, action)
        course.play(acting, action, punished, chance)
        moves = moves or self._name_moves(acting, action)
        step = self._feedback(decisions, action, acting, moves)
        self._next_tick()
        return step

    # ---- asking

    @property
    def tallies(self) -> Tallies:
        """Return how the match goes."""
        return self._course.tallies

    @property
    def episode(self) -> NDArray[np.uint64]:
        """Return the episode of each lane, counted from 1."""
        return self._course.episode

    @property
    def decides(self) -> Mask:
        """Tell which players have a decision to make: players by lanes."""
        return self._course.decides

    @property
    def is_finished(self) -> bool:
        """Tell whether all episodes that were asked for have been played."""
        return not self._course.open.any()

    @property
    def is_first_enough(self) -> bool:
        """Tell whether one answer is enough, because the first one wins."""
        return self._course.is_first_enough

    def info(self, *, with_rules: bool = True, longest: int = 100_000) -> MatchInfo:
        """Describe the match. Tables longer than `longest` are left out."""
        mapping = self.game.mapping
        moves: tuple[str, ...] = ()
        facts: tuple[str, ...] = ()
        if mapping and mapping.action_size <= longest:
            role = self.game.players[0]
            moves = tuple(str(mapping.move(role, i)) for i in range(mapping.action_size))
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
        decides = self.decides[player].copy()
        if role not in self.awaited:
            decides[:] = False
        observation = legal = None
        if self.game.mapping is not None:
            observation = self.game.observe(player)
            legal = self._legal(player) if role in self.awaited else self._no_legal()
        question = Question(self.tick, role, self.episode.copy(), decides, observation, legal)
        if not with_text:
            return question
        facts = tuple(sorted(map(str, self.game.view(player, 0))))
        moves = tuple(self.game.moves(player, 0)) if decides[0] else ()
        return replace(question, facts=facts, legal_moves=moves)

    def questions(self, *, with_text: bool = False, only_decisions: bool = False) -> list[Question]:
        """Return the questions of all roles that decide or, if wanted, whose view changed."""
        found = []
        for role in self.roles:
            if only_decisions and role not in self.awaited:
                continue
            question = self.question(role, with_text=with_text)
            shown = _fingerprint(question)
            if role in self.awaited or shown != self._shown.get(role):
                found.append(question)
            self._shown[role] = shown
        return found

    def set_policy(self, role: str, policy: Policy) -> None:
        """Say who decides for a role from now on."""
        self.policies[role] = policy
        self._find_awaited()

    def close(self) -> None:
        """Release what is held."""
        self.game.close()

    # ---- inside

    def _generator(self) -> np.random.Generator:
        """Return the chance of this tick: it depends on nothing that came before."""
        key = np.array([self.seed, self.tick], np.uint64)
        return np.random.Generator(np.random.Philox(key=key))

    def _next_tick(self) -> None:
        self.tick += 1
        self._legal_bits.clear()
        self._find_awaited()

    def _find_awaited(self) -> None:
        """Find the roles whose answers this tick needs."""
        asked = self.decides.any(axis=1)
        self.awaited = tuple(
            role
            for role, is_asked in zip(self.roles, asked, strict=True)
            if is_asked and self.policies[role] is Policy.AGENT
        )

    def _decide(self, player: int, answers: Mapping[str, Answer]) -> Decision:
        role = self.roles[player]
        decides = self.decides[player]
        if not decides.any():
            return Decision.none(len(decides))
        answer = answers.get(role)
        if answer is not None and (answer.tick != self.tick or answer.role != role):
            answer = None
        return self._decisions.read(
            self.policies[role],
            decides,
            self._legal(player),
            answer,
            lambda lane: self.game.moves(player, lane),
        )

    def _acting(self, punished: Mask) -> Mask:
        """Return who acts in lanes with a decision."""
        lanes = self.decides.any(axis=0) & ~punished
        if not self._course.is_serial:
            return self._course.acts & lanes
        acting = np.zeros_like(self._course.acts)
        acting[:-1] = self.decides & lanes
        return acting

    def _legal(self, player: int) -> Bits:
        if player not in self._legal_bits:
            bits = self.game.legal(player)
            bits.data[~self.decides[player]] = 0
            self._legal_bits[player] = bits
        return self._legal_bits[player]

    def _no_legal(self) -> Bits:
        size = self.game.action_size
        return Bits(np.zeros((self.game.lanes, -(-size // 8)), np.uint8), size)

    def _name_moves(self, acting: Mask, action: NDArray[np.int32]) -> tuple[str, ...]:
        """Return what is played in lane 0, as text."""
        return tuple(
            self.game.move_text(player, 0, int(action[player, 0])) if acting[player, 0] else ''
            for player in range(len(self.roles))
        )

    def _feedback(
        self,
        decisions: list[Decision],
        action: NDArray[np.int32],
        acting: Mask,
        moves: tuple[str, ...],
    ) -> Step:
        ends = self._course.ends
        is_any = ends.is_any
        truncated = ends.ended & ~ends.terminated
        told = {}
        for player, role in enumerate(self.roles):
            acted, decision = acting[player], decisions[player]
            origin = decision.origin
            origin[acted & ~self._decided(decision)] = Origin.FORCED
            self._count_strikes(role, decision)
            is_legal = origin != Origin.ILLEGAL
            views = self._views(player, acted | ~is_legal)
            results = Results(
                role, ends.goals[player], ends.ended, acted, is_legal, ends.episode, views
            )
            final = None
            if is_any and ends.observations:
                rows = ends.observations[player][ends.ended]
                final = Bits(rows, self.game.observation_size)
            has_table = self.game.mapping is not None
            told[role] = Feedback(
                self.tick,
                role,
                ends.episode,
                self._reward(results),
                np.where(results.goal < 0, NO_GOAL, results.goal).astype(np.uint8),
                ends.terminated,
                truncated,
                np.where(acted, action[player], -1) if has_table else np.zeros(0, np.int32),
                origin,
                final,
                moves[player],
            )
        return Step(self.tick, told, ends.ended, moves)

    def _decided(self, decision: Decision) -> Mask:
        return decision.origin != Origin.UNKNOWN

    def _count_strikes(self, role: str, decision: Decision) -> None:
        if decision.late or decision.illegal:
            account = self.tallies[role]
            account.late += decision.late
            account.illegal += decision.illegal
            account.strikes = account.late + account.illegal

    def _views(self, player: int, lanes: Mask) -> dict[int, State]:
        """Return what a player sees where it acted or the game ended, if the reward asks."""
        if not self._reward.wants_states:
            return {}
        ends = self._course.ends
        going = np.flatnonzero(lanes & ~ends.ended)
        now = {int(lane): self.game.view(player, int(lane)) for lane in going}
        return {**now, **ends.views[player]}


def _fingerprint(question: Question) -> bytes:
    """Return what changes whenever a view does."""
    seen = question.observation.to_bytes() if question.observation is not None else b''
    return seen + '\n'.join(question.facts).encode() + question.episode.tobytes()
