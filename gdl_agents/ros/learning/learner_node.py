"""Learns from a match while playing it, and publishes what it has learned."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from functools import partial
from pathlib import Path
import re
import sys

from gdl_msgs.msg import Evaluation, Policy, Reward, Status

from gdl_agents.agent import Agent
from gdl_agents.learning.dqn.learning_agent import LearningAgent
from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.game_properties.proof import Prover
from gdl_agents.learning.trained_models import AnyModel, MatchLearner
from gdl_agents.learning.training.config_file import make_config, read_config, read_settings
from gdl_agents.learning.training.threads import use_threads
from gdl_agents.learning.training.trust import check_code
from gdl_agents.ros.agent_node import AgentNode
from gdl_agents.ros.call_off import CallOff
from gdl_agents.ros.cohort_player import CohortPlayer
from gdl_agents.ros.learning.cohort_learner import CohortLearner, name_in_cohort
from gdl_agents.ros.learning.intake import Intake
from gdl_agents.ros.learning.intake_report import IntakeReport
from gdl_agents.ros.learning.learner_order import FeedbackFirst
from gdl_agents.ros.learning.learner_run import LearnerRun
from gdl_agents.ros.learning.learner_watch import WatchedMatch
from gdl_agents.ros.learning.policy_message import to_policy
from gdl_agents.ros.learning.train_server import TrainServer
from gdl_env.environment.protocol import Feedback, MatchInfo, Question
from gdl_env.errors import GdlError
from gdl_env.language.load import game_from_text
from gdl_env.ros import run_node
from gdl_env.ros.declaring import declare, follow
from gdl_env.ros.parameters import LEARNER
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.messages import from_reward
from gdl_env.ros.transport.names import EVALUATION, STATUS
from gdl_env.ros.transport.qos import evaluation_qos, policy_qos, status_qos
from gdl_env.ros.transport.sources import find_rivals
from gdl_env.ros.warming import announcing_long_evaluation

# How often lost feedback and the end of the match are looked for [s].
_PERIOD = 0.25
# Periods between the end of play and that of the node.
_LAST_PERIODS = 2
# Periods in which a learner takes in what is left, at most.
_MOST_PERIODS = 120
# Policies that wait for their evaluation.
_KEPT = 8

# Between settings: not one within the options of a game.
_COMMA = re.compile(r',(?![^()]*\))')


class LearnerNode(AgentNode):
    """One network for all the roles it plays and watches.

    With `matches` and no role it plays nowhere: actors do, by the policy it publishes.
    It learns from every match it plays. `train` has the environment play; `end_with_match` ends
    the node once another client had all episodes played.
    """

    def __init__(self) -> None:
        """Make the learner. Raises GdlError if an option is wrong."""
        self._run: LearnerRun | None = None
        # One for each cohort that it plays.
        self._orders: dict[int, FeedbackFirst] = {}
        self._watched: list[WatchedMatch] = []
        self._intake = Intake()
        # What it had taken in at the last look.
        self._taken = 0
        self._published: OrderedDict[int, AnyModel] = OrderedDict()
        self._next_version = 0
        self._unfinished: set[str] = set()
        self._ends_in = -1
        self._late_periods = 0
        self._calling_off: list[CallOff] = []
        super().__init__('learning', 'learner_node')
        self._policy = self.create_publisher(Policy, self._options['policy'], policy_qos())
        self.create_subscription(Evaluation, EVALUATION, self._on_evaluation, evaluation_qos())
        self._follow()
        self._listen_to_status()
        self._train = TrainServer(self)
        self._report = IntakeReport(self)
        create_timer(self, _PERIOD, self._on_timer)

    @property
    def learner(self) -> MatchLearner | None:
        """Return who learns, once the match is known."""
        assert isinstance(self.agent, LearningAgent)
        return self.agent.learner

    @property
    def run(self) -> LearnerRun | None:
        """Return what is counted and kept, once the match is known."""
        return self._run

    def keep(self, *, evaluates: bool) -> None:
        """Write everything that was learned; first see how well it plays, if that is wanted."""
        if self._run is None or self.learner is None:
            return
        self._publish(self.learner)
        if evaluates and self._info is not None and self._info.rules:
            self.get_logger().info('evaluating what was learned, before the node ends')
            game = game_from_text(self._info.rules, self._info.name)
            with announcing_long_evaluation(self.get_logger()):
                scores = self._run.evaluate(self.learner, game)
            for role, score in scores.items():
                self.get_logger().info(
                    f'{role} against random players: {score.games} games, {score.wins} won,'
                    f' {score.draws} drawn, {score.losses} lost, mean reward {score.reward:.2f}'
                )
            proofs = self._run.prove_strongest(self.learner, game)
            for proof in proofs:
                self.get_logger().info(f'against every play: {proof}')
            self._run.write_card(self.learner, scores, proofs)
        self._run.close(self.learner)
        if self._run.checkpoint is not None:
            self.get_logger().info(f'{self._run.episodes} episodes: {self._run.checkpoint}')

    def leave(self) -> None:
        """Keep what was learned, then end."""
        self._guard(partial(self.keep, evaluates=False))
        super().leave()

    def destroy_node(self) -> None:
        """Keep what was learned, then end."""
        if self.exit_code is None:
            self._guard(partial(self.keep, evaluates=False))
        self._train.close()
        super().destroy_node()

    # ---- the match

    def _open(self, name: str, detail: str) -> Agent:
        self._options = declare(self, LEARNER)
        follow(self, LEARNER, self._options.__setitem__)
        agent = LearningAgent()
        agent.watched = tuple(filter(None, self._options['watch']))
        file = self._options['config']
        from_file = read_config(Path(file)) if file else {}
        if file:
            check_code(
                Path(file),
                make_config(from_file),
                is_trusted=self._options['trust'],
                remedy='trust:=true',
            )
        settings = read_settings(filter(None, _COMMA.split(detail)))
        agent.config = make_config(from_file, settings)
        agent.given = from_file, settings
        if self._told.seed < 0 and 'seed' in {**from_file, **settings}:
            self._told = replace(self._told, seed=agent.config.seed)
        use_threads(agent.config.threads)
        return agent

    def _begin(self, info: MatchInfo, seed: int) -> None:
        super()._begin(info, seed)
        for player in self._players[: info.cohorts]:
            order = FeedbackFirst(partial(self._decide, player))
            order.across = self.learner is not None and self.learner.is_zero_sum
            self._orders[player.cohort] = order
        played = (*(self._told.roles or info.roles), *self._options['watch'])
        self._learn_from(info, tuple(role for role in info.roles if role in played), seed)

    def _learn_from(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Open the run, now that the game is known."""
        assert isinstance(self.agent, LearningAgent) and self.learner is not None
        # As it is written down: with the seed that decides.
        config = replace(self.agent.config, seed=self.learner.seed)
        about = About(info.name, roles, config.algorithm, tables=digest(info))
        path = Path(self._options['run']) if self._options['run'] else None
        self._run = LearnerRun(path, config, about, self._intake)
        if info.rules:
            self._run.prover = Prover(game_from_text(info.rules, info.name), config.mapping)
        if self.agent.derivation is not None:
            self._run.keep_derivation(self.agent.derivation)
            for line in str(self.agent.derivation.facts).splitlines():
                self.get_logger().info(line)
        if self._run.resume(self.learner, seed):
            self.get_logger().info(f'resumes after {self._run.episodes} episodes')
        self._publish(self.learner)

    def _open_again(self, cohort: int) -> Agent:
        assert isinstance(self.agent, LearningAgent)
        return CohortLearner(self.agent, cohort)

    def _answer(self, player: CohortPlayer, question: Question) -> None:
        if question.is_decision:
            self._orders[player.cohort].ask(question)

    def _decide(self, player: CohortPlayer, question: Question) -> None:
        last = player.last.get(question.role)
        is_repeated = last is not None and last.tick == question.tick
        # Once only: what is asked again would be remembered as another decision.
        player.send(last if last is not None and is_repeated else player.agent.choose(question))

    def _on_reward(self, player: CohortPlayer, message: Reward) -> None:
        if player.info is not None:
            self._guard(partial(self._learn, player, message, player.info))

    def _learn(self, player: CohortPlayer, message: Reward, info: MatchInfo) -> None:
        feedback = from_reward(message, info)
        player.agent.learn(feedback)
        renamed = replace(feedback, role=name_in_cohort(feedback.role, player.cohort))
        self._count(renamed, feedback.role)
        # What others did comes before what is asked next.
        self._orders[player.cohort].release(feedback.role, feedback.tick)

    def _count_watched(self, cohort: int | None, feedback: Feedback, role: str) -> None:
        """Count what others did; the cohort is one of this match, None for another match."""
        self._count(feedback, role)
        if cohort is not None and cohort in self._orders:
            self._orders[cohort].release(role, feedback.tick)

    def _count(self, feedback: Feedback, role: str) -> None:
        """Count what was learned from; write and publish what is due."""
        assert self._run is not None and self.learner is not None
        self.learner.progress = self._run.episodes / self._run.config.episodes
        self._run.count(feedback, is_first=role == self._run.about.roles[0])
        self._run.write_due(self.learner)
        if self.learner.version >= self._next_version:
            self._publish(self.learner)

    # ---- matches of others

    def _follow(self) -> None:
        """Listen to roles that others play, here and in other matches."""
        roles = tuple(filter(None, self._options['watch']))
        others = [(namespace, ()) for namespace in self._options['matches'] if namespace]
        for namespace, of in ([('', roles)] if roles else []) + others:
            self._watched.append(
                WatchedMatch(
                    self,
                    namespace,
                    of,
                    self._join,
                    self._find,
                    self._count_watched,
                    self._intake,
                )
            )

    def _join(self, info: MatchInfo, seed: int) -> None:
        """Begin with the first match that is heard of, if no role is played here."""
        if self._run is None and not self._told.roles:
            own = self._told.seed
            self.agent.begin(info, info.roles, own if own >= 0 else seed)
            self._info, self._seed = info, seed
            self._learn_from(info, info.roles, seed)

    def _find(self, tables: str) -> MatchLearner | None:
        """Return who learns from a match, if it is of the game that is being learned."""
        if self._run is None or tables == self._run.about.tables:
            return self.learner
        self.get_logger().error('a watched match plays another game', once=True)
        return None

    # ---- messages to and from others

    def _publish(self, learner: MatchLearner) -> None:
        assert self._run is not None
        self._next_version = learner.version + self._options['publish_every']
        model = self._run.model(learner)
        self._published[learner.version] = model
        while len(self._published) > _KEPT:
            self._published.popitem(last=False)
        self._policy.publish(to_policy(model, learner.version))
        self._intake.publish(learner.version)

    def _on_evaluation(self, message: Evaluation) -> None:
        model = self._published.pop(message.version, None)
        if model is not None and self._run is not None:
            self._guard(partial(self._run.record_score, model, message.mean_reward))

    def _listen_to_status(self) -> None:
        """Listen to how many episodes of each match were played, and whether all were."""
        matches = [namespace for namespace in self._options['matches'] if namespace]
        if self._told.roles or not matches:
            matches.append('')
        self._unfinished.update(matches)
        for match in matches:
            topic = f'{match}/{STATUS}' if match else STATUS
            heard = partial(self._on_status, match)
            self.create_subscription(Status, topic, heard, status_qos())

    def _on_status(self, match: str, status: Status) -> None:
        if self._run is None:
            return
        if rivals := find_rivals(self, f'{match}/{STATUS}' if match else STATUS):
            self._complain(f'{rivals}: its status is ignored')
            return
        self._run.counts.correct(match, status.finished_episodes)
        if not self._options['end_with_match']:
            return
        if status.phase != Status.PHASE_FINISHED or not status.finished_episodes:
            return
        self._unfinished.discard(match)
        if not self._unfinished and self._ends_in < 0:
            # The last feedback may still be on its way.
            self._ends_in = _LAST_PERIODS

    def _on_timer(self) -> None:
        for order in self._orders.values():
            self._guard(order.give_up)
        for match in self._watched:
            match.give_credit(is_due=True)
        self._report.publish(self._intake)
        taken, self._taken = self._taken, self._intake.taken
        if self._ends_in > 0:
            # Not while more is taken in: what others played is learned from to the end.
            self._ends_in -= taken == self._taken or self._late_periods >= _MOST_PERIODS
            self._late_periods += 1
        elif self._ends_in < 0 and self._is_enough:
            self._call_off()
        elif self._ends_in == 0 and self.exit_code is None:
            self._finish()

    @property
    def _is_enough(self) -> bool:
        """Tell whether the launch may end before all episodes were played."""
        run = self._run
        wants_proof = run is not None and run.config.until_proved and run.is_proved
        return bool(self._options['end_with_match']) and wants_proof

    def _call_off(self) -> None:
        """Have no more episodes played: no agent would answer while the end is written."""
        assert self._run is not None
        self.get_logger().info(
            f'proved after {self._run.episodes} episodes: no opponent can beat it'
        )
        # A learner that is killed from here on is restarted after a match that nobody resumes: it
        # must know that it has finished.
        if self.learner is not None:
            self._guard(partial(self._run.save, self.learner))
        for namespace in self._unfinished:
            prefix = f'{namespace}/' if namespace else ''
            self._calling_off.append(CallOff(self, prefix))
        # Until then, questions are answered as before.
        self._ends_in = _LAST_PERIODS

    def _finish(self) -> None:
        try:
            self.keep(evaluates=True)
        except GdlError as error:
            self._fail(str(error))
            return
        self.exit_code = 0


def main() -> int:
    """Run the node; return an exit code."""
    try:
        node = run_node.run(LearnerNode, lambda node: node.exit_code is not None)
    except GdlError as error:
        sys.stderr.write(f'{error}\n')
        return 1
    return node.exit_code or 0
