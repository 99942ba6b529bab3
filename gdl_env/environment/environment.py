"""A match in lanes: questions, answers, feedback, one tick after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import State
from gdl_env.environment.answers import Decisions, find_offences, join_actions, no_decision
from gdl_env.environment.asking import Asking, to_move_in_one_lane
from gdl_env.environment.awaiting import Awaiting, AwaitingTable
from gdl_env.environment.bits import Bits
from gdl_env.environment.decision_batch import DecisionBatch, TickArrays
from gdl_env.environment.feedback import FeedbackMaker, Tick
from gdl_env.environment.lanes.episode_runner import EpisodeRunner, IllegalActionError
from gdl_env.environment.lanes.lanes import Given, Lanes, Mask
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.match_info import describe_match
from gdl_env.environment.move_log import StepLog, take_step_moves
from gdl_env.environment.options import Options, OptionsError, Policy
from gdl_env.environment.protocol import Answer, MatchInfo, Origin, Question
from gdl_env.environment.rewards import open_reward
from gdl_env.environment.step import Step
from gdl_env.environment.tallies import Tallies
from gdl_env.language.game import Game, Information
from gdl_env.play.tick_keys import TickKeys


class Environment:
    """N copies of a game, stepped by the answers of its players.

    `questions()` says what is asked at this tick, `step(answers)` plays it. An answer
    that is missing counts as late: whoever runs the environment decides how long to wait.
    """

    def __init__(self, lanes: Lanes, options: Options | None = None) -> None:
        self.options = options or Options(lanes=lanes.lanes)
        if self.options.lanes != lanes.lanes:
            raise OptionsError(f'{self.options.lanes} lanes wanted, {lanes.lanes} opened')
        self.game = lanes
        self.roles = tuple(str(role) for role in lanes.players)
        self.policies = dict.fromkeys(self.roles, Policy.AGENT)
        self.tick = 0
        # Whether roles may not know how often others moved, and the tick as each counts then.
        self.hides_moves = lanes.game.information is not Information.COMPLETE
        self._own_tick = dict.fromkeys(self.roles, 0)
        self._seeded = 0  # The tick at which the seed was set.
        self._keys = TickKeys(self.options.first_lane)
        self._feedback = FeedbackMaker(lanes, open_reward(self.options.reward))
        self._runner = EpisodeRunner(lanes, self.options)
        self._decisions = Decisions(self.options.illegal, lanes.action_size)
        # What each role is shown at this tick, as far as it was asked for.
        self._shown_now: dict[int, tuple[Bits, Bits]] = {}
        self._episode: NDArray[np.uint64] | None = None
        self._awaiting_table = AwaitingTable(self.policies)
        self._asking = Asking()
        if self.options.log_moves:
            self.game.move_log = StepLog(self.game.roles)
        self.reset(self.options.seed, self.options.episodes)

    @classmethod
    def open(
        cls,
        game: Game,
        options: Options | None = None,
        engine: str = 'auto',
        mapping: str = 'auto',
    ) -> Environment:
        """Open a game with the engine and the encoding of these names."""
        options = options or Options()
        return cls(open_lanes(game, options.lanes, engine, mapping), options)

    # ---- running

    def reset(self, seed: int | None = None, episodes: int = 0) -> None:
        """Begin new episodes in all lanes, and new tallies. Ticks continue to count.

        With a seed chance repeats itself; without one it continues. Raises OptionsError.
        """
        if seed is not None:
            if not 0 <= seed < 2**64:
                raise OptionsError(f'seed must be 0 or more and have 64 bits at most, not {seed}')
            self.seed = seed
            self._seeded = self.tick
        self._runner.begin(episodes, self._key())
        self._episode = None
        self._next_tick(self.roles)

    def step(self, answers: Mapping[str, Answer], lanes: Mask | None = None) -> Step:
        """Play the answers; roles that should have answered and did not are late.

        An answer counts if it echoes the tick and its role; others are taken for missing. Only
        the given lanes are played: the others stay as they are, and no role is late there.
        """
        if lanes is None and (played := self._play_answers(answers)) is not None:
            return self._make_step(played)
        answers = {
            role: answer
            for role, answer in answers.items()
            if role in self.roles and answer.tick == self.tick_of(role) and answer.role == role
        }
        deciding = self.decides if lanes is None else self.decides & lanes
        if self.is_first_enough:
            order = [self.roles.index(role) for role in answers]
            deciding = self._runner.prefer(order, deciding)
        episode, asked = self.episode, self._awaiting.asked
        decisions = [
            self._decisions.read(
                self.policies[role],
                deciding[player],
                self.game.legal(player),
                answers.get(role),
                partial(self.game.moves, player),
            )
            if is_asked
            else no_decision(self.game.lanes)
            for player, (role, is_asked) in enumerate(zip(self.roles, asked, strict=True))
        ]
        self._runner.restrict(lanes, deciding)
        for decision in decisions:
            if decision.ends is not None:
                self._runner.punish(decision.ends)
        given = np.stack([decision.action for decision in decisions])
        self._runner.play(given, self._key(), is_strict=False)
        for role, decision in zip(self.roles, decisions, strict=True):
            self.tallies[role].add_strikes(decision.late, decision.illegal)
        offences = find_offences(self.roles, decisions)
        has_illegal = any(offence is Origin.ILLEGAL for _, offence in offences)
        result = self._runner.result
        tick = Tick(result, episode, deciding, decisions, has_illegal=has_illegal)
        return self._make_step(tick, offences)

    def decisions(self, lanes: Mask | None = None) -> DecisionBatch:
        """Return all decisions of this tick as flat arrays: see DecisionBatch.

        With `lanes`, only those of some lanes. Raises OptionsError for a game without an encoding.
        """
        if self.game.mapping is None:
            raise OptionsError(f'{self.game.game.name} has no vector form: use questions and text')
        if lanes is None:
            return DecisionBatch(self.decides.copy(), *self.game.collect())
        with self.game.only(lanes):
            return DecisionBatch(self.decides & lanes, *self.game.collect())

    def draw(self, lanes: Mask | None = None, given: Given | None = None) -> NDArray[np.int32]:
        """Return a random legal action for each of `decisions(lanes)`, all equally likely.

        These are what the environment plays at this tick for the policy RANDOM; `given` ones stay.
        """
        with self.game.only(lanes):
            return self.game.draw(self._key(), given)

    def play(self, action: NDArray[np.int32], lanes: Mask | None = None) -> TickArrays:
        """Play an action for each of `decisions(lanes)`, in their order; other lanes wait.

        Plays nothing, and raises IllegalActionError, if an action is illegal.
        """
        action = np.ascontiguousarray(action, np.int32)
        with self.game.only(lanes):
            count = self.game.count_decisions()
            if action.shape != (count,):
                raise OptionsError(f'there are {count} decisions to make, not {action.shape}')
            return self._play_decisions(action)

    def play_drawn(self, lanes: Mask | None = None, given: Given | None = None) -> TickArrays:
        """Play what `draw(lanes, given)` returns, as `play` does, but in less time."""
        with self.game.only(lanes):
            return self._play_decisions(self.game.draw(self._key(), given))

    def _play_decisions(self, action: NDArray[np.int32]) -> TickArrays:
        # Other rewards may ask how an action came about, and in which episode.
        is_plain = self._feedback.reward.goes_by_goals
        decided = self.decides if is_plain else self.decides & ~self.game.arrays.held
        episode = np.zeros(0, np.uint64) if is_plain else self.episode
        if not self._runner.play_decisions(action, self._key(), is_noted=not is_plain):
            raise IllegalActionError(self._runner.describe_illegal(action))
        if self._runner.ended:
            self._episode = None
        self._next_tick(self.roles)
        tick = Tick(self._runner.result, episode, decided)
        return TickArrays(tick, self._feedback, joint_moves=take_step_moves(self.game.move_log))

    def _play_answers(self, answers: Mapping[str, Answer]) -> Tick | None:
        """Play a tick that needs no second look: all who were asked answered by legal indices.

        Returns None, and plays nothing, if it is not such a tick.
        """
        awaiting = self._awaiting
        roles = awaiting.roles
        if len(answers) != len(roles) or not awaiting.is_all or self.is_first_enough:
            return None
        given = []
        for role in roles:
            answer = answers.get(role)
            if answer is None or answer.tick != self.tick_of(role) or answer.role != role:
                return None
            given.append(answer)
        episode = self.episode
        decided = self.decides.copy() if awaiting.decides is None else awaiting.decides
        action = join_actions(given, awaiting.asked, decided)
        if action is None:
            return None
        if not self._runner.play_decisions(action, self._key(), is_noted=True):
            return None
        return Tick(self._runner.result, episode, decided)

    def _make_step(self, tick: Tick, offences: tuple[tuple[str, Origin], ...] = ()) -> Step:
        """Describe the tick that was just played, and move on to the next."""
        ticks = dict(self._own_tick) if self.hides_moves else None
        step = Step(self.tick, ticks, tick, self._feedback, offences)
        if self.game.mapping is None:
            # Later ticks may number moves again.
            _ = step.moves
        if not self._feedback.reward.is_pure:
            _ = step.feedback
        if self.hides_moves:
            step.concerned = self._feedback.find_concerned(tick, step.feedback, self.awaited)
        if self._runner.ended:
            self._episode = None
        self._next_tick(step.concerned)
        return step

    # ---- continuing later

    def snapshot(self) -> dict[str, Any]:
        """Return where the match is: arrays, lists, numbers and text only.

        What a reward of one's own remembers is not in it.
        """
        return {
            'tick': self.tick,
            'seed': self.seed,
            'seeded': self._seeded,
            'own_tick': {role: self.tick_of(role) for role in self.roles},
            'policies': {role: policy.value for role, policy in self.policies.items()},
            'runner': self._runner.snapshot(),
        }

    def restore(self, held: dict[str, Any]) -> None:
        """Go back to what `snapshot` returned, of the same game and options."""
        self.tick, self.seed, self._seeded = held['tick'], held['seed'], held['seeded']
        self._own_tick = dict(held['own_tick'])
        self.policies = {role: Policy(value) for role, value in held['policies'].items()}
        self._awaiting_table.forget(self.policies)
        self._runner.restore(held['runner'])
        self._episode = None
        self._shown_now.clear()
        self._asking.forget()

    def go_back(self, held: dict[str, Any]) -> None:
        """Go back to a snapshot of this match, while ticks continue to count.

        Answers to what was asked meanwhile are recognised as old. Chance is that of then.
        """
        tick, own, policies = self.tick, self._own_tick, self.policies
        self.restore(held)
        since = self.tick - self._seeded
        self.tick, self.policies = tick + 1, policies
        self._awaiting_table.forget(policies)
        self._own_tick = {role: number + 1 for role, number in own.items()}
        self._seeded = self.tick - since

    # ---- asking

    def tick_of(self, role: str) -> int:
        """Return the tick as a role counts it: where moves are hidden, those that concern it."""
        return self._own_tick[role] if self.hides_moves else self.tick

    @property
    def tallies(self) -> Tallies:
        """Return how the match goes."""
        return self._runner.tallies

    @property
    def episode(self) -> NDArray[np.uint64]:
        """Return the episode of each lane, counted from 1.

        A new array after each end: feedback and questions of earlier ticks keep the old one.
        """
        if self._episode is None:
            self._episode = self.game.arrays.episode.astype(np.uint64)
        return self._episode

    @property
    def decides(self) -> Mask:
        """Tell which players have a decision to make: players by lanes."""
        return self._runner.decides

    @property
    def awaited(self) -> tuple[str, ...]:
        """Return the roles whose answers this tick needs: those of agents."""
        return self._awaiting.roles

    @property
    def is_finished(self) -> bool:
        """Tell whether all episodes that were asked for have been played."""
        return self._runner.is_finished

    @property
    def is_first_enough(self) -> bool:
        """Tell whether the first answer wins where several roles could move."""
        return self._runner.is_first_enough

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

    def final_state(self, lane: int) -> State:
        """Return the state in which a lane ended, if it did in the last tick."""
        return self.game.batch.to_state(self.game.final_rows(self._runner.result)[0][lane])

    def question(self, role: str, *, with_text: bool = False) -> Question:
        """Return what a role sees now, and what it may do."""
        is_asked = role in self.awaited
        observation, legal = self.show(role)
        if self.game.lanes == 1:
            decides = to_move_in_one_lane(is_asked)
        else:
            decides = self.decides[self.roles.index(role)] & is_asked
        held = self.tick_of(role), role, self.episode, decides, observation, legal
        question = Question(*held, first_lane=self.options.first_lane)
        if not with_text:
            return question
        player = self.roles.index(role)
        moves = tuple(self.game.moves(player, 0)) if decides[0] else ()
        return replace(question, facts=self.game.view_texts(player, 0), legal_moves=moves)

    def show(self, role: str) -> tuple[Bits | None, Bits | None]:
        """Return what a role sees now, and what it may do: those parts of its question."""
        if self.game.mapping is None:
            return None, None
        player, is_asked = self.roles.index(role), role in self.awaited
        shown = self._shown_now.get(player)
        if shown is None:
            shown = self.game.show(player, is_asked=self._awaiting.asked[player])
            self._shown_now[player] = shown
        if self._awaiting.asked[player] and not is_asked:
            # The environment decides for this role.
            return shown[0], Bits(np.zeros_like(shown[1].data), shown[1].size)
        return shown

    def questions(
        self, *, with_text: bool = False, only_decisions: bool = False
    ) -> list[Question]:
        """Return the questions of all roles that decide, then of those whose view changed."""
        if only_decisions:
            return [self.question(role, with_text=with_text) for role in self.awaited]
        return list(self.ask(lambda: self.roles, with_text=with_text))

    def ask(
        self, viewers: Callable[[], Collection[str]], *, with_text: bool = False
    ) -> Iterator[Question]:
        """Return the questions one by one, as they are made: see Asking.

        Viewers receive what they see while others decide, if it changed.
        """
        question = partial(self.question, with_text=with_text)
        return self._asking.ask(question, self.awaited, viewers)

    def set_policy(self, role: str, policy: Policy) -> None:
        """Say who decides for a role from now on."""
        self.policies[role] = policy
        self._awaiting_table.forget(self.policies)

    def close(self) -> None:
        """Release what is held."""
        self.game.close()

    # ---- inside

    def _key(self) -> np.uint64:
        """Return the key of all chance of this tick: it depends on nothing that came before."""
        return self._keys.find(self.seed, self.tick - self._seeded)

    def _next_tick(self, concerned: Collection[str]) -> None:
        """Move on to the next tick; for those whom the last one concerned it counts."""
        self.tick += 1
        if self.hides_moves:
            for role in concerned:
                self._own_tick[role] += 1
        self._shown_now.clear()
        self._awaiting_table.renew()

    @property
    def _awaiting(self) -> Awaiting:
        return self._awaiting_table.now or self._awaiting_table.find(self._runner.decides)
