"""A match in lanes: questions, answers, feedback, one tick after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.answers import Chosen, Decision, Decisions, no_decision
from gdl_env.environment.bits import Bits
from gdl_env.environment.chance import Chance
from gdl_env.environment.course import Course, Ends
from gdl_env.environment.describing import describe_match
from gdl_env.environment.exchange import Answer, MatchInfo, Origin, Question
from gdl_env.environment.lane_game import LaneGame, Mask
from gdl_env.environment.opening import open_lane_game
from gdl_env.environment.options import Options, OptionsError, Policy
from gdl_env.environment.rewards import open_reward
from gdl_env.environment.step import Played, Step
from gdl_env.environment.tallies import Tallies
from gdl_env.environment.telling import Teller
from gdl_env.language.game import Game, Information


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
        # Whether roles may not know how often others moved, and the tick as each counts then.
        self.hides_moves = lane_game.game.information is not Information.COMPLETE
        self._own_tick = dict.fromkeys(self.roles, 0)
        # The tick at which the seed was set.
        self._seeded = 0
        reward = open_reward(self.options.reward)
        self._teller = Teller(lane_game, reward)
        self._course = Course(lane_game, self.options, with_views=reward.wants_states)
        self._has_percepts = lane_game.game.information is Information.PERCEPTS
        self._decisions = Decisions(self.options.illegal, lane_game.action_size)
        self._legal_bits: dict[int, Bits] = {}
        # What each role was shown last.
        self._shown: dict[str, bytes] = {}
        self.reset(self.options.seed, self.options.episodes)

    @classmethod
    def open(
        cls,
        game: Game,
        options: Options | None = None,
        engine: str = 'auto',
        mapping: str = 'auto',
    ) -> Environment:
        """Open a game with the engine and the mapping of these names."""
        options = options or Options()
        return cls(open_lane_game(game, options.lanes, engine, mapping), options)

    # ---- running

    def reset(self, seed: int | None = None, episodes: int = 0) -> None:
        """Begin new episodes in all lanes, and new tallies. Ticks go on counting.

        With a seed chance repeats itself; without one it goes on. Raises OptionsError.
        """
        if seed is not None:
            if not 0 <= seed < 2**64:
                raise OptionsError(f'seed must be 0 or more and have 64 bits at most, not {seed}')
            self.seed = seed
            self._seeded = self.tick
        self._course.begin(episodes, self._chance())
        self._next_tick(self.roles)

    def step(self, answers: Mapping[str, Answer], lanes: Mask | None = None) -> Step:
        """Play the answers; roles that should have answered and did not are late.

        An answer counts if it echoes the tick and its role; others are taken for missing. Only
        the given lanes are played: the others stay as they are, and nobody is late there.
        """
        chance = self._chance()
        answers = {
            role: answer
            for role, answer in answers.items()
            if role in self.roles and answer.tick == self.tick_of(role) and answer.role == role
        }
        quick = self._play_tick(answers, chance) if lanes is None else None
        if quick is not None:
            return self._tell(*quick, self._course.ends)
        deciding = self.decides if lanes is None else self.decides & lanes
        if self.is_first_enough:
            order = [self.roles.index(role) for role in answers]
            deciding = self._course.prefer(order, deciding, chance)
        decisions = [
            self._decide(player, deciding[player], answers.get(role))
            if is_asked
            else no_decision(self.game.lanes)
            for player, (role, is_asked) in enumerate(zip(self.roles, self._asked, strict=True))
        ]
        punished = [decision.ends for decision in decisions if decision.ends is not None]
        ends = np.logical_or.reduce(punished) if punished else None
        acting = self._acting(deciding, ends)
        if self._has_percepts:
            for player in range(len(self.roles)):
                self.game.forget(player, acting[player])
        action = np.empty(self.decides.shape, np.int32)
        for player, decision in enumerate(decisions):
            action[player] = decision.action
        moves: tuple[str, ...] = ()
        if self.game.mapping is None:
            # Moves have their names before they are played only: what is open is drawn here.
            self._draw(acting, action, chance)
            moves = self._name_moves(acting, action)
        self._course.play(acting, action, ends, None if lanes is None else ~lanes, chance)
        moves = moves or self._name_moves(acting, action)
        offences = []
        for role, decision in zip(self.roles, decisions, strict=True):
            if decision.late or decision.illegal:
                self.tallies[role].add_strikes(decision.late, decision.illegal)
                offences += [(role, Origin.LATE)] * bool(decision.late)
                offences += [(role, Origin.ILLEGAL)] * bool(decision.illegal)
        return self._tell(decisions, acting, action, moves, tuple(offences), self._course.ends)

    def _play_tick(self, answers: Mapping[str, Answer], chance: Chance) -> Played | None:
        """Play a tick that needs no second look: all who were asked answered by legal indices."""
        lanes = self.game.lanes
        if self.game.arrays is None or sum(self._asked) != len(answers):
            return None
        given = np.empty(self.decides.shape, np.int32)
        for player, role in enumerate(self.roles):
            if self._asked[player]:
                answer = answers.get(role)
                if answer is None or answer.action is None or answer.action.shape != (lanes,):
                    return None
                given[player] = answer.action
        decided = self.decides.copy()
        acting = np.empty(self._course.acts.shape, np.bool_)
        action = np.empty(given.shape, np.int32)
        if not self._course.play_tick(given, acting, action, chance):
            return None
        decisions = Chosen(action, decided)
        return decisions, acting, action, self._name_moves(acting, action), ()

    def _tell(
        self,
        decisions: Sequence[Decision],
        acting: Mask,
        action: NDArray[np.int32],
        moves: tuple[str, ...],
        offences: tuple[tuple[str, Origin], ...],
        ends: Ends,
    ) -> Step:
        """Say what came of the tick, and go on to the next."""
        ticks = {role: self.tick_of(role) for role in self.roles}
        told = self._teller.tell(ticks, ends, decisions, acting, action, moves)
        concerned = self.roles
        if self.hides_moves:
            concerned = tuple(
                role for role in self.roles if role in self.awaited or told[role].is_news
            )
        step = Step(self.tick, told, ends.ended, moves, offences, concerned)
        self._next_tick(concerned)
        return step

    # ---- going on later

    def snapshot(self) -> dict[str, Any]:
        """Return where the match is: arrays, lists, numbers and text only.

        What a reward of one's own remembers is not in it.
        """
        return {
            'tick': self.tick,
            'seed': self.seed,
            'seeded': self._seeded,
            'own_tick': dict(self._own_tick),
            'policies': {role: policy.value for role, policy in self.policies.items()},
            'course': self._course.snapshot(),
        }

    def restore(self, held: dict[str, Any]) -> None:
        """Go back to what `snapshot` returned, of the same game and options."""
        self.tick, self.seed, self._seeded = held['tick'], held['seed'], held['seeded']
        self._own_tick = dict(held['own_tick'])
        self.policies = {role: Policy(value) for role, value in held['policies'].items()}
        self._course.restore(held['course'])
        self._legal_bits.clear()
        self._shown.clear()
        self._find_awaited()

    def go_back(self, held: dict[str, Any]) -> None:
        """Go back to a snapshot of this match, while ticks go on counting.

        Answers to what was asked meanwhile are recognised as old. Chance is that of then.
        """
        tick, own, policies = self.tick, self._own_tick, self.policies
        self.restore(held)
        since = self.tick - self._seeded
        self.tick, self.policies = tick + 1, policies
        self._own_tick = {role: number + 1 for role, number in own.items()}
        self._seeded = self.tick - since
        self._find_awaited()

    # ---- asking

    def tick_of(self, role: str) -> int:
        """Return the tick as a role counts it: where moves are hidden, those that concern it."""
        return self._own_tick[role] if self.hides_moves else self.tick

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
        """Tell whether the first answer wins where several roles could move."""
        return self._course.is_first_enough

    def is_enough(self, roles: Collection[str]) -> bool:
        """Tell whether the answers of these roles are all that this tick waits for."""
        if not self.is_first_enough:
            return all(role in roles for role in self.awaited)
        asked = [self.roles.index(role) for role in self.awaited]
        given = [self.roles.index(role) for role in roles if role in self.awaited]
        waiting = self.decides[asked].any(axis=0) & ~self.decides[given].any(axis=0)
        return not waiting.any()

    def info(self, *, with_rules: bool = True, longest: int = 100_000) -> MatchInfo:
        """Describe the match. Tables longer than `longest` are left out."""
        return describe_match(self.game, self.options, with_rules=with_rules, longest=longest)

    def question(self, role: str, *, with_text: bool = False) -> Question:
        """Return what a role sees now, and what it may do."""
        player = self.roles.index(role)
        is_asked = role in self.awaited
        decides = self.decides[player].copy()
        if not is_asked:
            decides[:] = False
        observation = legal = None
        if self.game.mapping is not None:
            observation = self.game.observe(player)
            legal = self._legal(player) if is_asked else self._no_legal()
        facts: tuple[str, ...] = ()
        moves: tuple[str, ...] = ()
        if with_text:
            facts = self.game.view_texts(player, 0)
            if decides[0]:
                moves = self.game.move_texts(player, 0)
        return Question(
            self.tick_of(role),
            role,
            self.episode,
            decides,
            observation,
            legal,
            facts=facts,
            legal_moves=moves,
        )

    def questions(
        self, *, with_text: bool = False, only_decisions: bool = False
    ) -> list[Question]:
        """Return the questions of all roles that decide, then of those whose view changed."""
        viewers = () if only_decisions else self.roles
        return list(self.ask(lambda: viewers, with_text=with_text))

    def ask(
        self, viewers: Callable[[], Collection[str]], *, with_text: bool = False
    ) -> Iterator[Question]:
        """Yield the questions one by one: the first is on its way before the next is made.

        Viewers are asked for last. They are told what they see while others decide, if it changed.
        """
        asked = []
        for role in self.awaited:
            question = self.question(role, with_text=with_text)
            yield question
            asked.append(question)
        watching = viewers()
        for question in asked:
            if question.role in watching:
                self._shown[question.role] = question.fingerprint()
        for role in watching:
            if role not in self.awaited:
                question = self.question(role, with_text=with_text)
                shown = question.fingerprint()
                if shown != self._shown.get(role):
                    self._shown[role] = shown
                    yield question

    def set_policy(self, role: str, policy: Policy) -> None:
        """Say who decides for a role from now on."""
        self.policies[role] = policy
        self._find_awaited()

    def close(self) -> None:
        """Release what is held."""
        self.game.close()

    # ---- inside

    def _chance(self) -> Chance:
        """Return the chance of this tick: it depends on nothing that came before."""
        return Chance(self.seed, self.tick - self._seeded)

    def _next_tick(self, concerned: Collection[str]) -> None:
        """Go on to the next tick; for those whom the last one concerned it counts."""
        self.tick += 1
        for role in concerned:
            self._own_tick[role] += 1
        self._legal_bits.clear()
        self._find_awaited()

    def _find_awaited(self) -> None:
        """Find the roles whose answers this tick needs."""
        # Who has something to decide, whether or not an agent is to be asked.
        decides = self.decides
        is_one = decides.shape[1] == 1
        asked: Mask = decides[:, 0] if is_one else np.logical_or.reduce(decides, axis=1)
        self._asked: list[bool] = asked.tolist()
        self.awaited = tuple(
            [
                role
                for role, is_asked in zip(self.roles, self._asked, strict=True)
                if is_asked and self.policies[role] is Policy.AGENT
            ]
        )

    def _decide(self, player: int, decides: Mask, answer: Answer | None) -> Decision:
        return self._decisions.read(
            self.policies[self.roles[player]],
            decides,
            self._legal(player),
            answer,
            lambda lane: self.game.moves(player, lane),
        )

    def _acting(self, deciding: Mask, punished: Mask | None) -> Mask:
        """Return who acts in lanes with a decision."""
        lanes = deciding.any(axis=0)
        if punished is not None:
            lanes &= ~punished
        if not self._course.is_serial:
            return self._course.acts & lanes
        acting = np.zeros_like(self._course.acts)
        acting[:-1] = deciding & lanes
        return acting

    def _legal(self, player: int) -> Bits:
        if player not in self._legal_bits:
            bits = self.game.legal(player)
            decides = self.decides[player]
            if not decides.all():
                bits.data[~decides] = 0
            self._legal_bits[player] = bits
        return self._legal_bits[player]

    def _no_legal(self) -> Bits:
        size = self.game.action_size
        return Bits(np.zeros((self.game.lanes, -(-size // 8)), np.uint8), size)

    def _draw(self, acting: Mask, action: NDArray[np.int32], chance: Chance) -> None:
        """Draw what is not chosen, in a game without a mapping: it has one lane."""
        for player in np.flatnonzero(acting[:-1, 0] & (action[:, 0] < 0)):
            action[player, 0] = chance.integers(len(self.game.moves(int(player), 0)))

    def _name_moves(self, acting: Mask, action: NDArray[np.int32]) -> tuple[str, ...]:
        """Return what is played in lane 0, as text."""
        chosen, acted = action[:, 0].tolist(), acting[:, 0].tolist()
        return tuple(
            [
                self.game.move_text(player, 0, chosen[player]) if acted[player] else ''
                for player in range(len(self.roles))
            ]
        )
