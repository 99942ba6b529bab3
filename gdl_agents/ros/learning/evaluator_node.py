"""Follows a policy, and tells how well it plays against random players."""

from __future__ import annotations

from pathlib import Path
import sys

from gdl_msgs.msg import Evaluation, GameInfo, Policy
from rclpy.node import Node

from gdl_agents.learning.trained_models import make_player
from gdl_agents.learning.training.evaluation import Arena, mean_reward
from gdl_agents.learning.training.threads import use_threads
from gdl_agents.ros.learning.evaluator_curve import append_table, draw
from gdl_agents.ros.learning.policy_message import from_policy
from gdl_env.environment.score import Score
from gdl_env.errors import GdlError
from gdl_env.language.load import game_from_text
from gdl_env.ros import run_node
from gdl_env.ros.declaring import declare, follow
from gdl_env.ros.parameters import EVALUATOR
from gdl_env.ros.run_node import Interruptible
from gdl_env.ros.transport.names import EVALUATION
from gdl_env.ros.transport.qos import evaluation_qos, policy_qos
from gdl_env.ros.transport.sources import InfoSubscription, find_rivals, guard
from gdl_env.ros.transport.texts import one_line
from gdl_env.ros.waiting import WaitingNotice
from gdl_env.ros.warming import announcing_long_evaluation


class EvaluatorNode(Node):  # type: ignore[misc]
    """Plays in this process. While it does, policies may come and go: the newest is next."""

    def __init__(self) -> None:
        super().__init__('evaluator_node')
        use_threads(1)
        self._values = values = declare(self, EVALUATOR)
        follow(self, EVALUATOR, values.__setitem__)
        self._folder = Path(values['folder']) if values['folder'] else None
        self._info: GameInfo | None = None
        self._arena: Arena | None = None
        self._waiting: Policy | None = None
        self._count = 0
        self._found: list[Evaluation] = []
        self.exit_code: int | None = None
        self._publisher = self.create_publisher(Evaluation, EVALUATION, evaluation_qos())
        self._topic: str = values['policy']
        self._infos = InfoSubscription(self, values['info'], self._on_info)
        listen = guard(self, self._topic, self._on_policy)
        self.create_subscription(Policy, self._topic, listen, policy_qos())
        WaitingNotice(self, self._describe_wait)

    def destroy_node(self) -> None:
        """Release the game, then end."""
        if self._arena is not None:
            self._arena.close()
        super().destroy_node()

    def _describe_wait(self) -> str:
        if self._info is None:
            return f'the rules, on {self.resolve_topic_name(self._values["info"])}'
        if not self._count:
            return f'a policy, on {self.resolve_topic_name(self._values["policy"])}'
        return ''

    def _on_info(self, message: GameInfo) -> None:
        """Open the game; what it is called and how it is played is all that is needed."""
        if self._info is not None and self._info.rules == message.rules:
            return
        if not message.rules:
            self._fail(f'{message.name} does not publish its rules, which are needed here')
            return
        self._info = message
        try:
            if self._arena is not None:
                self._arena.close()
            self._arena = Arena(
                game_from_text(message.rules, message.name),
                self._values['lanes'],
                mapping=self._values['mapping'],
            )
        except GdlError as error:
            self._fail(str(error))
            return
        self._found.clear()
        if self._waiting is not None:
            self._on_policy(self._waiting)

    def _on_policy(self, message: Policy) -> None:
        if rivals := find_rivals(self, self._topic, is_lenient=True):
            self.get_logger().error(f'{rivals}: no policy is evaluated', throttle_duration_sec=2.0)
            return
        if self._arena is None:
            self._waiting = message
            return
        self._waiting = None
        self._count += 1
        if (self._count - 1) % self._values['every']:
            return
        try:
            # It takes seconds: whoever stops the node need not wait for the end.
            with Interruptible(), announcing_long_evaluation(self.get_logger()):
                scores = self._evaluate(self._arena, message)
            self._publish_evaluation(message, scores)
        except KeyboardInterrupt:
            self.exit_code = 0
        except GdlError as error:
            # The next one may be better.
            self.get_logger().error(f'version {message.version}: {one_line(str(error))}')

    def _evaluate(self, arena: Arena, message: Policy) -> dict[str, Score]:
        model = from_policy(message)
        roles = tuple(role for role in arena.roles if role in message.roles)
        games, seed = self._values['games'], self._values['seed']
        return arena.seat_in_turn(lambda role: make_player(model), games, seed, roles)

    def _publish_evaluation(self, policy: Policy, scores: dict[str, Score]) -> None:
        seats = list(scores.values())
        message = Evaluation(
            game=policy.game,
            version=policy.version,
            episodes=policy.episodes,
            roles=list(scores),
            games=[score.games for score in seats],
            wins=[score.wins for score in seats],
            draws=[score.draws for score in seats],
            losses=[score.losses for score in seats],
            reward=[float(score.reward) for score in seats],
            mean_reward=mean_reward(scores),
        )
        self._publisher.publish(message)
        lost = ', '.join(f'{r} {s.wins}/{s.draws}/{s.losses}' for r, s in scores.items())
        self.get_logger().info(
            f'{policy.episodes} episodes, version {policy.version}: mean reward'
            f' {message.mean_reward:.2f} (won/drawn/lost {lost})'
        )
        self._found.append(message)
        if self._folder is not None:
            append_table(self._folder, message)
            draw(self._folder, f'{policy.game}, {policy.algorithm}', self._found)

    def _fail(self, reason: str) -> None:
        self.get_logger().error(reason)
        self.exit_code = 1


def main() -> int:
    """Run the node; return an exit code."""
    try:
        node = run_node.run(EvaluatorNode, lambda node: node.exit_code is not None)
    except GdlError as error:
        sys.stderr.write(f'{error}\n')
        return 1
    return node.exit_code or 0
